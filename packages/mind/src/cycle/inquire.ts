/**
 * Asks a gate until it decides. A question to a model becomes an intent, and the inquiry continues with the answer.
 *
 * I1  The probes are asked at most once about a subject. The scorer is asked until its answer has the form or the chain gives up.
 *     A restart repeats no question. Probes and the first score of a subject are asked side by side.
 * I2  A question that cannot be asked (no model, no budget, no time left) is unavailable at once: the cycle never waits for it.
 *     When no person is in the conversation and no budget is left for the question, the cycle ends out of budget; a call is
 *     refused then, and the model answers with what it has.
 *
 * Source: springdrift 2; design 5.
 */
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { invariant } from '@retainer/contract/std/invariant';
import { sha256Hex } from '@retainer/contract/std/hash';
import { promptTokens } from '../assemble/request-size.ts';
import { textTokens } from '../assemble/trim-history.ts';
import type { Decided, GateQuestion, GateStep, GateSubject, Inquiry } from '../gate/chain/inquiry.ts';
import type { GateAnswers } from '../gate/chain/answers.ts';
import type { Verdict } from '../gate/verdict.ts';
import { thinkingTokens } from './asked-for.ts';
import { endCycle, gateContext, push, type Draft } from './draft.ts';
import type { CycleDecision } from './event.ts';
import { questionRequest } from './question-request.ts';
import { isAskedAbout, subjectIdOf, tokensLeft, type CycleState, type OpenCall } from './state.ts';

/** The subject of a verdict; a tool call comes with its recorded facts. */
export interface GatedSubject {
  readonly subject: GateSubject;
  readonly call?: OpenCall;
}

export interface GatedCall {
  readonly subject: Extract<GateSubject, { gate: 'Tool' }>;
  readonly call: OpenCall;
}

/** Characters of the cycle's input for the scorer: about 500 tokens, its head and its tail. */
const BACKGROUND_CHARACTERS_MAX = 2000;

/** Tokens of one probe besides the text: its instructions, and its answer of at most 256. Source: springdrift 2. */
const PROBE_TOKENS = 500;
const PROBES = 2;

/** Most questions of a chain on one subject: the probes and the score. */
const QUESTIONS_MAX = 2;

/** @returns undefined while the cycle waits for an answer, whose intent is in the draft then; and when the cycle has ended */
export function inquire(draft: Draft, judged: GatedSubject): Decided | undefined {
  const id = subjectIdOf(draft.state, asWhat(judged));
  if (isAskedAbout(draft.state, id)) return undefined;
  let answers = draft.state.gateAnswers[id] ?? {};
  for (let questions = 0; questions <= QUESTIONS_MAX; questions += 1) {
    const step = nextStep(draft, judged, answers);
    if (step.kind === 'Decided') return step;
    invariant(isOpen(step, answers), `the gate asks again for a ${step.kind} of ${id}`);
    const fault = whyUnasked(draft.state, step);
    if (fault === undefined) {
      push(draft, question(draft.state, judged, step));
      if (step.kind === 'Probe') scoreBeside(draft, judged, answers);
      return undefined;
    }
    if (fault.limit !== undefined && draft.state.spec.autonomous && judged.subject.gate !== 'Tool')
      return endUnpaid(draft, fault.limit, fault.reason);
    answers = { ...answers, ...unavailable(step, fault.reason) };
  }
  throw new Error(`the gate decides nothing about ${id}`);
}

/** Asks for the score that will be due if the probes find nothing: waiting for both at once takes half the time. */
function scoreBeside(draft: Draft, judged: GatedSubject, answers: GateAnswers): void {
  const cleared = { ...answers, probes: { hijack: 'Clean', leakage: 'Clean' } } as const;
  const step = nextStep(draft, judged, cleared);
  if (step.kind === 'Score' && isOpen(step, answers) && whyUnasked(draft.state, step) === undefined)
    push(draft, question(draft.state, judged, step));
}

export function nextStep(draft: Draft, judged: GatedSubject, answers: GateAnswers): GateStep {
  return draft.config.gate.next({ ...inquiryOf(draft, judged, answers), ...demandsOf(draft.state) });
}

/** Asks the gate as the cycle ends. @returns undefined when only a model could judge: the text stays in the record */
export function inquireNow({ state, config }: Draft, subject: GateSubject): Decided | undefined {
  let answers = state.gateAnswers[subjectIdOf(state, subject)] ?? {};
  for (let questions = 0; questions <= QUESTIONS_MAX; questions += 1) {
    const step = config.gate.next(inquiryOf({ state, config }, { subject }, answers));
    if (step.kind === 'Decided') return step;
    if (state.spec.autonomous) return undefined;
    answers = { ...answers, ...unavailable(step, 'the cycle ended, so no answer could be waited for') };
  }
  return undefined;
}

export function recordDecided(
  draft: Draft,
  verdict: Verdict,
  more: Partial<Extract<CycleDecision, { kind: 'GateDecided' }>>,
): void {
  const { gate, kind, rule, reason } = verdict;
  const { characterDigest } = draft.config.gate;
  push(draft, { kind: 'GateDecided', gate, verdict: kind, rule, reason, characterDigest, ...more });
}

function inquiryOf(
  made: Pick<Draft, 'state' | 'config'>,
  { subject, call }: GatedSubject,
  answers: GateAnswers,
): Inquiry {
  const { state } = made;
  const { structuredRetries } = state.spec.limits;
  return {
    subject,
    context: gateContext(made, call),
    background: subject.gate === 'Input' ? '' : backgroundOf(state),
    past: state.gatePasts[subject.gate],
    answers,
    ...(structuredRetries === undefined ? {} : { scoreRetries: structuredRetries }),
    ...(state.spec.tightening === undefined ? {} : { tightening: state.spec.tightening }),
  };
}

export function backgroundOf({ spec }: CycleState): string {
  return headAndTail(spec.input, BACKGROUND_CHARACTERS_MAX);
}

/** People's demands on a verdict. A cycle that ends asks nobody and requests no revision. */
function demandsOf({ spec, calls }: CycleState): Pick<Inquiry, 'approvalMode' | 'hasRunCalls' | 'outputsHeld'> {
  return {
    ...(spec.approvalMode === undefined ? {} : { approvalMode: spec.approvalMode }),
    hasRunCalls: calls.some((call) => call.end.kind !== 'Unrun'),
    ...(spec.outputsHeld === undefined ? {} : { outputsHeld: spec.outputsHeld }),
  };
}

function asWhat({ subject, call }: GatedSubject): { readonly gate: GateSubject['gate']; readonly callId?: string } {
  return { gate: subject.gate, ...(call === undefined ? {} : { callId: call.callId }) };
}

function isOpen(step: GateQuestion, { probes, forecasts, scorings = 0 }: GateAnswers): boolean {
  return step.kind === 'Probe' ? probes === undefined : forecasts === undefined || step.attempt > scorings;
}

type Reached = Omit<Extract<CycleDecision, { kind: 'LimitReached' }>, 'kind'>;

/** Why a question is not asked; `limit` if a limit of the cycle forbids it. The sentences are those of the model's own calls. */
interface Unasked {
  readonly reason: string;
  readonly limit?: Reached;
}

/** What a question costs by. */
type Asking =
  | Extract<GateQuestion, { kind: 'Probe' }>
  | Pick<Extract<GateQuestion, { kind: 'Score' }>, 'kind' | 'request'>;

export function whyUnasked(state: CycleState, step: Asking): Unasked | undefined {
  const { costUsd } = state;
  const { gates, limits } = state.spec;
  if (gates === undefined) return { reason: 'no model was named that a gate could ask' };
  if (costUsd >= limits.costUsd) {
    const limit = { limit: 'costUsd', value: costUsd, max: limits.costUsd };
    return { reason: 'the money of this cycle is used up', limit };
  }
  const short = tokensOf(state, step) - tokensLeft(state);
  if (short <= 0) return undefined;
  const limit = { limit: 'tokens', value: limits.tokens + short, max: limits.tokens };
  return { reason: 'the next model call would use up the tokens of this cycle', limit };
}

/** Nothing that needs a score leaves. */
function endUnpaid(draft: Draft, reached: Reached, sentence: string): undefined {
  push(draft, { kind: 'LimitReached', ...reached });
  const { limit, value, max } = reached;
  endCycle(draft, { outcome: 'OutOfBudget', text: '', reason: `${sentence} (${limit} ${value} of ${max})` });
}

function unavailable(step: GateQuestion, reason: string): GateAnswers {
  if (step.kind === 'Probe') return { probes: { hijack: 'Inconclusive', leakage: 'Inconclusive' } };
  return { forecasts: { available: false, reason } };
}

function tokensOf({ spec }: CycleState, step: Asking): number {
  const { scorer, canary } = spec.gates ?? {};
  if (step.kind === 'Probe')
    return PROBES * (textTokens(step.text) + PROBE_TOKENS + thinkingTokens(canary?.ask?.thinking));
  const answer = (scorer?.outputTokens ?? step.request.maxOutputTokens) + thinkingTokens(scorer?.ask?.thinking);
  return promptTokens({ ...step.request, tools: [] }) + answer;
}

function question(state: CycleState, judged: GatedSubject, step: GateQuestion): CycleDecision {
  const { subject } = judged;
  const { gates } = state.spec;
  invariant(gates !== undefined, 'a question is put where a model is named');
  const base = {
    ...asWhat(judged),
    subjectDigest: subject.gate === 'Tool' ? subject.call.argumentsDigest : sha256Hex(subject.text),
    tokens: tokensOf(state, step),
  };
  const id = subjectIdOf(state, base);
  if (step.kind === 'Probe') {
    const askId = `${id}-probe`;
    return { kind: 'GateProbeRequested', askId, ...base, model: gates.canary.model, text: step.text };
  }
  return {
    kind: 'GateScoreRequested',
    askId: `${id}-score${step.attempt === 1 ? '' : `-${step.attempt}`}`,
    ...base,
    ...scoreAsked(state, step),
  };
}

type ScoreAsked = Pick<Extract<CycleDecision, { kind: 'GateScoreRequested' }>, 'tokens' | 'request' | 'features'>;

export function scoreAsked(
  state: CycleState,
  { request, features }: Pick<Extract<GateQuestion, { kind: 'Score' }>, 'request' | 'features'>,
): ScoreAsked {
  const { gates } = state.spec;
  invariant(gates !== undefined, 'a question is put where a model is named');
  return {
    tokens: tokensOf(state, { kind: 'Score', request }),
    request: questionRequest('gate-scorer', gates.scorer, request) as unknown as ScoreAsked['request'],
    features: features.map(({ name }) => name),
  };
}
