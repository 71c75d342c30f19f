/**
 * What each role that asks a model gets back: the other side of its input. Made from XML by `infer/`, read by `run/`.
 *
 * No answer holds an id of ours, and none is believed: criteria are named by their number, calls by the ids that were shown.
 * Texts of a perceiver, of a merge and of a report are bounded here, as they are handed on whole; the others where they are read.
 *
 * Source: artoo A.3, A.4 (no ids), A.6 (by index), A.8, A.9.
 */
import { z } from 'zod';

/** Characters of a reply, an intent, and a question or an assumption: what the schemas of `infer/` let pass, at least. */
const REPLY_CHARACTERS = 4096;
const INTENT_CHARACTERS = 8192;
const SENTENCE_CHARACTERS = 1024;
const SLUG_CHARACTERS = 48;
const ASSUMPTIONS_MAX = 16;

/** Characters of a combined result and of its summary. */
const OUTPUT_CHARACTERS = 131_072;
const SUMMARY_CHARACTERS = 4096;

/** Points of one kind in a report, and characters of each. */
const REPORT_POINTS_MAX = 16;
const REPORT_POINT_CHARACTERS = 512;

/** XML counts characters, and a text here code units: two at most for one. */
const text = (characters: number): z.ZodString => z.string().max(2 * characters);

/** R1. A reply ends the run at once, a question waits for a person, a task goes to the planner. */
export const Perception = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('Reply'), text: text(REPLY_CHARACTERS) }),
  z.object({ kind: z.literal('Question'), text: text(SENTENCE_CHARACTERS) }),
  z.object({
    kind: z.literal('Task'),
    slug: text(SLUG_CHARACTERS),
    intent: text(INTENT_CHARACTERS),
    shape: z.enum(['SingleStep', 'Plan']),
    assumptions: z.array(text(SENTENCE_CHARACTERS)).max(ASSUMPTIONS_MAX),
  }),
]);
export type Perception = z.infer<typeof Perception>;

const PlannedCriterion = z.object({
  text: z.string(),
  mode: z.enum(['Verifiable', 'Plausible']),
  required: z.boolean(),
});

/** R2. */
export const Plan = z.object({
  /** Of the combined result, beside those that people gave. */
  criteria: z.array(PlannedCriterion),
  /** At least one. */
  subtasks: z.array(
    z.object({
      /** As the planner wrote it, 1 where it wrote none; the dispatcher makes dense ranks of them. */
      sequence: z.number(),
      intent: z.string(),
      /** Empty where the intent says it all. */
      context: z.string(),
      /** At least one. */
      criteria: z.array(PlannedCriterion),
      /** Names of tools, as the planner means to use them. */
      plannedTools: z.array(z.string()),
      /** As the planner spells it. Absent: the executor. */
      worker: z.string().exactOptional(),
    }),
  ),
});
export type Plan = z.infer<typeof Plan>;

/** A model's word on one criterion. Whether its evidence exists and ran is for the reader to check. */
export const ClaimedVerdict = z.object({
  /** Number of the criterion, as it was listed. */
  criterion: z.number(),
  met: z.boolean(),
  /** There where it is not met. */
  failureClass: z.enum(['Logical', 'Environmental']).exactOptional(),
  /** Ids of tool calls. */
  evidence: z.array(z.string()),
  reason: z.string(),
});
export type ClaimedVerdict = z.infer<typeof ClaimedVerdict>;

/** R4a. The two texts are empty where all criteria are met. */
export const AttemptVerdicts = z.object({
  /** No criterion twice. */
  verdicts: z.array(ClaimedVerdict),
  whatWasWrong: z.string(),
  whatToDo: z.string(),
});
export type AttemptVerdicts = z.infer<typeof AttemptVerdicts>;

/** R4b. */
export const Merge = z.object({
  /** The combined result itself. */
  output: text(OUTPUT_CHARACTERS),
  /** No criterion twice; none where the task has none. */
  verdicts: z.array(ClaimedVerdict),
  summary: text(SUMMARY_CHARACTERS),
});
export type Merge = z.infer<typeof Merge>;

const ReportPoints = z.array(text(REPORT_POINT_CHARACTERS)).max(REPORT_POINTS_MAX);

/** R2's report on a run that was given up. */
export const AbandonReport = z.object({ done: ReportPoints, missing: ReportPoints, nextMoves: ReportPoints });
export type AbandonReport = z.infer<typeof AbandonReport>;
