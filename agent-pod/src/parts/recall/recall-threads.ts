import { z } from 'zod';
import { tellThreads } from '@retainer/mind/self/remembered';
import { selfTool } from '../../tools/self-tool.ts';

/** Threads of one answer. Source: springdrift 14 (recall limit). */
const THREADS_MAX = 20;

export const recallThreads = selfTool({
  name: 'recall_threads',
  description: 'Your threads, runs that go on with each other: the one that a run joined last comes first.',
  input: z.strictObject({
    count: z.number().int().min(1).max(THREADS_MAX).optional().describe('10 if absent.'),
  }),
  tell: ({ count = 10 }, self) => Promise.resolve(tellThreads(self.threads(), count)),
});
