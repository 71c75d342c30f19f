/**
 * Asks the scorer about all calls of one answer at once.
 *
 * I1  Calls share a request only before the cycle has read untrusted text, and where the rules found nothing in them: no call can
 *     speak for or against another one.
 * I2  A call without a usable score of its own in the answer is scored again, alone (`evolve-gate.ts`).
 *
 * Source: springdrift 2; design 5.
 */
import { fitTogether, scoreCallsRequest, type IdentifiedCall } from '../gate/score/score-request.ts';
import type { GateQuestion } from '../gate/chain/inquiry.ts';
import { push, type Draft } from './draft.ts';
import { backgroundOf, nextStep, scoreAsked, whyUnasked, type GatedCall } from './inquire.ts';

type Score = Extract<GateQuestion, { kind: 'Score' }>;

interface Open {
  readonly judged: GatedCall;
  readonly step: Score;
}

/** Those that cannot be asked about together are asked about one by one, in their turn. */
export function scoreTogether(draft: Draft, judged: readonly GatedCall[]): void {
  const open = distinct(judged).flatMap((it): readonly Open[] => {
    const step = nextStep(draft, it, {});
    return step.kind === 'Score' && !step.isAlone ? [{ judged: it, step }] : [];
  });
  for (const group of groupsOf(open, draft.state.spec.gates?.scorer.outputTokens)) ask(draft, group);
}

function distinct(judged: readonly GatedCall[]): readonly GatedCall[] {
  const digests = judged.map(({ subject }) => subject.call.argumentsDigest);
  return judged.filter((_, at) => digests.indexOf(digests[at] ?? '') === at);
}

function groupsOf(open: readonly Open[], outputTokens: number | undefined): readonly (readonly Open[])[] {
  const groups: Open[][] = [];
  const room = outputTokens === undefined ? {} : { outputTokens };
  for (const it of open) {
    const last = groups.at(-1);
    const wider = [...(last ?? []), it];
    const fits = fitTogether(wider.map(identified), { features: it.step.features.length, ...room });
    if (last !== undefined && fits) last.push(it);
    else groups.push([it]);
  }
  return groups.filter(({ length }) => length > 1);
}

function identified({ judged }: Open): IdentifiedCall {
  return { id: shownCallId(judged.call.callId), call: judged.subject.call };
}

/** `t3` of `run-c1-t3`: a model copies a short id without a slip. */
export function shownCallId(callId: string): string {
  return callId.slice(callId.lastIndexOf('-') + 1);
}

function ask(draft: Draft, group: readonly Open[]): void {
  const { state } = draft;
  const [first, ...others] = group;
  if (first === undefined) return;
  const { features, scale } = first.step;
  const calls = group.map(identified);
  const request = scoreCallsRequest({ calls, features, scale, background: backgroundOf(state) });
  if (whyUnasked(state, { kind: 'Score', request }) !== undefined) return;
  push(draft, {
    kind: 'GateScoreRequested',
    askId: `${first.judged.call.callId}-score`,
    gate: 'Tool',
    ...named(first),
    others: others.map(named),
    ...scoreAsked(state, { request, features }),
  });
}

function named({ judged: { call, subject } }: Open): { readonly callId: string; readonly subjectDigest: string } {
  return { callId: call.callId, subjectDigest: subject.call.argumentsDigest };
}
