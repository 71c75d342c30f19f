import { manualClock } from '../../../test/support/manual-clock.ts';
import { scripted } from '../../../test/support/agents.ts';
import { unobserved, World } from '../../../test/support/crash-world.ts';
import { config, cycleSpec } from '../../../test/support/cycles.ts';
import { MemoryJournal } from '../../../test/support/memory-journal.ts';
import { describe, expect, it } from 'vitest';
import { parseStructuredKind } from '../infer/structured-kinds.ts';
import { CycleDriver } from './cycle-driver.ts';
import { Oversight } from './oversight.ts';
import type { ModelPort } from '../ports/ports.ts';

const script = String.raw`
version: 1
rules:
  - name: look, twice
    when: {role: executor, turn: {max: 2}}
    answer: {calls: [{tool: look, input: 1}, {tool: look, input: 2}]}
  - name: done
    when: {role: executor}
    answer: {text: done}
`;

/** Moments at which a cycle is cancelled: more than it has. */
const MOMENTS = 120;

/** What began although the cancellation was on the disk. */
async function begunAfterCancel(model: ModelPort, turnsBefore: number): Promise<readonly string[]> {
  const journal = new MemoryJournal();
  const begun: string[] = [];
  const note = (callId: string): void => {
    if (journal.records.some((it) => it.kind === 'CycleCancelled')) begun.push(callId);
  };
  const world = new World();
  const driver = new CycleDriver({
    journal,
    model: {
      ...model,
      infer: (request, options) => {
        note(options.callId);
        return model.infer(request, options);
      },
    },
    executor: {
      execute: (permit) => {
        note(permit.callId);
        return world.execute(permit);
      },
      lookup: (permit) => world.lookup(permit),
      replaces: () => world.replaces(),
      standing: () => world.standing(),
    },
    config,
    oversight: new Oversight(
      unobserved,
      () => 0,
      () => undefined,
    ),
    clock: manualClock(),
    redact: (text) => text,
    holdsSecret: () => false,
    drawNonce: () => 'a1'.repeat(16),
    costUsd: () => 0,
    parseStructured: parseStructuredKind,
    onAsked: () => undefined,
    onWaiting: () => undefined,
    onEnded: () => undefined,
    onFault: (_runId, error) => {
      throw new Error('a fault', { cause: error });
    },
  });
  const { cycleId } = cycleSpec();
  const started = driver.start(cycleSpec());
  for (let turn = 0; turn < turnsBefore; turn += 1) await Promise.resolve();
  await Promise.all([started, driver.cancel(cycleId, 'ann', 'enough')]);
  await new Promise(setImmediate);
  await driver.stop();
  return begun;
}

describe('CycleDriver', () => {
  it('begins nothing once the cancellation is on the disk, whenever it comes', async () => {
    const model = await scripted(script);
    for (let turns = 0; turns < MOMENTS; turns += 1)
      expect(await begunAfterCancel(model, turns), `${turns} turns`).toEqual([]);
  });
});
