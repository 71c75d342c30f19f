/** Three runs with a dream after each, killed after any record of them and taken up again. */
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { beforeAll, describe, expect } from 'vitest';
import { scripted } from '../support/agents.ts';
import { crashLabel, expectNoEffectTwice } from '../support/crash-labels.ts';
import { World, worldAt, makeRuntime } from '../support/crash-world.ts';
import { draftsRules, draftsRun, sheets } from '../support/drafts-life.ts';
import { remembered, StrictJournal, DREAM_MS } from '../support/dreamt-memory.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { bySize } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';
import { foldRecord } from '@retainer/agent-pod/loop/fold-record';
import type { RunTelemetry } from '@retainer/mind/parts/narrative/run-telemetry';
import { Projections } from '@retainer/mind/projections/projections';
import { archivist } from '../support/archivist.ts';
import { manualClock } from '../support/manual-clock.ts';
import { trusted } from '../support/tended-memory.ts';

/** Every so many records one crash, and after each answer: there, a part of what follows from it may be on record already. */
const STRIDE = bySize({ quick: 16, check: 4, nightly: 1 });
const ANSWERS = ['MemoryRecalled', 'DreamAnswered'];

/** Some forty times what a quiet machine takes for every record. */
const ALL_MS = 600_000;

describe('three runs with a dream after each', () => {
  let model: ModelPort;
  const whole = new StrictJournal();
  const end = new World();

  beforeAll(async () => {
    model = await scripted(draftsRules);
    const filled = new MemoryJournal();
    await filled.append(remembered);
    whole.records.push(...filled.records);
    await liveDreaming(whole, end, model);
  }, ALL_MS);

  verifies('dream:crash-between', 'find something to change each time, and delivered three replies', () => {
    expect(whole.records.filter(({ kind }) => kind === 'DreamEnded')).toHaveLength(dreamtRuns.length);
    expect(end.deliveries).toHaveLength(dreamtRuns.length);
  });

  verifies(
    'dream:crash-between',
    'come to the same from every prefix of their record',
    async () => {
      const after = await projectionsIn(whole);
      for (let length = remembered.length; length <= whole.records.length; length += 1) {
        const prefix = whole.records.slice(0, length);
        const isTried = length % STRIDE === 0 || ANSWERS.includes(prefix.at(-1)?.kind ?? '');
        if (!isTried && length < whole.records.length) continue;
        const journal = new StrictJournal(prefix);
        const world = worldAt(prefix, end, 'DoneAndKnown');
        await liveDreaming(journal, world, model);
        const label = crashLabel(prefix);
        expect(await projectionsIn(journal), label).toEqual(after);
        expectNoEffectTwice(world, label);
        expect(
          world.deliveries.map(({ deliveryId }) => deliveryId),
          label,
        ).toEqual(end.deliveries.map(({ deliveryId }) => deliveryId));
      }
    },
    ALL_MS,
  );
});

/** Three runs with a dream after each, in one process or in several, and what every projection of their record comes to. */
const dreamtRuns = sheets.slice(0, 3);

/** From one run to the next. */
const STEP_MS = 3_600_000;

/**
 * From wherever the record stands to the end of the last dream. A run and its dream have a moment of their own, so that it does not
 * matter which process dreams.
 */
async function liveDreaming(journal: MemoryJournal, world: World, model: ModelPort): Promise<void> {
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
async function projectionsIn(journal: MemoryJournal): Promise<Readonly<Record<string, unknown>>> {
  const projections = new Projections();
  await foldRecord(journal, projections, 0);
  const rows = projections.rows.map(({ name, projection, state }) => [name, projection.keep(state)?.form]);
  const text = JSON.stringify(Object.fromEntries(rows), (key, value: unknown) =>
    key === 'telemetry' ? { ...(value as RunTelemetry), modelCalls: undefined } : value,
  );
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}
