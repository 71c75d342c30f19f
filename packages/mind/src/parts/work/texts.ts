import { z } from 'zod';
import { APPRAISAL_LINES_MAX, LINE_CHARACTERS_MAX, TEXT_CHARACTERS_MAX, TITLE_CHARACTERS_MAX } from './limits.ts';

/** One line: a list shows it beside others. */
export const Title = z
  .string()
  .trim()
  .min(1)
  .max(TITLE_CHARACTERS_MAX)
  .regex(/^[^\r\n]*$/, 'must be one line');

/** A sentence or two. */
export const Sentence = z.string().trim().min(1).max(LINE_CHARACTERS_MAX);

export const LongText = z.string().trim().min(1).max(TEXT_CHARACTERS_MAX);

export const Sentences = z.array(Sentence).max(APPRAISAL_LINES_MAX);

/** Milliseconds since 1970. */
export const Moment = z.int().min(0);
