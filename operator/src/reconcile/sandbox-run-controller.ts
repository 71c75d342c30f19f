/**
 * The controller of SandboxRuns: it gives each a sandbox, and tells the agent the address of the sandbox and the end of the
 * run.
 *
 * I1  A run gets at most one sandbox in its life, whatever fails: see `sandbox-run-ledger.ts`.
 * I2  A cold run costs one status write, one Job and one deletion, a warm one no Job: its agent has the result before it ends the
 *     sandbox, so that end is not written. Usual states that pass within moments are not written either.
 * I3  A run that is gone is killed at once. A run counts as gone only on the word of the API server itself.
 *
 * Source: design 3, 7 (sandbox transport).
 */
import { FIELD_MANAGERS, LABELS } from '@retainer/contract/api/names';
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { MANAGED_SELECTOR } from '../observe/observe-agent-indexes.ts';
import { keyOf, keyText, type KubeObject, type ObjectKey } from '@retainer/kube/kube-object';
import { CANARY_INDEXES, isCanary } from '../observe/observe-sandbox-canary.ts';
import { isOfGround } from '../observe/observe-sandbox-ground.ts';
import { runKeyOf, sandboxJob } from '../observe/observe-sandbox-objects.ts';
import {
  agentOfRun,
  isRunFinished,
  observedRun,
  podOfRun,
  SANDBOX_INDEXES,
  misfits,
  type ObservedRun,
} from '../observe/observe-sandbox-run.ts';
import { resources } from '@retainer/kube/resources';
import { secondTime } from '@retainer/kube/lease-record';
import { failedEnd, type RunEnd } from '../status/sandbox/run-end.ts';
import { endedStatus, waitingStatus, type RunStatus } from '../status/sandbox/run-status.ts';
import { isTended } from '../settings/settings.ts';
import type { Controller } from './controller.ts';
import type { Outcome } from './outcome.ts';
import { admit, agentTextOf, waitingRuns, type Admission } from './sandbox-run-admission.ts';
import type { Holder } from './sandbox-run-ledger.ts';
import { listOf, type SandboxParts } from './sandbox-run-parts.ts';
import { progressOf, type Progress } from './sandbox-run-progress.ts';
import { settle } from './sandbox-run-settle.ts';
import type { Applier } from '../apply/applier.ts';
import { isInvalid } from './write-status.ts';

/** Passes over different runs at once: each waits for the API server most of its time. */
const CONCURRENCY = 16;
/** Time for people to inspect a finished run that its agent did not delete. */
export const HISTORY_MS = 3_600_000;
/** A usual state is written once it lasts longer than this. */
export const PATIENCE_MS = 10_000;
/** Interval of looks that replace a lost event. */
const LOOK_MS = 5000;
/** Interval for a run behind many others; their ends wake it. */
const FAR_LOOK_MS = 60_000;
/** Remembered statuses, mostly of deleted runs; the oldest are dropped first. */
const LAST_STATUSES_MAX = 20_000;
/** Time for killed objects to disappear, or for the cache to catch up. */
const SOON_MS = 1000;

export function sandboxRunController(parts: SandboxParts): Controller {
  const passes = new SandboxRunPasses(parts);
  const { unfinished, ofRun, ofAgent, ofJob, ofPod } = runRoots(parts);
  return {
    name: 'sandbox-run',
    concurrency: CONCURRENCY,
    watches: [
      {
        resource: resources.sandboxRuns,
        indexes: {
          [SANDBOX_INDEXES.unfinishedByAgent]: (run) => (isRunFinished(run) ? [] : [agentOfRun(run)]),
          [SANDBOX_INDEXES.runsByPod]: (run) => listOf(podOfRun(run)),
        },
        roots: ofRun,
      },
      { resource: resources.agents, roots: ofAgent },
      {
        // Where somebody opens the network, code is ended at once.
        resource: resources.networkPolicies,
        isSandbox: true,
        roots: (policy) => (isOfGround(policy, parts.signingKey) ? unfinished() : []),
      },
      { resource: resources.namespaces, isSandbox: true, roots: unfinished },
      {
        resource: resources.jobs,
        isSandbox: true,
        labelSelector: MANAGED_SELECTOR,
        indexes: {
          [SANDBOX_INDEXES.jobsByRun]: (job) => listOf(runKeyOf(job)).map(keyText),
          [SANDBOX_INDEXES.poolsByAgent]: (job) =>
            poolOf(job) === undefined ? [] : [agentTextOf(job.metadata.labels)],
          [CANARY_INDEXES.jobs]: (job) => (isCanary(job) ? listOf(job.metadata.namespace) : []),
        },
        roots: ofJob,
      },
      {
        resource: resources.pods,
        isSandbox: true,
        labelSelector: MANAGED_SELECTOR,
        indexes: {
          [SANDBOX_INDEXES.podsByRun]: (pod) => listOf(pod.metadata.labels?.[LABELS.sandboxRunUid]),
          [SANDBOX_INDEXES.podsByPool]: (pod) => listOf(poolOf(pod)),
          [CANARY_INDEXES.pods]: (pod) => (isCanary(pod) ? listOf(pod.metadata.namespace) : []),
        },
        roots: ofPod,
      },
    ],
    reconcile: (key, signal) => passes.reconcile(key, signal),
  };
}

type RootsOf = (object: KubeObject) => readonly ObjectKey[];

/** The runs that a change concerns. */
function runRoots(parts: SandboxParts): {
  readonly unfinished: () => readonly ObjectKey[];
  readonly ofRun: RootsOf;
  readonly ofAgent: RootsOf;
  readonly ofJob: RootsOf;
  readonly ofPod: RootsOf;
} {
  const withWaiting = (agent: string, keys: readonly ObjectKey[]): readonly ObjectKey[] => [
    ...keys,
    ...waitingRuns(parts, agent),
  ];
  const runs = (): ReturnType<typeof parts.caches.of> => parts.caches.of(resources.sandboxRuns);
  const unfinished = (): readonly ObjectKey[] =>
    runs()
      .list()
      .filter((run) => !isRunFinished(run))
      .map(keyOf);
  const ofJob: RootsOf = (job) => {
    const key = runKeyOf(job);
    return key === undefined ? [] : withWaiting(agentTextOf(job.metadata.labels), [key]);
  };
  return {
    unfinished,
    ofJob,
    // The end of this run may free a place for another one.
    ofRun: (run) =>
      isRunFinished(run) || podOfRun(run) !== undefined ? withWaiting(agentOfRun(run), [keyOf(run)]) : [keyOf(run)],
    ofAgent: (agent) =>
      runs()
        .byIndex(SANDBOX_INDEXES.unfinishedByAgent, keyText(keyOf(agent)))
        .map(keyOf),
    ofPod: (pod) => {
      // Runs that wait for the proof may begin.
      if (isCanary(pod)) return unfinished();
      if (poolOf(pod) === undefined) return ofJob(pod);
      const claimants = runs()
        .byIndex(SANDBOX_INDEXES.runsByPod, pod.metadata.uid ?? '')
        .map(keyOf);
      return claimants.length === 0 ? [] : withWaiting(agentTextOf(pod.metadata.labels), claimants);
    },
  };
}

function poolOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[LABELS.sandboxPool];
}

/** This process's last status and the version that it replaced: valid until the cache shows another version. */
interface LastStatus {
  readonly resourceVersion: string | undefined;
  readonly status: RunStatus;
  readonly text: string;
}

class SandboxRunPasses {
  readonly #parts: SandboxParts;
  /** By uid of the run. */
  readonly #lastStatus = new Map<string, LastStatus>();

  constructor(parts: SandboxParts) {
    this.#parts = parts;
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const object = this.#parts.caches.of(resources.sandboxRuns).get(key);
    const areStraysLeft = await this.#removeStrays(key, object?.metadata.uid, signal);
    if (object === undefined) return areStraysLeft ? soon('Removing') : gone;
    const run = this.#upToDate(observedRun(object));
    if (run === undefined) return this.#refuse(object, signal);
    if (run.status.finishedAt !== undefined || isRunFinished(object)) return this.#finished(run, signal);
    const holder = this.#parts.ledger.holder(run.uid);
    if (holder !== undefined) return this.#progress(run, holder, signal);
    const admission = await admit(this.#parts, run, signal);
    return this.#admitted(run, admission, signal);
  }

  /** Deletes objects of deleted runs of this name. @returns whether some are left */
  async #removeStrays(key: ObjectKey, uid: string | undefined, signal: AbortSignal): Promise<boolean> {
    const { caches, applier, ledger, settings } = this.#parts;
    // The operator may not ask about a namespace that it tended once.
    const isGone = async (runUid: string): Promise<boolean> =>
      !isTended(settings, key.namespace) || applier.isGone(resources.sandboxRuns, { ...key, uid: runUid }, signal);
    let areLeft = false;
    for (const holder of ledger.holdersNamed(key).filter(({ runUid }) => runUid !== uid)) {
      this.#lastStatus.delete(holder.runUid);
      if (!(await isGone(holder.runUid)) || !(await settle(this.#parts, holder, signal))) areLeft = true;
    }
    // Objects that an earlier operator made.
    for (const object of caches.inSandboxes(resources.jobs).byIndex(SANDBOX_INDEXES.jobsByRun, keyText(key))) {
      const { runUid, isEnded, isBeingDeleted } = sandboxJob(object);
      if (runUid === undefined || runUid === uid || isEnded || isBeingDeleted || ledger.isKnown(runUid)) continue;
      if (await isGone(runUid)) await applier.remove(resources.jobs, object, signal);
    }
    return areLeft;
  }

  /** Deletes everything that an operator of another version gave the run. */
  async #refuse(object: KubeObject, signal: AbortSignal): Promise<Outcome> {
    const { ledger, applier, clock } = this.#parts;
    const outcome = await refuseRun(applier, { object, now: secondTime(clock.nowMs()) }, signal);
    const holder = ledger.holder(object.metadata.uid ?? '');
    return holder === undefined || (await settle(this.#parts, holder, signal)) ? outcome : soon('Removing');
  }

  /** Kept for a while; usually its agent deletes it long before. */
  async #finished(run: ObservedRun, signal: AbortSignal): Promise<Outcome> {
    const { ledger, applier, clock } = this.#parts;
    const holder = ledger.holder(run.uid);
    if (holder !== undefined && !(await settle(this.#parts, holder, signal))) return soon('Removing');
    const leftMs = Date.parse(run.status.finishedAt ?? '') + HISTORY_MS - clock.nowMs();
    // NaN if the status has no moment, because somebody else wrote it.
    if (!(leftMs <= 0))
      return { type: 'Wait', reason: 'Finished', afterMs: Math.min(leftMs || HISTORY_MS, HISTORY_MS) };
    await applier.remove(resources.sandboxRuns, run.object, signal);
    return gone;
  }

  async #admitted(run: ObservedRun, admission: Admission, signal: AbortSignal): Promise<Outcome> {
    switch (admission.type) {
      case 'Given':
        return this.#progress(admission.run, admission.holder, signal);
      case 'BehindCache':
        return soon('CacheBehind');
      case 'Refused':
        return this.#end(run, failedEnd(admission.refusal.reason, admission.refusal.message), signal);
      case 'Waiting':
        return this.#wait(run, admission, signal);
    }
  }

  async #progress(run: ObservedRun, holder: Holder, signal: AbortSignal): Promise<Outcome> {
    const progress = await progressOf(this.#parts, { run, holder }, signal);
    switch (progress.type) {
      case 'BehindCache':
        return soon('CacheBehind');
      case 'Starting':
        return this.#wait(run, { ...progress, isUsual: progress.reason === 'Scheduling' }, signal);
      case 'Blocked':
        await this.#wait(run, { ...progress, isUsual: false }, signal);
        return { type: 'Failed', error: progress.error };
      case 'Ready':
        return this.#ready(run, holder, progress, signal);
      case 'Ended': {
        const { end } = progress;
        if (end.isReleased === true && !(await this.#drop(run, end, signal))) return soon('CacheBehind');
        const outcome = end.isReleased === true ? gone : await this.#end(run, end, signal);
        return (await settle(this.#parts, holder, signal)) ? outcome : soon('Removing');
      }
    }
  }

  async #ready(
    run: ObservedRun,
    holder: Holder,
    { status }: Extract<Progress, { type: 'Ready' }>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const isFirst = run.status.endpoint === undefined;
    if (isFirst && (await this.#write(run, status, signal))) {
      const seconds = (this.#parts.clock.nowMs() - run.createdAtMs) / 1000;
      this.#parts.metrics.started(holder.pod === undefined ? 'cold' : 'warm', Math.max(seconds, 0));
    }
    return { type: 'Wait', reason: 'Running', afterMs: LOOK_MS };
  }

  async #wait(
    run: ObservedRun,
    why: Omit<Extract<Admission, { type: 'Waiting' }>, 'type'>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const ageMs = this.#parts.clock.nowMs() - run.createdAtMs;
    if (!why.isUsual || ageMs > PATIENCE_MS)
      await this.#write(run, waitingStatus(why.reason, why.message, run.object.metadata.generation), signal);
    if (why.isFar === true) return { type: 'Wait', reason: why.reason, afterMs: FAR_LOOK_MS };
    return { type: 'Wait', reason: why.reason, afterMs: why.isUsual ? LOOK_MS : 2 * LOOK_MS };
  }

  async #end(run: ObservedRun, end: RunEnd, signal: AbortSignal): Promise<Outcome> {
    const { clock, ledger } = this.#parts;
    const { endpoint, podName, podUid, claim, egress, startedAt } = run.status;
    const pod = ledger.holder(run.uid)?.pod;
    const binding = { endpoint, podName: podName ?? pod?.name, podUid: podUid ?? pod?.uid, claim, egress, startedAt };
    const status = endedStatus(end, { binding, now: secondTime(clock.nowMs()) }, run.object.metadata.generation);
    if (await this.#write(run, status, signal)) this.#tellEnd(run, end);
    return { type: 'Wait', reason: 'Finished', afterMs: HISTORY_MS };
  }

  /** Its agent waits for nothing more. The Job goes by itself. @returns false if the cache shows another state of the run */
  async #drop(run: ObservedRun, end: RunEnd, signal: AbortSignal): Promise<boolean> {
    if (!(await this.#parts.applier.remove(resources.sandboxRuns, run.object, signal))) return false;
    this.#tellEnd(run, end);
    return true;
  }

  /** An agent that ended its code before the end knows why. */
  #tellEnd({ object }: ObservedRun, { reason, message, isComplete, isReleased = false }: RunEnd): void {
    const { metrics, applier } = this.#parts;
    metrics.ended(reason);
    const isNews = !isComplete && !(isReleased && reason === 'Cancelled');
    if (isNews) applier.event(object, { type: 'Warning', reason, action: 'RunCode', note: message });
  }

  /** @returns whether the status has changed */
  async #write(run: ObservedRun, status: RunStatus, signal: AbortSignal): Promise<boolean> {
    const text = JSON.stringify(status);
    if (this.#lastOver(run)?.text === text) return false;
    const patch = { fieldManager: FIELD_MANAGERS.operatorStatus, ...status };
    const isWritten = await this.#parts.applier.applyStatus(resources.sandboxRuns, run.object, patch, signal);
    const { resourceVersion } = run.object.metadata;
    if (isWritten) this.#remember(run.uid, { resourceVersion, status, text });
    return isWritten;
  }

  #remember(uid: string, last: LastStatus): void {
    this.#lastStatus.delete(uid);
    this.#lastStatus.set(uid, last);
    forgetOldest(this.#lastStatus, LAST_STATUSES_MAX);
  }

  /** The run, with this process's writes that the cache does not show yet. */
  #upToDate(run: ObservedRun | undefined): ObservedRun | undefined {
    const last = run === undefined ? undefined : this.#lastOver(run);
    return run === undefined || last === undefined ? run : { ...run, status: last.status.fields };
  }

  #lastOver(run: ObservedRun): LastStatus | undefined {
    const last = this.#lastStatus.get(run.uid);
    if (last === undefined || last.resourceVersion === run.object.metadata.resourceVersion) return last;
    this.#lastStatus.delete(run.uid);
    return undefined;
  }
}

const gone: Outcome = { type: 'Gone' };

function soon(reason: string): Outcome {
  return { type: 'Wait', reason, afterMs: SOON_MS };
}

/** @param now  RFC 3339 */
async function refuseRun(
  applier: Applier,
  { object, now }: { readonly object: KubeObject; readonly now: string },
  signal: AbortSignal,
): Promise<Outcome> {
  const reason = 'SpecInvalid';
  const message = `the SandboxRun does not fit its schema at ${misfits(object)}, because it was stored with another version of the CRDs; run the operator and the agents in the same version`;
  const stalled: Outcome = { type: 'Stalled', reason, message };
  if (isRunFinished(object)) return stalled;
  const status = endedStatus(failedEnd(reason, message), { binding: {}, now }, object.metadata.generation);
  try {
    const patch = { fieldManager: FIELD_MANAGERS.operatorStatus, ...status };
    if (!(await applier.applyStatus(resources.sandboxRuns, object, patch, signal))) return stalled;
  } catch (error) {
    // The API server validates the whole object before it accepts a status.
    if (!isInvalid(error)) throw error;
  }
  applier.event(object, { type: 'Warning', reason, action: 'RunCode', note: message });
  return stalled;
}
