/**
 * Sends long untrusted texts to the quarantine reader before the model is asked again.
 *
 * I1  A text is read at most twice. After that, or when no reader can be asked, the model gets its head and tail (`withheld.ts`).
 * I2  The reader gets only the text and the people's request.
 *
 * Source: reliability-security 4; design 5.
 */
import { promptTokens } from '../assemble/request-size.ts';
import { fence } from '../gate/provenance/fence.ts';
import type { ReadItem } from '../gate/provenance/read-item.ts';
import { readingRequest, readPart, READER_ROLE } from '../gate/provenance/reading-request.ts';
import { push, type Draft } from './draft.ts';
import type { CycleDecision } from './event.ts';
import { questionRequest } from './question-request.ts';
import { longTexts } from './read-texts.ts';
import { tokensLeft, type CycleState } from './state.ts';

/** The first question and one more. */
const ATTEMPTS_MAX = 2;

/** Largest share of the remaining tokens for one reading: the work itself must continue. */
const TOKENS_SHARE = 1 / 2;

type Question = Extract<CycleDecision, { kind: 'ReadingRequested' }>;

/** @returns whether the cycle must wait for an answer of the reader; its intent is in the draft then */
export function awaitsReader(draft: Draft): boolean {
  for (const item of longTexts(draft.state, draft.config.catalog.known)) {
    const question = questionOn(draft.state, item);
    if (question !== undefined) push(draft, question);
  }
  return draft.state.pendingAsks.some(({ kind }) => kind === 'Read');
}

/** Undefined when there is already an answer, or no reader can be asked. */
function questionOn(state: CycleState, { recordId: callId, label, text }: ReadItem): Question | undefined {
  const { spec, nonce } = state;
  if (spec.gates === undefined || !isWanting(state, callId)) return undefined;
  const asked = readingRequest(spec.asked ?? '', fence(readPart(text), label, nonce, callId));
  const request = questionRequest(READER_ROLE, spec.gates.reader, asked);
  const tokens = promptTokens(request) + request.maxOutputTokens;
  if (tokens > tokensLeft(state) * TOKENS_SHARE || state.costUsd >= spec.limits.costUsd) return undefined;
  const askId = `${callId}-read${attemptsOn(state, callId) + 1}`;
  return { kind: 'ReadingRequested', askId, callId, tokens, request: request as unknown as Question['request'] };
}

function isWanting(state: CycleState, callId: string): boolean {
  const isPending = state.pendingAsks.some(({ kind, subjectIds }) => kind === 'Read' && subjectIds.includes(callId));
  return !isPending && state.readings[callId]?.reading === undefined && attemptsOn(state, callId) < ATTEMPTS_MAX;
}

function attemptsOn({ readings }: CycleState, callId: string): number {
  return readings[callId]?.attempts ?? 0;
}
