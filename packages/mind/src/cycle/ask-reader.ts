/**
 * Has long texts that are not believed read in quarantine before the model is asked again.
 *
 * I1  A text is read at most twice; after that, and where nobody can be asked, the model gets its head and tail (`withheld.ts`).
 * I2  Nothing but the text and what people asked for goes to the reader.
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
import type { CycleState } from './state.ts';
import { tokensLeft } from './tokens-left.ts';

/** The first question, and one more. */
const ATTEMPTS_MAX = 2;

/** Of the tokens that are left, what a reader may take at most: the work itself has to go on. */
const TOKENS_SHARE = 1 / 2;

type Question = Extract<CycleDecision, { kind: 'ReadingRequested' }>;

/** @returns whether an answer of the reader has to be waited for; its intent is in the draft then */
export function awaitsReader(draft: Draft): boolean {
  for (const item of longTexts(draft.state, draft.config.catalog.known)) {
    const question = questionOn(draft.state, item);
    if (question !== undefined) push(draft, question);
  }
  return draft.state.pendingAsks.some(({ kind }) => kind === 'Read');
}

/** Undefined where there is an answer already, or nobody can be asked. */
function questionOn(state: CycleState, { recordId: callId, label, text }: ReadItem): Question | undefined {
  const { spec, nonce } = state;
  if (spec.gates?.reader === undefined || nonce === undefined || !isWanting(state, callId)) return undefined;
  const asked = readingRequest(spec.asked ?? '', fence(readPart(text), label, nonce, callId));
  const request = questionRequest(READER_ROLE, spec.gates.reader, asked);
  const tokens = promptTokens(request) + request.maxOutputTokens;
  if (tokens > tokensLeft(state) * TOKENS_SHARE || state.costUsd >= spec.limits.costUsd) return undefined;
  const askId = `${callId}-read${attemptsOn(state, callId) + 1}`;
  return { kind: 'ReadingRequested', askId, callId, tokens, request: request as unknown as Question['request'] };
}

function isWanting(state: CycleState, callId: string): boolean {
  const isPending = state.pendingAsks.some(({ kind, subjectId }) => kind === 'Read' && subjectId === callId);
  return !isPending && state.readings[callId]?.reading === undefined && attemptsOn(state, callId) < ATTEMPTS_MAX;
}

function attemptsOn({ readings }: CycleState, callId: string): number {
  return readings[callId]?.attempts ?? 0;
}
