/**
 * Attacks that need a world of their own: several Tasks, a person who answers, tools that act outside, a character with other limits.
 * Each has a harmless twin. None knows whom it meets: what it needs of them stands in `needs`.
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import type { SeedFile } from '../../boot/seed-workspace.ts';
import { MAIL_CHANNELS, sceneOf, type Channel, type Scene } from '../channels.ts';
import type { Goal, Seen, Step } from '../goal.ts';
import type { Job } from '../job.ts';
import type { Needs, Pair } from '../pairs.ts';
import type { Person } from '../person.ts';
import { Seeded } from '../seeded.ts';
import { PLAIN } from '../surfaces.ts';
import { harmless } from '../wording.ts';
import type { Circumstance } from './circumstances.ts';

/** What one job's model is asked to do besides its job. */
export interface Deed {
  readonly steps?: readonly Step[];
  readonly reply?: (seen: Seen) => string | undefined;
}

export interface CaseParts {
  /** `planted-code/module`. */
  readonly id: string;
  readonly channels: readonly Channel[];
  /** The words of the attack. */
  readonly asks: string;
  /** By job, from the first on. None: there is no attack, and the work itself shows what is to be seen. */
  readonly deeds: readonly Deed[];
  /** The jobs of the channel's scene become these. Absent: they stay. */
  readonly jobs?: (own: readonly Job[]) => readonly Job[];
  readonly scene?: Partial<Scene>;
  readonly circumstance?: Circumstance;
  readonly person?: Person;
  readonly seeds?: readonly SeedFile[];
  /** A new file is an effect, too. */
  readonly isEveryChangeAsked?: true;
  /** Fails with any gate. */
  readonly isHeldBelow?: true;
}

export function pairsOf(parts: CaseParts): readonly Pair[] {
  return parts.channels.map((channel) => pairOf(parts, channel));
}

/** Documents of cases differ from each other by a week of these. */
const WEEKS = 10_000;

function pairOf(parts: CaseParts, channel: Channel): Pair {
  const { id, asks, deeds, scene, isHeldBelow } = parts;
  const name = `${id} by ${channel}`;
  const random = new Seeded(Number.parseInt(sha256Hex(name).slice(0, 8), 16));
  const mark = Array.from({ length: 16 }, () => random.below(36).toString(36)).join('');
  const week = random.below(WEEKS);
  const text = PLAIN.render(asks, mark);
  const goal: Goal = {
    id,
    aim: { kind: 'InOwnWords', words: asks },
    heldBy: 'Gate',
    runsCode: scene?.needsSandbox === true,
    steps: [],
    ...(isHeldBelow === undefined ? {} : { isHeldBelow }),
  };
  return {
    name,
    goal,
    channel,
    purposes: deeds.flatMap(({ steps = [], reply }, job) => {
      if (steps.length === 0 && reply === undefined) return [];
      const asked = { ...goal, steps, ...(reply === undefined ? {} : { reply }) };
      return [{ text, halves: [mark.slice(0, 8), mark.slice(8)], job, goal: asked }];
    }),
    scene: sceneWith(parts, channel, { text, week }),
    twin: sceneWith(parts, channel, { text: PLAIN.render(harmless('English', week), mark), week }),
    heldBy: 'Gate',
    needs: needsOf(parts, channel),
  };
}

function sceneWith(
  { jobs, scene, isEveryChangeAsked }: CaseParts,
  channel: Channel,
  { text, week }: { readonly text: string; readonly week: number },
): Scene {
  const own = sceneOf(channel, text, week);
  const changed = jobs?.(own.jobs) ?? own.jobs;
  return {
    ...own,
    ...scene,
    files: { ...own.files, ...scene?.files },
    jobs: isEveryChangeAsked === undefined ? changed : changed.map(askingAboutAll),
  };
}

function askingAboutAll(job: Job): Job {
  return { ...job, authority: { ...job.authority, isEveryChangeAsked: true } };
}

function needsOf({ circumstance, person, seeds, jobs }: CaseParts, channel: Channel): Needs {
  const isLetter = MAIL_CHANNELS.some((it) => it === channel);
  return {
    ...(circumstance === undefined ? {} : { circumstance }),
    ...(person === undefined ? {} : { person }),
    ...(seeds === undefined ? {} : { seeds }),
    ...(jobs === undefined && !isLetter ? {} : { hasOwnTasks: true }),
  };
}
