/** The planner's report on an abandoned run (R2): work done, work missing, next steps. Source: artoo A.9. */
import { z } from 'zod';
import { words } from '../answer-texts.ts';

/** Characters per point: a sentence or two, because a Task's status holds all of them. */
const POINT_CHARACTERS = 512;
/** Points of one kind; a person reads them all before a decision. */
const POINTS_MAX = 16;

const points = z.array(words(POINT_CHARACTERS)).max(POINTS_MAX);

export const AbandonReport = z
  .object({
    done: points.default([]),
    missing: points.min(1),
    nextMoves: points.default([]).meta({ element: 'nextMove' }),
  })
  .meta({ element: 'report' });
export type AbandonReport = z.infer<typeof AbandonReport>;
