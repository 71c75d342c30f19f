/**
 * Folds one event into the cycle's state. Total and pure; never decides.
 *
 * Source: springdrift 6 (history invariants held by construction).
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { invariant } from '@retainer/contract/std/invariant';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { ContentBlock, Message } from '../request/model-request.ts';
import type { KnownTools } from '../gate/tool-facts.ts';
import type { ToolOutcome } from './tool-outcome.ts';
import { touchesRules } from './character-change.ts';
import type { CycleEvent } from './event.ts';
import { countWaiting, stoodStill } from './standing-still.ts';
import type { UnrunReason } from './unrun-reason.ts';
import { foundStanding } from '../gate/standing.ts';
import { approvalDecided, approvalExpired, approvalRequested } from './evolve-approval.ts';
import { approvalWithdrawn, asked, gateDecided, lostAsk, noPast, probed, scored, withoutAsk } from './evolve-gate.ts';
import { readingRequested, textRead } from './evolve-reader.ts';
import { isAboutHistory, mended } from './mend-history.ts';
import { fencedTexts } from './read-texts.ts';
import { replyOf, withoutThinking } from './reply.ts';
import { withAnswer } from './pace.ts';
import { addUsage, noUsage, type CallRecord, type CycleState, type OpenCall } from './state.ts';

type EventOf<K extends CycleEvent['kind']> = Extract<CycleEvent, { kind: K }>;

/** The state after `event`; `state` is undefined before the first, which must be `CycleStarted`. */
export function evolveCycle(state: CycleState | undefined, event: CycleEvent, known: KnownTools): CycleState {
  if (event.kind === 'CycleStarted') return started(event);
  invariant(state !== undefined, `${event.kind} before CycleStarted`);
  const timed = 'atMs' in event ? { ...state, nowMs: Math.max(state.nowMs, event.atMs) } : state;
  const next = withPendingParked(evolveStarted(timed, event, known));
  return countWaiting(next, next.pendingApprovals.length > 0 || Object.keys(next.parked).length > 0);
}

const nothingPending = {
  pendingModelCall: undefined,
  pendingTools: [],
  pendingApprovals: [],
  pendingAsks: [],
  parked: {},
} as const satisfies Partial<CycleState>;

/** What has its result waits no more. */
function withPendingParked(state: CycleState): CycleState {
  const ids = Object.keys(state.parked);
  if (ids.every((id) => isPending(state, id))) return state;
  return { ...state, parked: Object.fromEntries(Object.entries(state.parked).filter(([id]) => isPending(state, id))) };
}

function isPending({ pendingModelCall, pendingAsks }: CycleState, id: string): boolean {
  return pendingModelCall === id || pendingAsks.some(({ askId }) => askId === id);
}

function started(event: EventOf<'CycleStarted'>): CycleState {
  return {
    spec: event.spec,
    nonce: event.nonce,
    deciders: event.deciders,
    characterDigest: event.characterDigest,
    startedAtMs: event.atMs,
    waitedMs: 0,
    waitingSinceMs: undefined,
    nowMs: event.atMs,
    messages: [],
    pendingNotes: [event.spec.input],
    openCalls: [],
    pendingModelCall: undefined,
    pendingTools: [],
    pendingApprovals: [],
    parked: {},
    approvals: [],
    usedApprovals: [],
    calls: [],
    rejections: [],
    asked: { requests: 0, refusals: 0 },
    choicesSpent: {},
    freeSites: event.spec.freeSites ?? [],
    pendingAsks: [],
    gateAnswers: {},
    readings: {},
    gatePasts: { Input: noPast, Tool: noPast, Output: noPast },
    acceptedCalls: [],
    reply: undefined,
    original: undefined,
    isAskedSpecially: false,
    isPlain: event.spec.ask?.isPlain === true,
    contextTokens: undefined,
    outputTokens: undefined,
    mends: 0,
    fellBack: undefined,
    turns: 0,
    unansweredTurns: 0,
    maxOutputTokens: event.spec.limits.outputTokens,
    callCount: 0,
    paces: [],
    usage: noUsage,
    costUsd: 0,
    isCostComplete: true,
    failedTurnsInRow: 0,
    nudges: {},
    ended: undefined,
  };
}

function evolveStarted(
  state: CycleState,
  event: Exclude<CycleEvent, EventOf<'CycleStarted'>>,
  known: KnownTools,
): CycleState {
  switch (event.kind) {
    case 'ModelRequested':
      return requested(state, event, known);
    case 'ModelAnswered':
      return answered(state, event);
    case 'ModelFailed':
      return modelFailed(state, event);
    case 'HistoryMended':
      return mended(state, event);
    case 'ModelFellBack':
      return fellBack(state, event);
    case 'ToolRequested':
      return toolRequested(state, event);
    case 'ToolFinished':
      return finished(state, event.callId, event.outcome);
    case 'CallAnswered':
      return unrun(state, event);
    case 'ApprovalRequested':
      return approvalRequested(state, event);
    case 'ApprovalWithdrawn':
      return approvalWithdrawn(state, event);
    case 'ApprovalDecided':
      return approvalDecided(state, event);
    case 'EffectLost':
      return effectLost(state, event.callId);
    case 'TimeExpired':
      return event.requestId === undefined ? state : approvalExpired(state, event.requestId);
    case 'GateDecided':
      return gateDecided(state, event);
    case 'GateProbeRequested':
    case 'GateScoreRequested':
      return asked(state, event);
    case 'GateProbed':
      return probed(state, event);
    case 'GateScored':
      return scored(state, event);
    case 'ReadingRequested':
      return readingRequested(state, event);
    case 'TextRead':
      return textRead(state, event);
    case 'Nudged':
      return {
        ...state,
        pendingNotes: [...state.pendingNotes, event.text],
        nudges: { ...state.nudges, [event.why]: (state.nudges[event.why] ?? 0) + 1 },
      };
    case 'CycleEnded':
      return { ...state, ended: event, ...nothingPending };
    case 'Parked':
    case 'Unparked':
    case 'StoodStill':
      return idle(state, event);
    case 'DecidersChanged':
      return { ...state, deciders: event.deciders };
    case 'CharacterChanged':
      return underCharacter(state, event);
    case 'LimitReached':
    case 'CycleCancelled':
      return state;
  }
}

function modelFailed(state: CycleState, { failure }: EventOf<'ModelFailed'>): CycleState {
  return {
    ...state,
    pendingModelCall: undefined,
    unansweredTurns: state.unansweredTurns + 1,
    isPlain: state.isPlain || isAskedOtherwise(state, failure),
  };
}

/** A server that refuses the conversation may take all the rest. */
function isAskedOtherwise(state: CycleState, { kind, message }: EventOf<'ModelFailed'>['failure']): boolean {
  return kind === 'InvalidRequest' && state.isAskedSpecially && !isAboutHistory(message);
}

type Idle = EventOf<'Parked'> | EventOf<'Unparked'> | EventOf<'StoodStill'>;

function idle(state: CycleState, event: Idle): CycleState {
  switch (event.kind) {
    case 'Parked': {
      const { callId, sinceMs, why, nextTryAtMs } = event;
      return { ...state, parked: { ...state.parked, [callId]: { sinceMs, why, nextTryAtMs } } };
    }
    case 'Unparked': {
      const { [event.callId]: _, ...parked } = state.parked;
      return { ...state, parked };
    }
    case 'StoodStill': {
      // People had no agent that could hear them meanwhile.
      const later = state.pendingApprovals.map((it) => ({ ...it, expiresAtMs: it.expiresAtMs + event.forMs }));
      return stoodStill({ ...state, pendingApprovals: later }, event);
    }
  }
}

/** A yes that was given under other rules, and that no call has used, counts no more. */
function underCharacter(state: CycleState, event: EventOf<'CharacterChanged'>): CycleState {
  return {
    ...state,
    characterDigest: event.to,
    approvals: touchesRules(event) ? [] : state.approvals,
    waitedMs: state.waitedMs + (state.waitingSinceMs === undefined ? (event.heldMs ?? 0) : 0),
  };
}

/** Thoughts are sealed for the model that had them, and what one server refused the other may take. */
function fellBack(state: CycleState, { from, to, why }: EventOf<'ModelFellBack'>): CycleState {
  const { fallback, price: _, temperature: __, ask: ___, callsFirst: ____, ...spec } = state.spec;
  const messages = state.messages.map(withoutThinking);
  return {
    ...state,
    spec: { ...spec, ...fallback },
    messages,
    isPlain: fallback?.ask?.isPlain === true,
    fellBack: { from, to, why },
  };
}

/** Results of the open calls in their order, then notes. */
function nextUserTurn(state: CycleState, known: KnownTools): Message {
  const fenced = fencedTexts(state, known);
  const results: ContentBlock[] = state.openCalls.map((call) => ({
    type: 'ToolResult',
    toolUseId: call.toolUseId,
    text: fenced.get(call.callId) ?? call.result?.text ?? '',
    isError: call.result?.isError ?? true,
  }));
  const notes: ContentBlock[] = state.pendingNotes.map((text) => ({ type: 'Text', text }));
  return { role: 'User', content: [...results, ...notes] };
}

/** Complete turns and the next one. A request that is repeated after its answer was lost extends the existing user turn. */
export function messagesForNextRequest(state: CycleState, known: KnownTools): readonly Message[] {
  const turn = nextUserTurn(state, known);
  const last = state.messages.at(-1);
  if (last?.role !== 'User') return [...state.messages, turn];
  return [...state.messages.slice(0, -1), { role: 'User', content: [...last.content, ...turn.content] }];
}

function requested(state: CycleState, event: EventOf<'ModelRequested'>, known: KnownTools): CycleState {
  return {
    ...state,
    messages: messagesForNextRequest(state, known),
    pendingNotes: [],
    openCalls: [],
    pendingModelCall: event.callId,
    isAskedSpecially: state.spec.ask !== undefined && event.request.isPlain === undefined,
    turns: event.turn,
    maxOutputTokens: event.request.maxOutputTokens,
  };
}

function answered(state: CycleState, event: EventOf<'ModelAnswered'>): CycleState {
  const { answer } = event;
  const openCalls: OpenCall[] = answer.content
    .filter((block) => block.type === 'ToolUse')
    .map((block, index) => ({
      callId: `${state.spec.cycleId}-t${state.callCount + index + 1}`,
      toolUseId: block.id,
      tool: block.name,
      input: block.input,
      ...(block.fault === undefined ? {} : { fault: block.fault }),
      ...(event.secretUses?.includes(block.id) === true ? { holdsSecret: true as const } : {}),
      ...(event.replacements?.includes(block.id) === true ? { replaces: true as const } : {}),
      ...foundStanding(event.standing?.find(({ use }) => use === block.id)),
      ...toolAsksOf(event, block.id),
      ...deniedBeforeOf(event, block.id),
    }));
  // A turn without content would break the alternation of turns, and providers refuse that.
  const content: readonly ContentBlock[] =
    answer.content.length > 0 ? answer.content : [{ type: 'Text', text: '(empty reply)' }];
  return {
    ...state,
    messages: [...state.messages, { role: 'Assistant', content }],
    openCalls,
    choicesSpent: event.choicesSpent ?? {},
    callCount: state.callCount + openCalls.length,
    pendingModelCall: undefined,
    ...(openCalls.length > 0 ? {} : { reply: replyOf(state.spec.role, answer.content, valueOf(event)) }),
    paces: withAnswer(state.paces, state.spec.model, answer),
    usage: addUsage(state.usage, answer.usage),
    costUsd: state.costUsd + (event.costUsd ?? 0),
    isCostComplete: state.isCostComplete && event.costUsd !== undefined,
  };
}

function toolAsksOf({ toolAsks = [] }: EventOf<'ModelAnswered'>, id: string): Pick<OpenCall, 'toolAsks'> {
  const asked = toolAsks.find(({ use }) => use === id);
  return asked === undefined ? {} : { toolAsks: asked.reason };
}

function deniedBeforeOf({ deniedBefore = [] }: EventOf<'ModelAnswered'>, id: string): Pick<OpenCall, 'deniedBefore'> {
  const denied = deniedBefore.find(({ use }) => use === id);
  if (denied === undefined) return {};
  const { use: _, ...told } = denied;
  return { deniedBefore: told };
}

function valueOf({ structured }: EventOf<'ModelAnswered'>): Json | undefined {
  return structured?.ok === true ? structured.value : undefined;
}

function toolRequested(state: CycleState, event: EventOf<'ToolRequested'>): CycleState {
  const { replaces } = state.openCalls.find(({ callId }) => callId === event.callId) ?? {};
  const record: CallRecord = { ...event, ...(replaces === true ? { replaces } : {}), end: { kind: 'Running' } };
  return {
    ...state,
    pendingTools: [...state.pendingTools, event.callId],
    pendingApprovals: state.pendingApprovals.filter((it) => it.callId !== event.callId),
    approvals: state.approvals.filter((it) => it.requestId !== event.approvalId),
    usedApprovals: [...state.usedApprovals, ...state.approvals.filter((it) => it.requestId === event.approvalId)],
    calls: [...state.calls, record],
  };
}

function finished(state: CycleState, callId: string, outcome: ToolOutcome): CycleState {
  const calls = state.calls.map((call) =>
    call.callId === callId ? { ...call, end: { kind: 'Ran' as const, outcome } } : call,
  );
  const pendingTools = state.pendingTools.filter((id) => id !== callId);
  const acceptedCalls = state.acceptedCalls.filter((it) => it.callId !== callId);
  const next = { ...state, calls, pendingTools, acceptedCalls };
  return countFailedTurn(answerCall(next, callId, { text: outcome.text, isError: outcome.status !== 'Ok' }));
}

/** The process died, or the cycle ended, while the tool ran: nobody may claim that the call did or did not happen. */
function unknownOutcome(text: string): ToolOutcome {
  return { status: 'Unknown', text, outputBytes: 0, outputSha256: sha256Hex(''), files: [], durationMs: 0 };
}

const restartText =
  '[unknown] The process restarted while this call was running. It may or may not have taken effect: look before you repeat it.';

const noFault: ReadonlySet<UnrunReason> = new Set(['Approved', 'Answered', 'Unanswered']);

/** A call that already runs keeps its one record, which ends here. */
function unrun(state: CycleState, event: EventOf<'CallAnswered'>): CycleState {
  if (state.pendingTools.includes(event.callId)) return finished(state, event.callId, unknownOutcome(event.text));
  const open = state.openCalls.find((call) => call.callId === event.callId);
  const record: CallRecord = {
    callId: event.callId,
    tool: event.tool,
    input: open?.input ?? null,
    argumentsDigest: event.argumentsDigest ?? '',
    end: { kind: 'Unrun', why: event.why, text: event.text },
  };
  const pendingApprovals = state.pendingApprovals.filter((it) => it.callId !== event.callId);
  const next = { ...state, pendingApprovals, calls: [...state.calls, record] };
  return countFailedTurn(answerCall(next, event.callId, { text: event.text, isError: !noFault.has(event.why) }));
}

function answerCall(state: CycleState, callId: string, result: NonNullable<OpenCall['result']>): CycleState {
  const openCalls = state.openCalls.map((call) => (call.callId === callId ? { ...call, result } : call));
  return { ...state, openCalls };
}

/**
 * Counts when the last call of a turn has its result: one failure makes the turn a failed one, a clean turn resets the count.
 *
 * A result that a restart left unknown is no failure: no number of restarts may end a cycle.
 */
function countFailedTurn(state: CycleState): CycleState {
  if (state.openCalls.some((call) => call.result === undefined)) return state;
  if (state.openCalls.some((call) => isUnknown(state, call))) return state;
  const hasFailed = state.openCalls.some((call) => call.result?.isError === true);
  return { ...state, failedTurnsInRow: hasFailed ? state.failedTurnsInRow + 1 : 0 };
}

function isUnknown({ calls }: CycleState, { callId }: OpenCall): boolean {
  const end = calls.find((call) => call.callId === callId)?.end;
  return end?.kind === 'Ran' && end.outcome.status === 'Unknown';
}

function effectLost(state: CycleState, callId: string): CycleState {
  if (state.pendingModelCall === callId)
    return { ...state, pendingModelCall: undefined, unansweredTurns: state.unansweredTurns + 1 };
  const ask = state.pendingAsks.find((it) => it.askId === callId);
  // A question that waited for its provider has no answer that could be lost: it is asked again.
  const isOpen = ask?.kind === 'Read' || state.parked[callId] !== undefined;
  if (ask !== undefined) return isOpen ? withoutAsk(state, ask) : lostAsk(state, ask);
  return finished(state, callId, unknownOutcome(restartText));
}
