/**
 * The perceiver's answer (R1): a reply ends the run at once, a question waits for a person, a task goes to the planner.
 *
 * Source: artoo A.3, C (one step or a plan).
 */
import { z } from 'zod';
import { GAP, words } from '../answer-texts.ts';

/** Characters of a reply without work; a longer one is work. */
const REPLY_CHARACTERS = 4096;
/** Characters of a question or an assumption: a person reads it while waiting. */
const SENTENCE_CHARACTERS = 1024;
/** Characters of the intent: one action, with everything the person said about it. */
const INTENT_CHARACTERS = 8192;
/** With more assumptions, the perceiver should ask. */
const ASSUMPTIONS_MAX = 16;

/** One word of any script, as XML names have it without colon and dot. */
const SLUG = /^[\p{L}\p{N}\p{M}_·-]{1,48}$/u;

export const Perception = z
  .discriminatedUnion('kind', [
    z
      .object({
        kind: z.literal('Reply'),
        text: words(REPLY_CHARACTERS).meta({ place: 'Content' }),
      })
      .meta({ element: 'reply' }),
    z
      .object({
        kind: z.literal('Question'),
        text: words(SENTENCE_CHARACTERS).meta({ place: 'Content' }),
      })
      .meta({ element: 'question' }),
    z
      .object({
        kind: z.literal('Task'),
        slug: z
          .string()
          .regex(SLUG, 'must be one word of at most 48 letters, digits and _')
          .meta({ place: 'Attribute', shown: GAP }),
        intent: words(INTENT_CHARACTERS),
        shape: z.enum(['SingleStep', 'Plan']),
        assumptions: z
          .array(words(SENTENCE_CHARACTERS))
          .max(ASSUMPTIONS_MAX)
          .default([])
          .meta({ element: 'assumption' }),
      })
      .meta({ element: 'task' }),
  ])
  .meta({ element: 'perception' });
export type Perception = z.infer<typeof Perception>;
