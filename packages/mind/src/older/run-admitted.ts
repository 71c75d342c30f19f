import type { Json } from '@retainer/contract/std/canonical-json';
import { changed, withChanged } from './fields.ts';
import { FIRST_DECIDERS } from './first-deciders.ts';
import { nonceOf } from './nonce.ts';
import { runSpec, runSpecWithCause } from './spec.ts';

/** Nobody looked around before the run: any file may have stood there. */
const unseen = { files: [], isWhole: false } as const;

export function runAdmittedFrom1(older: Json): Json {
  return changed(older, (fields) => ({
    nonce: nonceOf(older),
    stood: unseen,
    messagePassing: 'Received',
    deciders: FIRST_DECIDERS,
    ...withChanged(fields, 'spec', runSpec),
  }));
}

export function runAdmittedFrom3(older: Json): Json {
  return changed(older, (fields) => withChanged(fields, 'spec', runSpecWithCause));
}
