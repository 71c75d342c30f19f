/**
 * R4a, the AgentValidator: the fast loop. It decides without a model whatever code can decide. It recomputes a model's
 * verdicts from the record. A subtask that fell short is tried again, with its first fault as the correction.
 *
 * Source: artoo A.6.
 */
import type { BusMessageOf } from '@retainer/contract/wire/bus/envelope';
import type { SubTask, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { assembleAttemptInput } from '../../assemble/attempt-input.ts';
import { utcDate } from '@retainer/contract/std/utc-date';
import type { RoleContext } from '../role-context.ts';
import { answersInWork } from '../people-answers.ts';
import { isBudgetUsedUp } from '../remaining-limits.ts';
import { historyOf } from '../run-history.ts';
import { runTraceOf, received, sent, type RunState, type RoleCycle } from '../state.ts';
import { isWorthCorrecting } from '../steer/corrections.ts';
import { retriesMax } from '../steer/urgency.ts';
import {
  judgeAttempt,
  judgeWithoutValidator,
  missingIn,
  type Attempt,
  type AttemptJudgement,
} from '../verdict/judge-attempt.ts';
import { isUnshownReason } from '../verdict/hangs-on.ts';
import type { ClaimAccount } from '../verdict/fabrication.ts';
import { claimsOf, markedText } from '../verdict/unsupported.ts';
import { retryLater, type Role } from './role.ts';

type Result = BusMessageOf<'ExecutionResult'>;

export const agentValidator: Role = {
  reads: {
    ExecutionResult: (roleContext, result) => {
      const attempt = attemptOf(roleContext, result);
      const early = judgeWithoutValidator(attempt);
      return early === undefined
        ? validate(roleContext, result, attempt)
        : settle(roleContext, result, { attempt, judgement: early });
    },
  },
  retry: (roleContext, { purpose }) => {
    const result = resultOf(roleContext.state, purpose);
    if (result !== undefined) validate(roleContext, result, attemptOf(roleContext, result));
  },
  concluded: (roleContext, roleCycle, end) => {
    const { purpose, spec } = roleCycle;
    const result = resultOf(roleContext.state, purpose);
    if (result === undefined || retryLater(roleContext, roleCycle, end, timesAsked(roleContext.state, purpose))) return;
    const answer = end.outcome === 'Replied' ? end.value : undefined;
    const attempt = attemptOf(roleContext, result);
    return settle(roleContext, result, { attempt, judgement: judgeAttempt(attempt, answer), cycleId: spec.cycleId });
  },
};

/** With the words of its output that nothing shows: reading its sources for them is dear, so each input is read for once. */
type ReadAttempt = Attempt & { readonly open: ClaimAccount };

function validate(roleContext: RoleContext, result: Result, attempt: ReadAttempt): void {
  const { state } = roleContext;
  if (isBudgetUsedUp(state))
    return settle(roleContext, result, { attempt, judgement: judgeAttempt(attempt, undefined) });
  const { subtaskId } = result.payload;
  const subtask = subtaskOf(state, subtaskId);
  const missing = new Map([...missingIn(attempt)].map(([index, { reason }]) => [index, reason]));
  const input = assembleAttemptInput({ nowMs: state.nowMs, subtask, result: result.payload, missing });
  roleContext.think(
    { round: result.round, subtaskId, attempt: result.payload.attempt, causationId: result.id },
    { input, structured: 'AttemptVerdicts' },
  );
}

interface Judged {
  readonly attempt: ReadAttempt;
  readonly judgement: AttemptJudgement;
  /** Of the validator; absent: it was not asked. */
  readonly cycleId?: string;
}

function settle(roleContext: RoleContext, result: Result, { attempt: read, judgement, cycleId }: Judged): void {
  const { subtaskId, attempt, calls, output, artifactId } = result.payload;
  const { unsupported, derivations } = read.open;
  const { end, verdicts, corrections, point } = judgement;
  const trajectory = [...trajectoryOf(roleContext.state, subtaskId), point];
  const own = { verdicts: [...verdicts], corrections: [...corrections] };
  roleContext.record({
    kind: 'VerdictsJudged',
    subtaskId,
    attempt,
    ...own,
    point,
    ...(derivations.length === 0 ? {} : { derivations: [...derivations] }),
    ...(unsupported.length === 0 ? {} : { unsupported: unsupported.map((it) => it.text) }),
  });
  const reference = {
    round: result.round,
    causationId: result.id,
    correlationId: subtaskId,
    ...(cycleId === undefined ? {} : { cycleId }),
  };
  if (end.kind === 'Retry') return roleContext.send('CorrectionSignal', end.signal, reference);
  const { intent, sequence, position, criteria } = subtaskOf(roleContext.state, subtaskId);
  const failure = end.kind === 'Failed' ? { failureReason: end.reason, failureClass: end.failureClass } : {};
  return roleContext.send(
    'SubTaskOutcome',
    {
      subtaskId,
      intent,
      sequence,
      position,
      criteria,
      status: end.kind,
      output: markedText(output, unsupported),
      ...(artifactId === undefined ? {} : { artifactId }),
      ...failure,
      started: true,
      trajectory,
      verdicts: own.verdicts,
      calls,
    },
    reference,
  );
}

function attemptOf({ state, known }: RoleContext, { payload, round }: Result): ReadAttempt {
  const subtask = subtaskOf(state, payload.subtaskId);
  const attempt = {
    criteria: subtask.criteria,
    result: payload,
    open: { ...claimsIn(state, payload), asked: `${subtask.intent} ${state.spec.input}` },
    isToldUnshown: isToldUnshown(state, payload.subtaskId, round),
    wishes: [subtask.intent, state.spec.intent],
    otherTools: otherTools(state, subtask, payload.calls),
    trace: runTraceOf(state),
    known,
  };
  return { ...attempt, maxRetries: correctionsMax(state, round, attempt) };
}

/** Of the worker, without those that it used, and without those that it may not use. */
function otherTools(
  { spec }: RunState,
  { worker, blocked }: SubTask,
  calls: readonly ToolCallRecord[],
): readonly string[] {
  const { tools } = spec.workers.find(({ name }) => name === worker) ?? spec.roles.Executor;
  const others = new Set([...calls.map(({ tool }) => tool), ...blocked.tools, ...(blocked.unplanned ?? [])]);
  return tools.filter((it) => !others.has(it));
}

/** Corrections of a subtask; none where a correction would most likely call the same again. One about words always helps. */
function correctionsMax(state: RunState, round: number, attempt: Omit<Attempt, 'maxRetries'>): number {
  const urgency = received(state, 'PlanDirective', round - 1).at(-1)?.payload.urgency;
  const history = state.spec.control.profile === 'Spec' ? undefined : historyOf(state);
  const retries = retriesMax(state.spec.control, urgency);
  const isAboutWords = (attempt.open?.unsupported ?? []).length > 0;
  if (history === undefined || isAboutWords) return retries;
  return isWorthCorrecting(history, attempt.result.calls, missingIn(attempt).size > 0) ? retries : 0;
}

/** The day of the run is given to everyone. */
function claimsIn(state: RunState, { subtaskId, output, calls }: Result['payload']): ClaimAccount {
  const { intent, context } = subtaskOf(state, subtaskId);
  const today = utcDate(state.startedAtMs);
  const answers = answersInWork(state).map(({ text }) => text);
  return claimsOf(output, calls, [intent, context, state.spec.input, today, ...answers]);
}

/** What nothing shows costs a subtask one correction, and a later round none. */
function isToldUnshown(state: RunState, subtaskId: string, round: number): boolean {
  return sent(state, 'CorrectionSignal').some(
    (it) => (it.round < round || it.payload.subtaskId === subtaskId) && isUnshownReason(it.payload.whatWasWrong),
  );
}

function resultOf(state: RunState, { round, subtaskId, attempt }: RoleCycle['purpose']): Result | undefined {
  return received(state, 'ExecutionResult', round).find(
    ({ payload }) => payload.subtaskId === subtaskId && payload.attempt === attempt,
  );
}

/** How often the validator has been asked about this attempt. */
function timesAsked(state: RunState, { subtaskId, attempt }: RoleCycle['purpose']): number {
  return [...state.roleCycles.values()].filter(
    ({ purpose }) =>
      purpose.role === 'AgentValidator' && purpose.subtaskId === subtaskId && purpose.attempt === attempt,
  ).length;
}

function trajectoryOf(state: RunState, subtaskId: string): Attempted[] {
  return state.judged.flatMap((it) => (it.subtaskId === subtaskId && it.point !== undefined ? [it.point] : []));
}

type Attempted = AttemptJudgement['point'];

function subtaskOf(state: RunState, subtaskId: string): SubTask {
  const dispatched = sent(state, 'SubTaskDispatch').find((it) => it.payload.subtaskId === subtaskId);
  if (dispatched === undefined) throw new Error(`subtask ${subtaskId} was never dispatched`);
  return dispatched.payload;
}
