/**
 * R7, the Steerer: measures the run's distance to its goal and the change of it. It alone decides how a run ends.
 * `steer/` holds the mathematics; this file maps messages to it.
 *
 * Source: artoo A.9, A.10, A.2, A.3, A.4, A.6, A.17.
 */
import type { BusMessageOf } from '@retainer/contract/wire/bus/envelope';
import type { Megram } from '@retainer/contract/wire/bus/payloads';
import { totalTokens } from '../../cycle/state.ts';
import { taskPair } from '../../parts/megrams/megram-space.ts';
import type { RoleContext } from '../role-context.ts';
import { historyOf } from '../run-history.ts';
import { asksForReport, awaitedResult } from '../report.ts';
import { soFar } from '../so-far.ts';
import { elapsedMs, received, roundOf, sent, type RunState } from '../state.ts';
import { feedbackMegrams, type Followed } from '../steer/feedback.ts';
import {
  fastReply,
  steerAbort,
  steerBreaker,
  steerBudget,
  steerDeadline,
  steerPerceptionFailure,
  steerPlanFailure,
} from '../steer/end.ts';
import type { Steered } from '../steer/ended.ts';
import type { RoundResult } from '../steer/judged.ts';
import { initialSteerState, type SteerContext, type SteerState } from '../steer/steer-state.ts';
import { steerAccept, steerReplan } from '../steer/steer.ts';
import { outcomesOf } from './meta-validator.ts';
import type { Role } from './role.ts';

/** The canceller of a run that cannot continue after a restart. */
export const RUNTIME = 'runtime';

export const steerer: Role = {
  reads: {
    FastReply: (roleContext, message) =>
      act(roleContext, message, fastReply(message.payload, elapsedMs(roleContext.state), contextOf(roleContext.state))),
    PerceptionFailure: (roleContext, message) =>
      act(roleContext, message, steerPerceptionFailure(message.payload, contextOf(roleContext.state))),
    PlanFailure: (roleContext, message) => {
      const { state } = roleContext;
      act(
        roleContext,
        message,
        steerPlanFailure(steerStateOf(state), message.payload, elapsedMs(state), contextOf(state)),
      );
    },
    ReplanRequest: (roleContext, message) =>
      act(
        roleContext,
        message,
        steerReplan(steerStateOf(roleContext.state), message.payload, contextOf(roleContext.state)),
      ),
    OutcomeSummary: (roleContext, message) =>
      act(
        roleContext,
        message,
        steerAccept(steerStateOf(roleContext.state), message.payload, contextOf(roleContext.state)),
      ),
    TaskAbort: (roleContext, message) => {
      const { state } = roleContext;
      const result = awaitedResult(state);
      // A person may stop a decided run; the runtime stops only a run that would continue.
      if (result !== undefined && message.payload.by === RUNTIME)
        return roleContext.send('FinalResult', result, { round: message.round, causationId: message.id });
      act(roleContext, message, steerAbort(steerStateOf(state), message.payload, known(state), contextOf(state)));
    },
    AbandonReport: (roleContext, { id, round, payload: report }) => {
      const result = awaitedResult(roleContext.state);
      if (result === undefined) return;
      roleContext.send(
        'FinalResult',
        { ...result, ...(report.missing.length === 0 ? {} : { report }) },
        { round, causationId: id },
      );
    },
  },
};

/**
 * The watchdog ends the run with the present knowledge. A run that only waits for its report gets the result that it
 * would have had with the report.
 *
 * Source: artoo A.2, A.9.
 */
export function endAtDeadline(roleContext: RoleContext): void {
  const { state } = roleContext;
  const result = awaitedResult(state);
  if (result !== undefined) return roleContext.send('FinalResult', result, { round: roundOf(state) });
  act(roleContext, undefined, steerDeadline(steerStateOf(state), known(state), contextOf(state)));
}

/** No cycle of the run may ask a model any more, so no report is requested. Source: reliability-security 4. */
export function endAtBudget(roleContext: RoleContext, reason: string): void {
  const { state } = roleContext;
  const result = awaitedResult(state);
  if (result !== undefined) return roleContext.send('FinalResult', result, { round: roundOf(state) });
  act(roleContext, undefined, steerBudget(steerStateOf(state), reason, known(state), contextOf(state)));
}

/** The run has asked people too often, and ends with the present knowledge. */
export function endAtBreaker(roleContext: RoleContext, reason: string): void {
  const { state } = roleContext;
  act(roleContext, undefined, steerBreaker(steerStateOf(state), known(state), reason, contextOf(state)));
}

function act(
  roleContext: RoleContext,
  cause: { readonly id: string; readonly round: number } | undefined,
  steered: Steered,
): void {
  if (sent(roleContext.state, 'FinalResult').length > 0) return;
  const round = cause?.round ?? roundOf(roleContext.state);
  const reference = { round, ...(cause === undefined ? {} : { causationId: cause.id }) };
  const { explanation, state, message } = steered;
  const megrams = [...steered.megrams, ...feedbackOn(roleContext.state, steered)];
  roleContext.record({ kind: 'RoundSteered', round, explanation, rationale: rationaleOf(message), state });
  if (megrams.length > 0) roleContext.send('MemoryWrite', { megrams: stamped(roleContext.state, megrams) }, reference);
  if (message.type === 'PlanDirective') return roleContext.send('PlanDirective', message.payload, reference);
  return explanation.occasion !== 'BudgetUsedUp' && asksForReport(roleContext.state, message.payload)
    ? roleContext.send('ReportRequest', { result: message.payload }, reference)
    : roleContext.send('FinalResult', message.payload, reference);
}

/** Only an end that blames the approach also blames the memories that advised it. Source: artoo A.11. */
function feedbackOn(state: RunState, { message, megrams }: Steered): Steered['megrams'] {
  const isBlamed = message.type === 'FinalResult' && megrams.some((it) => it.state === 'Abandon');
  return isBlamed ? feedbackMegrams(followedRules(state)) : [];
}

function followedRules(state: RunState): readonly Followed[] {
  return received(state, 'DispatchManifest').flatMap(({ round, payload: { memoryRefs, basedOn = memoryRefs } }) => {
    const failed = outcomesOf(state, round).filter((it) => it.status === 'Failed');
    const calls = failed.flatMap((it) => it.calls);
    const answers = received(state, 'MemoryResponse', round).flatMap((it) => it.payload.answers);
    const rules = answers.flatMap(({ space, entity, rules }) =>
      rules.map((rule) => ({ ...rule, space, entity, calls })),
    );
    return rules.filter((it) => basedOn.includes(it.id));
  });
}

function rationaleOf(message: Steered['message']): string {
  return message.type === 'PlanDirective' ? message.payload.rationale : message.payload.summary;
}

function stamped({ spec, nowMs, messages }: RunState, drafts: Steered['megrams']): Megram[] {
  return drafts.map((draft, index) => ({
    ...draft,
    id: `${spec.runId}-g${messages.length + 1}-${index + 1}`,
    createdAtMs: nowMs,
  }));
}

function steerStateOf(state: RunState): SteerState {
  return state.steered.at(-1)?.state ?? initialSteerState;
}

/** The arrived outcomes of the newest round. */
function known(state: RunState): RoundResult {
  const round = roundOf(state);
  return { outcomes: outcomesOf(state, round), taskVerdicts: [], elapsedMs: elapsedMs(state) };
}

/** The facts of the run for the mathematics. */
function contextOf(state: RunState): SteerContext {
  const { spec, nowMs } = state;
  const intent = received(state, 'TaskSpec').at(-1)?.payload.intent ?? spec.intent;
  const budget = spec.budget?.tokens;
  const history = spec.control.profile === 'Spec' ? undefined : historyOf(state);
  return {
    control: spec.control,
    nowMs,
    ...(spec.deadlineMs === undefined ? {} : { deadlineMs: spec.deadlineMs }),
    ...(budget === undefined ? {} : { tokens: { used: totalTokens(state.usage), budget } }),
    intent,
    given: state.spec.input,
    criteria: sent(state, 'DispatchManifest').at(-1)?.payload.criteria ?? spec.criteria,
    ...(history === undefined ? {} : { history }),
    candidateTools: spec.roles.Executor.tools,
    taskPair: taskPair(intent, spec.environment),
    soFar: soFar(state),
  };
}

export type FinalResult = BusMessageOf<'FinalResult'>['payload'];
