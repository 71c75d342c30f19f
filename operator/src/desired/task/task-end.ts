/**
 * When the operator ends a Task because its Agent does not: nobody took the Task on, the Agent is gone, or the Task exceeded
 * its time and did not stop. A live Agent ends its own Tasks. The first outcome that either of the two writes holds.
 */
import type { ConditionReason } from '@retainer/contract/api/conditions';
import type { AgentFacts, ObservedTask, TaskFacts } from '../../observe/observe-task.ts';

/** For an Agent to notice its own limit and write the outcome: one call of a model that is being cut off, and the write. */
export const END_GRACE_MS = 60_000;

export interface TaskEnd {
  readonly outcome: 'Cancelled' | 'Failed';
  readonly reason: ConditionReason<'Task'>;
  readonly message: string;
}

export interface EndDecision {
  readonly end: TaskEnd | undefined;
  /** When to look again; undefined where only an event can change anything. */
  readonly wakeAtMs: number | undefined;
}

const NOTHING: EndDecision = { end: undefined, wakeAtMs: undefined };

const ENDS = {
  cancelled: {
    outcome: 'Cancelled',
    reason: 'Cancelled',
    message: 'cancelled before any Agent took it on',
  },
  cancelledWithoutAgent: {
    outcome: 'Cancelled',
    reason: 'Cancelled',
    message: 'cancelled; its Agent is gone or suspended and cannot end it itself',
  },
  deadlineUnused: {
    outcome: 'Failed',
    reason: 'DeadlinePassed',
    message: 'constraints.deadline passed before the work began; create a new Task with a later one',
  },
  deadlineOverrun: {
    outcome: 'Failed',
    reason: 'DeadlinePassed',
    message: 'constraints.deadline passed and the Agent did not end the Task; see `kubectl describe` of the Agent',
  },
  wallClockOverrun: {
    outcome: 'Failed',
    reason: 'InfrastructureFailed',
    message:
      'budget.wallClock was used up several times over and the Agent did not end the Task; see `kubectl describe` of the Agent',
  },
} as const satisfies Readonly<Record<string, TaskEnd>>;

/** @param observed  of an unfinished Task, or nothing is to be done */
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

/** The deadline does not stand still for a question. Source: design 7 (questions). */
function deadlineLimit({ deadlineMs, acceptedAtMs }: TaskFacts): Limit | undefined {
  if (deadlineMs === undefined) return undefined;
  return acceptedAtMs === undefined
    ? { atMs: deadlineMs, end: ENDS.deadlineUnused }
    : { atMs: deadlineMs + END_GRACE_MS, end: ENDS.deadlineOverrun };
}

/**
 * The run's clock stands still while a person is asked and while the Agent is suspended. How often that happened is not in the
 * status, so the watchdog begins anew after the last time: it may be late, and is never early.
 */
function wallClockLimit({ task, agent, watchdogFactor }: ObservedTask): Limit | undefined {
  const { startedAtMs, conditions, wallClockMs } = task;
  if (startedAtMs === undefined || agent?.isSuspended === true) return undefined;
  const pauses = ['AwaitingAnswer', 'AwaitingApproval'].map((type) => conditions.get(type));
  if (pauses.some((pause) => pause?.status === 'True')) return undefined;
  const resumedAtMs = [...pauses.map((pause) => pause?.changedAtMs), agent?.suspendChangedAtMs];
  const sinceMs = Math.max(startedAtMs, ...resumedAtMs.filter((atMs) => atMs !== undefined));
  return { atMs: sinceMs + wallClockMs * watchdogFactor + END_GRACE_MS, end: ENDS.wallClockOverrun };
}
