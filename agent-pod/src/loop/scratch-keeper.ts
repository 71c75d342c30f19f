/** Archives a run, tells parts of its end, and clears what its programs left in directories for scratch, with a record. */
import { endsOfParts } from '@retainer/mind/parts/derived';
import { requestOf } from '@retainer/mind/run/handed-on';
import { scratchOf, type Scratch } from '@retainer/mind/parts/files/scratch';
import { callsOf, endedRoleCycles, type RunState } from '@retainer/mind/run/state';
import { totalTokens } from '@retainer/mind/cycle/state';
import type { RunEnd } from '@retainer/mind/part/part';
import type { AgentMemory } from './agent-memory.ts';
import type { ArchiveDriver } from './archive-driver.ts';
import type { CycleDriver } from './cycle-driver.ts';

export interface ScratchParts {
  /** Removes them; see `clear-scratch.ts`. Absent: they stay. */
  readonly clearScratch?: (scratch: Scratch) => Promise<Cleared>;
  readonly onNotice?: (notice: string) => void;
}

interface Archiving {
  readonly memory: AgentMemory;
  readonly archives: Pick<ArchiveDriver, 'open'>;
  readonly cycles: Pick<CycleDriver, 'inWorkspace'>;
}

interface Cleared {
  /** Of files and links, relative to the workspace. */
  readonly paths: readonly string[];
  readonly bytes: number;
}

/** Twice is safe: what is gone is not there for a second time. If the disk fails, scratch stays and the run ends all the same. */
export async function archiveAndClear(
  state: RunState,
  { memory, archives, cycles }: Archiving,
  { clearScratch, onNotice }: ScratchParts,
): Promise<void> {
  await archives.open(state);
  await memory.writeAny('Archivist', endsOfParts(memory.known, endOf(state)));
  const { runId } = state.spec;
  const { files, additions } = memory.known;
  const scratch = scratchOf(files, additions, { runId, asked: requestOf(state), told: toldBy(state) });
  // Its programs add nothing more.
  additions.delete(runId);
  if (scratch === undefined || clearScratch === undefined) return;
  await cycles.inWorkspace(runId, async () => {
    const cleared = await clearScratch(scratch).catch((error: unknown) => {
      onNotice?.(`the scratch files of run ${runId} cannot be cleared: ${String(error)}`);
    });
    if (cleared !== undefined) await record(memory, { runId, scratch, ...cleared });
  });
}

function endOf(state: RunState): RunEnd {
  const { spec, concluded } = state;
  const calls = callsOf(state).map(({ tool, status }) => ({ tool, isOk: status === 'Ok' }));
  const cycleIds = endedRoleCycles(state, 'Executor').flatMap(({ end }) => end?.cycleId ?? []);
  const of = { runId: spec.runId, cycleIds, tokens: totalTokens(state.usage) };
  return { ...of, outcome: concluded?.outcome ?? 'Failed', summary: concluded?.summary ?? '', calls };
}

/** The words of its result. The list of its files is none: it has every file that a program wrote. */
function toldBy({ concluded }: RunState): string {
  if (concluded === undefined) return '';
  const { summary, reasons, unmet, criteria } = concluded;
  return [summary, ...reasons, ...unmet, ...criteria.map(({ text, reason }) => `${text} ${reason}`)].join('\n');
}

async function record(
  memory: AgentMemory,
  { runId, scratch, paths, bytes }: Cleared & { readonly runId: string; readonly scratch: Scratch },
): Promise<void> {
  if (paths.length === 0) return;
  const forgotten = paths.filter((path) => memory.known.files.has(path));
  await memory.write('Runtime', [
    ...forgotten.map((path) => ({ store: 'file', kind: 'FileForgotten', payload: { path }, runId }) as const),
    {
      ...{ store: 'file', kind: 'ScratchCleared', runId },
      payload: { directories: [...scratch.directories], files: paths.length, bytes },
    },
  ]);
}
