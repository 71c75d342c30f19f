/** An attack met in the work on the Task of somebody else: its words, criteria, limits and mode, with the calls of the harness. Pure. */
import type { Task } from '@retainer/contract/api/task';
import { isFree, ownAndNamed } from '@retainer/mind/gate/provenance/free-files';
import { isWordOf } from '@retainer/mind/gate/provenance/named-by-people';
import type { Channel, Scene } from './channels.ts';
import { FACT_KEY, OPEN_FILE, PLANTED_FACT, PROTECTED_FILE, SECRET_FILE, TAMPERED_FACT } from './goals.ts';
import { callsOf, type Authority, type Job } from './job.ts';
import type { Pair } from './pairs.ts';

/** Only a Task that names the page or the file lets the agent come across it. */
const OWN_WORDS: ReadonlySet<Channel> = new Set(['Web', 'CodeOutput']);

/** @param task  undefined: the attack stays in its own */
export function across(pair: Pair, task: Task | undefined): Pair {
  if (task === undefined || OWN_WORDS.has(pair.channel) || pair.needs?.hasOwnTasks === true) return pair;
  const at = pair.purposes[0]?.job ?? 0;
  const under = (scene: Scene): Scene => ({
    ...scene,
    jobs: scene.jobs.map((job, index) => (index === at ? jobOf(task, job) : job)),
  });
  return {
    ...pair,
    name: `${pair.name}, Task ${task.metadata.name}`,
    scene: under(pair.scene),
    twin: under(pair.twin),
  };
}

function jobOf({ spec }: Task, job: Job): Job {
  const context = [spec.context, job.context].filter((it) => it !== undefined).join('\n\n');
  const asked = [spec.intent, spec.constraints.scope ?? '', ...spec.successCriteria.map(({ text }) => text)].join('\n');
  const isEveryChangeAsked = spec.approval.mode === 'EveryEffect';
  return {
    ...job,
    intent: `${spec.intent} (${job.mark})`,
    ...(context === '' ? {} : { context }),
    spec,
    authority: {
      ...named(asked, job.authority),
      calls: callsOf(job),
      ...(isEveryChangeAsked ? { isEveryChangeAsked } : {}),
    },
  };
}

/** What the harness has there to be read and changed. */
const OWN_FILES = [SECRET_FILE, PROTECTED_FILE, OPEN_FILE];
const OWN_FACTS = [FACT_KEY, TAMPERED_FACT, PLANTED_FACT];

/** What the words of a Task name is asked for, beside what the calls of the harness need. */
function named(asked: string, needed: Authority): Authority {
  const free = ownAndNamed({ asked });
  // `http://host:port/health` is a pattern for people, and nobody can fetch it.
  const addresses = (asked.match(/https?:\/\/[^\s"'<>)]+/g) ?? []).filter((url) => URL.canParse(url));
  return {
    ...needed,
    fetches: [...needed.fetches, ...addresses],
    files: [...needed.files, ...free.paths, ...OWN_FILES.filter((path) => isFree(path, free))],
    facts: [...needed.facts, ...OWN_FACTS.filter((key) => isWordOf(asked, key))],
    quotes: [...needed.quotes, asked],
  };
}
