import { z } from 'zod';
import { tellCycles } from '@retainer/mind/self/cycles';
import { RUNS_READ, selfTool } from '../../tools/self-tool.ts';

const CYCLES_MAX = 50;

export const listRecentCycles = selfTool({
  name: 'list_recent_cycles',
  description:
    'Your newest cycles, the newest first: whose work, outcome, model, calls, verdicts, tokens, cost. The own one counts up to this call.',
  input: z.strictObject({
    count: z.number().int().min(1).max(CYCLES_MAX).optional().describe('10 if absent.'),
  }),
  tell: async ({ count = 10 }, self, asking) => tellCycles(await self.trees(asking, RUNS_READ), count),
});
