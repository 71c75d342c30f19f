/** A provider that fails at random, again and again: no run is lost, no whole answer is paid twice, every Task ends as without faults. */
import { parkingModel } from '@retainer/agent-pod/infer/parking-model';
import { retryingModel } from '@retainer/agent-pod/infer/retrying-model';
import { parseScript } from '@retainer/agent-pod/infer/script';
import { scriptedModel } from '@retainer/agent-pod/infer/scripted-model';
import type { ModelAttempter } from '@retainer/agent-pod/infer/model-attempt';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { err } from '@retainer/contract/std/result';
import type { ModelFailureKind } from '@retainer/mind/request/model-request';
import { expect } from 'vitest';
import { play, World } from '../support/crash-world.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { oneChangeRun, oneChangeScript } from '../support/runs.ts';
import { Seeded } from '../support/seeded.ts';
import { isNightly } from '../support/test-size.ts';
import { rushingClock } from '../support/rushing-clock.ts';
import { verifies } from '../verifies.ts';

const RUNS = isNightly ? 400 : 100;

/** Of ten tries, so many fail. */
const FAILING = 5;

const passing: readonly ModelFailureKind[] = ['RateLimited', 'Overloaded', 'Network', 'Timeout'];

interface Provider {
  readonly model: ModelPort;
  /** Answers that arrived whole, by call. */
  readonly paid: Map<string, number>;
  failed: number;
}

function providerOf(seeded: Seeded): Provider {
  const script = parseScript(oneChangeScript);
  if (!script.ok) throw new Error('the script is sound');
  const clock = rushingClock();
  const inner = scriptedModel(script.value, () => clock.monotonicMs());
  const provider = { paid: new Map<string, number>(), failed: 0 };
  const adapter: ModelAttempter = {
    name: inner.name,
    attempt: async (request, context) => {
      if (seeded.below(10) < FAILING) {
        provider.failed += 1;
        const kind = passing[seeded.below(passing.length)] ?? 'Network';
        const asks = [0, seeded.below(2000), seeded.below(3_600_000)][seeded.below(6)];
        // Some are cut after they began, and some never begin.
        if (kind === 'Network' && seeded.below(3) === 0) context.progress();
        if (kind === 'Timeout' && seeded.below(2) === 0) return new Promise(() => undefined);
        return err({ kind, message: 'out', ...(asks === undefined ? {} : { retryAfterMs: asks }) });
      }
      const { paid } = provider;
      paid.set(context.callId, (paid.get(context.callId) ?? 0) + 1);
      return inner.attempt(request, context);
    },
  };
  const surroundings = { clock, random: () => seeded.below(100) / 100 };
  return Object.assign(provider, { model: parkingModel(retryingModel(adapter, surroundings), surroundings) });
}

function withStandIn(spec: ReturnType<typeof oneChangeRun>): ReturnType<typeof oneChangeRun> {
  const fallback = { tier: 'Fast', model: 'other' } as const;
  const { Perceiver, Executor } = spec.roles;
  const roles = { Perceiver: { ...Perceiver, fallback }, Executor: { ...Executor, fallback } };
  return { ...spec, roles: { ...spec.roles, ...roles } };
}

verifies(
  'loop:outages-lose-nothing',
  `${RUNS} runs end as without faults, and no whole answer is paid twice`,
  async () => {
    let parked = 0;
    let failed = 0;
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const provider = providerOf(new Seeded(seed));
      const [journal, world] = [new MemoryJournal(), new World()];
      // Every second run has a model that stands in.
      const spec = seed % 2 === 0 ? oneChangeRun('r') : withStandIn(oneChangeRun('r'));
      await play(journal, world, provider.model, [{ originId: 'task:r', command: { type: 'StartRun', spec } }]);
      expect(
        world.deliveries.map(({ body }) => body.outcome),
        `seed ${seed}`,
      ).toEqual(['Succeeded']);
      expect([...provider.paid.values()], `seed ${seed}`).toEqual([...provider.paid.keys()].map(() => 1));
      expect(
        journal.records.filter(({ kind }) => kind === 'ToolRequested'),
        `seed ${seed}`,
      ).toHaveLength(1);
      parked += journal.records.filter(({ kind }) => kind === 'Parked').length;
      failed += provider.failed;
    }
    // Else nothing was tried here.
    expect(parked).toBeGreaterThan(RUNS / 10);
    expect(failed).toBeGreaterThan(RUNS);
  },
);
