import { z } from 'zod';
import { err } from '@retainer/contract/std/result';
import { tellTrace } from '@retainer/mind/self/remembered';
import { selfTool } from '../../tools/self-tool.ts';

const MAX_ID_CHARACTERS = 256;

export const memoryTrace = selfTool({
  name: 'memory_trace',
  description:
    'Every record about one remembered thing, oldest first: who wrote it, when, in which run, what became of it. Slow in a long life.',
  input: z.strictObject({
    id: z
      .string()
      .min(1)
      .max(MAX_ID_CHARACTERS)
      .describe('fact:KEY, or the id of a run, a case, a megram or an artifact.'),
  }),
  target: 'id',
  tell: async ({ id }, self) => {
    const records = await self.trace(id);
    if (records.length > 0) return tellTrace(records);
    return err(`Nothing is remembered as ${JSON.stringify(id)}. Ids: fact:KEY, or those that memory_recall shows.`);
  },
});
