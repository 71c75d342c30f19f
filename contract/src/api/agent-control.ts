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
      w1: Ratio.default(0.6).describe('Share of the replans in the resource use.'),
      w2: Ratio.default(0.4).describe('Share of the time in the resource use.'),
    })
    .describe('Weights of the loss.'),
  [
    {
      rule: 'self.alpha + (self.beta > self.lambda ? self.beta : self.lambda) <= 1.000001',
      message: 'alpha plus the greater of beta and lambda must not be above 1, else the loss leaves 0 to 1',
    },
    {
      rule: 'self.w1 + self.w2 >= 0.999999 && self.w1 + self.w2 <= 1.000001',
      message: 'w1 and w2 must sum to 1',
    },
  ],
);

const LossThresholds = z
  .object({
    epsilon: Ratio.default(0.1).describe('A change of the loss below this is a plateau.'),
    delta: Ratio.default(0.3).describe('A distance up to this is a success.'),
    rho: Ratio.default(0.5).describe('An implausibility above this blames the approach, not the path.'),
    theta: Ratio.default(0.8).describe('A resource use from this on ends the run.'),
  })
  .describe('Thresholds of the decision.');

/** Parse `timeBudget` with `durationMs`. */
export const AgentControl = withRules(
  z
    .object({
      profile: z
        .enum(['Spec', 'Hardened'])
        .default('Spec')
        .describe(
          'Spec: decides by the whole loss. Hardened: by the quality part, so that passing time alone is not read as getting worse.',
        ),
      weights: LossWeights.prefault({}),
      thresholds: LossThresholds.prefault({}),
      timeBudget: DurationText.default('5m').describe(
        'Time against which a run is measured; a nearer deadline shortens it.',
      ),
      maxReplans: z.int().min(0).max(16).default(3).describe('Plans made anew; one failing round more ends the run.'),
      worseningRoundsMax: z
        .int()
        .min(1)
        .max(16)
        .default(2)
        .describe('Rounds in a row that get worse before the run is ended.'),
      fastLoop: z
        .object({
          maxRetries: z.int().min(0).max(8).default(2).describe('Corrections of one step after its first attempt.'),
          validatorRetries: z.int().min(0).max(8).default(2).describe('Repetitions of a validator that failed itself.'),
        })
        .prefault({})
        .describe('Correction of single steps.'),
      maxParallelSubtasks: z.int().min(1).max(16).default(4).describe('Steps of one group that run at once.'),
      maxSubtasks: z.int().min(1).max(64).default(16).describe('Steps of one plan.'),
      continueAfterFailedGroup: z
        .boolean()
        .default(false)
        .describe('Start the next group of steps although one of this group failed.'),
      accumulateBlockedTools: z
        .boolean()
        .default(false)
        .describe('Keep a tool blocked for the whole run, not for the next round only.'),
      deliverWhenClose: z
        .boolean()
        .default(false)
        .describe('End as a success, not abandoned, when the result is near enough but the budget is used up.'),
      reportOnAbandon: z
        .boolean()
        .default(true)
        .describe(
          'Ask the planner once what to tell of a run that is given up: within 20 s, and within what is left of the budget.',
        ),
      urgency: z
        .boolean()
        .default(false)
        .describe(
          'Let the direction of the loss weigh: one correction more and kept results while it falls, a fresh start by the model of the meta-validator while it rises.',
        ),
      watchdogFactor: z
        .number()
        .min(1)
        .max(10)
        .default(2)
        .describe('A run is ended from outside after this many times its time budget.'),
      clarificationsMax: z.int().min(0).max(8).default(2).describe('Questions to people before the work begins.'),
    })
    .describe('How a run is steered.'),
  [
    {
      rule: "duration(self.timeBudget) >= duration('1s') && duration(self.timeBudget) <= duration('168h')",
      message: 'timeBudget must be between 1s and 168h',
      fieldPath: '.timeBudget',
    },
  ],
);
export type AgentControl = z.infer<typeof AgentControl>;
