import type { Json } from '@retainer/contract/std/canonical-json';
import { changed, withChanged } from './fields.ts';
import { runSpec } from './spec.ts';

/** The command that starts a run holds its spec. */
export function commandAcceptedFrom1(older: Json): Json {
  return changed(older, (fields) =>
    withChanged(fields, 'command', (command) => changed(command, (of) => withChanged(of, 'spec', runSpec))),
  );
}
