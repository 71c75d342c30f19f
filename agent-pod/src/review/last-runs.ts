/** What a changed character would have decided otherwise in the newest runs of the record: for people, within bounds. */
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import type { Clock } from '@retainer/contract/std/clock';
import type { JournalReader } from '@retainer/journal/journal';
import type { Compared } from '@retainer/mind/cycle/character-change';
import { replayGates } from './replay-run.ts';
import { listRuns } from './run-records.ts';

/** Enough to see whether an edit matters; each one is a pass over the record. */
const RUNS_MAX = 10;
/** No further run is begun after this time: open Tasks wait meanwhile. */
const TIME_MAX_MS = 2000;

/** @returns the sums over the runs that were looked at; none if the record cannot be replayed */
export async function compareLastRuns(
  reader: JournalReader,
  character: CharacterSpec,
  clock: Pick<Clock, 'monotonicMs'>,
): Promise<Compared> {
  const startMs = clock.monotonicMs();
  const sums = { runs: 0, decisions: 0, otherwise: 0 };
  for (const { runId } of (await listRuns(reader)).slice(-RUNS_MAX).toReversed()) {
    if (clock.monotonicMs() - startMs > TIME_MAX_MS) break;
    const gates = await replayGates(reader, runId, character);
    if (!gates.ok) break;
    sums.runs += 1;
    sums.decisions += gates.value.compared;
    sums.otherwise += gates.value.differences.length;
  }
  return sums;
}
