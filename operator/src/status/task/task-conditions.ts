/** The conditions of a Task that the operator owns: Admitted, and Ready, which summarises all. */
import type { ConditionReason } from '@retainer/contract/api/conditions';
import type { TaskOutcome } from '@retainer/contract/api/task-status';
import type { Admission } from '../../desired/task/admission.ts';
import type { SchedulePlan } from '../../desired/task/schedule-plan.ts';
import type { TaskEnd } from '../../desired/task/task-end.ts';
import type { ObservedTask } from '../../observe/observe-task.ts';

export interface TaskCondition {
  readonly type: 'Ready' | 'Admitted';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export interface TaskCase {
  readonly observed: ObservedTask;
  readonly admission: Admission;
  /** Written in this same pass. */
  readonly end: TaskEnd | undefined;
  /** Of a schedule. */
  readonly plan: SchedulePlan | undefined;
}

export function taskConditions(judged: TaskCase): readonly TaskCondition[] {
  return [readyCondition(judged), admittedCondition(judged)];
}

/** An ended Task keeps its condition: its Agent may be gone by now, which is no fault of the Task. */
function admittedCondition({ observed: { task }, admission }: TaskCase): TaskCondition {
  const before = task.conditions.get('Admitted');
  if (task.outcome !== undefined && before !== undefined && before.status !== 'Unknown') {
    const { status, reason, message } = before;
    return { type: 'Admitted', status, reason, message };
  }
  const { isAdmitted, reason, message } = admission;
  return { type: 'Admitted', status: isAdmitted ? 'True' : 'False', reason, message };
}

interface State {
  readonly isReady: boolean;
  readonly reason: ConditionReason<'Task'>;
  readonly message: string;
}

/** In this order; the first state that applies counts. */
const STATES: readonly ((judged: TaskCase) => State | undefined)[] = [
  ended,
  notAdmitted,
  onSchedule,
  withoutAgent,
  waitingForPeople,
  running,
  agentInTrouble,
];

function readyCondition(judged: TaskCase): TaskCondition {
  const { agentRef } = judged.observed.task.spec;
  const queued: State = { isReady: false, reason: 'Queued', message: `waits until Agent ${agentRef.name} starts it` };
  const state = STATES.map((tell) => tell(judged)).find((told) => told !== undefined) ?? queued;
  return { type: 'Ready', status: state.isReady ? 'True' : 'False', reason: state.reason, message: state.message };
}

const OUTCOMES: Readonly<Record<TaskOutcome, State>> = {
  Accepted: { isReady: true, reason: 'Accepted', message: 'every criterion is met; the result is in status.summary' },
  Succeeded: {
    isReady: true,
    reason: 'Succeeded',
    message: 'good enough within its limits; status.summary has the result, status.criteria the verdicts',
  },
  Abandoned: {
    isReady: false,
    reason: 'Abandoned',
    message: 'the agent gave up; see status.criteria, and `retainer explain` with status.runId',
  },
  Refused: {
    isReady: false,
    reason: 'Refused',
    message: 'refused; status.refusal names the rule: change the work or the rule, and create a new Task',
  },
  Cancelled: { isReady: false, reason: 'Cancelled', message: 'cancelled; create a new Task to do the work' },
  Failed: {
    isReady: false,
    reason: 'InfrastructureFailed',
    message: 'failed; the condition Failed says why. Fix that, then create a new Task',
  },
};

/** Reasons of Failed that Ready shows as they are; Ready shows one reason for all others. */
const FAILURES: ReadonlySet<string> = new Set<ConditionReason<'Task'>>([
  'DeadlinePassed',
  'BudgetExhausted',
  'ApprovalTimedOut',
]);

function ended({ observed: { task }, end }: TaskCase): State | undefined {
  if (end !== undefined) return { isReady: false, reason: end.reason, message: end.message };
  if (task.outcome === undefined) return undefined;
  const state = OUTCOMES[task.outcome];
  const failure = task.conditions.get('Failed');
  const isTold = task.outcome === 'Failed' && failure?.status === 'True' && FAILURES.has(failure.reason);
  return isTold ? { ...state, reason: failure.reason as ConditionReason<'Task'> } : state;
}

function notAdmitted({ admission: { isAdmitted, reason, message } }: TaskCase): State | undefined {
  return isAdmitted ? undefined : { isReady: false, reason, message };
}

function onSchedule({ plan }: TaskCase): State | undefined {
  if (plan === undefined) return undefined;
  const message = plan.isOver
    ? 'the schedule is over; create a new Task to continue'
    : 'status.nextScheduledAt has the next time; its Tasks have the label retainer.dev/task';
  return { isReady: true, reason: 'Scheduled', message };
}

function withoutAgent({ observed: { agent, task } }: TaskCase): State | undefined {
  const { name } = task.spec.agentRef;
  if (agent === undefined)
    return {
      isReady: false,
      reason: 'AgentNotFound',
      message: `Agent ${name} is gone; create it again, and it continues from its record`,
    };
  if (!agent.isSuspended) return undefined;
  return {
    isReady: false,
    reason: 'AgentSuspended',
    message: `Agent ${name} is suspended; set its spec.suspend to false to continue`,
  };
}

const QUESTIONS = [
  {
    type: 'AwaitingAnswer',
    reason: 'QuestionAsked',
    message: 'the agent has a question: answer status.question in spec.answers',
  },
  {
    type: 'AwaitingApproval',
    reason: 'ApprovalRequested',
    message: 'a call waits for a decision: see status.pendingApprovals, and decide in spec.approvals',
  },
] as const;

function waitingForPeople({ observed: { task } }: TaskCase): State | undefined {
  const question = QUESTIONS.find(({ type }) => task.conditions.get(type)?.status === 'True');
  return question && { isReady: false, reason: question.reason, message: question.message };
}

const SET_ASIDE =
  'the agent’s program failed in this run: update the agent, which tries it again, or set spec.cancel; the agent works on';

function running({ observed: { task } }: TaskCase): State | undefined {
  const condition = task.conditions.get('Running');
  if (condition?.reason === 'SetAside') return { isReady: false, reason: 'SetAside', message: SET_ASIDE };
  if (task.startedAtMs === undefined && condition?.status !== 'True') return undefined;
  return { isReady: false, reason: 'Running', message: `Agent ${task.spec.agentRef.name} works on it` };
}

/** Reasons of an Agent that soon takes its Tasks: to report them would cost a write for each Task. */
const PASSING: ReadonlySet<string> = new Set<ConditionReason<'Agent'>>(['Starting', 'LeaseLost']);

function agentInTrouble({ observed: { agent, task } }: TaskCase): State | undefined {
  const ready = agent?.ready;
  if (ready === undefined || ready.status === 'True' || PASSING.has(ready.reason)) return undefined;
  return {
    isReady: false,
    reason: 'AgentNotReady',
    message: `Agent ${task.spec.agentRef.name} is not ready: ${ready.reason}; see \`kubectl describe\` of it`,
  };
}
