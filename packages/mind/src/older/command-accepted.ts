import type { Json } from '@retainer/contract/std/canonical-json';
import { changed, isFields, withChanged } from './fields.ts';
import { runSpec, runSpecWithCause } from './spec.ts';

/** The command that starts a run holds its spec. */
export function commandAcceptedFrom1(older: Json): Json {
  return changed(older, (fields) => withChanged(fields, 'command', commandFrom1));
}

export function commandAcceptedFrom3(older: Json): Json {
  return changed(older, (fields) => withChanged(fields, 'command', commandFrom3));
}

function commandFrom3(older: Json): Json {
  return changed(older, (said) => withChanged(said, 'spec', runSpecWithCause));
}

/** A command of any older version as one of today. */
export function commandOfToday(older: Json): Json {
  return commandFrom3(commandFrom1(older));
}

/** What people said of memory was one command with a change in it; each change is a command now. */
function commandFrom1(older: Json): Json {
  return changed(older, ({ change, ...said }) => {
    if (!isFields(change))
      return withChanged({ ...said, ...(change === undefined ? {} : { change }) }, 'spec', runSpec);
    const { what = '', ...fields } = change;
    return { ...said, ...fields, type: what };
  });
}
