/**
 * When the operator ends a Task because its Agent does not: nobody took the Task on, the Agent is gone, or the Task exceeded
 * its time and did not stop. A live Agent ends its own Tasks. The first outcome counts, whoever of the two writes it.
 */
import type { ConditionReason } from '@retainer/contract/api/conditions';
import type { AgentFacts, ObservedTask, TaskFacts } from '../../observe/observe-task.ts';

/** Time for an Agent to notice the limit, cut off a call of a model, and write the outcome. */
export const END_GRACE_MS = 60_000;

export interface TaskEnd {
  readonly outcome: 'Cancelled' | 'Failed';
  readonly reason: ConditionReason<'Task'>;
  readonly message: string;
}

export interface EndDecision {
  readonly end: TaskEnd | undefined;
  /** When to look again; undefined if only an event can change anything. */
  readonly wakeAtMs: number | undefined;
}

const NOTHING: EndDecision = { end: undefined, wakeAtMs: undefined };

const ENDS = {
  cancelled: {
    outcome: 'Cancelled',
    reason: 'Cancelled',
    message: 'cancelled before an Agent admitted it',
  },
  cancelledWithoutAgent: {
    outcome: 'Cancelled',
    reason: 'Cancelled',
    message: 'cancelled by the operator, because the Agent is gone or suspended',
  },
  deadlineUnused: {
    outcome: 'Failed',
    reason: 'DeadlinePassed',
    message: 'constraints.deadline passed before the work began; create a new Task with a later deadline',
  },
  deadlineOverrun: {
    outcome: 'Failed',
    reason: 'DeadlinePassed',
    message: 'constraints.deadline passed, but the Agent did not end the Task; see `kubectl describe` of the Agent',
  },
  wallClockOverrun: {
    outcome: 'Failed',
    reason: 'InfrastructureFailed',
    message:
      'the run exceeded budget.wallClock several times over, but the Agent did not end the Task; see `kubectl describe` of the Agent',
  },
} as const satisfies Readonly<Record<string, TaskEnd>>;

export function endOf(observed: ObservedTask, nowMs: number): EndDecision {
  const { task } = observed;
  if (task.outcome !== undefined) return NOTHING;
  const cancelled = cancelledEnd(observed);
  if (cancelled !== undefined) return { end: cancelled, wakeAtMs: undefined };
  if (task.spec.schedule !== undefined) return NOTHING;
  const limits = [deadlineLimit(task), wallClockLimit(observed)].filter((limit) => limit !== undefined);
  const [first] = limits.toSorted((one, other) => one.atMs - other.atMs);
  if (first === undefined) return NOTHING;
  return nowMs < first.atMs ? { end: undefined, wakeAtMs: first.atMs } : { end: first.end, wakeAtMs: undefined };
}

function cancelledEnd({ task, agent }: ObservedTask): TaskEnd | undefined {
  if (!task.spec.cancel) return undefined;
  if (task.acceptedAtMs === undefined) return ENDS.cancelled;
  return canAct(agent) ? undefined : ENDS.cancelledWithoutAgent;
}

/** A suspended Agent still drains while its pod is up. */
function canAct(agent: AgentFacts | undefined): boolean {
  return agent !== undefined && (!agent.isSuspended || agent.isPodUp);
}

interface Limit {
  readonly atMs: number;
  readonly end: TaskEnd;
}

/** A question does not stop the deadline. Source: design 7 (questions). */
function deadlineLimit({ deadlineMs, acceptedAtMs }: TaskFacts): Limit | undefined {
  if (deadlineMs === undefined) return undefined;
  return acceptedAtMs === undefined
    ? { atMs: deadlineMs, end: ENDS.deadlineUnused }
    : { atMs: deadlineMs + END_GRACE_MS, end: ENDS.deadlineOverrun };
}

/**
 * The run's clock pauses while a person is asked, also about a changed character, while no model can be asked, and while no pod drives
 * it. The status does not count the pauses, so the watchdog restarts after the last one: it may be late but never early.
 */
function wallClockLimit({ task, agent, watchdogFactor }: ObservedTask): Limit | undefined {
  const { startedAtMs, conditions, wallClockMs } = task;
  if (startedAtMs === undefined || agent?.isSuspended === true || agent?.isPodDown === true) return undefined;
  const pauses = ['AwaitingAnswer', 'AwaitingApproval', 'AwaitingModel'].map((type) => conditions.get(type));
  if (pauses.some((pause) => pause?.status === 'True')) return undefined;
  if (conditions.get('Running')?.reason === 'Held') return undefined;
  const changed = conditions.get('CharacterChanged')?.changedAtMs;
  const ofAgent = [agent?.suspendChangedAtMs, agent?.podChangedAtMs];
  const resumedAtMs = [...pauses.map((pause) => pause?.changedAtMs), ...ofAgent, changed];
  const sinceMs = Math.max(startedAtMs, ...resumedAtMs.filter((atMs) => atMs !== undefined));
  return { atMs: sinceMs + wallClockMs * watchdogFactor + END_GRACE_MS, end: ENDS.wallClockOverrun };
}
