/**
 * The two requests of the Archivist: one conversation, so that the second begins with the bytes of the first. Without tools.
 *
 * Source: springdrift 4 (reflect, curate).
 */
import { roleName } from '@retainer/contract/api/roles';
import type { z } from 'zod';
import { archivistDuties, curateQuestion, reflectQuestion } from '../agents/archivist.ts';
import { answerForm } from '../request/answers.ts';
import { questionRequest } from '../cycle/question-request.ts';
import type { modelRequest } from '../cycle/request-record.ts';
import type { Message } from '../request/model-request.ts';
import { accountText } from './account.ts';
import type { ArchivistModel } from './event.ts';
import type { ArchiveState } from './state.ts';

/** Source: springdrift 4. */
const REFLECT_TOKENS_MAX = 1_024;
/** Six sentences, labels and a case, with their tags. */
const CURATE_TOKENS_MAX = 2_048;

/** Characters of a malformed answer that are shown back: the faults name the place. */
const SHOWN_BACK_CHARACTERS = 4_000;

export interface Asking {
  readonly state: ArchiveState;
  readonly model: ArchivistModel;
}

type Request = z.infer<typeof modelRequest>;

export function reflectRequest({ state, model }: Asking): Request {
  const { outputTokens = REFLECT_TOKENS_MAX, ...own } = model;
  return requestOf({ ...own, outputTokens: Math.min(outputTokens, REFLECT_TOKENS_MAX) }, [
    said('User', firstText(state)),
  ]);
}

export function curateRequest({ state, model }: Asking, reflection: string): Request {
  const { outputTokens = CURATE_TOKENS_MAX, ...own } = model;
  return requestOf({ ...own, outputTokens }, [
    said('User', firstText(state)),
    said('Assistant', reflection),
    said('User', `${curateQuestion}\n\n${answerForm('Reflection', 'Xml')}`),
    ...state.malformed.flatMap(({ text, faults }) => [
      said('Assistant', text.slice(0, SHOWN_BACK_CHARACTERS)),
      said('User', `Your answer does not have the required form:\n${faults}\nAnswer again with the XML alone.`),
    ]),
  ]);
}

function firstText({ opened: { account, nonce } }: ArchiveState): string {
  return `${accountText(account, nonce)}\n\n${reflectQuestion}`;
}

function said(role: Message['role'], text: string): Message {
  return { role, content: [{ type: 'Text', text }] };
}

function requestOf(
  archivist: ArchivistModel & { readonly outputTokens: number },
  messages: readonly Message[],
): Request {
  const { fallback: _, structuredRetries: __, ...model } = archivist;
  const asked = { system: [{ text: archivistDuties, cache: true }], messages, maxOutputTokens: model.outputTokens };
  return questionRequest(roleName('Archivist'), model, asked) as Request;
}
