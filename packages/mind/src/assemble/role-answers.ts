/**
 * The answers of the roles that ask a model: the counterpart of their inputs. `infer/` makes them from XML, `run/` reads them.
 *
 * No answer contains an internal id, and none is trusted: it names criteria by number, and calls by the ids that it was shown.
 * The texts of a perceiver, a merge and a report are bounded here, because they are passed on whole; other texts are bounded by
 * their readers.
 *
 * Source: artoo A.3, A.4 (no ids), A.6 (by index), A.8, A.9; springdrift 4 (reflection, labels, case).
 */
import { z } from 'zod';

/** Characters of a reply, an intent, and a question or an assumption; at least the limits of the schemas of `infer/`. */
const REPLY_CHARACTERS = 4096;
const INTENT_CHARACTERS = 8192;
const SENTENCE_CHARACTERS = 1024;
const SLUG_CHARACTERS = 48;
const ASSUMPTIONS_MAX = 16;

/** Characters of a combined result and of its summary. */
const OUTPUT_CHARACTERS = 131_072;
const SUMMARY_CHARACTERS = 4096;

/** Maximum number of points of one kind in a report, and characters of each. */
const REPORT_POINTS_MAX = 16;
const REPORT_POINT_CHARACTERS = 512;

/** XML counts characters, this schema code units; a character has at most two. */
const text = (characters: number): z.ZodString => z.string().max(2 * characters);

/** The perceiver's answer (R1). A reply ends the run at once, a question waits for a person, a task goes to the planner. */
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

/** The planner's answer (R2). */
export const Plan = z.object({
  /** Criteria of the combined result, in addition to the people's. */
  criteria: z.array(PlannedCriterion),
  /** At least one. */
  subtasks: z.array(
    z.object({
      /** The planner's value, or 1 if there is none; the dispatcher turns the values into dense ranks. */
      sequence: z.number(),
      intent: z.string(),
      /** Empty if the intent is sufficient. */
      context: z.string(),
      /** At least one. */
      criteria: z.array(PlannedCriterion),
      plannedTools: z.array(z.string()),
      /** The planner's spelling. Absent: the executor. */
      worker: z.string().exactOptional(),
      /** Names of the lines of memory that it follows. Absent: none. */
      basedOn: z.array(z.string()).exactOptional(),
    }),
  ),
});
export type Plan = z.infer<typeof Plan>;

/** A model's claim about one criterion. The reader checks whether its evidence exists and ran. */
export const ClaimedVerdict = z.object({
  /** Number of the criterion in the list. */
  criterion: z.number(),
  met: z.boolean(),
  /** Present if the criterion is not met. */
  failureClass: z.enum(['Logical', 'Environmental']).exactOptional(),
  /** Ids of tool calls. */
  evidence: z.array(z.string()),
  reason: z.string(),
});
export type ClaimedVerdict = z.infer<typeof ClaimedVerdict>;

/** The agent validator's answer (R4a). Both texts are empty if all criteria are met. */
export const AttemptVerdicts = z.object({
  /** No criterion twice. */
  verdicts: z.array(ClaimedVerdict),
  whatWasWrong: z.string(),
  whatToDo: z.string(),
});
export type AttemptVerdicts = z.infer<typeof AttemptVerdicts>;

/** The meta validator's answer (R4b). */
export const Merge = z.object({
  /** The combined result itself. */
  output: text(OUTPUT_CHARACTERS),
  /** No criterion twice; empty if the task has no criteria. */
  verdicts: z.array(ClaimedVerdict),
  summary: text(SUMMARY_CHARACTERS),
});
export type Merge = z.infer<typeof Merge>;

const ReportPoints = z.array(text(REPORT_POINT_CHARACTERS)).max(REPORT_POINTS_MAX);

/** The planner's report on an abandoned run (R2). */
export const AbandonReport = z.object({ done: ReportPoints, missing: ReportPoints, nextMoves: ReportPoints });
export type AbandonReport = z.infer<typeof AbandonReport>;

/** Most keywords, entities and topics of a reflection; calls that it speaks of; pitfalls of a case. */
const REFLECTION_ITEMS_MAX = 32;
const REFLECTION_ITEM_CHARACTERS = 256;
const PROSE_CHARACTERS = 4096;

const ReflectionItems = z.array(text(REFLECTION_ITEM_CHARACTERS)).max(REFLECTION_ITEMS_MAX);

/** The Archivist's answer on an ended run. Code checks what it claims, and adds what was counted. */
export const Reflection = z.object({
  prose: text(PROSE_CHARACTERS),
  /** What was wanted, in a clause. */
  intent: text(SENTENCE_CHARACTERS),
  /** Empty: unknown. */
  domain: text(REFLECTION_ITEM_CHARACTERS),
  keywords: ReflectionItems,
  entities: ReflectionItems,
  topics: ReflectionItems,
  /** The calls that its words speak of. */
  calls: z
    .array(
      z.object({ tool: text(REFLECTION_ITEM_CHARACTERS), target: text(REFLECTION_ITEM_CHARACTERS).exactOptional() }),
    )
    .max(REFLECTION_ITEMS_MAX),
  /** Absent: nothing of it is worth doing again, or avoiding. */
  case: z
    .object({
      approach: text(PROSE_CHARACTERS),
      assessment: text(SENTENCE_CHARACTERS),
      pitfalls: ReflectionItems,
    })
    .exactOptional(),
});
export type Reflection = z.infer<typeof Reflection>;
