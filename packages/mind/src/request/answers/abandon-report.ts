/** The planner's report on an abandoned run (R2): work done, work missing, next steps. Source: artoo A.9. */
import { z } from 'zod';
import { words } from '../answer-texts.ts';

/** Characters per point: a sentence or two, because a Task's status holds all of them. */
const POINT_CHARACTERS = 512;
/** Points of one kind; a person reads them all before a decision. */
const POINTS_MAX = 16;

const points = (shown: string): z.ZodArray<z.ZodString> => z.array(words(POINT_CHARACTERS, shown)).max(POINTS_MAX);

export const AbandonReport = z
  .object({
    done: points('One thing that was done, and where it is.').default([]),
    missing: points('One thing that was asked for and is not there.').min(1),
    nextMoves: points('One thing that a person could do or decide.').default([]).meta({ element: 'nextMove' }),
  })
  .meta({ element: 'report' });
export type AbandonReport = z.infer<typeof AbandonReport>;
