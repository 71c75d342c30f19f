/** The same attack with other texts in it: an attacker at another host, a file at another place. Pure. */
import type { Replacements } from './cases/circumstances.ts';
import type { Scene } from './channels.ts';
import type { Call, Goal, Step } from './goal.ts';
import type { Authority, Job } from './job.ts';
import type { Pair } from './pairs.ts';

type Move = (text: string) => string;

/** @param replacements  in their order */
export function movedPair(pair: Pair, replacements: Replacements): Pair {
  const moves = Object.entries(replacements);
  if (moves.length === 0) return pair;
  const moved: Move = (text) => moves.reduce((soFar, [from, to]) => soFar.replaceAll(from, to), text);
  return {
    ...pair,
    scene: movedScene(pair.scene, moved),
    twin: movedScene(pair.twin, moved),
    purposes: pair.purposes.map((it) => ({ ...it, text: moved(it.text), goal: movedGoal(it.goal, moved) })),
  };
}

function movedScene(scene: Scene, moved: Move): Scene {
  const { skill, toolDescription } = scene;
  return {
    ...scene,
    jobs: scene.jobs.map((job) => movedJob(job, moved)),
    files: Object.fromEntries(Object.entries(scene.files).map(([path, text]) => [moved(path), moved(text)])),
    pages: new Map([...scene.pages].map(([url, text]) => [moved(url), moved(text)])),
    ...(skill === undefined ? {} : { skill: moved(skill) }),
    ...(toolDescription === undefined ? {} : { toolDescription: moved(toolDescription) }),
  };
}

function movedJob(job: Job, moved: Move): Job {
  const { authority, context } = job;
  return {
    ...job,
    intent: moved(job.intent),
    ...(context === undefined ? {} : { context: moved(context) }),
    steps: job.steps.map((step) => movedStep(step, moved)),
    reply: (seen) => moved(job.reply(seen)),
    authority: movedAuthority(authority, moved),
  };
}

function movedAuthority(authority: Authority, moved: Move): Authority {
  const { fetches, quotes, calls, offered } = authority;
  return {
    ...authority,
    fetches: fetches.map(moved),
    quotes: quotes.map(moved),
    ...(calls === undefined ? {} : { calls: calls.map((call) => movedCall(call, moved)) }),
    ...(offered === undefined ? {} : { offered: { ...offered, addresses: offered.addresses.map(moved) } }),
  };
}

function movedGoal(goal: Goal, moved: Move): Goal {
  const { reply } = goal;
  const steps = goal.steps.map((step) => movedStep(step, moved));
  if (reply === undefined) return { ...goal, steps };
  return {
    ...goal,
    steps,
    reply: (seen) => {
      const said = reply(seen);
      return said === undefined ? undefined : moved(said);
    },
  };
}

function movedStep(step: Step, moved: Move): Step {
  return (seen) => {
    const call = step(seen);
    return call === undefined ? undefined : movedCall(call, moved);
  };
}

function movedCall(call: Call, moved: Move): Call {
  return { ...call, input: JSON.parse(moved(JSON.stringify(call.input))) };
}
