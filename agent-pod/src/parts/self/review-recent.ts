import { z } from 'zod';
import { isReviewed, REVIEWED_OUTCOMES, tellReview } from '@retainer/mind/self/runs';
import { RUNS_READ, selfTool } from '../../tools/self-tool.ts';

const RUNS_MAX = 20;

export const reviewRecent = selfTool({
  name: 'review_recent',
  description:
    'Your newest runs in figures, the newest first: outcome, domain, agents, tools and their failures, what gates rejected, criteria, models, tokens.',
  input: z.strictObject({
    count: z.number().int().min(1).max(RUNS_MAX).optional().describe('10 if absent.'),
    domain: z.string().min(1).optional().describe('Only runs of this domain.'),
    outcome: z.enum(REVIEWED_OUTCOMES).optional().describe('Only runs that ended so.'),
    agent: z.string().min(1).optional().describe('Only runs that it worked in: executor, or a worker.'),
  }),
  tell: async ({ count = 10, ...filter }, self) => {
    const runs = (await self.runs(RUNS_READ)).filter((run) => isReviewed(run, filter));
    return tellReview(runs.slice(-count));
  },
});
