/**
 * The agent validator's answer (R4a): one verdict per criterion of a subtask, and the corrections.
 *
 * Source: artoo A.6 (by index).
 */
import { z } from 'zod';
import { GAP, perhaps, words } from '../answer-texts.ts';

/** Characters of a reason, or of a correction: a paragraph or two. */
const PROSE_CHARACTERS = 4096;
/** Characters of what cites a call: its id, or the whole line that shows it, which weak models copy. */
const CITED_CHARACTERS = 4096;
/** Criteria, and so verdicts, of a task or a step. */
const VERDICTS_MAX = 64;
/** Calls cited by one verdict; more would be no selection. */
const EVIDENCE_MAX = 32;
/** Far beyond any list of criteria. The reader ignores and reports numbers without a criterion. */
const CRITERION_NUMBER_MAX = 999;

const UNCLASSIFIED = 'met is false, so failureClass must be Logical or Environmental';
const UNCORRECTED = 'a criterion is not met, so whatWasWrong and whatToDo must say what to correct';

/** A model's claim about one criterion. The reader checks whether its evidence exists and ran. */
const ClaimedVerdict = z
  .object({
    /** Number of the criterion in the list. */
    criterion: z.int().min(0).max(CRITERION_NUMBER_MAX),
    met: z.boolean(),
    /** Present if the criterion is not met. */
    failureClass: z.enum(['Logical', 'Environmental']).exactOptional(),
    /** Each names a tool call. */
    evidence: z.array(words(CITED_CHARACTERS)).max(EVIDENCE_MAX).default([]),
    reason: words(PROSE_CHARACTERS),
  })
  .refine(({ met, failureClass }) => met || failureClass !== undefined, UNCLASSIFIED);
export type ClaimedVerdict = z.infer<typeof ClaimedVerdict>;

/** No criterion twice. */
export const claimedVerdicts = z
  .array(ClaimedVerdict)
  .max(VERDICTS_MAX)
  .refine((all) => new Set(all.map(({ criterion }) => criterion)).size === all.length, 'one verdict for each criterion')
  .meta({
    element: 'verdict',
    shown: [{ criterion: 1, met: GAP, failureClass: GAP, evidence: [GAP], reason: GAP }],
  });

/** Both texts are empty if all criteria are met. */
export const AttemptVerdicts = z
  .object({
    verdicts: claimedVerdicts.min(1),
    whatWasWrong: perhaps(PROSE_CHARACTERS),
    whatToDo: perhaps(PROSE_CHARACTERS),
  })
  .refine((it) => it.verdicts.every(({ met }) => met) || (it.whatWasWrong !== '' && it.whatToDo !== ''), UNCORRECTED)
  .meta({ element: 'attempt' });
export type AttemptVerdicts = z.infer<typeof AttemptVerdicts>;
