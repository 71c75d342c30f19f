/** Three runs with a dream after each, killed after any record of them and taken up again. */
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { beforeAll, describe, expect } from 'vitest';
import { scripted } from '../support/agents.ts';
import { crashLabel, expectNoEffectTwice } from '../support/crash-labels.ts';
import { World, worldAt } from '../support/crash-world.ts';
import { draftsRules } from '../support/drafts-life.ts';
import { remembered, StrictJournal } from '../support/dreamt-memory.ts';
import { dreamtRuns, liveDreaming, projectionsIn } from '../support/dreamt-runs.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { bySize } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

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
