import type { Json } from '@retainer/contract/std/canonical-json';
import { changed, isFields, withChanged } from './fields.ts';
import { runSpec } from './spec.ts';

/** The command that starts a run holds its spec. */
export function commandAcceptedFrom1(older: Json): Json {
  return changed(older, (fields) => withChanged(fields, 'command', commandFrom1));
}

/** What people said of memory was one command with a change in it; each change is a command now. */
export function commandFrom1(older: Json): Json {
  return changed(older, ({ change, ...said }) => {
    if (!isFields(change))
      return withChanged({ ...said, ...(change === undefined ? {} : { change }) }, 'spec', runSpec);
    const { what = '', ...fields } = change;
    return { ...said, ...fields, type: what };
  });
}
