/** Three runs with a dream after each, in one process or in several, and what every projection of their record comes to. */
import { foldRecord } from '@retainer/agent-pod/loop/fold-record';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import type { RunTelemetry } from '@retainer/mind/parts/narrative/run-telemetry';
import { Projections } from '@retainer/mind/projections/projections';
import { archivist } from './archivist.ts';
import { makeRuntime, type World } from './crash-world.ts';
import { draftsRun, sheets } from './drafts-life.ts';
import { DREAM_MS } from './dreamt-memory.ts';
import { manualClock } from './manual-clock.ts';
import type { MemoryJournal } from './memory-journal.ts';
import { trusted } from './tended-memory.ts';

export const dreamtRuns = sheets.slice(0, 3);

/** From one run to the next. */
const STEP_MS = 3_600_000;

/**
 * From wherever the record stands to the end of the last dream. A run and its dream have a moment of their own, so that it does not
 * matter which process dreams.
 */
export async function liveDreaming(journal: MemoryJournal, world: World, model: ModelPort): Promise<void> {
  world.label = trusted;
  const ended = journal.records.filter(({ kind }) => kind === 'DreamEnded').length;
  // The last one is tried again where nothing is left to do: it has to find that.
  const begun = Math.min(ended, dreamtRuns.length - 1);
  const clock = manualClock(DREAM_MS + begun * STEP_MS);
  const runtime = makeRuntime({ journal, world, model, clock, archivist });
  await runtime.start();
  for (const [at, [runId, intent]] of dreamtRuns.slice(begun).entries()) {
    if (at > 0) clock.advance(STEP_MS);
    await runtime.accept(`task:${runId}`, 'test', { type: 'StartRun', spec: draftsRun(runId, intent) });
    const isClosed = journal.records.some((it) => it.kind === 'RunClosed' && it.runId === runId);
    if (!isClosed) await runtime.closed(runId);
    await runtime.archived();
    await runtime.dream('Run');
  }
  await runtime.stop();
}

/** Each row of the table of projections, as a start would find it. A call that a crash lost is counted, since it was paid for. */
export async function projectionsIn(journal: MemoryJournal): Promise<Readonly<Record<string, unknown>>> {
  const projections = new Projections();
  await foldRecord(journal, projections, 0);
  const rows = projections.rows.map(({ name, projection, state }) => [name, projection.keep(state)?.form]);
  const text = JSON.stringify(Object.fromEntries(rows), (key, value: unknown) =>
    key === 'telemetry' ? { ...(value as RunTelemetry), modelCalls: undefined } : value,
  );
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}
