/** The label of each file of the workspace, and what programs left there. */
import { definePart, defineCommand, Reason } from '../../part/part.ts';
import { recordIn } from '../../part/record-in.ts';
import { defineStore } from '../../part/store.ts';
import { fileKinds, files } from './files.ts';
import { additions } from './run-additions.ts';

const store = defineStore({
  name: 'file',
  durability: 'durable',
  kinds: fileKinds,
  writers: {
    Runtime: ['FileForgotten', 'ScratchCleared'],
    Tools: ['FileRecorded', 'FileForgotten', 'ProgramAdded'],
    Manifests: ['FileRecorded'],
    Person: ['FileTrusted'],
  },
});

/** A person's word about the bytes of a file. The same word again changes nothing. */
const trust = defineCommand({
  schema: fileKinds.FileTrusted.omit({ by: true }).extend({ reason: Reason }),
  isOverPodsExec: true,
  decide: (_known, { path, digest, isLink, sizeBytes, trusted, reason, by }) => {
    const kind = isLink === undefined ? {} : { isLink };
    return [recordIn(store, 'FileTrusted', { path, digest, ...kind, sizeBytes, trusted, by, reason }, { by })];
  },
});

export const filesPart = definePart({
  name: 'files',
  stores: [store],
  projections: { files, additions },
  commands: { TrustFile: trust },
});
