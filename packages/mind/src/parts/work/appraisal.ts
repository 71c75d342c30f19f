/**
 * What is thought of work before and after it: pre-mortems, post-mortems, and the case that a post-mortem becomes.
 *
 * Source: springdrift 8.
 */
import { z } from 'zod';
import { Sentence, Sentences } from './texts.ts';

export const preMortemFields = {
  failureModes: Sentences,
  /** Assumptions that nobody checked. */
  blindSpotAssumptions: Sentences,
  dependenciesAtRisk: Sentences,
  informationGaps: Sentences,
};

export const PreMortem = z.strictObject({
  ...preMortemFields,
  /** Cases of like work that failed. */
  similarPitfallCaseIds: z.array(z.string()).max(10),
});
export type PreMortem = Readonly<z.infer<typeof PreMortem>>;

export const VERDICTS = ['Achieved', 'PartiallyAchieved', 'NotAchieved', 'AbandonedWithLearnings'] as const;
export type AppraisalVerdict = (typeof VERDICTS)[number];

export const postMortemFields = {
  verdict: z.enum(VERDICTS),
  /** What the pre-mortem said, against what came. */
  predictionComparisons: z
    .array(z.strictObject({ prediction: Sentence, reality: Sentence, accurate: z.boolean() }))
    .max(10),
  lessonsLearned: Sentences,
  contributingFactors: Sentences,
};

export const endeavourPostMortemFields = {
  goalAchieved: z.boolean(),
};

export const PostMortem = z.strictObject({
  ...postMortemFields,
  goalAchieved: endeavourPostMortemFields.goalAchieved.exactOptional(),
});
export type PostMortem = Readonly<z.infer<typeof PostMortem>>;
