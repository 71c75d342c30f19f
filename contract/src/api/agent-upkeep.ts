/** The upkeep of memory and skills between tasks. Source: springdrift 4, 8, 12; artoo A.11, B, C. */
import { z } from 'zod';
import { DurationText, Ratio } from './fields.ts';

export const AgentUpkeep = z
  .object({
    dreamInterval: DurationText.default('1h').describe('How often memory is consolidated.'),
    caseDedupSimilarity: Ratio.default(0.92).describe('Cases at least this alike are merged.'),
    summaries: z
      .object({
        daily: z.boolean().default(true).describe('Write a summary of each day.'),
        weekly: z
          .boolean()
          .default(true)
          .describe('Write a summary of each week, and check beliefs for contradictions.'),
      })
      .prefault({})
      .describe('Summaries of what happened.'),
    skillPromotion: z
      .object({
        enabled: z
          .boolean()
          .default(false)
          .describe('Let the agent propose skills and use those that pass every check.'),
        requireApproval: z.boolean().default(true).describe('A person must agree as well.'),
        perDay: z.int().min(0).max(24).default(3).describe('Promotions in a day.'),
        cooldown: DurationText.default('6h').describe('Time between two promotions for the same specialist.'),
        minUses: z.int().min(1).max(100).default(3).describe('Separate successful uses that a candidate needs.'),
      })
      .prefault({})
      .describe('From candidate to learned skill.'),
    forecaster: z
      .object({
        enabled: z.boolean().default(false).describe('Judge the health of open work regularly.'),
        interval: DurationText.default('5m').describe('How often.'),
        replanThreshold: Ratio.default(0.55).describe('Score from which a new plan is suggested.'),
      })
      .prefault({})
      .describe('Forecasts about open work.'),
  })
  .describe('What keeps memory and skills in order between tasks.');
export type AgentUpkeep = z.infer<typeof AgentUpkeep>;
