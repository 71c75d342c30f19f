/**
 * The planner's answer (R2): criteria of the whole, and subtasks with their own. The runtime assigns ids.
 *
 * Source: artoo A.4 (no ids), A.7 (sequences), A.8 (by default a criterion needs proof and is required).
 */
import { z } from 'zod';
import { perhaps, unshown, words } from '../answer-texts.ts';

/** The most that any Agent may allow. The check of plans enforces the Agent's own limit. */
const SUBTASKS_MAX = 64;
/** Criteria of the whole. With a person's 32 at most, as many as there may be verdicts. */
const TASK_CRITERIA_MAX = 32;
/** Criteria of one subtask; with more, it is two subtasks. */
const SUBTASK_CRITERIA_MAX = 16;
/** Characters of a criterion, as for a person's. */
const CRITERION_CHARACTERS = 1024;
/** Characters of a subtask's intent: one action. */
const INTENT_CHARACTERS = 2048;
/** Characters of the context for a worker who sees nothing else. */
const CONTEXT_CHARACTERS = 8192;
/** Tools that one worker can handle, and characters beyond the name of any tool or worker. */
const TOOLS_MAX = 32;
const NAME_CHARACTERS = 64;
/** Far beyond any plan; later code renumbers them from 1 without gaps. Source: artoo A.7. */
const SEQUENCE_MAX = 999;
/** Lines of memory that one subtask names: as many as a planner is shown. Characters of the name of one. */
const BASED_ON_MAX = 24;
const LINE_NAME_CHARACTERS = 8;

const criterion = z.object({
  text: words(CRITERION_CHARACTERS).meta({ place: 'Content' }),
  mode: z.enum(['Verifiable', 'Plausible']).default('Verifiable'),
  required: z.boolean().default(true),
});

export const Plan = z
  .object({
    /** Criteria of the combined result, in addition to the people's. */
    criteria: z.array(criterion).max(TASK_CRITERIA_MAX).default([]).meta({ element: 'criterion' }),
    subtasks: z
      .array(
        z.object({
          /** The dispatcher turns the values into dense ranks. */
          sequence: z.int().min(-SEQUENCE_MAX).max(SEQUENCE_MAX).default(1),
          intent: words(INTENT_CHARACTERS),
          /** Empty if the intent is sufficient. */
          context: perhaps(CONTEXT_CHARACTERS),
          criteria: z.array(criterion).min(1).max(SUBTASK_CRITERIA_MAX).meta({ element: 'criterion' }),
          plannedTools: z.array(words(NAME_CHARACTERS)).max(TOOLS_MAX).default([]).meta({ element: 'tool' }),
          /** The planner's spelling. Absent: the executor. */
          worker: unshown(NAME_CHARACTERS).meta({ place: 'Attribute' }).exactOptional(),
          /** Names of the lines of memory that it follows. Absent: none. */
          basedOn: z
            .array(unshown(LINE_NAME_CHARACTERS))
            .max(BASED_ON_MAX)
            .meta({ place: 'Attribute' })
            .exactOptional(),
        }),
      )
      .min(1)
      .max(SUBTASKS_MAX)
      .meta({ element: 'subtask' }),
  })
  .meta({ element: 'plan' });
export type Plan = z.infer<typeof Plan>;
