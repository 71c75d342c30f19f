/**
 * Serves the moments of jobs: it does what the plan says, and waits for the next moment.
 *
 * I1  `JobFired` is on the disk before its run or its notice begins; both are idempotent by the firing. So after a crash each firing goes
 *     on or begins, and none is served twice.
 * I2  A firing ends in the record: by the archive of its run, by its delivery, or here, if its run will never end.
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { JobState } from '@retainer/mind/parts/jobs/jobs';
import { planJobs, type Around } from '@retainer/mind/parts/jobs/plan-jobs';
import { jobStore } from '@retainer/mind/parts/jobs/part';
import { recordOfStep } from '@retainer/mind/parts/jobs/record-of-step';
import { recordIn } from '@retainer/mind/part/record-in';
import type { Component } from '../../ports/component.ts';
import type { JobRunsPort } from '../../ports/job-runs.ts';
import type { PartsPort } from '../../ports/tool.ts';
import { whileWorking } from './while-working.ts';

/** A run that is nowhere for so long has no end: setting one aside, or trying it again, reads the record meanwhile. */
const GONE_MS = 5_000;

export interface SchedulerParts {
  readonly clock: Clock;
  readonly parts: PartsPort;
  readonly jobs: JobRunsPort;
}

export function scheduler(parts: SchedulerParts): Component {
  return { name: 'scheduler', restart: 'Permanent', run: (signal) => new Scheduler(parts, signal).run() };
}

/** The circumstances of a plan. @param nowMs  milliseconds since 1970 */
export function aroundOf(jobs: Pick<JobRunsPort, 'limits' | 'usedAtMs' | 'budgetWait'>, nowMs: number): Around {
  const usedAtMs = jobs.usedAtMs();
  const budgetWait = jobs.budgetWait();
  return {
    ...{ nowMs, limits: jobs.limits },
    ...(usedAtMs === undefined ? {} : { usedAtMs }),
    ...(budgetWait === undefined ? {} : { budgetWait }),
  };
}

class Scheduler {
  readonly #parts: SchedulerParts;
  readonly #signal: AbortSignal;
  #hasTakenManifest = false;
  /** Firings whose run this process has handed over. */
  readonly #begun = new Set<string>();
  readonly #cancelled = new Set<string>();
  /** By run, by the steady clock: since when nobody knows of it. */
  readonly #goneSinceMs = new Map<string, number>();
  /** Jobs whose words are on their way. */
  readonly #telling = new Set<string>();
  #fault: Error | undefined;

  constructor(parts: SchedulerParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  run(): Promise<void> {
    const { clock, jobs } = this.#parts;
    return whileWorking({ clock, jobs, signal: this.#signal }, () => this.#pass());
  }

  async #pass(): Promise<void> {
    const { jobs, parts, clock } = this.#parts;
    if (!this.#hasTakenManifest) await jobs.takeManifest();
    this.#hasTakenManifest = true;
    if (this.#fault !== undefined) throw this.#fault;
    await this.#settle();
    await parts.write(jobs.followUps());
    const known = parts.known().jobs;
    const { steps, wakeAtMs } = planJobs(known, aroundOf(jobs, clock.nowMs()));
    if (steps.length === 0) return jobs.changed(this.#lookAtMs(wakeAtMs), this.#signal);
    await parts.write(
      steps.map((step) => recordOfStep(step, known.byId.get(step.jobId), (firing) => jobs.runIdOf(firing))),
    );
  }

  /** A firing whose run is gone is looked at again soon. */
  #lookAtMs(wakeAtMs: number | undefined): number | undefined {
    if (this.#goneSinceMs.size === 0) return wakeAtMs;
    return Math.min(wakeAtMs ?? Infinity, this.#parts.clock.nowMs() + GONE_MS);
  }

  /** Brings each open firing on its way. */
  async #settle(): Promise<void> {
    const { byId } = this.#parts.parts.known().jobs;
    const open = new Set([...byId.values()].map((it) => it.open?.runId));
    for (const runId of this.#begun) if (!open.has(runId)) this.#begun.delete(runId);
    for (const runId of this.#cancelled) if (!open.has(runId)) this.#cancelled.delete(runId);
    for (const runId of this.#goneSinceMs.keys()) if (!open.has(runId)) this.#goneSinceMs.delete(runId);
    for (const jobId of [...byId.keys()]) {
      if (this.#signal.aborted) return;
      // While another one began, this firing may have ended.
      const state = byId.get(jobId);
      if (state?.open === undefined) continue;
      const { runId, momentMs } = state.open;
      if (runId === undefined) this.#tell(state, momentMs);
      else await this.#follow(state, { ...state.open, runId });
    }
  }

  /** Beside everything else: a person whom nothing reaches holds up no other job. */
  #tell(state: JobState, momentMs: number): void {
    const { jobId } = state;
    if (this.#telling.has(jobId)) return;
    this.#telling.add(jobId);
    const told = this.#parts.jobs
      .notify({ state, momentMs }, this.#signal)
      .then(() => (this.#signal.aborted ? undefined : this.#end(state, 'Delivered')));
    told
      .catch((error: unknown) => {
        // While the agent stands still nothing is written, and the next pass tells it again: no notice goes out twice.
        if (!this.#signal.aborted && this.#parts.jobs.isWorking())
          this.#fault = new Error('a notice could not be told', { cause: error });
      })
      .finally(() => this.#telling.delete(jobId));
  }

  async #follow(state: JobState, { runId, momentMs, atMs }: Opened): Promise<void> {
    const { jobs } = this.#parts;
    if (this.#begun.has(runId)) return this.#look(state, runId);
    // What a lost machine did after its last copy, nobody knows: a run is not made twice.
    if (jobs.wasRestoredAfter(atMs) && jobs.stateOf(runId) === 'Gone') return this.#end(state, 'Failed', RESTORED);
    try {
      await jobs.begin({ state, momentMs, runId });
    } catch (error) {
      // One firing that cannot begin must not keep all others from theirs, now and at each start.
      if (this.#signal.aborted || !jobs.isWorking()) throw error;
      return this.#end(state, 'Failed', `${NEVER_BEGAN}: ${error instanceof Error ? error.name : 'an error'}`);
    }
    this.#begun.add(runId);
  }

  async #look(state: JobState, runId: string): Promise<void> {
    const { jobs, parts, clock } = this.#parts;
    const found = jobs.stateOf(runId);
    if (found === 'UnderWay') {
      this.#goneSinceMs.delete(runId);
      return this.#cancelIfUnwanted(state, runId);
    }
    // A run that is being set aside, or tried again, is nowhere for a moment.
    const sinceMs = this.#goneSinceMs.get(runId) ?? clock.monotonicMs();
    this.#goneSinceMs.set(runId, sinceMs);
    if (found === 'Gone' && clock.monotonicMs() - sinceMs < GONE_MS) return;
    this.#begun.delete(runId);
    // Its archive may have ended the firing since.
    if (parts.known().jobs.byId.get(state.jobId)?.open?.runId !== runId) return;
    await this.#end(state, 'Failed', found === 'GivenUp' ? GIVEN_UP : GONE);
  }

  /** A run that ends its own job goes on: only people, and their manifests, stop one. */
  async #cancelIfUnwanted({ status, statusBy, statusReason, source }: JobState, runId: string): Promise<void> {
    const isOfPeople = statusBy !== undefined || source === 'Manifest' || source === 'Task';
    if (status !== 'Cancelled' || !isOfPeople || this.#cancelled.has(runId)) return;
    this.#cancelled.add(runId);
    await this.#parts.jobs.cancel(runId, statusBy ?? 'agent', `its job was cancelled: ${statusReason ?? ''}`);
  }

  #end({ jobId, open }: JobState, outcome: string, why?: string): Promise<void> {
    const runId = open?.runId;
    const payload = {
      ...{ jobId, momentMs: open?.momentMs ?? 0, outcome },
      ...(runId === undefined ? {} : { runId }),
      ...(why === undefined ? {} : { why }),
    };
    const of = runId === undefined ? {} : { runId };
    return this.#parts.parts.write([recordIn(jobStore, 'JobEnded', payload, of)]);
  }
}

interface Opened {
  readonly runId: string;
  readonly momentMs: number;
  readonly atMs: number;
}

const GIVEN_UP = 'a person gave its run up';
const GONE = 'its run came to no end that the record has';
const NEVER_BEGAN = 'its run could not begin';
const RESTORED = 'the record was restored from an earlier copy, and its run may have ended after that';
