import { z } from 'zod';
import { AFFECT_SHOWN_MAX, tellAffect } from '@retainer/mind/self/activity';
import { selfTool } from '../../tools/self-tool.ts';

export const listAffectHistory = selfTool({
  name: 'list_affect_history',
  description: 'How you were after your newest work, the newest first, with what it was measured from.',
  input: z.strictObject({
    count: z.number().int().min(1).max(AFFECT_SHOWN_MAX).optional().describe('10 if absent.'),
  }),
  tell: async ({ count = 10 }, self) => tellAffect(await self.affect(count)),
});
