import type { Json } from '@retainer/contract/std/canonical-json';
import { changed, isFields, withChanged } from './fields.ts';
import { labelsAt } from './readers.ts';
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

export const commandAcceptedFrom4 = labelsAt(['command', 'spec', 'label']);

const commandFrom4 = labelsAt(['spec', 'label']);

/** A command of any older version as one of today. */
export function commandOfToday(older: Json): Json {
  return commandFrom4(commandFrom3(commandFrom1(older)));
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
