import { z } from 'zod';
import { tellToolActivity } from '@retainer/mind/self/activity';
import { RUNS_READ, selfTool } from '../../tools/self-tool.ts';

const MAX_NAME_CHARACTERS = 100;

export const queryToolActivity = selfTool({
  name: 'query_tool_activity',
  description:
    'What your tools did in the newest runs, those under way included: calls, cycles, failures, and the last cycle with one.',
  input: z.strictObject({
    tool: z.string().min(1).max(MAX_NAME_CHARACTERS).optional().describe('Only this tool.'),
    runs: z.number().int().min(1).max(RUNS_READ).optional().describe('Newest runs to look at; 20 if absent.'),
  }),
  target: 'tool',
  tell: async ({ tool, runs = 20 }, self, asking) => tellToolActivity(await self.trees(asking, runs), tool),
});
