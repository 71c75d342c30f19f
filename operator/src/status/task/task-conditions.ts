/** The conditions of a Task that the operator owns: Admitted, and Ready, which summarises all. */
import type { ConditionReason } from '@retainer/contract/api/conditions';
import { endedReady } from '@retainer/contract/api/task-end';
import type { Admission } from '../../desired/task/admission.ts';
import type { SchedulePlan } from '../../desired/task/schedule-plan.ts';
import type { TaskEnd } from '../../desired/task/task-end.ts';
import type { ObservedTask, TaskFacts } from '../../observe/observe-task.ts';

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
  readonly nowMs: number;
}

/** Longest time in which a ready Agent with a free place begins a Task: a hundred times the usual one. */
export const BEGIN_MS = 10_000;

export function taskConditions(judged: TaskCase): readonly TaskCondition[] {
  return [readyCondition(judged), admittedCondition(judged)];
}

/** An ended Task keeps its condition: its Agent may be gone by now, which is not a fault of the Task. */
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
  waiting,
  running,
  agentInTrouble,
  aboutToRun,
];

function readyCondition(judged: TaskCase): TaskCondition {
  const { agentRef } = judged.observed.task.spec;
  const queued: State = { isReady: false, reason: 'Queued', message: `waits until Agent ${agentRef.name} starts it` };
  const state = STATES.map((tell) => tell(judged)).find((told) => told !== undefined) ?? queued;
  return { type: 'Ready', status: state.isReady ? 'True' : 'False', reason: state.reason, message: state.message };
}

function ended({ observed, end }: TaskCase): State | undefined {
  const state = endState(observed.task, end);
  return state === undefined ? undefined : { ...state, message: `${state.message}${whyItStays(observed)}` };
}

/** The retention time would delete the Task, and the Git controller would make it again: it would run without end. */
function whyItStays({ task: { spec }, gitController }: ObservedTask): string {
  return gitController === undefined || spec.ttlSecondsAfterFinished === undefined
    ? ''
    : `; ttlSecondsAfterFinished has no effect, since ${gitController} would create the Task again: delete it in Git`;
}

function endState(task: TaskFacts, end: TaskEnd | undefined): State | undefined {
  if (end !== undefined) return { isReady: false, reason: end.reason, message: end.message };
  if (task.outcome === undefined) return undefined;
  const failed = task.conditions.get('Failed');
  const failure = failed?.status === 'True' ? failed.reason : undefined;
  const { status, reason, message } = endedReady(task.outcome, failure, task.unmet);
  return { isReady: status === 'True', reason, message };
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

const WAITS = [
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
  {
    type: 'AwaitingModel',
    reason: 'ModelOutOfReach',
    message: 'no model can be asked: the condition AwaitingModel has since when, why, and the next try',
  },
] as const;

function waiting({ observed: { task } }: TaskCase): State | undefined {
  const wait = WAITS.find(({ type }) => task.conditions.get(type)?.status === 'True');
  return wait && { isReady: false, reason: wait.reason, message: wait.message };
}

const SET_ASIDE =
  'the agent’s program failed in this run: update the agent, which tries it again, or set spec.cancel; the agent works on';

function running({ observed: { task } }: TaskCase): State | undefined {
  const condition = task.conditions.get('Running');
  if (condition?.reason === 'Held') return { isReady: false, reason: 'Held', message: condition.message };
  if (condition?.reason === 'SetAside') return { isReady: false, reason: 'SetAside', message: SET_ASIDE };
  if (task.startedAtMs === undefined && condition?.status !== 'True') return undefined;
  return works(task);
}

/** The words are true from the moment in which an Agent can begin, so its beginning changes nothing here. */
function works({ spec: { agentRef } }: TaskFacts): State {
  const message = `Agent ${agentRef.name} works on it; the condition Running has the moment at which it began`;
  return { isReady: false, reason: 'Running', message };
}

/**
 * Its Agent is ready and has a place for it, so it begins within moments: to tell of a queue first would cost a write of each
 * Task. Where it does not begin, the queue is told after all.
 */
function aboutToRun({ observed: { agent, task, hasPlace }, nowMs }: TaskCase): State | undefined {
  const isQueueTold = task.conditions.get('Ready')?.reason === 'Queued';
  if (agent?.ready?.status !== 'True' || isQueueTold || nowMs >= beginByMs(task, nowMs)) return undefined;
  return hasPlace() ? works(task) : undefined;
}

/** Until when a Task that was told to run may not have begun. */
export function beginByMs({ conditions }: TaskFacts, nowMs: number): number {
  const admitted = conditions.get('Admitted');
  return (admitted?.status === 'True' ? admitted.changedAtMs : nowMs) + BEGIN_MS;
}

/** Reasons of an Agent that soon takes its Tasks: to report them would cost a write for each Task. */
const PASSING: ReadonlySet<string> = new Set<ConditionReason<'Agent'>>(['Starting', 'LeaseLost', 'AccountChanged']);

function agentInTrouble({ observed: { agent, task } }: TaskCase): State | undefined {
  const ready = agent?.ready;
  if (ready === undefined || ready.status === 'True' || PASSING.has(ready.reason)) return undefined;
  return {
    isReady: false,
    reason: 'AgentNotReady',
    message: `Agent ${task.spec.agentRef.name} is not ready: ${ready.reason}; see \`kubectl describe\` of it`,
  };
}
