/**
 * What a dream asks a model, and which of its answers are of use.
 *
 * I1  A model puts into words, and decides nothing: without words that fit, nothing is written.
 */
import type { z } from 'zod';
import { dreamerDuties, dreamerQuestions } from '../agents/dreamer.ts';
import type { ArchivistModel } from './event.ts';
import { questionRequest } from '../cycle/question-request.ts';
import type { modelRequest } from '../cycle/request-record.ts';
import type { Wording } from '../memory/tend/change.ts';
import { oneLine } from '../request/lines.ts';

/** In models, scripts and the list of costs. It asks whom the Archivist asks. */
export const DREAMER = 'dreamer';

/** Two sentences with their element. */
const OUTPUT_TOKENS_MAX = 256;

/** Characters of one note that is shown. */
const NOTE_CHARACTERS_MAX = 600;

/** Characters of the words: a name, or two sentences. */
const WORDS_CHARACTERS = { Advice: [20, 400], Warning: [20, 400], Name: [3, 80] } as const;

export function wordsRequest(
  { form, about, texts, names }: Wording,
  archivist: ArchivistModel,
): z.infer<typeof modelRequest> {
  const { fallback: _, structuredRetries: __, outputTokens, ...model } = archivist;
  const notes = texts.map((text) => `- ${oneLine(text.slice(0, NOTE_CHARACTERS_MAX))}`).join('\n');
  const naming = names === undefined ? '' : ` Name ${names} in it.`;
  const text = `Notes about ${oneLine(about)}:\n${notes}\n\n${dreamerQuestions[form]}${naming}`;
  return questionRequest(
    DREAMER,
    { ...model, outputTokens: Math.min(outputTokens ?? OUTPUT_TOKENS_MAX, OUTPUT_TOKENS_MAX) },
    {
      system: [{ text: dreamerDuties, cache: true }],
      messages: [{ role: 'User', content: [{ type: 'Text', text }] }],
      maxOutputTokens: OUTPUT_TOKENS_MAX,
    },
  ) as z.infer<typeof modelRequest>;
}

type Words = { readonly words: string } | { readonly words?: undefined; readonly reason: string };

/** The words of an answer, or why it is no use. */
export function wordsOf(text: string, { form, names }: Wording): Words {
  const said = /^\s*<words>([^<>]*)<\/words>\s*$/.exec(text)?.[1];
  if (said === undefined) return { reason: 'the answer is not the one element' };
  const words = oneLine(said).trim();
  const [min, max] = WORDS_CHARACTERS[form];
  if (words.length < min || words.length > max) return { reason: `the words are not ${min} to ${max} characters long` };
  return names === undefined || words.includes(names)
    ? { words }
    : { reason: 'the words do not name what they are about' };
}
