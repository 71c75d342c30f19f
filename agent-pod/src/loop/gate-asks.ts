/**
 * Sends the questions of the gates to models: both probes with fresh words, or the score.
 *
 * I1  There is always an answer. A model's fault or delay makes it `Inconclusive` or unavailable, with the reason.
 * I2  The words of a probe are random, drawn here, and used for one request. Neither they nor the replies are kept.
 *
 * Source: springdrift 2.
 */
import { randomBytes } from 'node:crypto';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { AnswerOf } from '@retainer/mind/request/answers';
import type { AskedModel, CycleEvent, GateModels } from '@retainer/mind/cycle/event';
import { questionRequest } from '@retainer/mind/cycle/question-request';
import { shownCallId } from '@retainer/mind/cycle/score-together';
import type { Probes } from '@retainer/mind/gate/chain/answers';
import { judgeProbes, probeRequests, type ProbeTokens } from '@retainer/mind/gate/score/probe';
import { askedFor, askModel, textOf, type QuestionOptions, type Reply } from './ask-model.ts';
import type { RecordedRefusal } from './refusal-text.ts';
import type { CycleParts } from './cycle-driver.ts';

type Of<K extends CycleEvent['kind']> = Extract<CycleEvent, { kind: K }>;
export type AskParts = Pick<CycleParts, 'model' | 'clock' | 'costUsd' | 'parseStructured'>;

export interface AskOptions {
  readonly gates: GateModels;
  readonly signal: AbortSignal;
  /** The budget of the Agent that forbids the question. */
  readonly refusal: RecordedRefusal | undefined;
  readonly onParked?: QuestionOptions['onParked'];
}

/** Random bytes of a probe's word. Nobody can guess it, and no text contains it by accident. */
const TOKEN_BYTES = 8;

export async function askProbes(
  parts: AskParts,
  { askId, text }: Of<'GateProbeRequested'>,
  options: AskOptions,
): Promise<Of<'GateProbed'>> {
  const startMs = parts.clock.monotonicMs();
  const tokens: ProbeTokens = { hijack: randomToken(), leakage: randomToken() };
  const requests = probeRequests(text, tokens);
  const reply = (probe: keyof Probes): Promise<Reply> => {
    const request = questionRequest(`gate-probe-${probe}`, options.gates.canary, requests[probe]);
    return askModel(parts, request, `${askId}-${probe}`, questionOptions(options, options.gates.canary.fallback));
  };
  const [hijack, leakage] = await Promise.all([reply('hijack'), reply('leakage')]);
  const outcomes = judgeProbes({ hijack: textOf(hijack), leakage: textOf(leakage) }, tokens);
  const told = (probe: keyof Probes, found: Reply): Of<'GateProbed'>['hijack'] => ({
    outcome: outcomes[probe],
    tokenDigest: sha256Hex(tokens[probe]),
    ...(found.answer === undefined ? { reason: found.reason } : {}),
  });
  return {
    kind: 'GateProbed',
    atMs: parts.clock.nowMs(),
    askId,
    hijack: told('hijack', hijack),
    leakage: told('leakage', leakage),
    ...askedFor(parts, { ...options, startMs, replies: [hijack, leakage] }),
  };
}

export async function askScore(
  parts: AskParts,
  { askId, callId, request, others }: Of<'GateScoreRequested'>,
  options: AskOptions,
): Promise<Of<'GateScored'>> {
  const startMs = parts.clock.monotonicMs();
  const reply = await askModel(parts, request, askId, questionOptions(options, options.gates.scorer.fallback));
  const scores =
    others === undefined
      ? { forecasts: await forecastsOf(parts, reply, 'Forecasts') }
      : callScores(await forecastsOf(parts, reply, 'CallForecasts'), callId ?? '', others);
  return {
    kind: 'GateScored',
    atMs: parts.clock.nowMs(),
    askId,
    ...scores,
    ...askedFor(parts, { ...options, startMs, replies: [reply] }),
  };
}

type Scores = Pick<Of<'GateScored'>, 'forecasts' | 'others'>;
type Forecasts = Scores['forecasts'];
type Asked = 'Forecasts' | 'CallForecasts';
type Available<K extends Asked> =
  | ({ readonly available: true } & AnswerOf<K>)
  | Extract<Forecasts, { available: false }>;

const MALFORMED = "the scorer's answer does not have the form that was asked for";

async function forecastsOf<K extends Asked>(parts: AskParts, reply: Reply, kind: K): Promise<Available<K>> {
  if (reply.answer === undefined) return { available: false, reason: reply.reason };
  const { stop } = reply.answer;
  if (stop === 'Refusal') {
    // It may have declined because of one call: each is scored alone then.
    const isOfSeveral = kind === 'CallForecasts';
    return {
      available: false,
      ...(isOfSeveral ? { isMalformed: true } : {}),
      reason: 'the scorer declined to answer',
    };
  }
  if (stop !== 'EndTurn') return { available: false, isMalformed: true, reason: `the scorer stopped: ${stop}` };
  const parsed = await parts.parseStructured(kind, textOf(reply) ?? '', '');
  // The reason omits what is wrong with the answer: people and models read the reason, and the details would quote the answer.
  if (!parsed.ok) return { available: false, isMalformed: true, reason: MALFORMED };
  return { available: true, ...parsed.value };
}

/** The forecasts of each call. If the answer names a call that was not asked about, nobody knows what else it mixed up: no score. */
function callScores(
  answer: Available<'CallForecasts'>,
  callId: string,
  others: NonNullable<Of<'GateScoreRequested'>['others']>,
): Scores {
  const callIds = [callId, ...others.map((it) => it.callId)];
  const known = new Set(callIds.map(shownCallId));
  const isSound = answer.available && answer.forecasts.every(({ call }) => known.has(call));
  const of = (id: string): Forecasts => {
    if (!answer.available) return answer;
    const own = answer.forecasts.filter(({ call }) => call === shownCallId(id));
    if (!isSound || own.length === 0) return { available: false, isMalformed: true, reason: MALFORMED };
    const forecasts = own.map(({ feature, magnitude, rationale }) => ({ feature, magnitude, rationale }));
    return { available: true, forecasts };
  };
  return { forecasts: of(callId), others: others.map((it) => ({ callId: it.callId, forecasts: of(it.callId) })) };
}

export function questionOptions(
  { gates, signal, refusal, onParked }: AskOptions,
  fallback: AskedModel | undefined,
): QuestionOptions {
  const parking = onParked === undefined ? {} : { onParked };
  return { signal, timeoutMs: gates.timeoutMs, refusal, fallback, ...parking };
}

function randomToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex');
}
