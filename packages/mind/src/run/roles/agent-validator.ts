/**
 * R4a, the AgentValidator: the fast loop. It decides without a model whatever code can decide. It recomputes a model's
 * verdicts from the record. A subtask that fell short is tried again, with its first fault as the correction.
 *
 * Source: artoo A.6.
 */
import type { BusMessageOf } from '@retainer/contract/wire/bus/envelope';
import type { SubTask, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { assembleAttemptInput } from '../../assemble/attempt-input.ts';
import type { RoleContext } from '../role-context.ts';
import { isBudgetUsedUp } from '../remaining-limits.ts';
import { historyOf } from '../run-history.ts';
import { compared, confirmedBy, givenTo, unpaidAttempts, type Compared, type Confirmed } from '../self-consistency.ts';
import { runTraceOf, received, sent, type RunState, type RoleCycle } from '../state.ts';
import { isWorthCorrecting } from '../steer/corrections.ts';
import { retriesMax, type Urgency } from '../steer/urgency.ts';
import {
  judgeAttempt,
  judgeWithoutValidator,
  missingIn,
  type Attempt,
  type AttemptJudgement,
} from '../verdict/judge-attempt.ts';
import { isUnshownReason } from '../verdict/hangs-on.ts';
import type { ClaimAccount } from '../verdict/fabrication.ts';
import { staleClaims } from '../verdict/stale-figures.ts';
import { claimsOf, markedText } from '../verdict/unsupported.ts';
import { retryLater, type Role } from './role.ts';

type Result = BusMessageOf<'ExecutionResult'>;

export const agentValidator: Role = {
  reads: {
    ExecutionResult: (roleContext, result) => {
      const attempt = attemptOf(roleContext, result);
      const early = judgeWithoutValidator(attempt);
      if (early === undefined || early.end.kind === 'Matched') {
        const earlier = confirmedBy(roleContext.state, result, roleContext.known);
        if (earlier !== undefined) return confirm(roleContext, result, { attempt, ...earlier });
      }
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

function settle(roleContext: RoleContext, result: Result, judged: Judged): void {
  const { state, known } = roleContext;
  const retries = retriesMax(state.spec.control, urgencyIn(state, result.round));
  return conclude(roleContext, result, {
    ...judged,
    ...compared(state, result, judged.judgement, { known, retriesMax: retries }),
    standing: { result, open: judged.attempt.open },
  });
}

/** The earlier attempt matches: this one came to the same, so nobody looks at this one. */
function confirm(
  roleContext: RoleContext,
  result: Result,
  { attempt, result: earlier, confirmed }: Confirmed & { readonly attempt: ReadAttempt },
): void {
  const { open } = attemptOf(roleContext, earlier);
  const selfConsistency = { attempt: earlier.payload.attempt, agrees: true };
  return conclude(roleContext, result, {
    attempt,
    judgement: confirmed,
    selfConsistency,
    standing: { result: earlier, open },
  });
}

interface Ended extends Judged, Compared {
  /** The attempt whose result becomes that of the subtask, if it matches. */
  readonly standing: { readonly result: Result; readonly open: ClaimAccount };
}

function conclude(roleContext: RoleContext, result: Result, judged: Ended): void {
  const { judgement, cycleId, selfConsistency, attempt: read } = judged;
  const { subtaskId, attempt } = result.payload;
  const { unsupported, derivations } = read.open;
  const { end, verdicts, corrections, point } = judgement;
  const trajectory = [...trajectoryOf(roleContext.state, subtaskId), point];
  roleContext.record({
    kind: 'VerdictsJudged',
    subtaskId,
    attempt,
    verdicts: [...verdicts],
    corrections: [...corrections],
    point,
    ...(derivations.length === 0 ? {} : { derivations: [...derivations] }),
    ...(unsupported.length === 0 ? {} : { unsupported: unsupported.map((it) => it.text) }),
    ...(selfConsistency === undefined ? {} : { selfConsistency }),
  });
  const reference = {
    round: result.round,
    causationId: result.id,
    correlationId: subtaskId,
    ...(cycleId === undefined ? {} : { cycleId }),
  };
  if (end.kind === 'Retry') return roleContext.send('CorrectionSignal', end.signal, reference);
  const { output, artifactId, calls } = judged.standing.result.payload;
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
      output: markedText(output, judged.standing.open.unsupported),
      ...(artifactId === undefined ? {} : { artifactId }),
      ...failure,
      started: true,
      trajectory,
      verdicts: [...verdicts],
      calls,
    },
    reference,
  );
}

function attemptOf({ state, known }: RoleContext, { payload, round }: Result): ReadAttempt {
  const subtask = subtaskOf(state, payload.subtaskId);
  const { output, calls } = payload;
  const wishes = [subtask.intent, state.spec.intent];
  const trace = runTraceOf(state);
  const criteria = subtask.criteria.map((it) => it.text);
  const stale = staleClaims({ output, calls, trace, wishes, criteria, given: givenTo(state, subtask), known });
  const attempt = {
    criteria: subtask.criteria,
    result: payload,
    open: { ...claimsIn(state, payload), asked: `${subtask.intent} ${state.spec.input}`, stale },
    isToldUnshown: isToldUnshown(state, payload.subtaskId, round),
    wishes,
    otherTools: otherTools(state, subtask, payload.calls),
    trace,
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
  const history = state.spec.control.profile === 'Spec' ? undefined : historyOf(state);
  const unpaid = unpaidAttempts(state, attempt.result.subtaskId);
  const retries = retriesMax(state.spec.control, urgencyIn(state, round)) + unpaid;
  const isAboutWords = (attempt.open?.unsupported ?? []).length > 0;
  if (history === undefined || isAboutWords) return retries;
  return isWorthCorrecting(history, attempt.result.calls, missingIn(attempt).size > 0) ? retries : 0;
}

function urgencyIn(state: RunState, round: number): Urgency {
  return received(state, 'PlanDirective', round - 1).at(-1)?.payload.urgency;
}

function claimsIn(state: RunState, { subtaskId, output, calls }: Result['payload']): ClaimAccount {
  const subtask = subtaskOf(state, subtaskId);
  return claimsOf(
    output,
    calls,
    givenTo(state, subtask),
    subtask?.criteria.map((it) => it.text),
  );
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
