/** Reads from the caches everything that one pass over one Task needs. Converts moments to milliseconds since 1970. */
import { AgentControl } from '@retainer/contract/api/agent-control';
import { AgentLimits } from '@retainer/contract/api/agent-limits';
import type { ConditionReason } from '@retainer/contract/api/conditions';
import { durationMs } from '@retainer/contract/api/fields';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { Task, type TaskSpec } from '@retainer/contract/api/task';
import type { TaskOutcome } from '@retainer/contract/api/task-status';
import { readMoments, type Moments } from '@retainer/contract/schedule/moments';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { Cache } from '@retainer/kube/cache';
import { keyText, type KubeObject } from '@retainer/kube/kube-object';
import { gitControllerOf, type GitController } from './observe-git.ts';

/** Tasks followed from one Task along `dependsOn`; a longer path counts as free of cycles. */
const DEPENDENCIES_FOLLOWED_MAX = 1000;

export interface ObservedTask {
  readonly root: KubeObject;
  readonly task: TaskFacts;
  readonly agent: AgentFacts | undefined;
  /** Its Agent works on fewer other Tasks at once than it may, those that it takes before this one included. */
  readonly hasPlace: () => boolean;
  /** Factor on the run's own wall-clock limit, after which the operator ends it; the default while the Agent is gone. */
  readonly watchdogFactor: number;
  /** Tasks that this one depends on, directly or not, by name. A missing one is not in it. */
  readonly dependencies: ReadonlyMap<string, DependencyFacts>;
  /** Whether a Task that was not admitted yet depends on this one. */
  readonly hasWaitingDependent: boolean;
  /** For a schedule. */
  readonly moments: Result<Moments, string> | undefined;
  /** Tasks that this schedule made, by their moment, oldest first. */
  readonly scheduledRuns: readonly ScheduledRun[];
  /** The schedule that made this Task, while it exists; with the runs that its status counts. */
  readonly madeBy: { readonly runs: number } | undefined;
  /** Which run of its schedule this Task is, from 1; 0 for any other Task. */
  readonly runNumber: number;
  /** It would make the Task again after a deletion. */
  readonly gitController: GitController | undefined;
}

export interface TaskFacts {
  readonly spec: TaskSpec;
  readonly wallClockMs: number;
  readonly deadlineMs: number | undefined;
  /** Moment after which a schedule has no more runs. */
  readonly untilMs: number | undefined;
  readonly createdAtMs: number;
  readonly outcome: TaskOutcome | undefined;
  /** `status.unmet`. */
  readonly unmet: readonly number[];
  readonly acceptedAtMs: number | undefined;
  readonly startedAtMs: number | undefined;
  readonly finishedAtMs: number | undefined;
  readonly lastScheduledAtMs: number | undefined;
  readonly runs: number;
  readonly conditions: ReadonlyMap<string, ConditionFacts>;
}

export interface ConditionFacts {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly changedAtMs: number;
}

export interface AgentFacts {
  readonly name: string;
  readonly isSuspended: boolean;
  /** Its pod works or drains, so that the agent can end its own Tasks. */
  readonly isPodUp: boolean;
  /** Its pod is known not to be ready: nobody drives its runs. */
  readonly isPodDown: boolean;
  /** When its pod last became ready, or stopped to be. */
  readonly podChangedAtMs: number | undefined;
  /** When it was last suspended or resumed. */
  readonly suspendChangedAtMs: number | undefined;
  readonly ready: ConditionFacts | undefined;
  /** Spending limits of a day; 0 for no limit. */
  readonly daily: Readonly<Record<DailyBudget, number>>;
}

export type DailyBudget = 'tokens' | 'costUsd' | 'toolCalls';

export interface DependencyFacts {
  readonly outcome: TaskOutcome | undefined;
  readonly isSchedule: boolean;
  readonly dependsOn: readonly string[];
}

export interface ScheduledRun {
  readonly object: KubeObject;
  readonly momentMs: number;
  /** From 1. */
  readonly runNumber: number;
  readonly isFinished: boolean;
  readonly isCancelled: boolean;
}

/** Indexes over Tasks, as the controller declares them. */
export const taskIndexes = {
  /** Unfinished Tasks by `namespace/AGENT`. */
  tasksOfAgent: (object: KubeObject): readonly string[] => {
    const { outcome, agentName } = glance(object);
    return outcome !== undefined || agentName === undefined ? [] : [inNamespace(object, agentName)];
  },
  /** Tasks that wait to be admitted, by `namespace/TASK` of each that they depend on. */
  tasksWaitingFor: (object: KubeObject): readonly string[] => {
    const { outcome, isAdmitted, dependsOn } = glance(object);
    return outcome !== undefined || isAdmitted ? [] : dependsOn.map((name) => inNamespace(object, name));
  },
  /** By uid of the schedule that made them. */
  tasksOfSchedule: (object: KubeObject): readonly string[] => {
    const maker = scheduleOf(object);
    return maker === undefined ? [] : [maker.uid];
  },
} as const;

export interface TaskCaches {
  readonly tasks: Cache;
  readonly agents: Cache;
}

/** Number of misfitting fields that a message names. */
const FIELDS_NAMED_MAX = 5;

/** @returns the fields that do not fit the schema, which happens with a newer or older CRD */
export function observeTask(root: KubeObject, caches: TaskCaches): Result<ObservedTask, string> {
  const parsed = Task.safeParse(root);
  if (!parsed.success) {
    const fields = new Set(parsed.error.issues.map(({ path }) => path.join('.')));
    return err([...fields].slice(0, FIELDS_NAMED_MAX).join(', '));
  }
  const task = taskFacts(parsed.data);
  const { schedule, agentRef, dependsOn } = task.spec;
  const { namespace = '' } = root.metadata;
  const agent = caches.agents.get({ namespace, name: agentRef.name });
  return ok({
    root,
    task,
    agent: agent === undefined || agent.metadata.deletionTimestamp !== undefined ? undefined : agentFacts(agent),
    hasPlace: () => hasPlace(root, { agent, tasks: caches.tasks }),
    watchdogFactor: watchdogFactorOf(agent),
    dependencies: dependenciesOf(namespace, names(dependsOn), caches.tasks),
    hasWaitingDependent:
      caches.tasks.byIndex('tasksWaitingFor', keyText({ namespace, name: root.metadata.name })).length > 0,
    moments: schedule === undefined ? undefined : readMoments(schedule.cron, schedule.timeZone),
    scheduledRuns: schedule === undefined ? [] : scheduledRunsOf(root, caches.tasks),
    madeBy: makerOf(root, caches.tasks),
    runNumber: runNumberOf(root),
    gitController: gitControllerOf(root),
  });
}

function taskFacts({ metadata, spec, status = {} }: Task): TaskFacts {
  return {
    spec,
    wallClockMs: durationMs(spec.budget.wallClock),
    deadlineMs: instantMs(spec.constraints.deadline),
    untilMs: instantMs(spec.schedule?.until),
    createdAtMs: instantMs(metadata.creationTimestamp) ?? 0,
    outcome: status.outcome,
    unmet: status.unmet ?? [],
    acceptedAtMs: instantMs(status.acceptedAt),
    startedAtMs: instantMs(status.startedAt),
    finishedAtMs: instantMs(status.finishedAt),
    lastScheduledAtMs: instantMs(status.lastScheduledAt),
    runs: status.runs ?? 0,
    conditions: conditionFacts(status.conditions ?? []),
  };
}

function agentFacts({ metadata, ...object }: KubeObject): AgentFacts {
  const { spec = {}, status = {} } = object as AgentParts;
  const conditions = conditionFacts(status.conditions ?? []);
  return {
    name: metadata.name,
    isSuspended: spec.suspend === true,
    ...podFacts(conditions.get('PodReady')),
    suspendChangedAtMs: conditions.get('Suspended')?.changedAtMs,
    ready: conditions.get('Ready'),
    daily: {
      tokens: spec.budgets?.tokensPerDay ?? 0,
      costUsd: spec.budgets?.costUsdPerDay ?? 0,
      toolCalls: spec.budgets?.toolCallsPerDay ?? 0,
    },
  };
}

function podFacts(ready: ConditionFacts | undefined): Pick<AgentFacts, 'isPodUp' | 'isPodDown' | 'podChangedAtMs'> {
  const isPodUp = ready?.status === 'True' || ready?.reason === 'Draining';
  return { isPodUp, isPodDown: ready?.status === 'False' && !isPodUp, podChangedAtMs: ready?.changedAtMs };
}

const watchdogFactorDefault = AgentControl.parse({}).watchdogFactor;

function watchdogFactorOf(agent: KubeObject | undefined): number {
  const { spec } = (agent ?? {}) as AgentParts;
  return spec?.control?.watchdogFactor ?? watchdogFactorDefault;
}

function dependenciesOf(
  namespace: string,
  start: readonly string[],
  tasks: Cache,
): ReadonlyMap<string, DependencyFacts> {
  const found = new Map<string, DependencyFacts>();
  const open = [...start];
  for (let name = open.pop(); name !== undefined && found.size < DEPENDENCIES_FOLLOWED_MAX; name = open.pop()) {
    const task = found.has(name) ? undefined : tasks.get({ namespace, name });
    if (task === undefined) continue;
    const { outcome, isSchedule, dependsOn } = glance(task);
    found.set(name, { outcome, isSchedule, dependsOn });
    if (outcome === undefined) open.push(...dependsOn);
  }
  return found;
}

const concurrentRunsDefault = AgentLimits.parse({}).concurrentRuns;

/** By the order in which an Agent takes its Tasks. One that nobody has judged yet counts: it may be admitted in this moment. */
function hasPlace(
  root: KubeObject,
  { agent, tasks }: { readonly agent: KubeObject | undefined; readonly tasks: Cache },
): boolean {
  const { spec } = (agent ?? {}) as AgentParts;
  let places = spec?.limits?.concurrentRuns ?? concurrentRunsDefault;
  const own = glance(root);
  for (const other of tasks.byIndex('tasksOfAgent', inNamespace(root, own.agentName ?? ''))) {
    if (places === 0) return false;
    if (other.metadata.uid !== root.metadata.uid && takesPlaceBefore(other, root)) places -= 1;
  }
  return places > 0;
}

function takesPlaceBefore(other: KubeObject, root: KubeObject): boolean {
  const [one, own] = [glance(other), glance(root)];
  if (one.isHeldBack || one.isSchedule || one.isAside) return false;
  const byTime = createdMs(other) - createdMs(root);
  const order = own.priority - one.priority || byTime || (other.metadata.name < root.metadata.name ? -1 : 1);
  return one.hasBegun || order < 0;
}

function createdMs({ metadata }: KubeObject): number {
  return instantMs(metadata.creationTimestamp) ?? 0;
}

function scheduledRunsOf(root: KubeObject, tasks: Cache): readonly ScheduledRun[] {
  const { uid } = root.metadata;
  if (uid === undefined) return [];
  return tasks
    .byIndex('tasksOfSchedule', uid)
    .map((object) => ({
      object,
      momentMs: instantMs(object.metadata.annotations?.[ANNOTATIONS.scheduledFor]) ?? 0,
      runNumber: runNumberOf(object),
      isFinished: glance(object).outcome !== undefined,
      isCancelled: glance(object).isCancelled,
    }))
    .toSorted((one, other) => one.momentMs - other.momentMs);
}

function makerOf(root: KubeObject, tasks: Cache): ObservedTask['madeBy'] {
  const owner = scheduleOf(root);
  const maker = owner && tasks.get({ namespace: root.metadata.namespace ?? '', name: owner.name });
  return maker === undefined || maker.metadata.uid !== owner?.uid ? undefined : { runs: glance(maker).runs };
}

export function scheduleOf({ metadata }: KubeObject): { readonly name: string; readonly uid: string } | undefined {
  return metadata.ownerReferences?.find(({ controller, kind }) => controller === true && kind === 'Task');
}

function runNumberOf({ metadata }: KubeObject): number {
  const text = metadata.annotations?.[ANNOTATIONS.scheduleRun] ?? '';
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
}

interface Glance extends DependencyFacts {
  readonly agentName: string | undefined;
  readonly isAdmitted: boolean;
  readonly isCancelled: boolean;
  readonly runs: number;
  readonly priority: number;
  /** Judged, and not admitted. */
  readonly isHeldBack: boolean;
  readonly hasBegun: boolean;
  /** It waits beside the work, for another version or a person's word. */
  readonly isAside: boolean;
}

/** The few relevant fields of another Task. Unlike the root of a pass, it is not checked against its whole schema. */
function glance(object: KubeObject): Glance {
  const { spec = {}, status = {} } = object as TaskParts;
  return {
    agentName: spec.agentRef?.name,
    outcome: status.outcome,
    isSchedule: spec.schedule !== undefined,
    isAdmitted: status.conditions?.some(({ type, status: is }) => type === 'Admitted' && is === 'True') === true,
    isCancelled: spec.cancel === true,
    dependsOn: names(spec.dependsOn ?? []),
    runs: status.runs ?? 0,
    priority: spec.priority ?? 0,
    isHeldBack: status.conditions?.some(({ type, status: is }) => type === 'Admitted' && is === 'False') === true,
    hasBegun: status.startedAt !== undefined,
    isAside: status.conditions?.some(({ type, reason }) => type === 'Running' && ASIDE.has(reason)) === true,
  };
}

const ASIDE: ReadonlySet<string> = new Set<ConditionReason<'Task'>>(['SetAside', 'Held']);

interface TaskParts {
  readonly spec?: {
    readonly agentRef?: { readonly name: string };
    readonly schedule?: object;
    readonly cancel?: boolean;
    readonly priority?: number;
    readonly dependsOn?: readonly { readonly name: string }[];
  };
  readonly status?: {
    readonly outcome?: TaskOutcome;
    readonly startedAt?: string;
    readonly runs?: number;
    readonly conditions?: readonly StoredCondition[];
  };
}

interface AgentParts {
  readonly spec?: {
    readonly suspend?: boolean;
    readonly control?: { readonly watchdogFactor?: number };
    readonly limits?: { readonly concurrentRuns?: number };
    readonly budgets?: {
      readonly tokensPerDay?: number;
      readonly costUsdPerDay?: number;
      readonly toolCallsPerDay?: number;
    };
  };
  readonly status?: { readonly conditions?: readonly StoredCondition[] };
}

interface StoredCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

function conditionFacts(stored: readonly StoredCondition[]): ReadonlyMap<string, ConditionFacts> {
  return new Map(
    stored.map(({ type, status, reason, message, lastTransitionTime }) => [
      type,
      { status, reason, message, changedAtMs: instantMs(lastTransitionTime) ?? 0 },
    ]),
  );
}

function instantMs(text: string | undefined): number | undefined {
  const atMs = Date.parse(text ?? '');
  return Number.isNaN(atMs) ? undefined : atMs;
}

function names(references: readonly { readonly name: string }[]): readonly string[] {
  return references.map(({ name }) => name);
}

function inNamespace({ metadata }: KubeObject, name: string): string {
  return keyText({ namespace: metadata.namespace ?? '', name });
}
