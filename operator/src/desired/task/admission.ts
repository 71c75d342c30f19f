/**
 * Whether an Agent may take on a Task. The operator judges this once: an admitted Task stays admitted even if the facts
 * change, because the Agent may have begun.
 *
 * A suspended Agent is not a reason to refuse, nor is an Agent that is not ready. The operator admits the Task; it waits for the Agent,
 * and its condition Ready names the reason.
 */
import type { ConditionReason } from '@retainer/contract/api/conditions';
import { isEnough } from '@retainer/contract/api/task-status';
import { taskScheduleFault } from '@retainer/contract/schedule/schedule-fault';
import type { DailyBudget, ObservedTask } from '../../observe/observe-task.ts';
import { dependencyCycle } from './dependency-cycle.ts';

export interface Admission {
  readonly isAdmitted: boolean;
  readonly reason: ConditionReason<'Task'>;
  readonly message: string;
}

interface AdmissionCase {
  readonly observed: ObservedTask;
  readonly nowMs: number;
}

type Objection = Omit<Admission, 'isAdmitted'>;

/** In this order; the first objection counts. */
const CHECKS: readonly ((judged: AdmissionCase) => Objection | undefined)[] = [
  deadlinePassed,
  scheduleInvalid,
  agentNotFound,
  dependencyInCycle,
  dependencyFailed,
  dependencyPending,
  budgetTooLarge,
];

/** Tasks named in one message. */
const NAMES_TOLD_MAX = 8;

export function admissionOf(observed: ObservedTask, nowMs: number): Admission {
  const { conditions, acceptedAtMs, spec } = observed.task;
  const wasAdmitted = conditions.get('Admitted')?.status === 'True' || acceptedAtMs !== undefined;
  const isSchedule = spec.schedule !== undefined;
  // Each moment of a schedule is judged anew.
  if (wasAdmitted && !isSchedule) return admitted(observed);
  for (const check of CHECKS) {
    const refusal = check({ observed, nowMs });
    if (refusal !== undefined) return { isAdmitted: false, ...refusal };
  }
  return admitted(observed);
}

function admitted({ task: { spec } }: ObservedTask): Admission {
  return spec.schedule === undefined
    ? { isAdmitted: true, reason: 'Admitted', message: `Agent ${spec.agentRef.name} will run it` }
    : { isAdmitted: true, reason: 'Scheduled', message: 'the operator creates a Task at each scheduled time' };
}

function deadlinePassed({ observed: { task }, nowMs }: AdmissionCase): Objection | undefined {
  if (task.deadlineMs === undefined || nowMs < task.deadlineMs) return undefined;
  return {
    reason: 'DeadlinePassed',
    message: 'constraints.deadline passed before the work began; create a new Task with a later deadline',
  };
}

function scheduleInvalid({ observed: { task } }: AdmissionCase): Objection | undefined {
  const fault = taskScheduleFault(task.spec);
  if (fault === undefined) return undefined;
  return {
    reason: 'ScheduleInvalid',
    message: `${fault.path.join('.')} has no moments; create a new Task with ${fault.allowed}`,
  };
}

function agentNotFound({ observed: { agent, task } }: AdmissionCase): Objection | undefined {
  if (agent !== undefined) return undefined;
  return {
    reason: 'AgentNotFound',
    message: `no Agent ${task.spec.agentRef.name} in this namespace; create it, and the Task continues`,
  };
}

function dependencyInCycle({ observed }: AdmissionCase): Objection | undefined {
  const cycle = dependencyCycle(observed.root.metadata.name, directDependencies(observed), observed.dependencies);
  if (cycle === undefined) return undefined;
  return {
    reason: 'DependencyCycle',
    message: `Tasks wait for each other: ${told(cycle, ' → ')}; delete one of them`,
  };
}

function dependencyFailed({ observed }: AdmissionCase): Objection | undefined {
  const failed = notReached(observed).filter(({ outcome }) => outcome !== undefined);
  if (failed.length === 0) return undefined;
  const remedy = failed.every(({ outcome }) => outcome === 'Succeeded')
    ? 'create this Task again with dependsOn[].outcome Succeeded if that is enough'
    : 'delete this Task, or create those Tasks again under the same names';
  const ends = failed.map(({ name, outcome }) => `${name} (${outcome ?? ''})`);
  return { reason: 'DependencyFailed', message: `Tasks in dependsOn did not end as wanted: ${told(ends)}; ${remedy}` };
}

function dependencyPending({ observed }: AdmissionCase): Objection | undefined {
  const { dependencies } = observed;
  const pending = notReached(observed).map(({ name }) => name);
  if (pending.length === 0) return undefined;
  const missing = pending.filter((name) => !dependencies.has(name));
  const schedules = pending.filter((name) => dependencies.get(name)?.isSchedule === true);
  const running = pending.filter((name) => dependencies.get(name)?.isSchedule === false);
  const parts = [
    ...(running.length === 0 ? [] : [`waits for Tasks ${told(running)}`]),
    ...(missing.length === 0 ? [] : [`Tasks in dependsOn do not exist; create ${told(missing)}`]),
    ...(schedules.length === 0
      ? []
      : [`${told(schedules)} has a schedule and never ends; name one of its Tasks in dependsOn instead`]),
  ];
  return { reason: 'DependencyPending', message: parts.join('; ') };
}

/** A Task's own budgets and the daily limits of its Agent. */
const BUDGETS: readonly { readonly budget: DailyBudget; readonly daily: string }[] = [
  { budget: 'tokens', daily: 'tokensPerDay' },
  { budget: 'costUsd', daily: 'costUsdPerDay' },
  { budget: 'toolCalls', daily: 'toolCallsPerDay' },
];

function budgetTooLarge({ observed: { agent, task } }: AdmissionCase): Objection | undefined {
  for (const { budget, daily } of BUDGETS) {
    const asked = task.spec.budget[budget] ?? 0;
    const allowed = agent?.daily[budget] ?? 0;
    if (allowed > 0 && asked > allowed)
      return {
        reason: 'BudgetExhausted',
        message: `budget.${budget} is ${asked}, but Agent ${task.spec.agentRef.name} may spend ${allowed} in a day; create a smaller Task or raise budgets.${daily}`,
      };
  }
  return undefined;
}

/** Dependencies that did not end, or not as this Task wants it. */
function notReached({
  task,
  dependencies,
}: ObservedTask): readonly { readonly name: string; readonly outcome: string | undefined }[] {
  return task.spec.dependsOn
    .map(({ name, outcome: wanted }) => ({ name, outcome: dependencies.get(name)?.outcome, wanted }))
    .filter(({ outcome, wanted }) => !isEnough(outcome, wanted));
}

function directDependencies({ task }: ObservedTask): readonly string[] {
  return task.spec.dependsOn.map(({ name }) => name);
}

function told(names: readonly string[], separator = ', '): string {
  const shown = names.slice(0, NAMES_TOLD_MAX).join(separator);
  const left = names.length - NAMES_TOLD_MAX;
  return left > 0 ? `${shown} and ${left} more` : shown;
}
