/** The tool that reads pages. */
import { fetchUrl } from './fetch-url.ts';
import type { PodPart } from '../pod-part.ts';

export const webPod: PodPart = {
  name: 'web',
  tools: [fetchUrl],
};
