/**
 * One cognitive cycle: input → gate → assemble → infer ⇄ tools(gate) → gate → reply, as a pure decision.
 *
 * I4  Every input that is not stale yields itself first, then the decisions that follow from it.
 * I5  A stale input (a late result, an answer that nobody waits for) yields nothing.
 * I6  Each path either waits for something pending or ends the cycle. No cycle hangs in between.
 *
 * Source: design 5; springdrift 6, 7, 17.
 */
import { budgetPath } from '../gate/budget/budget.ts';
import { roleRow } from '@retainer/contract/api/roles';
import { textsIn } from '../gate/chain/rule-reading.ts';
import type { Sliced } from '../gate/text/pace.ts';
import { OUT_OF_REACH } from '../request/model-request.ts';
import { allowedText } from './allowed-text.ts';
import { advanceCalls, decideCalls, decideApproved, decideApprovalExpired } from './decide-calls.ts';
import { decideOutput } from './decide-output.ts';
import { decideReply } from './decide-reply.ts';
import { decideRequest } from './decide-request.ts';
import { withdrawApprovals } from './withdraw-approvals.ts';
import { endCycle, latestText, openDraft, push, type CycleConfig, type Draft } from './draft.ts';
import { modelFailedReason } from './end-fault.ts';
import { agentName, type CycleEvent, type CycleInput } from './event.ts';
import { inquire, recordDecided } from './inquire.ts';
import { historyMend } from './mend-history.ts';
import { endRefused } from './refusal.ts';
import { nextCycleTimer, type CycleState } from './state.ts';

/** @returns the input and the decisions on it, in order; empty when the input is stale */
export function decideCycle(
  state: CycleState | undefined,
  input: CycleInput,
  config: CycleConfig,
): readonly CycleEvent[] {
  if (isStale(state, input)) return [];
  const draft = openDraft(state, input, config);
  decideOn(draft, input, state);
  return draft.events;
}

/**
 * What `decideCycle` will read of long texts, read before it: a slice at a time, so that the one thread stays free. Changes no
 * decision: a text that is missed here, or that only the end of a cycle judges, is read within it, with the same findings.
 */
export function* readAhead(state: CycleState | undefined, input: CycleInput, config: CycleConfig): Sliced<void> {
  if (isStale(state, input)) return;
  const { spec, messages, openCalls, reply } = openDraft(state, input, config).state;
  const { texts } = config.gate;
  const agent = agentName(spec);
  if (messages.length === 0 && roleRow(spec.role).told !== 'Record')
    yield* texts.readAhead('Input', spec.judged ?? spec.input, agent);
  if (reply !== undefined) yield* texts.readAhead('Output', reply.outgoing, agent);
  for (const call of openCalls)
    if (call.result === undefined)
      for (const { text } of textsIn(call.input)) yield* texts.readAhead('Tool', text, agent);
}

function isStale(state: CycleState | undefined, input: CycleInput): boolean {
  if (state === undefined) return input.kind !== 'CycleStarted';
  if (state.ended !== undefined) return true;
  switch (input.kind) {
    case 'CycleStarted':
      return true;
    case 'DecidersChanged':
      return state.deciders === input.deciders;
    case 'CharacterChanged':
      return state.characterDigest === input.to;
    case 'ModelAnswered':
    case 'ModelFailed':
      return state.pendingModelCall !== input.callId;
    case 'ToolFinished':
      return !state.pendingTools.includes(input.callId);
    case 'EffectLost':
    case 'Parked':
      return !isPending(state, input.callId);
    case 'Unparked':
      return state.parked[input.callId] === undefined;
    case 'StoodStill':
      return input.forMs === 0;
    case 'GateProbed':
    case 'GateScored':
    case 'TextRead':
      return !state.pendingAsks.some((it) => it.askId === input.askId && it.kind === askKinds[input.kind]);
    case 'ApprovalDecided':
      return !state.pendingApprovals.some(
        (it) =>
          it.requestId === input.requestId &&
          it.answeredWith === undefined &&
          it.argumentsDigest === input.argumentsDigest,
      );
    case 'TimeExpired':
      return !isDue(state, input);
    case 'CycleCancelled':
      return false;
  }
}

function isPending({ pendingModelCall, pendingTools, pendingAsks }: CycleState, id: string): boolean {
  return pendingModelCall === id || pendingTools.includes(id) || pendingAsks.some((it) => it.askId === id);
}

/** False only where a crash cut the last decisions off. */
function isWaiting({ pendingModelCall, pendingTools, pendingAsks, pendingApprovals }: CycleState): boolean {
  const pending = [...pendingTools, ...pendingAsks, ...pendingApprovals];
  return pendingModelCall !== undefined || pending.length > 0;
}

const askKinds = { GateProbed: 'Probe', GateScored: 'Score', TextRead: 'Read' } as const;

function isDue(state: CycleState, input: Extract<CycleInput, { kind: 'TimeExpired' }>): boolean {
  const timer = nextCycleTimer(state);
  return (
    timer !== undefined && timer.what === input.what && timer.requestId === input.requestId && timer.atMs <= input.atMs
  );
}

function decideOn(draft: Draft, input: CycleInput, before: CycleState | undefined): void {
  switch (input.kind) {
    case 'CycleStarted':
      return decideInput(draft);
    case 'ModelAnswered':
      return draft.state.openCalls.length > 0 ? decideCalls(draft, input) : decideReply(draft, input);
    case 'ModelFailed':
      return draft.state.isPlain && before?.isPlain === false
        ? decideRequest(draft)
        : decideFailure(draft, input.failure);
    case 'DecidersChanged':
    case 'CharacterChanged':
      return decideInOtherHands(draft, input);
    case 'ToolFinished':
      return decideRequest(draft);
    case 'EffectLost':
      return before?.pendingAsks.some((it) => it.askId === input.callId) === true
        ? decideInquired(draft)
        : decideRequest(draft);
    case 'GateProbed':
    case 'GateScored':
      return input.refusal !== undefined && draft.state.spec.autonomous
        ? endAtBudget(draft, input.refusal)
        : decideInquired(draft);
    case 'TextRead':
      return decideInquired(draft);
    case 'ApprovalDecided':
      return decideApproved(draft, input);
    case 'TimeExpired':
      return input.what === 'Approval' ? decideApprovalExpired(draft, input.requestId) : decideTimeout(draft);
    case 'Parked':
    case 'Unparked':
    case 'StoodStill':
      return undefined;
    case 'CycleCancelled':
      return endCycle(draft, {
        outcome: 'Cancelled',
        text: latestText(draft.state),
        reason: `cancelled by ${input.by}: ${input.reason}`,
      });
  }
}

/** Input that the run makes from its own record was gated before, and so were earlier turns: neither passes the input gate again. */
function decideInput(draft: Draft): void {
  const { spec } = draft.state;
  if (roleRow(spec.role).told === 'Record') return decideRequest(draft);
  const decided = inquire(draft, { subject: { gate: 'Input', text: spec.judged ?? spec.input } });
  if (decided === undefined) return;
  const { verdict, action, record } = decided;
  recordDecided(draft, verdict, { record });
  if (action.kind !== 'Proceed') return endRefused(draft, verdict);
  if (action.caution !== undefined)
    push(draft, { kind: 'Nudged', why: 'InputFlagged', text: `[gate] ${action.caution}` });
  return decideRequest(draft);
}

/** Goes on where the earlier ones stopped; a changed character may answer itself what a person was asked. */
function decideInOtherHands(draft: Draft, { kind }: CycleInput): void {
  const isOpen = kind === 'CharacterChanged' && withdrawApprovals(draft);
  if (isOpen || !isWaiting(draft.state)) decideInquired(draft);
}

/** The gate or the reader has an answer: the work that waited for it continues. */
function decideInquired(draft: Draft): void {
  const { openCalls, messages, reply } = draft.state;
  if (openCalls.length > 0) return advanceCalls(draft);
  if (messages.length === 0) return decideInput(draft);
  // Without a reply, the question was about a call that was meanwhile decided as a repetition of the one before it.
  if (reply !== undefined) decideOutput(draft);
}

function decideFailure(draft: Draft, failure: Extract<CycleInput, { kind: 'ModelFailed' }>['failure']): void {
  const { kind, message, budget } = failure;
  const { model: from, fallback } = draft.state.spec;
  const mend = kind === 'InvalidRequest' ? historyMend(draft, message) : undefined;
  if (mend !== undefined) {
    push(draft, { kind: 'HistoryMended', ...mend });
    return decideRequest(draft);
  }
  const why = OUT_OF_REACH.find((it) => it === kind);
  if (fallback !== undefined && why !== undefined) {
    push(draft, { kind: 'ModelFellBack', from, to: fallback.model, why });
    return decideRequest(draft);
  }
  if (budget === undefined) {
    return endCycle(draft, {
      outcome: 'Failed',
      text: latestText(draft.state),
      reason: modelFailedReason(kind, message),
    });
  }
  return endAtBudget(draft, { message, ...budget });
}

type BudgetRefusal = NonNullable<Extract<CycleInput, { kind: 'GateScored' }>['refusal']>;

/** A budget refused a model call of the cycle or a question of a gate: no further question is possible. */
function endAtBudget(draft: Draft, { message, field, used, asked, max }: BudgetRefusal): void {
  push(draft, { kind: 'LimitReached', limit: budgetPath(field), value: used + asked, max });
  return endCycle(draft, { outcome: 'OutOfBudget', text: allowedText(draft), reason: message, budget: field });
}

function decideTimeout(draft: Draft): void {
  const { spec, startedAtMs, nowMs, waitedMs } = draft.state;
  const workedMs = nowMs - startedAtMs - waitedMs;
  push(draft, {
    kind: 'LimitReached',
    limit: 'wallClockMs',
    value: workedMs,
    max: spec.limits.wallClockMs,
  });
  endCycle(draft, {
    outcome: 'OutOfBudget',
    text: allowedText(draft),
    reason: `out of time after ${Math.round(workedMs / 1000)} s`,
  });
}
