/** Tools by which the agent looks at itself, and figures of what it is told of itself. */
import { reflect } from './reflect.ts';
import { introspect } from './introspect.ts';
import { listRecentCycles } from './list-recent-cycles.ts';
import { inspectCycle } from './inspect-cycle.ts';
import { reviewRecent } from './review-recent.ts';
import { detectPatternsTool } from './detect-patterns.ts';
import { queryToolActivity } from './query-tool-activity.ts';
import { listAffectHistory } from './list-affect-history.ts';
import { reportFalsePositive } from './report-false-positive.ts';
import type { PodPart } from '../pod-part.ts';
import { preambleMetrics } from './preamble-metrics.ts';

export const selfPod: PodPart = {
  name: 'self',
  tools: [
    reflect,
    introspect,
    listRecentCycles,
    inspectCycle,
    reviewRecent,
    detectPatternsTool,
    queryToolActivity,
    listAffectHistory,
    reportFalsePositive,
  ],
  metrics: preambleMetrics,
};
