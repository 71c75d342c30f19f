/** The record of a conversation that goes on without what its server refused. */
import { z } from 'zod';

export const HistoryMended = z.object({
  why: z.enum(['PromptTooLong', 'AnswerTooLong', 'Thoughts', 'Block']),
  /** Estimated size of the conversation from here on. Of PromptTooLong. */
  contextTokens: z.number().exactOptional(),
  /** To which each result of a call is cut. Of PromptTooLong, where dropping turns is not enough. */
  resultCharacters: z.number().exactOptional(),
  /** Limit of an answer from here on. Of AnswerTooLong. */
  outputTokens: z.number().exactOptional(),
  /** The refused block, by its place in the conversation of the cycle. Of Block. */
  at: z.object({ message: z.number(), block: z.number() }).exactOptional(),
});
export type HistoryMended = z.infer<typeof HistoryMended>;
