/**
 * One cognitive cycle: input → gate → assemble → infer ⇄ tools(gate) → gate → reply, as a pure decision.
 *
 * I4  Every input that is not stale yields itself first, then the decisions that follow from it.
 * I5  A stale input (a late result, an answer that nobody waits for) yields nothing.
 * I6  Each path either waits for something pending or ends the cycle. No cycle hangs in between.
 *
 * Source: design 5; springdrift 6, 7, 17.
 */
import { allowedText } from './allowed-text.ts';
import { advanceCalls, decideCalls, decideApproved, decideApprovalExpired } from './decide-calls.ts';
import { decideInput } from './decide-input.ts';
import { decideOutput } from './decide-output.ts';
import { decideReply } from './decide-reply.ts';
import { decideRequest } from './decide-request.ts';
import { withdrawApprovals } from './withdraw-approvals.ts';
import { endCycle, latestText, openDraft, push, type CycleConfig, type Draft } from './draft.ts';
import { modelFailedReason } from './end-fault.ts';
import type { CycleEvent, CycleInput } from './event.ts';
import type { Sliced } from '../gate/text/pace.ts';
import { OUT_OF_REACH } from '../request/model-request.ts';
import { readTexts } from './read-ahead.ts';
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

/** What `decideCycle` will read of long texts, read before it. Changes no decision. */
export function* readAhead(state: CycleState | undefined, input: CycleInput, config: CycleConfig): Sliced<void> {
  if (!isStale(state, input)) yield* readTexts(openDraft(state, input, config));
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
      return !isPending(state, input.callId);
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
    case 'CycleCancelled':
      return endCycle(draft, {
        outcome: 'Cancelled',
        text: latestText(draft.state),
        reason: `cancelled by ${input.by}: ${input.reason}`,
      });
  }
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
  push(draft, { kind: 'LimitReached', limit: `budgets.${field}`, value: used + asked, max });
  return endCycle(draft, { outcome: 'OutOfBudget', text: allowedText(draft), reason: message, budget: field });
}

function decideTimeout(draft: Draft): void {
  const { spec, startedAtMs, nowMs } = draft.state;
  push(draft, {
    kind: 'LimitReached',
    limit: 'wallClockMs',
    value: nowMs - startedAtMs,
    max: spec.limits.wallClockMs,
  });
  endCycle(draft, {
    outcome: 'OutOfBudget',
    text: allowedText(draft),
    reason: `out of time after ${Math.round((nowMs - startedAtMs) / 1000)} s`,
  });
}
