/** A run whose gates ask models, killed after each record. */
import { beforeAll, describe, expect, it } from 'vitest';
import { err } from '@retainer/contract/std/result';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { scripted } from '../support/agents.ts';
import { crashLabel, expectNoEffectTwice, expectOneDelivery } from '../support/crash-labels.ts';
import { crashPoints, play, World, worldAt, type Arrival } from '../support/crash-world.ts';
import { cycleSpec } from '../support/cycles.ts';
import { DOUBTFUL } from '../support/gate-inquiries.ts';
import { GATE_RULES } from '../support/gate-rules.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { oneChangeScript, runSpec } from '../support/runs.ts';
import { gates, scoredConfig } from '../support/scored-cycle.ts';
import { verifies } from '../verifies.ts';

const { gate } = scoredConfig;

function startRun(runId = 'r'): readonly Arrival[] {
  const limits = { ...cycleSpec().limits, tokens: 100_000, wallClockMs: 600_000 };
  // The rules doubt these words, so they are probed and scored.
  const words = { intent: DOUBTFUL, input: DOUBTFUL };
  const spec = runSpec({ runId, gates, characterDigest: gate.characterDigest, ...words }, ['change'], { limits });
  return [{ originId: `task:${runId}`, command: { type: 'StartRun', spec } }];
}

function askIds(journal: MemoryJournal): readonly string[] {
  return journal.records.flatMap(({ kind, payload }) =>
    kind === 'GateProbeRequested' || kind === 'GateScoreRequested' ? [(payload as { askId: string }).askId] : [],
  );
}

describe('a scored run', () => {
  let model: ModelPort;
  const whole = new MemoryJournal();
  const end = new World();
  end.gate = gate;

  beforeAll(async () => {
    model = await scripted(`${oneChangeScript}${GATE_RULES}\n`);
    await play(whole, end, model, startRun());
  });

  it('is scored at every gate, and done', () => {
    expect(end.deliveries.map((it) => it.body.outcome)).toEqual(['Succeeded']);
    expect(askIds(whole)).toContain('r-c1-t1-score');
    expect(askIds(whole).filter((id) => id.endsWith('-probe')).length).toBeGreaterThan(0);
    const unscored = whole.records.filter(
      ({ kind, payload }) => kind === 'GateScored' && JSON.stringify(payload).includes('"available":false'),
    );
    expect(unscored).toEqual([]);
  });

  verifies('gate:probes-degraded', 'goes on where the probe model is never to be had', async () => {
    const world = new World();
    world.gate = gate;
    const journal = new MemoryJournal();
    const failure = { kind: 'Timeout', message: 'too late', attempts: 1, latencyMs: 1 } as const;
    const mute: ModelPort = {
      ...model,
      infer: (request, options) =>
        request.role.startsWith('gate-probe-') ? Promise.resolve(err(failure)) : model.infer(request, options),
    };
    await play(journal, world, mute, [...startRun('r'), ...startRun('s')]);
    expect(world.deliveries.map((it) => it.body.outcome)).toEqual(['Succeeded', 'Succeeded']);
    expect(askIds(journal).filter((id) => id.endsWith('-probe')).length).toBeGreaterThanOrEqual(3);
  });

  verifies('run:scored-restarts', 'ends once from every prefix of its record', async () => {
    for (const length of crashPoints(whole.records)) {
      const prefix = whole.records.slice(0, length);
      const label = crashLabel(prefix);
      const journal = new MemoryJournal(prefix);
      const world = worldAt(prefix, end, 'DoneAndKnown');
      world.gate = gate;
      await play(journal, world, model, startRun());
      expectOneDelivery(world, label);
      expectNoEffectTwice(world, label);
      expect(askIds(journal), label).toEqual([...new Set(askIds(journal))]);
    }
  });
});
