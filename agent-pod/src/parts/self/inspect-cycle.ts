import { z } from 'zod';
import { tellCycle } from '@retainer/mind/self/cycles';
import { RUNS_READ, selfTool } from '../../tools/self-tool.ts';

const MAX_ID_CHARACTERS = 256;

export const inspectCycle = selfTool({
  name: 'inspect_cycle',
  description:
    'One of your newest cycles: its calls and their ends, the verdicts of its gates, and the tree of its run. The own one is shown up to this call.',
  input: z.strictObject({
    id: z
      .string()
      .min(1)
      .max(MAX_ID_CHARACTERS)
      .describe('As list_recent_cycles shows it; your own cycle if absent.')
      .optional(),
  }),
  target: 'id',
  tell: async ({ id }, self, asking) => tellCycle(await self.trees(asking, RUNS_READ), id ?? asking.cycleId),
});
