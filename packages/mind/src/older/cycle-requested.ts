import type { Json } from '@retainer/contract/std/canonical-json';
import { changed, withChanged } from './fields.ts';
import { cycleSpec } from './spec.ts';

export function cycleRequestedFrom2(older: Json): Json {
  return changed(older, (fields) => withChanged(fields, 'spec', cycleSpec));
}
