import type { Json } from '@retainer/contract/std/canonical-json';
import { changed } from './fields.ts';
import { unknownLabel } from './unknown-label.ts';

/** Nobody knows what a value of version 1 rests on. It holds for all runs, as it did. */
const claimed = { scope: 'Persistent', confidence: 0.5, derivation: 'Unknown', evidence: [] } as const;

export function factWrittenFrom1(older: Json): Json {
  return changed(older, (fields) => ({ ...fields, ...claimed }));
}

/** Version 2 may have no label. */
export function factWrittenFrom2(older: Json): Json {
  return changed(older, (fields) => ({ label: unknownLabel('Memory'), ...fields }));
}
