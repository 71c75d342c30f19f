/** Tools that write and read the agent's claims. */
import { memoryWrite } from './memory-write.ts';
import { memoryRead } from './memory-read.ts';
import type { PodPart } from '../pod-part.ts';

export const factsPod: PodPart = {
  name: 'facts',
  tools: [memoryWrite, memoryRead],
};
