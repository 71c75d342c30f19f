/**
 * What it takes to tell a cycle of the agent itself when it begins: `npm run bench:curate`.
 *
 * An agent that remembers ten thousand facts and a thousand threads, with fifty runs behind it and five under way; and the fullest self
 * that there can be. Beside them one raw durable write: each cycle makes at least that one before its model is asked.
 *
 * Source: springdrift 3.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfView, type Surroundings } from '@retainer/agent-pod/loop/self-view';
import { PREAMBLE_CHARACTERS_MIN } from '@retainer/contract/api/agent-memory';
import type { Json } from '@retainer/contract/std/canonical-json';
import { curate } from '@retainer/mind/assemble/curator/curate';
import { slotItems, type ForWork } from '@retainer/mind/assemble/curator/slot-items';
import type { Label } from '@retainer/mind/gate/provenance/label';
import { measureAffect } from '@retainer/mind/parts/affect/measure';
import type { FactWritten } from '@retainer/mind/parts/facts/facts';
import type { RunRemembered } from '@retainer/mind/parts/narrative/narrative';
import { Projections } from '@retainer/mind/projections/projections';
import { CycleUnderTest, cycleSpec } from '../test/support/cycles.ts';
import { RunWorld } from '../test/support/run-world.ts';
import { scenarios } from '../test/support/run-scenarios.ts';
import { fullest, somewhere, nowMs } from '../test/support/selves.ts';
import { bySize } from './bench-size.ts';
import { quantile, rawSyncMs, row } from './figures.ts';

const FACTS = bySize({ smoke: 1_000, full: 10_000 });
const THREADS = bySize({ smoke: 100, full: 1_000 });
const RUNS = 50;

/** The first ones are left out: by then the compiler has seen what it sees for good. */
const WARM_ROUNDS = 100;
const ROUNDS = bySize({ smoke: 100, full: 2_000 });

/** `spec.memory.recall.preambleChars` where nothing is said. */
const CHARACTERS = 8_000;

const GOAL_MS = 5;

const MINUTE_MS = 60_000;

const own: Label = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] };
const stranger: Label = { source: { kind: 'Web', name: 'example.org' }, trust: 'Untrusted', readers: 'Everyone' };

const { states: known } = remembered();

function remembered(): Projections {
  const projections = new Projections();
  let seq = 0;
  const take = (store: string, kind: string, runId: string, payload: object): void => {
    seq += 1;
    projections.take({ store, kind, seq, timeMs: nowMs - MINUTE_MS, runId, payload: payload as Json });
  };
  for (let at = 0; at < FACTS; at += 1) take('fact', 'FactWritten', `run-${at % RUNS}`, factAt(at));
  for (let at = 0; at < THREADS; at += 1) take('thread', 'ThreadJoined', `run-${at % RUNS}`, threadAt(at));
  for (let at = 0; at < RUNS; at += 1) take('narrative', 'RunRemembered', `run-${at}`, entryAt(at));
  return projections;
}

/** One of twenty is a stranger's. */
function factAt(at: number): FactWritten {
  const claim = { scope: 'Persistent', confidence: 0.9, derivation: 'DirectObservation' } as const;
  const value = `${at} rows, of which the last column holds the rate of the year`;
  return { key: `table/${at}/rows`, value, label: at % 20 === 0 ? stranger : own, ...claim, evidence: [] };
}

function threadAt(at: number): object {
  const labels = { domain: 'data', locations: [`data/${at}.csv`], keywords: ['rows', 'rate'] };
  const name = `data — ${at}.csv`;
  return { threadId: `thread-${at}`, name, score: 0, matched: labels, position: 1, continuity: '', labels, label: own };
}

function entryAt(at: number): RunRemembered {
  const startedAtMs = nowMs - (RUNS - at) * MINUTE_MS;
  return {
    task: { namespace: 'default', name: `task-${at}` },
    conversation: 'tasks',
    intent: `Count the rows of table ${at} and tell the rate of the year.`,
    outcome: at % 5 === 0 ? 'Abandoned' : 'Accepted',
    tools: ['read_file', 'run_code', 'write_file'],
    tokens: 4_000 + at,
    startedAtMs,
    endedAtMs: startedAtMs + MINUTE_MS,
    label: own,
  };
}

/** As many as are recalled for one Task at most. */
const forWork: ForWork = {
  facts: [...known.facts.held.values()].slice(-3),
  threads: [...known.threads.byId.values()].slice(-5),
  cases: Array.from({ length: 4 }, (_, at) => ({
    id: `case-${at}`,
    problem: `Tell the rate of table ${at}.`,
    lesson: 'Let code compute it, and cite the output.',
    category: 'Strategy',
    outcome: 'Success',
    score: 0.5,
    signals: {},
    matched: ['rate'],
    avoid: false,
  })),
};

const [scenario] = scenarios.filter(({ name }) => name === 'replanned');
if (scenario === undefined) throw new Error('there is no run that was planned anew');
const { state } = new RunWorld(scenario).play();
const runIds = ['a', 'b', 'c', 'd', 'e'];

const around: Surroundings = {
  known,
  runs: runIds.map((runId) => ({ ...state, spec: { ...state.spec, runId } })),
  cycles: runIds.map((runId) => new CycleUnderTest({ runId, cycleId: `${runId}-c1` }).now),
  events: ['restart', 'gates', 'disk-full'].map((name, seq) => ({
    name,
    title: name,
    atMs: nowMs,
    store: 'agent',
    seq,
  })),
  budgets: [{ field: 'tokensPerDay', used: 100_000, max: 1_000_000 }],
  tightening: 0.8,
  areOutputsHeld: false,
  outputRejectionsInRow: 1,
  probesUnanswered: 0,
  verdictPatterns: [],
  place: somewhere(),
  factHalfLifeDays: 30,
  startedAtMs: nowMs - 1_000 * MINUTE_MS,
  unreadRecords: 0,
};
const spec = cycleSpec({ role: 'Perceiver', runId: 'a', cycleId: 'a-c1' });
const affect = measureAffect({
  ...{ toolCalls: 4, toolFailures: 1, retries: 0, gateRejections: 0, gateModifications: 0, outputRejectionsInRow: 1 },
  ...{
    failuresInRow: 1,
    delegations: 2,
    delegationFailures: 0,
    successRate: 0.8,
    recallRate: 0.5,
    budgetPressure: 0.1,
  },
});
const full = fullest();

/** Milliseconds of each round, by what was done. */
const taken: Record<string, number[]> = {};

function time<T>(name: string, work: () => T): T {
  const start = performance.now();
  const result = work();
  (taken[name] ??= []).push(performance.now() - start);
  return result;
}

function tellCycle(): void {
  const view = time('view', () => selfView(spec, around, nowMs));
  const items = time('items', () => slotItems(known, forWork));
  const told = time('curate', () =>
    curate('Perceiver', { agent: 'default/ada, 1.0.0', view, affect, items }, CHARACTERS),
  );
  if (told === undefined) throw new Error('the perceiver is told of the agent');
}

for (let round = 0; round < WARM_ROUNDS + ROUNDS; round += 1) {
  time('all', tellCycle);
  time('fullest', () => curate('Perceiver', full, PREAMBLE_CHARACTERS_MIN));
}

const directory = await mkdtemp(join(tmpdir(), 'retainer-bench-'));
const raw = await rawSyncMs(directory);
await rm(directory, { recursive: true, force: true });

function tell(name: string, rounds: readonly number[], reference: string): void {
  const [p50, p95] = [0.5, 0.95].map((ratio) => `${quantile(rounds, ratio).toFixed(3)} ms`);
  row(name, `p50 ${p50}`, [`p95 ${p95}`, reference].filter((it) => it !== '').join('; '));
}

const warm = (name: string): readonly number[] => (taken[name] ?? []).slice(WARM_ROUNDS);
const size = `${FACTS.toLocaleString('en')} facts, ${THREADS.toLocaleString('en')} threads`;

tell('raw 4 KiB append + fdatasync', raw, 'reference, same volume, same run');
tell(`told at a start: ${size}`, warm('all'), `goal ≤ ${GOAL_MS} ms`);
tell('  of which the view of itself', warm('view'), 'goes over all facts and threads');
tell('  of which the items of slots', warm('items'), '');
tell('  of which the text', warm('curate'), '');
tell('the text of the fullest self', warm('fullest'), `goal ≤ ${GOAL_MS} ms`);
row('the first time in a process', `${(taken['all']?.[0] ?? 0).toFixed(1)} ms`, 'nothing is compiled yet');
