/** The meta validator's answer (R4b): the combined result, and one verdict per criterion of the task. Source: artoo A.8. */
import { z } from 'zod';
import { claimedVerdicts } from './attempt-verdicts.ts';
import { words } from '../answer-texts.ts';

/** Characters of the combined result: about 30,000 tokens, more than a model may write. Longer results are files. */
const OUTPUT_CHARACTERS = 131_072;
/** A paragraph or two. */
const SUMMARY_CHARACTERS = 4096;

export const Merge = z
  .object({
    output: words(OUTPUT_CHARACTERS),
    /** Empty if the task has no criteria. */
    verdicts: claimedVerdicts.default([]),
    summary: words(SUMMARY_CHARACTERS),
  })
  .meta({ element: 'merge' });
export type Merge = z.infer<typeof Merge>;
