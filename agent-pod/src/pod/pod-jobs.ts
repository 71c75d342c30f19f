/** How an agent on a cluster tells of its calendar: the note for its Lease, and what its metrics show. */
import type { Agent } from '@retainer/contract/api/agent';
import { NAMED_JOBS_MAX, type AgentJobs } from '@retainer/contract/api/agent-jobs';
import { durationMs, PascalCase, RecordId } from '@retainer/contract/api/fields';
import type { Clock } from '@retainer/contract/std/clock';
import { isGoodEnd, lastingJobs, type Jobs, type JobState } from '@retainer/mind/parts/jobs/jobs';
import { nextMomentMs } from '@retainer/mind/parts/jobs/moments-of-job';
import { stalledJobs, type StallLimits } from '@retainer/mind/parts/jobs/stalled';
import type { AgentRuntime } from '../loop/agent-runtime.ts';

export interface PodJobs {
  /** Undefined while there was never a job. */
  note(): AgentJobs | undefined;
  /** Number of jobs that stand still. */
  stalled(): number;
}

type WorkingAgent = Pick<AgentRuntime, 'parts' | 'openRuns' | 'startedAtMs'>;

export function podJobs(runtime: WorkingAgent, spec: Agent['spec'], clock: Pick<Clock, 'nowMs'>): PodJobs {
  const known = (): Jobs => runtime.parts.known().jobs;
  const stalled = (): number => {
    const nowMs = clock.nowMs();
    return stalledJobs(known(), nowMs, stallLimits(spec, runtime, nowMs)).length;
  };
  return { note: () => jobsNote(known(), stalled()), stalled };
}

function stallLimits({ scheduler, control }: Agent['spec'], runtime: WorkingAgent, nowMs: number): StallLimits {
  return {
    isEnabled: scheduler.enabled && scheduler.cyclesPerHour > 0,
    maxDeferralMs: durationMs(scheduler.maxDeferral),
    jobTimeoutMs: durationMs(scheduler.jobTimeout),
    watchdogFactor: control.watchdogFactor,
    awakeSinceMs: runtime.startedAtMs,
    runSinceMs: (runId) => {
      const run = runtime.openRuns().find(({ spec }) => spec.runId === runId);
      return run && run.startedAtMs + run.waitedMs + nowMs - (run.waitingSinceMs ?? nowMs);
    },
  };
}

/**
 * It is written with each renewal of the Lease, so it says nothing that changes by itself; only the number of jobs that stand still
 * depends on the time.
 */
export function jobsNote(jobs: Jobs, stalled: number): AgentJobs | undefined {
  if (jobs.byId.size === 0) return undefined;
  const lasting = lastingJobs(jobs);
  const active = lasting.filter(({ status }) => status === 'Active');
  const next = earliest(active);
  const last = lastEnded(jobs);
  return {
    active: active.length,
    paused: lasting.length - active.length,
    failed: lasting.filter((it) => it.last !== undefined && !isGoodEnd(it.last.outcome)).length,
    skipped: lasting.reduce((sum, { skipped }) => sum + skipped, 0),
    stalled,
    ...(next === undefined ? {} : { next }),
    ...(last === undefined ? {} : { last }),
    newest: lasting.slice(-NAMED_JOBS_MAX).toReversed().map(toldName),
  };
}

/** The id: of people's jobs it is the name that they gave, and no other one holds a word of its maker. */
export function toldName({ jobId }: Pick<JobState, 'jobId'>): string {
  return RecordId.safeParse(jobId).success ? jobId : UNNAMED;
}

/** For an id that fits no status; none is made. */
const UNNAMED = 'job';

function earliest(active: readonly JobState[]): AgentJobs['next'] {
  let first: { readonly state: JobState; readonly atMs: number } | undefined;
  for (const state of active) {
    const atMs = state.open === undefined ? nextMomentMs(state) : undefined;
    if (atMs !== undefined && atMs < (first?.atMs ?? Infinity)) first = { state, atMs };
  }
  return first && { job: toldName(first.state), at: instant(first.atMs) };
}

function lastEnded({ byId }: Jobs): AgentJobs['last'] {
  let newest: JobState | undefined;
  for (const state of byId.values())
    if (state.last !== undefined && state.last.atMs >= (newest?.last?.atMs ?? 0)) newest = state;
  if (newest?.last === undefined) return undefined;
  const { momentMs, outcome } = newest.last;
  const told = PascalCase.safeParse(outcome).success ? outcome : 'Failed';
  return { job: toldName(newest), moment: instant(momentMs), outcome: told };
}

function instant(atMs: number): string {
  return new Date(atMs).toISOString();
}
