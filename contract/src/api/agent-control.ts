/** The control loop's weights and thresholds. Source: artoo A.6 to A.9; design 5. */
import { z } from 'zod';
import { withRules } from './cel-rule.ts';
import { DurationText, Ratio } from './fields.ts';

const LossWeights = withRules(
  z
    .object({
      alpha: Ratio.default(0.6).describe('Weight of the distance D.'),
      beta: Ratio.default(0.3).describe('Weight of the process implausibility P; fades as the budget is used.'),
      lambda: Ratio.default(0.4).describe('Weight of the resource use.'),
      w1: Ratio.default(0.6).describe('Weight of the replans within the resource use.'),
      w2: Ratio.default(0.4).describe('Weight of the time within the resource use.'),
    })
    .describe('Weights of the loss.'),
  [
    {
      rule: 'self.alpha + (self.beta > self.lambda ? self.beta : self.lambda) <= 1.000001',
      message:
        'alpha plus the greater of beta and lambda must be at most 1, because the loss must stay between 0 and 1',
    },
    {
      rule: 'self.w1 + self.w2 >= 0.999999 && self.w1 + self.w2 <= 1.000001',
      message: 'w1 and w2 must sum to 1',
    },
  ],
);

const LossThresholds = z
  .object({
    epsilon: Ratio.default(0.1).describe('A change of the loss below this value counts as a plateau.'),
    delta: Ratio.default(0.3).describe('A distance up to this value counts as success.'),
    rho: Ratio.default(0.5).describe(
      'An implausibility above this value means that the approach is wrong, not only the path.',
    ),
    theta: Ratio.default(0.8).describe('A resource use at or above this value ends the run.'),
  })
  .describe('Thresholds of the decision.');

/** Most plans that anybody may allow a run. */
const REPLANS_MAX = 16;

/** Parse `timeBudget` with `durationMs`. */
export const AgentControl = withRules(
  z
    .object({
      profile: z
        .enum(['Spec', 'Hardened', 'Evidence'])
        .default('Spec')
        .describe(
          'Spec: one directive for the whole task, by the whole loss. Hardened: one for each part of it, by three rules; the distance alone counts as deterioration. Evidence: by a belief about each part; a run continues while that is worth its tokens.',
        ),
      weights: LossWeights.prefault({}),
      thresholds: LossThresholds.prefault({}),
      timeBudget: DurationText.default('5m').describe('Time budget of a run; an earlier deadline shortens it.'),
      maxReplans: z
        .int()
        .min(0)
        .max(REPLANS_MAX)
        .exactOptional()
        .describe(
          'Maximum number of replans; a failed round after the last one ends the run. Absent: 16 in profile Evidence, where tokens and time are the limit, and 3 in the others.',
        ),
      evidence: z
        .object({
          worthBudgets: z
            .number()
            .min(0.1)
            .max(100)
            .default(6)
            .describe('What one acceptance is worth, in token budgets of the Task: a run goes on while it costs less.'),
          tolerance: z
            .number()
            .min(0.1)
            .max(1)
            .default(0.9)
            .describe('Ways to go on that are this much as good as the best are left to the planner to choose from.'),
        })
        .prefault({})
        .describe(
          'For profile Evidence, which does not use epsilon, rho, theta and worseningRoundsMax: what it goes on for.',
        ),
      worseningRoundsMax: z
        .int()
        .min(1)
        .max(16)
        .default(2)
        .describe('Number of deteriorating rounds in a row that ends the run.'),
      fastLoop: z
        .object({
          maxRetries: z
            .int()
            .min(0)
            .max(8)
            .default(2)
            .describe('Maximum number of corrections of one step after its first attempt.'),
          validatorRetries: z
            .int()
            .min(0)
            .max(8)
            .default(2)
            .describe('Maximum number of retries of a validator that fails.'),
        })
        .prefault({})
        .describe('Correction of single steps.'),
      selfConsistency: z
        .enum(['Auto', 'Always', 'Never'])
        .default('Auto')
        .describe(
          'Whether the result of a step counts only when a second attempt, which is not told of the first one, came to it too. Auto: where a model worked on it that this version does not know; never for a script. It costs the work of such a step again.',
        ),
      maxParallelSubtasks: z
        .int()
        .min(1)
        .max(16)
        .default(4)
        .describe('Maximum number of steps of one group that run at the same time.'),
      maxSubtasks: z.int().min(1).max(64).default(16).describe('Maximum number of steps of one plan.'),
      continueAfterFailedGroup: z
        .boolean()
        .default(false)
        .describe('Start the next group of steps even if a step of this group failed.'),
      accumulateBlockedTools: z
        .boolean()
        .default(false)
        .describe('Keep a tool blocked for the whole run, not only for the next round.'),
      deliverWhenClose: z
        .boolean()
        .default(false)
        .describe(
          'Count a result within the success threshold as success even if the budget is used up; otherwise the run ends Abandoned.',
        ),
      reportOnAbandon: z
        .boolean()
        .default(true)
        .describe('Ask the planner once for a report on an abandoned run, within 20 s and the rest of the budget.'),
      urgency: z
        .boolean()
        .default(false)
        .describe(
          'Use the direction of the loss: while it falls, allow one more correction and keep results; while it rises, start afresh with the model of the meta-validator.',
        ),
      watchdogFactor: z
        .number()
        .min(1)
        .max(10)
        .default(2)
        .describe('The operator ends a run after this multiple of its time budget.'),
      clarificationsMax: z
        .int()
        .min(0)
        .max(8)
        .default(2)
        .describe('Maximum number of questions to people before the work begins.'),
    })
    .describe('Settings of the control loop that steers a run.'),
  [
    {
      rule: "duration(self.timeBudget) >= duration('1s') && duration(self.timeBudget) <= duration('168h')",
      message: 'timeBudget must be between 1s and 168h',
      fieldPath: '.timeBudget',
    },
  ],
);
export type AgentControl = z.infer<typeof AgentControl>;

/** Plans made anew, by profile, unless somebody says how many. In `Evidence` tokens and time end a run first. */
const usualReplans: Readonly<Record<AgentControl['profile'], number>> = { Spec: 3, Hardened: 3, Evidence: REPLANS_MAX };

/** How often a run under these settings may plan anew. */
export function maxReplansOf({ maxReplans, profile }: Pick<AgentControl, 'maxReplans' | 'profile'>): number {
  return maxReplans ?? usualReplans[profile];
}
