import type { Json } from '@retainer/contract/std/canonical-json';
import { summaryOf } from '../parts/artifacts/artifacts.ts';
import { changed } from './fields.ts';

/** Version 1 had no summary and no mark of a cut. Of the few outputs that were larger than what is kept, nobody knows it any more. */
export function artifactKeptFrom1(older: Json): Json {
  return changed(older, (fields) => {
    const { text } = fields;
    return typeof text === 'string' ? { ...fields, summary: summaryOf(text), truncated: false } : fields;
  });
}
