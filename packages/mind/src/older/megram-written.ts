import type { Json } from '@retainer/contract/std/canonical-json';
import { changed } from './fields.ts';
import { unknownLabel } from './unknown-label.ts';

/** Version 1 may have no label. */
export function megramWrittenFrom1(older: Json): Json {
  return changed(older, (fields) => ({ label: unknownLabel('Memory'), ...fields }));
}
