/** Why a round ended as it did, for people: everything that the decision looked at. Part of the record. */
import { DIRECTIVES } from '@retainer/contract/api/task-status';
import { Blocked, Loss } from '@retainer/contract/wire/bus/payloads';
import { z } from 'zod';
import { OVERRIDES } from './overrides.ts';

export const SteerExplanation = z.object({
  /** What was steered: a round by the table, or an end that no table decides. */
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
  /** Failing rounds, this one included if it is one. */
  rounds: z.number(),
  loss: Loss,
  gradL: z.number(),
  gradQ: z.number(),
  /** Which gradient decided. Source: artoo A.9. */
  gradient: z.enum(['L', 'Q']),
  /** Of that gradient. It says how urgent the directive is, and selects none. Source: artoo A.19. */
  trend: z.enum(['Improving', 'Plateau', 'Worsening']),
  /** Rounds in a row that got worse, this one included. */
  worsening: z.number(),
  /** Of the 24; absent where the table was not asked. */
  cell: z.number().exactOptional(),
  /** Why D counts as above its threshold although it is not. Source: artoo A.8. */
  successBar: z.enum(['TaskCriterion', 'Infrastructure']).exactOptional(),
  /** Before overrides. */
  byTable: z.enum(DIRECTIVES),
  override: z.enum(OVERRIDES).exactOptional(),
  directive: z.enum(DIRECTIVES),
  blocked: Blocked,
});
export type SteerExplanation = Readonly<z.infer<typeof SteerExplanation>>;
