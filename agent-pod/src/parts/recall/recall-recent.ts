import { z } from 'zod';
import { tellRecent } from '@retainer/mind/self/runs';
import { RUNS_READ, selfTool } from '../../tools/self-tool.ts';

const DAY_MS = 86_400_000;

/** Runs of one answer. Source: springdrift 14 (recall limit). */
const RUNS_MAX = 20;

/** Days that one question may reach back: what is older is found by a question, with memory_recall. */
const DAYS_MAX = 30;

export const recallRecent = selfTool({
  name: 'recall_recent',
  description:
    'What you remember of the runs that ended in the last days, newest first: what was wanted, the outcome, what was said of it. For a subject instead of a time, memory_recall.',
  input: z.strictObject({
    days: z.number().int().min(1).max(DAYS_MAX).optional().describe('So many days back; 1 if absent.'),
  }),
  tell: async ({ days = 1 }, self) => {
    const fromMs = self.nowMs() - days * DAY_MS;
    const runs = (await self.runs(RUNS_READ)).filter(({ endedAtMs }) => endedAtMs >= fromMs);
    return tellRecent(runs.slice(-RUNS_MAX));
  },
});
