/** Whether a record is about one remembered thing. */
import type { Recorded } from './projection.ts';

/** Stores that memory consists of. */
export const REMEMBERING_STORES = ['fact', 'megram', 'narrative', 'thread', 'case', 'artifact', 'affect'] as const;

/** @param id  `fact:KEY`, or the id of a megram, a run, a case or an artifact */
export function isAbout({ store, runId, payload }: Recorded, id: string): boolean {
  const named = payload as {
    readonly key?: unknown;
    readonly caseId?: unknown;
    readonly artifactId?: unknown;
    readonly ids?: unknown;
    readonly into?: unknown;
    readonly id?: unknown;
    readonly megram?: { readonly id?: unknown };
  };
  if (store === 'fact') return `fact:${String(named.key)}` === id;
  if (store === 'narrative' || store === 'thread' || store === 'affect') return runId === id;
  if (store === 'artifact') return runId === id || named.artifactId === id;
  const ids = [named.caseId, named.megram?.id, named.id, named.into, ...(Array.isArray(named.ids) ? named.ids : [])];
  return ids.includes(id);
}
