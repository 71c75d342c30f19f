/**
 * What is thought of work before and after it: pre-mortems, post-mortems, and the case that a post-mortem becomes.
 *
 * Source: springdrift 8.
 */
import { z } from 'zod';
import { CRITERIA_MAX } from './limits.ts';
import { Sentence, Sentences } from './texts.ts';

/** Who wrote it: a model, or code where no model was needed or within reach. */
const APPRAISERS = ['Model', 'Code'] as const;

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
  by: z.enum(APPRAISERS),
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
  criteriaResults: z
    .array(z.strictObject({ criterion: Sentence, met: z.boolean(), evidence: Sentence }))
    .max(CRITERIA_MAX),
};

export const PostMortem = z.strictObject({
  ...postMortemFields,
  goalAchieved: endeavourPostMortemFields.goalAchieved.exactOptional(),
  criteriaResults: endeavourPostMortemFields.criteriaResults.exactOptional(),
  by: z.enum(APPRAISERS),
});
export type PostMortem = Readonly<z.infer<typeof PostMortem>>;
