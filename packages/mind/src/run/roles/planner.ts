/**
 * R2, the Planner: turns a task and the lessons of the last round into subtasks with falsifiable criteria. Code assigns
 * ids, sequences and limits. Blocked tools and targets are refused here, and again at the tools.
 *
 * Source: artoo A.4, C (criteria of people stay; one step needs no plan).
 */
import type { BusMessageOf } from '@retainer/contract/wire/bus/envelope';
import { assembleAbandonInput } from '../../assemble/abandon-input.ts';
import { constraintLines, type ShownLine } from '../../assemble/constraint-lines.ts';
import { isUseless } from '../../cycle/end-fault.ts';
import { oneLine } from '../../request/lines.ts';
import type { TriedRound } from '../../assemble/tried-lines.ts';
import { assemblePlannerInput } from '../../assemble/planner-input.ts';
import { recordedAnswer } from '../../request/answers.ts';
import { fence } from '../../gate/provenance/fence.ts';
import { planningPairs } from '../../parts/megrams/megram-space.ts';
import type { RoleContext } from '../role-context.ts';
import { unplannedTools } from '../dispatch/frozen-plan.ts';
import { decidePlan, planDigest, singleStepPlan, type PlanQuestion } from '../dispatch/plan.ts';
import { handedOn } from '../handed-on.ts';
import { answerLines, answersBefore } from '../people-answers.ts';
import { isBudgetUsedUp } from '../remaining-limits.ts';
import { awaitedResult, honestReport, NO_REPORT, reportLimits } from '../report.ts';
import { endedRoleCycles, received, type RunState, type RoleCycle } from '../state.ts';
import { plannerModel } from '../steer/urgency.ts';
import { failureOf, type Role } from './role.ts';

interface Cause {
  readonly round: number;
  readonly causationId: string;
  /** Of the plan in this round, from 1. */
  readonly attempt: number;
  readonly cycleId?: string;
}

export const planner: Role = {
  reads: {
    TaskSpec: (roleContext, message) => askMemory(roleContext, message.id, 1),
    ReportRequest: askForReport,
    PlanDirective: (roleContext, message) => askMemory(roleContext, message.id, message.round + 1),
    MemoryResponse: (roleContext, { round, id }) => {
      const cause = { round, causationId: id, attempt: 1 };
      const { shape } = taskSpecOf(roleContext.state).payload;
      return round > 1 || shape === 'Plan' ? think(roleContext, cause) : takeAsOneStep(roleContext, cause);
    },
  },
  concluded: (roleContext, { purpose, spec }, end) => {
    if (spec.structured === 'AbandonReport') return report(roleContext, { purpose, spec }, end.value);
    const cause = { ...purpose, attempt: purpose.attempt ?? 1, cycleId: spec.cycleId };
    if (end.outcome === 'Replied') return settle(roleContext, cause, end.value);
    if (cause.round === 1 && isUseless(end.reason)) {
      const { round, causationId, attempt } = cause;
      return takeAsOneStep(roleContext, { round, causationId, attempt });
    }
    const { reason, failureClass } = failureOf(end);
    return roleContext.send('PlanFailure', { reason: `no plan was made: ${reason}`, failureClass }, referenceOf(cause));
  },
};

/** Without a model: the whole task is one step, in the people's words. Also where the planner's model makes no plan of any use. */
function takeAsOneStep(roleContext: RoleContext, cause: Cause): void {
  const { state } = roleContext;
  const { intent, background, criteria } = state.spec;
  const understood = taskSpecOf(state).payload;
  const context = [
    background,
    meant(intent, understood.intent),
    ...understood.assumptions,
    ...answerLines(answersBefore(state)),
  ];
  return settle(roleContext, cause, singleStepPlan(intent, context.filter((it) => it !== '').join('\n'), criteria));
}

/** Source: artoo A.9. */
function askForReport(
  roleContext: RoleContext,
  { id, round, payload: { result } }: BusMessageOf<'ReportRequest'>,
): void {
  const { state } = roleContext;
  const { reportDuties: system = [] } = state.spec;
  const input = assembleAbandonInput({
    intent: taskSpecOf(state).payload.intent,
    reason: result.summary,
    replans: result.replans,
    outcomes: received(state, 'SubTaskOutcome').map(({ payload }) => payload),
    unmet: result.unmet,
  });
  const { identity } = state.spec;
  const atMost = reportLimits(state, [identity, state.spec.input, ...system.map(({ text }) => text), input]);
  roleContext.think({ round, causationId: id }, { input, system, structured: 'AbandonReport', atMost });
}

function report(
  roleContext: RoleContext,
  { purpose, spec }: Pick<RoleCycle, 'purpose' | 'spec'>,
  answer: unknown,
): void {
  const result = awaitedResult(roleContext.state);
  const { round, causationId } = purpose;
  const told = result === undefined ? NO_REPORT : honestReport(roleContext.state, result, answer);
  roleContext.send('AbandonReport', told, { round, causationId, cycleId: spec.cycleId });
}

function askMemory(roleContext: RoleContext, causationId: string, round: number): void {
  const { spec } = roleContext.state;
  const { intent } = taskSpecOf(roleContext.state).payload;
  const pairs = planningPairs(intent, spec.environment, spec.roles.Executor.tools);
  roleContext.send('MemoryRead', { pairs: [...pairs], intent }, { round, causationId });
}

function think(roleContext: RoleContext, cause: Cause, refusal?: string): void {
  const { state } = roleContext;
  const { round, causationId, attempt } = cause;
  if (isBudgetUsedUp(state)) {
    const failure = { reason: 'the budget is used up', failureClass: 'Environmental' } as const;
    return roleContext.send('PlanFailure', failure, referenceOf(cause));
  }
  const directive = directiveFor(state, round)?.payload;
  const input = assemblePlannerInput({
    nowMs: state.nowMs,
    task: withAnswers(state),
    criteria: state.spec.criteria,
    constraints: linesFor(state, round),
    tools: state.spec.tools,
    workers: state.spec.workers,
    subtasksMax: state.spec.control.maxSubtasks,
    ...(directive === undefined ? {} : { directive, tried: triedIn(state, round - 1) }),
    ...(refusal === undefined ? {} : { refusal }),
  });
  roleContext.think(
    { round, causationId, attempt },
    { input, structured: 'Plan', ...plannerModel(state.spec, directive?.urgency) },
  );
}

/** Outputs of a run that has read untrusted text go between marks. */
function triedIn(state: RunState, round: number): TriedRound {
  const failed = received(state, 'ReplanRequest', round).at(-1)?.payload;
  const handed = handedOn(state);
  const { nonce } = state;
  return {
    outcomes: failed?.outcomes ?? [],
    taskVerdicts: failed?.taskVerdicts ?? [],
    fenced: (output, callId) => (handed === undefined ? output : fence(output, handed.label, nonce, callId)),
  };
}

/** The manifest goes first: it tells readers of outcomes how many to expect. Source: artoo A.2. */
function settle(roleContext: RoleContext, cause: Cause, plan: unknown): void {
  const decision = decidePlan(questionOf(roleContext, cause), plan);
  switch (decision.kind) {
    case 'Failed':
      return roleContext.send('PlanFailure', decision.failure, referenceOf(cause));
    case 'Rejected':
      return think(roleContext, { ...cause, attempt: cause.attempt + 1 }, decision.reason);
    case 'Accepted': {
      roleContext.send('DispatchManifest', decision.manifest, referenceOf(cause));
      for (const subtask of decision.subtasks)
        roleContext.send('SubTask', subtask, { ...referenceOf(cause), correlationId: subtask.subtaskId });
    }
  }
}

function referenceOf({ round, causationId, cycleId }: Cause): Pick<Cause, 'round' | 'causationId' | 'cycleId'> {
  return { round, causationId, ...(cycleId === undefined ? {} : { cycleId }) };
}

function questionOf({ state, known }: RoleContext, { round, attempt, cycleId }: Cause): PlanQuestion {
  const { spec } = state;
  const directive = directiveFor(state, round)?.payload;
  const lastFailed = digestOfRound(state, round - 1);
  const unplanned = [...unplannedTools(state, known)];
  return {
    runId: spec.runId,
    round,
    taskSlug: taskSpecOf(state).payload.taskSlug,
    peopleCriteria: spec.criteria,
    blocked: {
      ...(directive?.blocked ?? { tools: [], targets: [] }),
      ...(unplanned.length === 0 ? {} : { unplanned }),
    },
    ...(directive?.parts === undefined ? {} : { parts: directive.parts }),
    salvage: directive?.salvage ?? [],
    advice: linesFor(state, round),
    isUnplanned: cycleId === undefined,
    maxSubtasks: spec.control.maxSubtasks,
    workers: spec.workers,
    ...(lastFailed === undefined ? {} : { lastFailed }),
    rejections: attempt - 1,
  };
}

function digestOfRound(state: RunState, round: number): string | undefined {
  const last = endedRoleCycles(state, 'Planner').findLast((it) => it.purpose.round === round);
  const plan = recordedAnswer('Plan', last?.end?.value);
  return plan && planDigest(plan);
}

/** What memory says for the round, in lines. */
function linesFor(state: RunState, round: number): readonly ShownLine[] {
  const said = received(state, 'MemoryResponse', round).map(({ payload }) => payload);
  return constraintLines(
    said.flatMap(({ answers }) => answers),
    said.flatMap(({ cases = [] }) => cases),
  );
}

function directiveFor(state: RunState, round: number): BusMessageOf<'PlanDirective'> | undefined {
  return received(state, 'PlanDirective', round - 1).at(-1);
}

function taskSpecOf(state: RunState): BusMessageOf<'TaskSpec'> {
  const [spec] = received(state, 'TaskSpec');
  if (spec === undefined) throw new Error('a planner that plans was given a task');
  return spec;
}

/** What "that" and "shorter" stand for, as the perceiver understood it from the conversation; empty if it changed nothing. */
function meant(words: string, understood: string): string {
  return understood.trim() === words.trim() ? '' : `As understood: ${oneLine(understood)}`;
}

function withAnswers(state: RunState): BusMessageOf<'TaskSpec'>['payload'] {
  const task = taskSpecOf(state).payload;
  return { ...task, rawInput: [task.rawInput, ...answerLines(answersBefore(state))].join('\n') };
}
