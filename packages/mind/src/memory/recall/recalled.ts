/** What a recall brought, for the record: whoever reads it needs no index. */
import { RecalledCase } from '@retainer/contract/wire/bus/recalled-case';
import { z } from 'zod';

/**
 * Why a recall was by words alone, although vectors were wanted. `Late`: they did not come in time. `Away`: whoever makes them could
 * not be reached, or the table of words is damaged.
 */
export const WORDS_ONLY = ['Late', 'Away'] as const;
export type WordsOnly = (typeof WORDS_ONLY)[number];

export const RecalledText = z.object({
  id: z.string(),
  score: z.number(),
  /** By name, each 0 to 1. */
  signals: z.record(z.string(), z.number()),
  /** Terms of the question that the record has. */
  matched: z.array(z.string()),
});
export type RecalledText = z.infer<typeof RecalledText>;

/** What a cycle was told of memory at its start, best first. */
export const Recalled = z.object({
  facts: z.array(RecalledText),
  threads: z.array(RecalledText),
  cases: z.array(RecalledCase),
  /** Absent: as it was wanted. */
  wordsOnly: z.enum(WORDS_ONLY).exactOptional(),
});
export type Recalled = z.infer<typeof Recalled>;

/** What the agent may ask its memory for by a tool. */
export const REMEMBERED_KINDS = ['run', 'case', 'fact', 'thread', 'artifact'] as const;
export type RememberedKind = (typeof REMEMBERED_KINDS)[number];
