/**
 * What the agent's newest work came to, as its affect is computed from it: folds of the stores `run` and `cycle`.
 *
 * Source: springdrift 4 (signals). Differs: failures in a row are counted, over attempts as they were judged and over runs without
 * one; rates are of the newest twenty; the pressure on the budget is the share of the cycle's own limit.
 */
import { isReached } from '@retainer/contract/api/task-status';
import { z } from 'zod';
import type { AffectSignals } from '../parts/affect/measure.ts';
import { cycleKinds } from '../cycle/event.ts';
import { totalTokens } from '../cycle/state.ts';
import { isOfPerson } from '../gate/approval.ts';
import { defineProjection, emptyAtRest, eventOf, everyKind, omitEach } from '../part/projection.ts';
import { runKinds, type RunEvent, type RunEventOf } from '../run/event.ts';
import { hasFailed } from '../run/verdict/acts.ts';

/** Newest items of a rate. Fewer would jump with each run, more would remember what is long mended. */
const RATE_NEWEST = 20;

/** A rate of which nothing is known. */
const RATE_UNKNOWN = 0.5;

/** What one run tells: neither what gates changed, which its cycles record, nor what was rejected over all cycles. */
type RunSignals = Omit<AffectSignals, 'outputRejectionsInRow' | 'gateModifications'>;

/** An Executor cycle, or a run without one, that has ended and needs a measurement. */
export interface Ended {
  /** Absent: the run. */
  readonly cycleId?: string;
  /** The cycles that it consists of. */
  readonly cycleIds: readonly string[];
  readonly signals: RunSignals;
}

interface Attempt {
  /** Subtask and attempt. */
  readonly name: string;
  readonly isDelegated: boolean;
  readonly tokensMax: number;
}

interface OpenRun {
  /** Of Executor cycles, by cycle. */
  readonly attempts: Map<string, Attempt>;
  /** Names of attempts that count as failures by the end of their cycle. */
  readonly fallen: Set<string>;
  /** Ids of all its cycles. */
  readonly cycleIds: string[];
  gateRejections: number;
  delegations: number;
  delegationFailures: number;
  /** Oldest first. */
  readonly ended: Ended[];
}

export interface RecentWork {
  failuresInRow: number;
  /** When the last cycle ended, milliseconds since 1970; undefined before the first. */
  cycleEndedAtMs: number | undefined;
  /** Calls of code in a row, the newest ones, whose program no sandbox ran. */
  codeFailedInRow: number;
  /** Whether each of the newest runs reached its goal, oldest first. A cancelled run says nothing. */
  readonly outcomes: boolean[];
  /** Whether memory knew something, at each of the newest questions, oldest first. */
  readonly recalls: boolean[];
  readonly open: Map<string, OpenRun>;
}

/** Takes one event of a run. */
export function takeRunEvent(work: RecentWork, runId: string, event: RunEvent): void {
  if (event.kind === 'RunAdmitted') work.open.set(runId, nothingDone());
  if (event.kind === 'MemoryRecalled') pushNewest(work.recalls, knewSomething(event));
  if (event.kind === 'RunClosed') work.open.delete(runId);
  const run = work.open.get(runId);
  if (run === undefined) return;
  if (event.kind === 'CycleRequested') begin(run, event);
  if (event.kind === 'CycleConcluded') conclude(work, run, event);
  if (event.kind === 'VerdictsJudged') judge(work, run, event);
  if (event.kind === 'RunConcluded') concludeRun(work, run, event);
}

function knewSomething({ answers, cases = [] }: RunEventOf<'MemoryRecalled'>): boolean {
  return cases.length > 0 || answers.some(saysSomething);
}

function saysSomething({ rules, recent, potentials }: RunEventOf<'MemoryRecalled'>['answers'][number]): boolean {
  return rules.length + recent.length > 0 || potentials.action !== 'Ignore';
}

function nothingDone(): OpenRun {
  const counts = { gateRejections: 0, delegations: 0, delegationFailures: 0 };
  return { attempts: new Map(), fallen: new Set(), cycleIds: [], ended: [], ...counts };
}

const attemptName = (subtaskId = '', attempt = 1): string => `${subtaskId}/${attempt}`;

function begin(run: OpenRun, { spec, purpose }: RunEventOf<'CycleRequested'>): void {
  run.cycleIds.push(spec.cycleId);
  if (purpose.role !== 'Executor') return;
  const isDelegated = spec.worker !== undefined;
  if (isDelegated) run.delegations += 1;
  const name = attemptName(purpose.subtaskId, purpose.attempt);
  run.attempts.set(spec.cycleId, { name, isDelegated, tokensMax: spec.limits.tokens });
}

function conclude(work: RecentWork, run: OpenRun, event: RunEventOf<'CycleConcluded'>): void {
  const { atMs, cycleId, outcome, rejections } = event;
  work.cycleEndedAtMs = atMs;
  for (const call of event.calls) work.codeFailedInRow = codeFailuresAfter(work.codeFailedInRow, call);
  const gateRejections = rejections.filter(({ gate, rule }) => gate !== 'Output' && !isOfPerson(rule)).length;
  run.gateRejections += gateRejections;
  const attempt = run.attempts.get(cycleId);
  if (attempt === undefined) return;
  if (outcome !== 'Replied' && outcome !== 'Cancelled') {
    work.failuresInRow += 1;
    run.fallen.add(attempt.name);
    if (attempt.isDelegated) run.delegationFailures += 1;
  }
  // A cycle that was left no token asked nothing, and is under all the pressure that there is.
  const budgetPressure = attempt.tokensMax > 0 ? Math.min(1, totalTokens(event.usage) / attempt.tokensMax) : 1;
  const signals = { ...callSignals(event), ...signalsOf(work, run), gateRejections, budgetPressure };
  run.ended.push({ cycleId, cycleIds: [cycleId], signals });
}

/** A program that came to an end shows that there is a sandbox. */
function codeFailuresAfter(
  inRow: number,
  { exitCode, sandboxFailed }: RunEventOf<'CycleConcluded'>['calls'][number],
): number {
  if (sandboxFailed === true) return inRow + 1;
  return exitCode === undefined ? inRow : 0;
}

function callSignals({
  calls,
}: RunEventOf<'CycleConcluded'>): Pick<AffectSignals, 'toolCalls' | 'toolFailures' | 'retries'> {
  const failed = calls.filter(hasFailed).map(({ tool }) => tool);
  return {
    toolCalls: calls.filter(({ status }) => status !== 'Unrun').length,
    toolFailures: failed.length,
    retries: failed.length - new Set(failed).size,
  };
}

/** The end of its cycle may have decided already that an attempt failed. */
function judge(work: RecentWork, { fallen }: OpenRun, event: RunEventOf<'VerdictsJudged'>): void {
  if (event.subtaskId === undefined || fallen.has(attemptName(event.subtaskId, event.attempt))) return;
  const isMet = event.verdicts.every(({ verdict }) => verdict === 'Met');
  work.failuresInRow = isMet ? 0 : work.failuresInRow + 1;
}

function concludeRun(work: RecentWork, run: OpenRun, { outcome }: RunEventOf<'RunConcluded'>): void {
  if (outcome === 'Cancelled') return;
  pushNewest(work.outcomes, isReached(outcome));
  if (run.attempts.size > 0) return;
  work.failuresInRow = isReached(outcome) ? 0 : work.failuresInRow + 1;
  const calls = { toolCalls: 0, toolFailures: 0, retries: 0 };
  run.ended.push({ cycleIds: run.cycleIds, signals: { ...calls, ...signalsOf(work, run), budgetPressure: 0 } });
}

function signalsOf(
  { failuresInRow, outcomes, recalls }: RecentWork,
  { gateRejections, delegations, delegationFailures }: OpenRun,
): Omit<RunSignals, 'toolCalls' | 'toolFailures' | 'retries' | 'budgetPressure'> {
  const rates = { successRate: rateOf(outcomes), recallRate: rateOf(recalls) };
  return { failuresInRow, gateRejections, delegations, delegationFailures, ...rates };
}

function rateOf(newest: readonly boolean[]): number {
  return newest.length === 0 ? RATE_UNKNOWN : newest.filter(Boolean).length / newest.length;
}

function pushNewest(newest: boolean[], item: boolean): void {
  newest.push(item);
  if (newest.length > RATE_NEWEST) newest.shift();
}

const KeptWork = z.object({
  failuresInRow: z.number(),
  cycleEndedAtMs: z.number().exactOptional(),
  codeFailedInRow: z.number(),
  outcomes: z.array(z.boolean()),
  recalls: z.array(z.boolean()),
});

export const recentWork = defineProjection({
  store: 'run',
  kinds: runKinds,
  start: (): RecentWork => ({
    ...{ failuresInRow: 0, cycleEndedAtMs: undefined, codeFailedInRow: 0 },
    ...{ outcomes: [], recalls: [], open: new Map() },
  }),
  folds: everyKind(runKinds, (work: RecentWork, _payload, record) => {
    if (record.runId !== undefined) takeRunEvent(work, record.runId, eventOf<RunEvent>(record));
  }),
  window: 'WholeStore',
  cached: {
    version: 3,
    schema: KeptWork,
    keep: ({ failuresInRow, cycleEndedAtMs, codeFailedInRow, outcomes, recalls }) => ({
      failuresInRow,
      ...(cycleEndedAtMs === undefined ? {} : { cycleEndedAtMs }),
      codeFailedInRow,
      outcomes: [...outcomes],
      recalls: [...recalls],
    }),
    restore: (work, kept) => {
      work.failuresInRow = kept.failuresInRow;
      work.cycleEndedAtMs = kept.cycleEndedAtMs;
      work.codeFailedInRow = kept.codeFailedInRow;
      work.outcomes.push(...kept.outcomes);
      work.recalls.push(...kept.recalls);
    },
  },
});

/** Texts and calls that gates demanded to be changed, by run and cycle. */
export type Modified = Map<string, Map<string, number>>;

export function takeModification(modified: Modified, { runId, cycleId }: OfCycle): void {
  const ofRun = modified.get(runId) ?? new Map<string, number>();
  modified.set(runId, ofRun.set(cycleId, (ofRun.get(cycleId) ?? 0) + 1));
}

interface OfCycle {
  readonly runId: string;
  readonly cycleId: string;
}

export const modifiedByGates = defineProjection({
  store: 'cycle',
  kinds: cycleKinds,
  start: (): Modified => new Map(),
  folds: {
    ...omitEach(cycleKinds, 'no gate changes anything with it'),
    GateDecided: (modified: Modified, { verdict }, { runId, cycleId }) => {
      if (verdict === 'Modify' && runId !== undefined && cycleId !== undefined)
        takeModification(modified, { runId, cycleId });
    },
  },
  window: 'OpenRuns',
  cached: emptyAtRest,
});
