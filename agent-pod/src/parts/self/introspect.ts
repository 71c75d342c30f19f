import { z } from 'zod';
import { err, ok } from '@retainer/contract/std/result';
import { telling } from '@retainer/mind/self/telling';
import { selfTool } from '../../tools/self-tool.ts';

export const introspect = selfTool({
  name: 'introspect',
  description:
    'Your state at this moment: who you are, what is under way, your budgets, gates, vitals and memory, and how you are.',
  input: z.strictObject({}),
  isOfThisWork: true,
  tell: (_, self, { cycleId }) => {
    const now = self.now(cycleId);
    return Promise.resolve(
      now === undefined ? err(`The cycle ${cycleId} is not under way.`) : ok(telling([now], [], '')),
    );
  },
});
