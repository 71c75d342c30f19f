import type { Json } from '@retainer/contract/std/canonical-json';
import { changed } from './fields.ts';

/** The purpose of a cycle was once called its errand. */
export function withPurpose(older: Json): Json {
  return changed(older, (fields) => {
    if (!('errand' in fields)) return fields;
    const { errand, ...rest } = fields;
    return errand === undefined ? rest : { ...rest, purpose: errand };
  });
}
