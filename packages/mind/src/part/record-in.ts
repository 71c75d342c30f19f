import type { z } from 'zod';
import type { PartRecord, PartStore } from './store.ts';

/** A record for a store, with the types of its kind. @param of  what its head names beside it */
export function recordIn<S extends PartStore, K extends keyof S['kinds'] & string>(
  { name }: S,
  kind: K,
  payload: z.infer<S['kinds'][K]>,
  of: Pick<PartRecord, 'by' | 'runId' | 'cycleId'> = {},
): PartRecord<S['name'], K, z.infer<S['kinds'][K]>> {
  return { store: name, kind, payload, ...of };
}
