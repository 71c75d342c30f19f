import { z } from 'zod';
import { tellDay } from '@retainer/mind/self/day';
import { selfTool } from '../../tools/self-tool.ts';

export const reflect = selfTool({
  name: 'reflect',
  description:
    'Your figures of one day: runs, cycles, model answers, tokens, cost, calls, verdicts, each with its outcomes.',
  input: z.strictObject({
    day: z.iso.date().optional().describe('UTC, as 2030-01-31; today if absent.'),
  }),
  target: 'day',
  tell: async ({ day }, self, asking) => tellDay(await self.day(asking, day)),
});
