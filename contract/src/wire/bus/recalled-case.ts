/** A case that memory found for a task: what it teaches, and why it was found. Source: springdrift 5; artoo C (cases). */
import { z } from 'zod';

export const CASE_CATEGORIES = ['Strategy', 'CodePattern', 'Troubleshooting', 'Pitfall', 'DomainKnowledge'] as const;

export const CASE_STATUSES = ['Success', 'Partial', 'Failure'] as const;

/** Whoever reads it needs no index: all that decided on it is in it. */
export const RecalledCase = z.object({
  id: z.string(),
  /** What the Task of the case asked for, cut. */
  problem: z.string(),
  /** What the case teaches, cut. */
  lesson: z.string(),
  category: z.enum(CASE_CATEGORIES),
  /** How the case ended. */
  outcome: z.enum(CASE_STATUSES),
  score: z.number(),
  /** By name, each 0 to 1: those that count in the score. */
  signals: z.record(z.string(), z.number()),
  /** What came of acting like this before, −∞ to ∞, as the score has it. Absent: there is no experience. */
  decision: z.number().exactOptional(),
  /** Terms of the task that the case has. */
  matched: z.array(z.string()),
  /** Experience advises against the way of this case: it is told as a pitfall. */
  avoid: z.boolean(),
});
export type RecalledCase = z.infer<typeof RecalledCase>;
