/**
 * Folds the questions, answers and verdicts of the gates into the cycle's state. Total and pure; never decides.
 *
 * I1  Counts towards a limit of a gate only grow within a cycle: no revision, tool call or restart resets them.
 */
import type { GatePast } from '../gate/chain/inquiry.ts';
import type { GateAnswers } from '../gate/chain/answers.ts';
import type { CycleEvent } from './event.ts';
import type { Reply } from './reply.ts';
import { addUsage, noUsage, subjectIdOf, type AcceptedCall, type CycleState, type PendingAsk } from './state.ts';

type EventOf<K extends CycleEvent['kind']> = Extract<CycleEvent, { kind: K }>;

export const noPast: GatePast = { scores: [], iterations: 0, modifications: 0 };

export function asked(
  state: CycleState,
  event: EventOf<'GateProbeRequested'> | EventOf<'GateScoreRequested'>,
): CycleState {
  const ask: PendingAsk = {
    askId: event.askId,
    kind: event.kind === 'GateProbeRequested' ? 'Probe' : 'Score',
    subjectIds: [subjectIdOf(state, event), ...othersOf(event).map(({ callId }) => callId)],
    tokens: event.tokens,
  };
  return { ...state, pendingAsks: [...state.pendingAsks, ask] };
}

function othersOf(
  event: EventOf<'GateProbeRequested'> | EventOf<'GateScoreRequested'>,
): NonNullable<EventOf<'GateScoreRequested'>['others']> {
  return 'others' in event ? (event.others ?? []) : [];
}

export function probed(state: CycleState, event: EventOf<'GateProbed'>): CycleState {
  const probes = { hijack: event.hijack.outcome, leakage: event.leakage.outcome };
  return answeredAsk(state, event, () => ({ probes }));
}

/** A call that the answer about several leaves out has none: that is malformed, so the call is scored alone. */
export function scored(state: CycleState, event: EventOf<'GateScored'>): CycleState {
  const { forecasts, others = [] } = event;
  const missing = { available: false, isMalformed: true, reason: 'the scorer left this call out' } as const;
  return answeredAsk(state, event, (subjectId, index) => ({
    forecasts: index === 0 ? forecasts : (others.find(({ callId }) => callId === subjectId)?.forecasts ?? missing),
  }));
}

type AnswersOn = (subjectId: string, index: number) => GateAnswers;

function answeredAsk(
  state: CycleState,
  event: EventOf<'GateProbed'> | EventOf<'GateScored'>,
  answersOn: AnswersOn,
): CycleState {
  const ask = state.pendingAsks.find((it) => it.askId === event.askId);
  if (ask === undefined) return state;
  // An autonomous cycle ends here, so a question without an answer needs no verdict.
  if (event.refusal !== undefined && state.spec.autonomous) return withoutAsk(state, ask);
  return spentOn(withAnswers(state, ask, answersOn), event);
}

/** Adds the cost of the runtime's own question to a model. */
export function spentOn(
  state: CycleState,
  { usage, costUsd }: Pick<EventOf<'GateScored'>, 'usage' | 'costUsd'>,
): CycleState {
  return {
    ...state,
    usage: addUsage(state.usage, usage ?? noUsage),
    costUsd: state.costUsd + (costUsd ?? 0),
    isCostComplete: state.isCostComplete && (usage === undefined || costUsd !== undefined),
  };
}

/** Nobody knows whether the question was answered. It is not asked again under the same id, so the answer is unavailable. */
export function lostAsk(state: CycleState, ask: PendingAsk): CycleState {
  const reason = 'the process restarted while the scorer was asked';
  const answers: GateAnswers =
    ask.kind === 'Probe'
      ? { probes: { hijack: 'Inconclusive', leakage: 'Inconclusive' } }
      : { forecasts: { available: false, reason } };
  return withAnswers(state, ask, () => answers);
}

/** The cycle no longer waits for this answer. */
export function withoutAsk(state: CycleState, { askId }: PendingAsk): CycleState {
  return { ...state, pendingAsks: state.pendingAsks.filter((it) => it.askId !== askId) };
}

function withAnswers(state: CycleState, ask: PendingAsk, answersOn: AnswersOn): CycleState {
  const gateAnswers = { ...state.gateAnswers };
  for (const [index, subjectId] of ask.subjectIds.entries()) {
    const before = gateAnswers[subjectId] ?? {};
    const scorings = ask.kind === 'Score' ? { scorings: (before.scorings ?? 0) + 1 } : {};
    gateAnswers[subjectId] = { ...before, ...answersOn(subjectId, index), ...scorings };
  }
  return { ...withoutAsk(state, ask), gateAnswers };
}

export function gateDecided(state: CycleState, event: EventOf<'GateDecided'>): CycleState {
  const { gate, verdict } = event;
  const past = pastAfter(state.gatePasts[gate], event, state.reply);
  const isRevised = gate === 'Output' && verdict === 'Modify';
  return {
    ...state,
    gatePasts: { ...state.gatePasts, [gate]: past },
    gateAnswers: verdict === 'Escalate' ? state.gateAnswers : without(state.gateAnswers, subjectIdOf(state, event)),
    acceptedCalls: [...state.acceptedCalls.filter((it) => it.callId !== event.callId), ...acceptedCall(event)],
    original: isRevised ? (state.original ?? state.reply) : state.original,
    rejections: verdict === 'Reject' ? [...state.rejections, rejectionOf(event)] : state.rejections,
  };
}

/** What was scored for the old question is asked anew. */
export function approvalWithdrawn(state: CycleState, { requestId, callId }: EventOf<'ApprovalWithdrawn'>): CycleState {
  return {
    ...state,
    pendingApprovals: state.pendingApprovals.filter((it) => it.requestId !== requestId),
    gateAnswers: without(state.gateAnswers, callId),
  };
}

function rejectionOf({
  gate,
  rule,
  reason,
  record,
  argumentsDigest,
}: EventOf<'GateDecided'>): CycleState['rejections'][number] {
  const subjectDigest = argumentsDigest ?? (gate === 'Output' ? record?.subjectDigest : undefined);
  return { gate, rule, reason, ...(subjectDigest === undefined ? {} : { subjectDigest }) };
}

/** A request to a person expresses no doubt about the call, so it does not count. */
function pastAfter(past: GatePast, event: EventOf<'GateDecided'>, reply: Reply | undefined): GatePast {
  const { gate, verdict } = event;
  const isDoubt = verdict === 'Modify' || verdict === 'Reject';
  const isRevision = gate === 'Output' && verdict === 'Modify';
  const original = past.original ?? (isRevision ? reply?.outgoing : undefined);
  return {
    scores: [...past.scores, ...scoresOf(event)],
    iterations: past.iterations + (isDoubt ? 1 : 0),
    modifications: past.modifications + (isRevision ? 1 : 0),
    ...(original === undefined ? {} : { original }),
  };
}

function scoresOf({ record }: EventOf<'GateDecided'>): readonly number[] {
  return record?.scorer === 'Available' && record.score !== undefined ? [record.score] : [];
}

function acceptedCall({
  verdict,
  callId,
  argumentsDigest,
  approvalId,
}: EventOf<'GateDecided'>): readonly AcceptedCall[] {
  if (verdict !== 'Accept' || callId === undefined || argumentsDigest === undefined) return [];
  return [{ callId, argumentsDigest, ...(approvalId === undefined ? {} : { approvalId }) }];
}

function without<T>(map: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  if (!(key in map)) return map;
  return Object.fromEntries(Object.entries(map).filter(([name]) => name !== key));
}
