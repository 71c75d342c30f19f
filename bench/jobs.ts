/**
 * What a calendar costs: `npm run bench:jobs`.
 *
 * The record of a thousand jobs is folded from the disk, in turns with as many records of facts. A plan goes over all of them. A hundred
 * moments in a minute are served by a real agent with a scripted model, one run of a job among five. An agent with a hundred
 * jobs whose moments are far rests for a minute, beside one without any.
 *
 * Source: springdrift 9 (1,000 jobs fold ≤ 50 ms, firing late by ≤ 1 s at 100 jobs a minute, idle CPU unchanged).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { foldRecord } from '@retainer/agent-pod/loop/fold-record';
import type { NewRecord } from '@retainer/journal/journal';
import { planJobs } from '@retainer/mind/parts/jobs/plan-jobs';
import { Projections } from '@retainer/mind/projections/projections';
import { JobLife } from '../test/support/job-life.ts';
import { jobOfPeople, OF_PERSON } from '../test/support/job-words.ts';
import { jobRecord, writeRecords } from '../test/support/recorded-jobs.ts';
import { bySize } from './bench-size.ts';
import { quantile, row } from './figures.ts';
import { startIdleAgent, type Start } from './start-idle-agent.ts';

const JOBS = bySize({ smoke: 100, full: 1_000 });
const ROUNDS = bySize({ smoke: 5, full: 30 });
/** The first ones are left out: by then the compiler has seen what it sees for good. */
const WARM_ROUNDS = 5;
const MOMENTS = bySize({ smoke: 10, full: 100 });
const MOMENTS_MS = bySize({ smoke: 3_000, full: 60_000 });
const RUN_AMONG = 5;
const IDLE_JOBS = 100;
const IDLE_MS = bySize({ smoke: 1_000, full: 60_000 });

const GOAL_FOLD_MS = 50;
const GOAL_LATE_MS = 1_000;
const YEAR_MS = 365 * 86_400_000;
const DAY_MS = 86_400_000;

const nowMs = Date.now();

/** Of one record, folded from the disk again and again; milliseconds. */
class FoldTimes {
  readonly #clockMs: number[] = [];
  readonly #processorMs: number[] = [];

  async fold(directory: string): Promise<Projections> {
    const reader = await openRecords(directory);
    const projections = new Projections();
    const before = process.cpuUsage();
    const startMs = performance.now();
    await foldRecord(reader, projections, nowMs);
    this.#clockMs.push(performance.now() - startMs);
    const { user, system } = process.cpuUsage(before);
    this.#processorMs.push((user + system) / 1_000);
    return projections;
  }

  told(more: string): readonly [string, string] {
    const warm = (times: readonly number[], ratio: number): string => ms(quantile(times.slice(WARM_ROUNDS), ratio));
    const clock = warm(this.#clockMs, 0.5);
    return [clock, `p95 ${warm(this.#clockMs, 0.95)}, processor time p50 ${warm(this.#processorMs, 0.5)}${more}`];
  }
}

const root = await mkdtemp(join(tmpdir(), 'retainer-bench-jobs-'));
try {
  const jobs = await benchFold();
  benchPlan(jobs);
  await benchLateness();
  await benchIdle();
} finally {
  await rm(root, { recursive: true, force: true });
}

/** Made, fired once and ended: three records of each. */
function livedJob(at: number): readonly NewRecord[] {
  const jobId = `job-${at}`;
  const momentMs = nowMs - DAY_MS + at;
  const runId = `${jobId}-run`;
  return [
    jobRecord(momentMs - DAY_MS, 'JobCreated', jobOfPeople(jobId, { words: 'Look at the logs, and say what is new.' })),
    jobRecord(momentMs, 'JobFired', { jobId, momentMs, runId }),
    jobRecord(momentMs + 1, 'JobEnded', { jobId, momentMs, runId, outcome: 'Succeeded', resultDigest: 'a'.repeat(64) }),
  ];
}

function factAt(at: number): NewRecord {
  const claim = { scope: 'Persistent', confidence: 0.9, derivation: 'DirectObservation', evidence: [] } as const;
  const value = 'Look at the logs, and say what is new.';
  const payload = { key: `logs/${at}`, value, label: OF_PERSON, ...claim };
  return {
    store: 'fact',
    kind: 'FactWritten',
    principal: 'agent',
    runId: `run-${at}`,
    timeMs: nowMs - DAY_MS,
    payload,
  };
}

async function benchFold(): Promise<Projections> {
  const lived = Array.from({ length: JOBS }, (_, at) => livedJob(at));
  const made = lived.flatMap(([created]) => (created === undefined ? [] : [created]));
  const records = lived.flat();
  const places = { made: join(root, 'made'), lived: join(root, 'lived'), facts: join(root, 'facts') };
  await writeRecords(places.made, made);
  await writeRecords(places.lived, records);
  await writeRecords(
    places.facts,
    made.map((_, at) => factAt(at)),
  );
  const times = { made: new FoldTimes(), lived: new FoldTimes(), facts: new FoldTimes() };
  let folded = new Projections();
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round += 1) {
    await times.facts.fold(places.facts);
    await times.made.fold(places.made);
    folded = await times.lived.fold(places.lived);
  }
  const count = folded.states.jobs.byId.size;
  if (count !== JOBS) throw new Error(`${count} jobs were folded, want ${JOBS}`);
  row(`${JOBS.toLocaleString('en')} facts, folded, p50`, ...times.facts.told(''));
  row(`${JOBS.toLocaleString('en')} jobs, folded, p50`, ...times.made.told(`; goal ≤ ${GOAL_FOLD_MS} ms`));
  row(
    'the same, each fired and ended once, p50',
    ...times.lived.told(`, ${records.length.toLocaleString('en')} records`),
  );
  return folded;
}

function benchPlan({ states }: Projections): void {
  const limits = { isEnabled: true, idleAfterMs: 0, maxDeferralMs: 0, peopleSlots: 3 };
  const times: number[] = [];
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round += 1) {
    const startMs = performance.now();
    const { steps } = planJobs(states.jobs, { nowMs: nowMs - DAY_MS, limits });
    times.push(performance.now() - startMs);
    if (steps.length > 0) throw new Error('a job is due, so this measures something else');
  }
  const us = (ratio: number): string => `${(quantile(times.slice(WARM_ROUNDS), ratio) * 1_000).toFixed(0)} µs`;
  row(
    `one plan over ${JOBS.toLocaleString('en')} jobs, p50`,
    us(0.5),
    `p99 ${us(0.99)}, the first time ${ms(times[0] ?? 0)}`,
  );
}

async function benchLateness(): Promise<void> {
  const spec = { scheduler: { idleAfter: '0s', cyclesPerHour: 10_000, tokensPerHour: 0 } };
  const life = await JobLife.begin({ directory: join(root, 'life'), spec });
  const firstMs = Date.now() + 1_000;
  const maker = { kind: 'Person' } as const;
  await life.makeAll(
    Array.from({ length: MOMENTS }, (_, at) => {
      const when = { type: 'Moment', atMs: Math.floor(firstMs + (at * MOMENTS_MS) / MOMENTS) } as const;
      return { jobId: `job-${at}`, job: { when, for: at % RUN_AMONG === 0 ? 'Agent' : 'Person' } as const, maker };
    }),
  );
  await life.until('JobEnded', MOMENTS);
  const late = (isOfAgent: boolean): readonly number[] =>
    life.records.flatMap(({ kind, timeMs, payload }) => {
      const { momentMs, runId } = payload as { readonly momentMs: number; readonly runId?: string };
      return kind === 'JobFired' && (runId !== undefined) === isOfAgent ? [timeMs - momentMs] : [];
    });
  await life.end();
  for (const [name, times] of [
    ['words', late(false)],
    ['work', late(true)],
  ] as const) {
    const [p50, p95, p99, most] = [0.5, 0.95, 0.99, 1].map((ratio) => ms(quantile(times, ratio)));
    const what = `${name} late, of ${MOMENTS} jobs in ${MOMENTS_MS / 1_000} s, p50`;
    row(what, p50 ?? '', `${times.length}: p95 ${p95}, p99 ${p99}, most ${most}; goal ≤ ${GOAL_LATE_MS} ms`);
  }
}

/** Side by side, so that both have the same machine. */
async function benchIdle(): Promise<void> {
  const [without, far] = [join(root, 'without'), join(root, 'far')];
  await startIdleAgent(without);
  await startIdleAgent(far);
  const when = { type: 'Moment', atMs: nowMs + YEAR_MS } as const;
  const made = Array.from({ length: IDLE_JOBS }, (_, at) =>
    jobOfPeople(`far-${at}`, { kind: 'Reminder', when }, { source: 'Tool' }),
  );
  await writeRecords(
    far,
    made.map((it) => jobRecord(nowMs, 'JobCreated', it)),
  );
  const [base, loaded] = await Promise.all([startIdleAgent(without, IDLE_MS), startIdleAgent(far, IDLE_MS)]);
  const told = ({ restCpuMs, rssBytes }: Start): readonly [string, string] => [
    ms(restCpuMs),
    `${(rssBytes / 2 ** 20).toFixed(1)} MiB resident`,
  ];
  row(`processor time of ${IDLE_MS / 1_000} s without jobs`, ...told(base));
  row(`the same with ${IDLE_JOBS} jobs, the next far`, ...told(loaded));
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}
