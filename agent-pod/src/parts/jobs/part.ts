/** What serves the moments of jobs, and the tools by which the agent keeps its calendar. */
import type { PodPart } from '../pod-part.ts';
import { scheduler } from './scheduler.ts';
import { jobTools } from './tools.ts';

export const jobsPod: PodPart = {
  name: 'jobs',
  tools: jobTools,
  components: ({ clock, parts, jobs }) => [scheduler({ clock, parts, jobs })],
};
