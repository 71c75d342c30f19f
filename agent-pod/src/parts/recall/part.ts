/** Tools that find what the agent remembers. */
import { memoryRecall } from './memory-recall.ts';
import { recallRecent } from './recall-recent.ts';
import { recallThreads } from './recall-threads.ts';
import { recallCases } from './recall-cases.ts';
import { memoryTrace } from './memory-trace.ts';
import type { PodPart } from '../pod-part.ts';

export const recallPod: PodPart = {
  name: 'recall',
  tools: [memoryRecall, recallRecent, recallThreads, recallCases, memoryTrace],
};
