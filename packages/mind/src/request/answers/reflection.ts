/**
 * The Archivist's answer on an ended run: prose, labels, and at most one case. Code checks what it claims, and adds what was counted.
 *
 * Source: springdrift 4 (reflection, labels, case).
 */
import { z } from 'zod';
import { attribute, GAP, perhaps, words } from '../answer-texts.ts';

const PROSE_CHARACTERS = 4096;
/** Characters of what was wanted, and of what came of it. */
const CLAUSE_CHARACTERS = 1024;
/** Items of one kind, and characters of each; code keeps fewer, and an answer with more is no list. */
const ITEMS_MAX = 32;
const ITEM_CHARACTERS = 256;

const items = (element: string): z.ZodDefault<z.ZodArray<z.ZodString>> =>
  z
    .array(words(ITEM_CHARACTERS))
    .max(ITEMS_MAX)
    .default([])
    .meta({ element, shown: [GAP] });

const made = z.object({
  approach: words(PROSE_CHARACTERS),
  assessment: words(CLAUSE_CHARACTERS),
  pitfalls: items('pitfall'),
});

export const Reflection = z
  .object({
    prose: words(PROSE_CHARACTERS),
    /** What was wanted, in a clause. */
    intent: words(CLAUSE_CHARACTERS),
    /** Empty: unknown. */
    domain: perhaps(ITEM_CHARACTERS),
    keywords: items('keyword'),
    entities: items('entity'),
    topics: items('topic'),
    /** The calls that its words speak of. */
    calls: z
      .array(
        z.object({
          tool: attribute(ITEM_CHARACTERS),
          target: attribute(ITEM_CHARACTERS).exactOptional(),
        }),
      )
      .max(ITEMS_MAX)
      .default([])
      .meta({ element: 'call' }),
    /** Absent: nothing of it is worth doing again, or avoiding. */
    case: made.exactOptional(),
  })
  .meta({ element: 'reflection' });
export type Reflection = z.infer<typeof Reflection>;
