/** The upkeep of memory and skills between tasks. Source: springdrift 4, 8, 12; artoo A.11, B, C. */
import { z } from 'zod';
import { DurationText, Ratio } from './fields.ts';

export const AgentUpkeep = z
  .object({
    dreamInterval: DurationText.default('1h').describe(
      'Interval between consolidations of memory (dreams), from 1s to 24h; one also follows each archived run.',
    ),
    caseDedupSimilarity: Ratio.default(0.92).describe('Minimum similarity of cases that are merged, 0 to 1.'),
    summaries: z
      .object({
        daily: z.boolean().default(true).describe('Write a summary of each day.'),
        weekly: z.boolean().default(true).describe('Write a summary of each week, and check facts for contradictions.'),
      })
      .prefault({})
      .describe('Summaries of past work.'),
    skillPromotion: z
      .object({
        enabled: z
          .boolean()
          .default(false)
          .describe('Let the agent propose skills, and use those that pass every check.'),
        requireApproval: z.boolean().default(true).describe('Require the approval of a person, too.'),
        perDay: z.int().min(0).max(24).default(3).describe('Maximum number of promotions in a day.'),
        cooldown: DurationText.default('6h').describe('Minimum time between two promotions for the same specialist.'),
        minUses: z
          .int()
          .min(1)
          .max(100)
          .default(3)
          .describe('Minimum number of separate successful uses of a candidate.'),
      })
      .prefault({})
      .describe('Promotion of a candidate to a learned skill.'),
    forecaster: z
      .object({
        enabled: z.boolean().default(false).describe('Assess the health of open work regularly.'),
        interval: DurationText.default('5m').describe('Interval between assessments.'),
        replanThreshold: Ratio.default(0.55).describe('Score at which a new plan is suggested.'),
      })
      .prefault({})
      .describe('Forecasts about open work.'),
  })
  .describe('Maintenance of memory and skills between Tasks.');
export type AgentUpkeep = z.infer<typeof AgentUpkeep>;
