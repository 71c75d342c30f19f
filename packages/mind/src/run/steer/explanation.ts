/** Why a round ended as it did, for people: all inputs of the decision. Part of the record. */
import { DIRECTIVES } from '@retainer/contract/api/task-status';
import { Blocked, Loss, PartAdvice } from '@retainer/contract/wire/bus/payloads';
import { z } from 'zod';
import { OVERRIDES } from './overrides.ts';

export const SteerExplanation = z.object({
  /** What was steered: a round by the table, or an end without the table. */
  occasion: z.enum([
    'Round',
    'Accepted',
    'FastReply',
    'PolicyBlock',
    'Deadline',
    'Aborted',
    'BudgetUsedUp',
    'PlanFailure',
    'PerceptionFailure',
  ]),
  /** Failed rounds, including this one if it failed. */
  rounds: z.number(),
  loss: Loss,
  gradL: z.number(),
  gradQ: z.number(),
  /** The gradient that decided. Source: artoo A.9. */
  gradient: z.enum(['L', 'Q', 'D']),
  /** Change of D over the same parts; absent in profile `Spec`. */
  gradD: z.number().exactOptional(),
  /** Of that gradient. It says how urgent the directive is, and selects none. Source: artoo A.19. */
  trend: z.enum(['Improving', 'Plateau', 'Worsening']),
  /** Consecutive worsening rounds, including this one. */
  worsening: z.number(),
  /** One of the 24; absent when the table did not decide. */
  cell: z.number().exactOptional(),
  /** Why D counts as above its threshold although it is not. Source: artoo A.8. */
  successBar: z.enum(['TaskCriterion', 'Infrastructure']).exactOptional(),
  /** Before overrides. */
  byTable: z.enum(DIRECTIVES),
  override: z.enum(OVERRIDES).exactOptional(),
  directive: z.enum(DIRECTIVES),
  blocked: Blocked,
  /** What going on promises; only in profile `Evidence`. */
  evidence: z
    .object({
      /** That every open part is shown within what is left. */
      chance: z.number(),
      /** What that takes. */
      tokens: z.number(),
      /** What an acceptance is worth, in tokens; absent: the Task has no token budget. */
      worth: z.number().exactOptional(),
    })
    .exactOptional(),
  /** How each open part goes on; absent where the whole is advised. */
  parts: z.array(PartAdvice).exactOptional(),
});
export type SteerExplanation = Readonly<z.infer<typeof SteerExplanation>>;
