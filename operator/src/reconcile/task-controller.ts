/**
 * The controller of Tasks. It admits them, ends those that nobody else can end, makes the Tasks of schedules, and deletes
 * finished ones after their retention time. The Agent does the work itself and writes almost all of the status.
 *
 * I1  In the usual life of a Task the operator writes it once, at its first judgement. One that had to wait for its Agent, or for a
 *     place there, it writes once more some seconds after that has begun. Its end is told by the Agent.
 * I2  Before the operator ends a Task or makes one for a moment, it reads the Task from the API server. So a cache that lags
 *     never overrules an Agent, and never makes a moment's Task twice.
 */
import type { ConditionReason } from '@retainer/contract/api/conditions';
import { FIELD_MANAGERS } from '@retainer/contract/api/names';
import { isStalled } from '@retainer/contract/api/progress';
import type { TaskOutcome } from '@retainer/contract/api/task-status';
import type { StatusPatch, Applier, NewCondition } from '../apply/applier.ts';
import { admissionOf, type Admission } from '../desired/task/admission.ts';
import { removalAtMs } from '../desired/task/removal.ts';
import { schedulePlan, type SchedulePlan } from '../desired/task/schedule-plan.ts';
import { scheduledTask } from '@retainer/contract/schedule/scheduled-task';
import { endOf, type TaskEnd } from '../desired/task/task-end.ts';
import { keyOf, keyText, type KubeObject, type ObjectKey } from '@retainer/kube/kube-object';
import {
  observeTask,
  scheduleOf,
  taskIndexes,
  type ObservedTask,
  type TaskCaches,
  type TaskFacts,
} from '../observe/observe-task.ts';
import { resources } from '@retainer/kube/resources';
import { secondTime } from '@retainer/kube/lease-record';
import { endedRun, isUnsettled } from '../status/task/ended-run.ts';
import { beginByMs, taskConditions } from '../status/task/task-conditions.ts';
import type { Controller, PassParts } from './controller.ts';
import type { Outcome } from './outcome.ts';
import { isInvalid, judgedGeneration, writeStatus } from './write-status.ts';

/** Passes over different Tasks at once: each waits for the API server most of its time. */
const CONCURRENCY = 16;
/** Everything that a Task depends on is watched, so this only repairs what a bug missed. Source: platforms 6. */
const RESYNC_MS = 36_000_000;
/** Longest wait for a moment: timers use the monotonic clock, moments the wall clock, which somebody may correct. */
const WAKE_MS_MAX = 3_600_000;
/** Twice the usual time of a Task of one step; nobody looks at Ready sooner to see that the Agent has begun. */
const RUNNING_HOLD_MS = 10_000;
/** Time for the cache to catch up with the API server. */
const CACHE_LAG_MS = 1000;

export function taskController(parts: PassParts): Controller {
  const passes = new TaskPasses(parts);
  return {
    name: 'task',
    concurrency: CONCURRENCY,
    watches: [
      { resource: resources.tasks, indexes: taskIndexes, roots: (task) => passes.tasksConcernedByTask(task) },
      { resource: resources.agents, roots: (agent) => passes.tasksConcernedByAgent(agent) },
    ],
    reconcile: (key, signal) => passes.reconcile(key, signal),
  };
}

class TaskPasses {
  readonly #parts: PassParts;

  constructor(parts: PassParts) {
    this.#parts = parts;
  }

  /** The Task itself, its schedule, the Tasks that wait for it, and, of a schedule, the Tasks to delete once it counts them. */
  tasksConcernedByTask(task: KubeObject): readonly ObjectKey[] {
    const { tasks } = this.#caches();
    const { namespace = '', uid = '' } = task.metadata;
    const schedule = scheduleOf(task);
    return [
      keyOf(task),
      ...(schedule === undefined ? [] : [{ namespace, name: schedule.name }]),
      ...tasks.byIndex('tasksWaitingFor', keyText(keyOf(task))).map(keyOf),
      ...tasks.byIndex('tasksOfSchedule', uid).map(keyOf),
    ];
  }

  tasksConcernedByAgent(agent: KubeObject): readonly ObjectKey[] {
    return this.#caches()
      .tasks.byIndex('tasksOfAgent', keyText(keyOf(agent)))
      .map(keyOf);
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const caches = this.#caches();
    const root = caches.tasks.get(key);
    // Its children go with it: the API server collects objects whose owner is gone.
    if (root === undefined || root.metadata.deletionTimestamp !== undefined) return { type: 'Gone' };
    const observed = observeTask(root, caches);
    if (!observed.ok) return refuseTask(this.#parts.applier, { root, fields: observed.error }, signal);
    const { removeAtMs, isRemoved } = await this.#removeIfDue(observed.value, signal);
    if (isRemoved) return done;
    return observed.value.task.spec.schedule === undefined
      ? this.#reconcileTask(observed.value, removeAtMs, signal)
      : this.#reconcileSchedule(observed.value, signal);
  }

  async #removeIfDue(
    observed: ObservedTask,
    signal: AbortSignal,
  ): Promise<{ readonly removeAtMs: number | undefined; readonly isRemoved: boolean }> {
    const removeAtMs = removalAtMs(observed);
    if (removeAtMs === undefined || removeAtMs > this.#nowMs()) return { removeAtMs, isRemoved: false };
    await this.#parts.applier.remove(resources.tasks, observed.root, signal);
    return { removeAtMs, isRemoved: true };
  }

  async #reconcileTask(observed: ObservedTask, removeAtMs: number | undefined, signal: AbortSignal): Promise<Outcome> {
    const admission = admissionOf(observed, this.#nowMs());
    const { end, wakeAtMs } = endOf(observed, this.#nowMs());
    if (end !== undefined && !(await this.#writeEnd(observed.root, signal))) return behindCache;
    await this.#settle(observed, signal);
    const conditions = taskConditions({ observed, admission, end, plan: undefined, nowMs: this.#nowMs() });
    const heldUntilMs = this.#heldUntilMs(observed, conditions);
    if (heldUntilMs !== undefined) return this.#wakeAt(heldUntilMs, 'Running');
    await this.#writeStatus(observed.root, { conditions }, signal);
    const nextMs = earliest(wakeAtMs, removeAtMs, this.#beginByMs(observed, conditions));
    return nextMs === undefined ? outcomeOf(admission) : this.#wakeAt(nextMs, admission.reason);
  }

  /** When a Task that was told to run, and has not begun, is judged anew. */
  #beginByMs({ task }: ObservedTask, [ready]: ReturnType<typeof taskConditions>): number | undefined {
    const isAboutToRun = ready?.reason === 'Running' && task.startedAtMs === undefined;
    return isAboutToRun ? beginByMs(task, this.#nowMs()) : undefined;
  }

  /** That it runs, the Agent says itself in Running; Ready repeats it once it lasts. Undefined: there is more to say. */
  #heldUntilMs({ task }: ObservedTask, [ready, admitted]: ReturnType<typeof taskConditions>): number | undefined {
    const { startedAtMs, conditions } = task;
    const isSame = admitted?.status === conditions.get('Admitted')?.status;
    const isNews = isSame && ready?.reason === 'Running' && conditions.get('Ready')?.reason === 'Queued';
    if (!isNews || startedAtMs === undefined) return undefined;
    const agedMs = this.#nowMs() - startedAtMs;
    return agedMs >= 0 && agedMs < RUNNING_HOLD_MS ? startedAtMs + RUNNING_HOLD_MS : undefined;
  }

  async #reconcileSchedule(observed: ObservedTask, signal: AbortSignal): Promise<Outcome> {
    const admission = admissionOf(observed, this.#nowMs());
    const plan = schedulePlan(observed, this.#nowMs(), admission.isAdmitted);
    const { end } = endOf(observed, this.#nowMs());
    if (end !== undefined && !(await this.#writeEnd(observed.root, signal))) return behindCache;
    if (plan.serve !== undefined && !(await this.#isAsLive(observed.root, signal))) return behindCache;
    const failure = await this.#applyPlan(observed, plan, signal);
    if (failure !== undefined) {
      const note = `no Task of the schedule could be created; the operator tries again: ${failure.message}`;
      this.#parts.applier.event(observed.root, { type: 'Warning', reason: FAULT, action: 'StartRun', note });
      return { type: 'Failed', error: failure };
    }
    const conditions = taskConditions({ observed, admission, end, plan, nowMs: this.#nowMs() });
    await this.#writeStatus(observed.root, { conditions, plan }, signal);
    return plan.wakeAtMs === undefined ? outcomeOf(admission) : this.#wakeAt(plan.wakeAtMs, 'Scheduled');
  }

  /** Writes the moment's Task, then the status that counts it: after a crash between, the next pass finds the Task. */
  async #applyPlan(observed: ObservedTask, plan: SchedulePlan, signal: AbortSignal): Promise<Error | undefined> {
    const { root } = observed;
    for (const run of plan.remove) await this.#parts.applier.remove(resources.tasks, run.object, signal);
    const started = plan.serve === undefined ? [] : [{ ...plan.serve, isCancelled: false, live: undefined }];
    const cancelled = plan.cancel.map(({ momentMs, runNumber, object }) => ({
      momentMs,
      runNumber,
      isCancelled: true,
      live: object,
    }));
    for (const { live, ...at } of [...started, ...cancelled]) {
      const object = { ...scheduledTask(root, { ...at, moment: secondTime(at.momentMs) }) };
      const result = await this.#parts.applier.applyChild(root, { resource: resources.tasks, object }, live, signal);
      if (result.type === 'Failed') return result.error;
      if (result.type === 'NameTaken')
        return new Error(
          `no Task for ${secondTime(at.momentMs)} of schedule ${keyText(keyOf(root))}: ${result.message}`,
        );
    }
    return undefined;
  }

  /** Decides again on the API server's state. @returns false if it differs from the cache; then an event will come */
  async #writeEnd(cached: KubeObject, signal: AbortSignal): Promise<boolean> {
    const live = await this.#parts.client.get(resources.tasks, keyOf(cached), { signal });
    if (live === undefined || live.metadata.uid !== cached.metadata.uid) return false;
    const observed = observeTask(live, this.#caches());
    if (!observed.ok) return false;
    const { task } = observed.value;
    const { end } = endOf(observed.value, this.#nowMs());
    if (end === undefined) return false;
    try {
      const status = endStatus(task, { ...end, finishedAtMs: this.#nowMs() });
      const isWritten = await this.#parts.applier.applyStatus(resources.tasks, live, status, signal);
      if (isWritten) this.#tellEnd(live, end);
      return isWritten;
    } catch (error) {
      // The Agent was faster: an outcome cannot change.
      if (isInvalid(error)) return false;
      throw error;
    }
  }

  /** Writes the end again if an Agent that learned late of it reports that its run continues. */
  async #settle({ root, task }: ObservedTask, signal: AbortSignal): Promise<void> {
    const { outcome, finishedAtMs } = task;
    const failed = task.conditions.get('Failed');
    if (!isUnsettled(task) || outcome === undefined || finishedAtMs === undefined || failed?.status !== 'True') return;
    const status = endStatus(task, { ...failed, outcome, finishedAtMs });
    await this.#parts.applier.applyStatus(resources.tasks, root, status, signal);
  }

  #tellEnd(task: KubeObject, { outcome, reason, message }: TaskEnd): void {
    const type = outcome === 'Failed' ? 'Warning' : 'Normal';
    this.#parts.applier.event(task, { type, reason, action: 'EndTask', note: message });
  }

  /** Whether the API server still has the judged version of the schedule. */
  async #isAsLive({ metadata }: KubeObject, signal: AbortSignal): Promise<boolean> {
    const key = { namespace: metadata.namespace ?? '', name: metadata.name };
    const live = await this.#parts.client.get(resources.tasks, key, { signal });
    return live?.metadata.resourceVersion === metadata.resourceVersion;
  }

  async #writeStatus(
    root: KubeObject,
    { conditions, plan }: { readonly conditions: ReturnType<typeof taskConditions>; readonly plan?: SchedulePlan },
    signal: AbortSignal,
  ): Promise<void> {
    const { generation } = root.metadata;
    const scheduled = plan && {
      runs: plan.runs,
      lastScheduledAt: plan.lastScheduledAtMs === undefined ? undefined : secondTime(plan.lastScheduledAtMs),
      nextScheduledAt: plan.nextScheduledAtMs === undefined ? undefined : secondTime(plan.nextScheduledAtMs),
    };
    await this.#parts.applier.applyStatus(
      resources.tasks,
      root,
      {
        fieldManager: FIELD_MANAGERS.operatorStatus,
        conditions,
        fields: { ...(generation === undefined ? {} : { observedGeneration: generation }), ...scheduled },
      },
      signal,
    );
  }

  #wakeAt(atMs: number, reason: string): Outcome {
    return { type: 'Wait', reason, afterMs: Math.min(Math.max(atMs - this.#nowMs(), 1), WAKE_MS_MAX) };
  }

  #caches(): TaskCaches {
    const { caches } = this.#parts;
    return { tasks: caches.of(resources.tasks), agents: caches.of(resources.agents) };
  }

  #nowMs(): number {
    return this.#parts.clock.nowMs();
  }
}

const FAULT: ConditionReason<'Task'> = 'InfrastructureFailed';
const done: Outcome = { type: 'Done', resyncAfterMs: RESYNC_MS };
const behindCache: Outcome = { type: 'Wait', reason: 'CacheBehind', afterMs: CACHE_LAG_MS };

interface WrittenEnd {
  readonly outcome: TaskOutcome;
  readonly reason: string;
  readonly message: string;
  readonly finishedAtMs: number;
}

function endStatus(task: TaskFacts, { outcome, reason, message, finishedAtMs }: WrittenEnd): StatusPatch {
  return {
    fieldManager: FIELD_MANAGERS.operatorDeadline,
    conditions: [{ type: 'Failed', status: 'True', reason, message }, ...endedRun(task, reason)],
    fields: { outcome, finishedAt: secondTime(finishedAtMs) },
  };
}

function outcomeOf({ isAdmitted, reason, message }: Admission): Outcome {
  return !isAdmitted && isStalled('Task', reason) ? { type: 'Stalled', reason, message } : done;
}

function earliest(...moments: readonly (number | undefined)[]): number | undefined {
  const known = moments.filter((atMs) => atMs !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

const SPEC_INVALID: ConditionReason<'Task'> = 'SpecInvalid';

interface StoredStatus {
  readonly outcome?: unknown;
  readonly conditions?: readonly NewCondition[];
  readonly [field: string]: unknown;
}

/** The operator's further status fields. Without a schedule's moments its last one would be served again. */
const KEPT_FIELDS = ['runs', 'lastScheduledAt', 'nextScheduledAt'] as const;

/**
 * Reports a Task that breaks its schema, accepted by another version of the CRDs, and leaves it otherwise unchanged.
 *
 * @param fields  paths that break the schema
 */
async function refuseTask(
  applier: Applier,
  { root, fields }: { readonly root: KubeObject; readonly fields: string },
  signal: AbortSignal,
): Promise<Outcome> {
  const message = `the Task does not fit its schema at ${fields}, because it was stored with another version of the CRDs; create it again, or run the operator of that version`;
  const stalled: Outcome = { type: 'Stalled', reason: SPEC_INVALID, message };
  const stored = (root['status'] ?? {}) as StoredStatus;
  // The status already contains its end.
  if (stored.outcome !== undefined) return stalled;
  const admitted = (stored.conditions ?? []).filter(({ type }) => type === 'Admitted');
  const kept = admitted.map(({ type, status, reason, message: text }) => ({ type, status, reason, message: text }));
  try {
    await writeStatus(
      applier,
      {
        resource: resources.tasks,
        root,
        conditions: [{ type: 'Ready', status: 'False', reason: SPEC_INVALID, message }, ...kept],
        fields: {
          ...judgedGeneration(root),
          ...Object.fromEntries(KEPT_FIELDS.map((field) => [field, stored[field]])),
        },
      },
      signal,
    );
  } catch (error) {
    // The API server validates the whole object before it accepts a status.
    if (!isInvalid(error)) throw error;
    applier.event(root, { type: 'Warning', reason: SPEC_INVALID, action: 'Reconcile', note: message });
  }
  return stalled;
}
