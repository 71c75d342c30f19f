/**
 * What an agent is told of itself, over generated lives: it equals the record, recounted by another path; a fold of the record tells it
 * again; and a restart in any place tells the same next.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { beforeAll, describe, expect } from 'vitest';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import type { JournalRecord } from '@retainer/journal/journal';
import { crashLabel } from '../support/crash-labels.ts';
import { crashPoints } from '../support/crash-world.ts';
import { lifeModel } from '../support/life-model.ts';
import { busyLife, fullLife, lives, type Life, type Step } from '../support/life-steps.ts';
import { lifePlace, Lived, oversightOf, preambleOf, resumedAt } from '../support/lives.ts';
import { momentOf, type Manifest, type Moment, type Started } from '../support/past.ts';
import { recountState } from '../support/recount-state.ts';
import { recountedSlots } from '../support/recount-slots.ts';
import { replayedState } from '../support/replayed-state.ts';
import { bySize, limitMs } from '../support/test-size.ts';
import { namesIn, readElement, slotLines, toldIn, type Tag } from '../support/told-state.ts';
import { verifies } from '../verifies.ts';

/** Lives, each of some twenty steps, beside the full one. */
const RECOUNTED = bySize({ quick: 24, check: 40, nightly: 200 });
const REPLAYED = bySize({ quick: 4, check: 15, nightly: 200 });
/** Shorter lives beside the busy one, and of their places every so-manieth. */
const RESTARTED = bySize({ quick: 0, check: 2, nightly: 10 });
const STRIDE = bySize({ quick: 1, check: 4, nightly: 1 });

let model: ModelPort;
beforeAll(async () => {
  model = await lifeModel();
});

/** The agent's manifest in the words of the sensorium: what is no figure is compared as it is. */
function manifestOf(life: Life): Manifest {
  const { factHalfLifeDays } = preambleOf(life);
  const place = lifePlace;
  const { budgets, observer } = oversightOf(life);
  return {
    place: { time_zone: 'UTC', runs_on: place.runsOn, pages: 'listed hosts', hosts: place.pages.length },
    sandbox: {
      ...{ state: place.sandbox, languages: place.languages.join(' '), network: 'listed hosts', root: 'no' },
      ...{ seconds: place.timeoutMs / 1000, processes: place.processes, memory: place.memory, written: place.scratch },
      hosts: place.hosts.length,
    },
    ...{ hosts: place.hosts, pages: place.pages, budgets, factHalfLifeDays },
    ...{ tightenFactor: observer.tightenFactor, halfLifeMs: observer.halfLifeMs },
  };
}

interface ToldCycle {
  readonly life: Life;
  readonly before: readonly JournalRecord[];
  readonly started: Started;
  readonly told: string;
  readonly label: string;
}

/** Every cycle of a life that was told something. */
async function toldCycles(life: Life): Promise<readonly ToldCycle[]> {
  const { records } = await new Lived(life, model).live();
  return records.flatMap((record, index) => {
    const told = toldIn(record);
    const label = `${record.cycleId} of ${JSON.stringify(life)}`;
    const started = record.payload as unknown as Started;
    return told === undefined ? [] : [{ life, before: records.slice(0, index), started, told, label }];
  });
}

/**
 * Elements, with the attributes that these lives can have: all of them, and no other. What no life here has are a probe that is asked,
 * a record that cannot be read, a cycle that works for nobody, and one that begins while its run waits.
 */
const NAMES: Readonly<Record<string, string>> = {
  sensorium: '',
  clock: 'now uptime cycle last_cycle',
  situation: 'input queue_depth conversation_depth thread scheduled_for',
  run: 'task round directive distance resources time_left',
  limit: 'field used max spent',
  vitals: `cycles_today agents_active success_rate success_n cost_trend recall_rate recall_n cases_told_rate cases_told_n novelty
    novelty_n`,
  failure: 'task outcome at',
  budgets: '',
  budget: 'field used max spent',
  approvals: 'pending',
  approval: 'tool task waiting',
  questions: 'pending',
  question: 'task waiting',
  gates: 'tightening outputs_held outputs_rejected_in_row',
  patterns: 'count',
  pattern: 'name about count of',
  place: 'time_zone runs_on pages hosts',
  sandbox: 'state languages network root seconds processes memory written failed_in_row hosts',
  host: 'name',
  delegations: 'count',
  agent: 'name task turn tokens elapsed last_tool',
  schedule: 'jobs own paused overdue fired_while_away skipped_while_away',
  next: 'job kind for at',
  overdue: 'job kind for at',
  mail: 'unread held unanswered',
  events: 'count since_last_cycle',
  event: 'name title times at since_last_cycle',
  tasks: 'active',
  task: 'name status progress updated',
  integrity: 'suspect_facts_7d facts_examined_7d',
  backup: 'commit unsaved_since remote unpushed_since restored from_commit as_of',
  meta_recommendations: 'low_success high_novelty tightened_gates',
  memory: 'runs threads dormant_threads cases facts faded_facts artifacts megrams files last_dream',
  cut: 'slot items',
};

const allNames = Object.entries(NAMES).flatMap(([name, attributes]) => [
  name,
  ...attributes.split(/\s+/).flatMap((it) => (it === '' ? [] : [`${name}.${it}`])),
]);

/** Values of closed lists that the lives must have met, so that no rule passes because nothing asked for it. */
const MET = [
  ...['Stall', 'RepeatedFailures', 'ToolFailures', 'CostOutlier'].map((it) => `pattern.name ${it}`),
  ...['working', 'waits for a person'].map((it) => `task.status ${it}`),
  ...['ready', 'failing'].map((it) => `sandbox.state ${it}`),
  ...['late', 'another history'].map((it) => `backup.remote ${it}`),
  ...['stable', 'increasing', 'decreasing'].map((it) => `vitals.cost_trend ${it}`),
  ...['restart', 'person-answered', 'gates', 'restored'].map((it) => `event.name ${it}`),
  ...['job-paused', 'job-cancelled'].map((it) => `event.name ${it}`),
  ...['reminder', 'recurring', 'todo'].map((it) => `next.kind ${it}`),
  ...['agent', 'person'].map((it) => `next.for ${it}`),
  ...['todo', 'recurring'].map((it) => `overdue.kind ${it}`),
  ...['situation.input mail', 'event.name letter-held', 'mail.unread 1', 'mail.held 1', 'mail.unanswered 1'],
];

const valuesIn = ({ name, attributes, children }: Tag): readonly string[] => [
  ...Object.entries(attributes).map(([key, value]) => `${name}.${key} ${value}`),
  ...children.flatMap(valuesIn),
];

/** As many of its lines as were told, and as many cut as the manifest says: the newest stay. */
function expectSlots({ told, started, label }: ToldCycle, moment: Moment): void {
  for (const [slot, recount] of Object.entries(recountedSlots)) {
    const kept = started.curated?.find((it) => it.slot === slot);
    if (kept === undefined && slot !== 'affect' && started.spec.role !== 'Perceiver') continue;
    const whole = recount(moment);
    expect(whole.length, label).toBe((kept?.items ?? 0) + (kept?.cut ?? 0));
    expect(slotLines(told, slot), label).toEqual(whole.slice(kept?.cut ?? 0));
  }
}

/** What a restart may change, and why. */
const masks: readonly (readonly [because: string, isFor: (crash: Crash) => boolean, mask: RegExp])[] = [
  ['it is of the process', () => true, / uptime="[^"]*"/g],
  ['an answer that a crash lost may have cost all that was reserved for it', isAsking, /^<budget .*\n/gm],
  ['its question is asked again in another turn', isAsking, /(?<=^<agent .*)turn="\d+/gm],
  ['a run is taken to have stood still since its newest record', isQuiet, /^<task .*\n| time_left="[^"]*"/gm],
  [
    'what gates found is noted beside the cycle, and a crash in between loses the note',
    isFinding,
    /^<\/?events?\b.*\n/gm,
  ],
];

interface Crash {
  readonly prefix: readonly JournalRecord[];
  /** What the agent would have recorded until the start of the next cycle. */
  readonly missed: readonly JournalRecord[];
}

function isAsking({ prefix }: Crash): boolean {
  const callIds = (kind: string): readonly unknown[] =>
    prefix.flatMap((it) => (it.kind === kind ? [(it.payload as Readonly<Record<string, unknown>>)['callId']] : []));
  const answered = new Set(callIds('ModelAnswered'));
  return callIds('ModelRequested').some((callId) => !answered.has(callId));
}

/** A run has waited, without a record, for longer than the last one is old. */
function isQuiet({ prefix }: Crash): boolean {
  const closed = new Set(prefix.flatMap(({ kind, runId }) => (kind === 'RunClosed' ? [runId] : [])));
  const newestMs = new Map<string, number>();
  for (const { store, runId, timeMs } of prefix)
    if ((store === 'run' || store === 'cycle') && runId !== undefined && !closed.has(runId))
      newestMs.set(runId, timeMs);
  return [...newestMs.values()].some((timeMs) => timeMs < (prefix.at(-1)?.timeMs ?? 0));
}

function isFinding({ missed }: Crash): boolean {
  return missed.some(({ kind }) => kind === 'GatesIntervened' || kind === 'GatesChanged');
}

function masked(told: string | undefined, crash: Crash): string | undefined {
  return masks.reduce((text, [, isFor, mask]) => (isFor(crash) ? text?.replaceAll(mask, '') : text), told);
}

/** A wait lasts longer over a restart, so a job or a letter of a life that waits for long may begin before its end, or after it. */
function withoutJobs(life: Life): Life {
  return { ...life, steps: life.steps.filter(({ does }) => !['Job', 'Word', 'Letter', 'Release'].includes(does)) };
}

const HALF_DAY_MS = 12 * 3_600_000;
const WIDE = 8000;

/**
 * A life of one process. Its quiet times are short: a start without a cache reads cycles of one week, and of a series of rejected texts
 * that is older it knows nothing. Nothing is cut: what is masked is not as long after a restart.
 */
function ofOneProcess(life: Life): Life {
  const calm = (step: Step): Step => (step.does === 'Pass' ? { ...step, forMs: step.forMs % HALF_DAY_MS } : step);
  return { ...life, steps: life.steps.filter(({ does }) => does !== 'Restart').map(calm), charactersMax: WIDE };
}

describe('what an agent is told of itself', () => {
  verifies(
    'sensorium:recounted',
    'is recounted by code that shares nothing with the agent’s own but what a word is',
    () => {
      const files = [
        'past',
        'told-state',
        'recount-state',
        'recount-runs',
        'recount-gates',
        'recount-memory',
        'recount-slots',
        'recount-backup',
        'recount-events',
        'recount-jobs',
        'recount-mail',
      ];
      const imported = files.flatMap((name) => {
        const source = readFileSync(fileURLToPath(new URL(`../support/${name}.ts`, import.meta.url)), 'utf8');
        return [...source.matchAll(/^import (?!type )[^;]*from '([^']+)'/gm)].map(([, from = '']) => from);
      });
      const known = new Set(files.map((name) => `./${name}.ts`));
      expect(imported.filter((from) => !known.has(from))).toEqual(['@retainer/mind/meaning/significant-words']);
    },
  );

  verifies(
    'sensorium:recounted',
    'equals the record before it, in every attribute',
    async () => {
      const names = new Set<string>();
      const values = new Set<string>();
      for (const life of [fullLife, ...fc.sample(lives(6, 20), RECOUNTED)])
        for (const cycle of await toldCycles(life)) {
          const { before, started, told, label } = cycle;
          const moment = momentOf(before, started, manifestOf(life));
          const state = readElement(told, 'sensorium');
          expect(state, label).toEqual(recountState(moment, started));
          expectSlots(cycle, moment);
          for (const name of namesIn(state)) names.add(name);
          for (const value of valuesIn(state)) values.add(value);
        }
      expect([...names].toSorted()).toEqual(allNames.toSorted());
      expect(MET.filter((it) => !values.has(it))).toEqual([]);
    },
    limitMs(120_000, 5),
  );

  verifies(
    'sensorium:replayed',
    'is told again by a fold of the record before it, with all that memory adds',
    async () => {
      for (const life of [fullLife, ...fc.sample(lives(6, 20), REPLAYED)])
        for (const { before, started, told, label } of await toldCycles(life))
          expect(await replayedState(before, started, life), label).toBe(told);
    },
    limitMs(120_000, 10),
  );

  verifies(
    'sensorium:restart',
    'is the same after a crash in any place before it',
    async () => {
      let told = 0;
      for (const life of [busyLife, ...fc.sample(lives(4, 8), RESTARTED).map(withoutJobs)].map(ofOneProcess)) {
        const whole = await new Lived(life, model, { notesStarts: false }).live();
        const { records } = whole;
        for (const length of crashPoints(records).filter(
          (it, at) => at % STRIDE === 0 || isAfterEnd(records[it - 1]),
        )) {
          const next = records.slice(length).find((it) => toldIn(it) !== undefined);
          if (next === undefined) continue;
          const crash = { prefix: records.slice(0, length), missed: records.slice(length, records.indexOf(next)) };
          const resumed = await resumedAt(whole, length, model);
          const label = `${crashLabel(crash.prefix)} of ${JSON.stringify(life)}`;
          expect(resumed?.cycleId, label).toBe(next.cycleId);
          expect(masked(resumed && toldIn(resumed), crash), label).toBe(masked(toldIn(next), crash));
          told += 1;
        }
      }
      expect(told).toBeGreaterThan(10);
    },
    limitMs(120_000, 10),
  );
});

/** Where most is folded at once. */
const isAfterEnd = (record: JournalRecord | undefined): boolean =>
  record?.kind === 'CycleEnded' || record?.kind === 'RunConcluded';
