/** A person's word that a run which is set aside is tried again. */
import type { PodPart } from '../pod-part.ts';

export const asidePod: PodPart = {
  name: 'aside',
  carries: { RetryRun: (machines, { runId, by }) => machines.tryAgain(runId, by) },
};
