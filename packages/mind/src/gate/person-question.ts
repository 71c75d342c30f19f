/**
 * The tool by which who works asks a person something. The cycle waits for the answer as for an approval, and the answer is the
 * result of the call. The words of that result and their reader stand together, so that later work of the run finds the answer.
 */
import { z } from 'zod';
import { indent } from '../request/lines.ts';

/** A control tool. The cycle answers it and never executes it. */
export const ASK_PERSON = 'ask_person';

/** Characters: as many as a person reads before an answer. */
const QUESTION_CHARACTERS_MAX = 1000;

export const PersonQuestion = z.strictObject({
  question: z
    .string()
    .trim()
    .min(1)
    .max(QUESTION_CHARACTERS_MAX)
    .describe('The question, with what the person must know.'),
});

/** The question in recorded arguments; empty where there is none. */
export function questionIn(input: unknown): string {
  const parsed = PersonQuestion.safeParse(input);
  return parsed.success ? parsed.data.question : '';
}

const ANSWERED = 'A person answered:';

export function answeredText(answer: string): string {
  return `${ANSWERED}\n${indent(answer.trim())}`;
}

/** The answer in the result of a call; undefined where nobody answered. */
export function answerIn(result: string): string | undefined {
  return result.startsWith(ANSWERED)
    ? result
        .slice(ANSWERED.length)
        .replaceAll(/\n {2}/g, '\n')
        .trim()
    : undefined;
}

export const NOBODY_ANSWERED =
  'Nobody answered in time. Go on with the likeliest reading and say which one, or say what cannot be done without the answer.';
