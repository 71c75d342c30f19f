/**
 * What the programs of each open run added to the workspace: a projection of the store `file`. A run has one budget for its whole
 * life, however often the agent starts meanwhile.
 *
 * I1  Each call counts once.
 */
import { fileKinds } from './files.ts';
import { defineProjection, emptyAtRest, omitEach } from '../../part/projection.ts';

export interface RunAdditions {
  readonly files: number;
  readonly bytes: number;
  readonly calls: ReadonlySet<string>;
  /** Directories for scratch that its programs made. */
  readonly scratch: ReadonlySet<string>;
}

/** By run. */
export type Additions = Map<string, RunAdditions>;

const nothing: RunAdditions = { files: 0, bytes: 0, calls: new Set(), scratch: new Set() };

export const additions = defineProjection({
  store: 'file',
  kinds: fileKinds,
  start: (): Additions => new Map(),
  folds: {
    ...omitEach(fileKinds, 'it is about one file, which a program may have had before'),
    ProgramAdded: (state, { callId, files, bytes, scratch = [] }, { runId }) => {
      const before = runId === undefined ? undefined : (state.get(runId) ?? nothing);
      if (runId === undefined || before === undefined || before.calls.has(callId)) return;
      state.set(runId, {
        files: before.files + files,
        bytes: before.bytes + bytes,
        calls: new Set([...before.calls, callId]),
        scratch: new Set([...before.scratch, ...scratch]),
      });
    },
  },
  window: 'OpenRuns',
  cached: emptyAtRest,
});
