import type { Json } from '@retainer/contract/std/canonical-json';
import { changed, withChanged } from './fields.ts';
import { FIRST_DECIDERS } from './first-deciders.ts';
import { nonceOf } from './nonce.ts';
import { cycleSpec } from './spec.ts';

export function cycleStartedFrom1(older: Json): Json {
  return changed(older, (fields) => ({
    nonce: nonceOf(older),
    deciders: FIRST_DECIDERS,
    ...withChanged(fields, 'spec', cycleSpec),
  }));
}
