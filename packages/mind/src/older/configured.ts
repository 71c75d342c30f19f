import type { Json } from '@retainer/contract/std/canonical-json';
import { changed } from './fields.ts';
import { FIRST_DECIDERS } from './first-deciders.ts';

/** Of the gates' rules, from before their versions were numbered. */
const FIRST_RULES = 0;

export function configuredFrom1(older: Json): Json {
  return changed(older, (fields) => ({ gateRules: FIRST_RULES, deciders: FIRST_DECIDERS, ...fields }));
}
