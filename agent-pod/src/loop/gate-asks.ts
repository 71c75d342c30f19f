/**
 * Puts the questions of the gates to models: both probes with fresh words, or the score.
 *
 * I1  Always an answer: whatever a model does wrong, or too late, is `Inconclusive` or unavailable, with the reason.
 * I2  The words of a probe are random, of this request alone, and drawn here; they and the replies are not kept.
 *
 * Source: springdrift 2.
 */
import { randomBytes } from 'node:crypto';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { ModelAnswer, ModelRequest, Usage } from '@retainer/mind/request/model-request';
import type { CycleEvent, GateModels } from '@retainer/mind/cycle/event';
import { questionRequest } from '@retainer/mind/cycle/question-request';
import { addUsage } from '@retainer/mind/cycle/state';
import type { Probes } from '@retainer/mind/gate/chain/answers';
import { judgeProbes, probeRequests, type ProbeTokens } from '@retainer/mind/gate/score/probe';
import type { CycleParts } from './cycle-driver.ts';

type Of<K extends CycleEvent['kind']> = Extract<CycleEvent, { kind: K }>;
export type AskParts = Pick<CycleParts, 'model' | 'clock' | 'costUsd' | 'parseStructured'>;

export interface AskOptions {
  readonly gates: GateModels;
  readonly signal: AbortSignal;
  /** Why nobody may be asked: a budget of the Agent. */
  readonly refusal: Of<'GateScored'>['refusal'] | undefined;
}

/** Random bytes of a probe's word: nobody guesses it, and no text has it by accident. */
const TOKEN_BYTES = 8;

/** What came of one model call: an answer, or why there is none. */
export type Reply = { readonly answer: ModelAnswer } | { readonly answer?: undefined; readonly reason: string };

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
    return infer(parts, request, `${askId}-${probe}`, options);
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
    ...askedFor(parts, options, { startMs, replies: [hijack, leakage] }),
  };
}

export async function askScore(
  parts: AskParts,
  { askId, request }: Of<'GateScoreRequested'>,
  options: AskOptions,
): Promise<Of<'GateScored'>> {
  const startMs = parts.clock.monotonicMs();
  const reply = await infer(parts, request, askId, options);
  return {
    kind: 'GateScored',
    atMs: parts.clock.nowMs(),
    askId,
    forecasts: await forecastsOf(parts, reply),
    ...askedFor(parts, options, { startMs, replies: [reply] }),
  };
}

async function forecastsOf(parts: AskParts, reply: Reply): Promise<Of<'GateScored'>['forecasts']> {
  if (reply.answer === undefined) return { available: false, reason: reply.reason };
  const { stop } = reply.answer;
  if (stop === 'Refusal') return { available: false, reason: 'the scorer declined to answer' };
  if (stop !== 'EndTurn') return { available: false, isMalformed: true, reason: `the scorer stopped: ${stop}` };
  const parsed = await parts.parseStructured('Forecasts', textOf(reply) ?? '');
  // Not what is wrong with it: that quotes the answer, and the reason is told to people and models.
  const reason = "the scorer's answer does not have the form that was asked for";
  if (!parsed.ok) return { available: false, isMalformed: true, reason };
  return {
    available: true,
    forecasts: parsed.value as Extract<Of<'GateScored'>['forecasts'], { available: true }>['forecasts'],
  };
}

export async function infer(
  parts: AskParts,
  request: ModelRequest,
  callId: string,
  options: AskOptions,
): Promise<Reply> {
  const { gates, signal, refusal } = options;
  if (refusal !== undefined) return { reason: refusal.message };
  const result = await parts.model.infer(request, { callId, signal, timeoutMs: gates.timeoutMs });
  return result.ok ? { answer: result.value } : { reason: `${result.error.kind}: ${result.error.message}` };
}

/** What the record holds of the asking, beside the answer. */
export function askedFor(
  parts: AskParts,
  { refusal }: AskOptions,
  { startMs, replies }: { readonly startMs: number; readonly replies: readonly Reply[] },
): Pick<Of<'GateScored'>, 'model' | 'usage' | 'costUsd' | 'refusal' | 'latencyMs'> {
  return {
    ...spent(parts, replies),
    ...(refusal === undefined ? {} : { refusal }),
    latencyMs: parts.clock.monotonicMs() - startMs,
  };
}

export function textOf({ answer }: Reply): string | undefined {
  return answer?.content.map((block) => (block.type === 'Text' ? block.text : '')).join('');
}

/** What the answers cost together; the cost is absent as soon as one of the prices is not known. */
function spent(parts: AskParts, replies: readonly Reply[]): Pick<Of<'GateScored'>, 'model' | 'usage' | 'costUsd'> {
  const answers = replies.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
  const [first] = answers;
  if (first === undefined) return {};
  const costs = answers.map(({ model, usage }) => parts.costUsd(model, usage));
  const isKnown = costs.every((cost) => cost !== undefined);
  return {
    model: first.model,
    usage: answers.map(({ usage }): Usage => usage).reduce(addUsage),
    ...(isKnown ? { costUsd: costs.reduce((sum, cost) => sum + cost, 0) } : {}),
  };
}

function randomToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex');
}
