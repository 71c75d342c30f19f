/** A run in which the program throws must not stop the agent, nor the runs beside it. */
import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '@retainer/journal/journal';
import { tellRun } from '@retainer/agent-pod/review/tell-records';
import { scripted } from '../support/agents.ts';
import { makeRuntime, World } from '../support/crash-world.ts';
import { config } from '../support/cycles.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { oneChangeRun, oneChangeScript } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

type Runtime = ReturnType<typeof makeRuntime>;
type Gate = typeof config.gate;

/** A bug of the deciders that one run meets. */
function brokenGate(): Gate {
  return {
    ...config.gate,
    next: (inquiry) => {
      if (JSON.stringify(inquiry.subject).includes('POISON')) throw new TypeError('a secret of the prompt');
      return config.gate.next(inquiry);
    },
  };
}

/** A bug of an effect that one run meets. */
class BrokenWorld extends World {
  override execute(permit: Parameters<World['execute']>[0]): ReturnType<World['execute']> {
    return permit.cycleId.startsWith('bad') ? Promise.reject(new TypeError('boom')) : super.execute(permit);
  }
}

class Life {
  journal = new MemoryJournal();
  readonly world: World;
  readonly faults: unknown[] = [];
  readonly notices: string[] = [];

  constructor(world = new World()) {
    this.world = world;
  }

  async open(gate: Gate, version = '1.0.0'): Promise<Runtime> {
    const { journal, world } = this;
    const runtime = makeRuntime({
      journal,
      world,
      model: await scripted(oneChangeScript),
      gate,
      version,
      onFault: (error) => this.faults.push(error),
      onNotice: (notice) => this.notices.push(notice),
    });
    await runtime.start();
    return runtime;
  }

  /** The same record, in a process that knows nothing else. */
  kill(): void {
    const { records } = this.journal;
    this.journal.mode = 'Degraded';
    this.journal = new MemoryJournal(records);
  }

  records(kind: string): readonly JournalRecord[] {
    return this.journal.records.filter((it) => it.kind === kind);
  }
}

function submit(runtime: Runtime, runId: string): Promise<boolean> {
  const words = runId === 'bad' ? { intent: 'POISON', input: 'POISON' } : {};
  const spec = { ...oneChangeRun(runId), ...words };
  return runtime.accept(`task:${runId}`, 'test', { type: 'StartRun', spec });
}

function person(runtime: Runtime, type: 'RetryRun' | 'CancelRun', runId: string): Promise<boolean> {
  return runtime.accept(`${type}:${runId}`, 'test', { type, runId, by: 'ann', reason: 'enough' });
}

const outcomes = ({ world }: Life): readonly string[] => world.deliveries.map((it) => `${it.runId} ${it.body.outcome}`);

describe('a run in which the program throws', () => {
  const faults: readonly (readonly [string, () => Life, () => Gate])[] = [
    ['a decider', () => new Life(), brokenGate],
    ['an effect', () => new Life(new BrokenWorld()), () => config.gate],
  ];

  for (const [name, begin, gate] of faults)
    verifies('loop:run-set-aside', `${name}: is set aside, and the others go on`, async () => {
      const life = begin();
      const runtime = await life.open(gate());
      await submit(runtime, 'bad');
      await submit(runtime, 'good');
      await expect(runtime.closed('bad')).rejects.toThrow(/run bad is set aside.*retainer retry/);
      expect((await runtime.closed('good')).concluded?.outcome).toBe('Succeeded');
      expect(runtime.asideRuns()).toMatchObject([{ runId: 'bad', task: { name: 'bad' } }]);
      expect(life.faults).toEqual([]);
      const [record] = life.records('RunSetAside');
      expect(record?.payload).toMatchObject({ runId: 'bad', version: '1.0.0' });
      expect(JSON.stringify(record?.payload)).toMatch(/TypeError/);
      expect(JSON.stringify(record?.payload)).not.toContain('secret of the prompt');
      expect(life.notices).toEqual([expect.stringMatching(/^run bad is set aside, because the program failed in it/)]);
      await runtime.stop();
    });

  verifies('loop:run-set-aside', 'stays aside over restarts, and does not hinder one', async () => {
    const life = new Life();
    const first = await life.open(brokenGate());
    await submit(first, 'bad');
    await expect(first.closed('bad')).rejects.toThrow(/set aside/);
    for (let start = 0; start < 3; start += 1) {
      life.kill();
      const runtime = await life.open(brokenGate());
      expect(runtime.asideRuns()).toMatchObject([{ runId: 'bad', task: { name: 'bad' } }]);
      await submit(runtime, `good-${start}`);
      await runtime.closed(`good-${start}`);
      await runtime.stop();
    }
    expect(life.records('RunSetAside')).toHaveLength(1);
    expect(life.faults).toEqual([]);
  });

  verifies('loop:run-set-aside', 'is tried again by a new version, and by a person', async () => {
    const life = new Life();
    const first = await life.open(brokenGate());
    await submit(first, 'bad');
    await expect(first.closed('bad')).rejects.toThrow(/set aside/);
    expect(await person(first, 'RetryRun', 'bad')).toBe(true);
    await expect(first.closed('bad')).rejects.toThrow(/set aside/);
    expect(life.records('RunSetAside')).toHaveLength(2);
    life.kill();
    const second = await life.open(config.gate, '1.0.1');
    await second.closed('bad');
    expect(outcomes(life)).toEqual(['bad Succeeded']);
    expect(life.records('RunTriedAgain').map(({ payload }) => payload)).toEqual([
      { runId: 'bad', version: '1.0.0', by: 'ann' },
      { runId: 'bad', version: '1.0.1' },
    ]);
    await second.stop();
  });

  verifies('loop:run-set-aside', 'can be cancelled, is delivered as such, and is never tried again', async () => {
    const life = new Life();
    const first = await life.open(brokenGate());
    await submit(first, 'bad');
    await expect(first.closed('bad')).rejects.toThrow(/set aside/);
    await person(first, 'CancelRun', 'bad');
    expect(outcomes(life)).toEqual(['bad Cancelled']);
    life.kill();
    const second = await life.open(config.gate, '2.0.0');
    expect(second.asideRuns()).toEqual([]);
    expect(second.openRuns()).toEqual([]);
    expect(life.records('RunTriedAgain')).toEqual([]);
    const story = tellRun(life.journal.records.filter((it) => it.runId === 'bad'));
    const told = story?.steps.map(({ text }) => text).join('\n');
    expect(told).toMatch(/set aside.*TypeError/);
    expect(told).toMatch(/ann gave the run up: enough/);
    await second.stop();
  });

  it('is not what a journal that takes no more is: that stops the process', async () => {
    const life = new Life();
    const runtime = await life.open(config.gate);
    life.journal.mode = 'Degraded';
    await expect(submit(runtime, 'good')).rejects.toThrow(/takes no more/);
    expect(life.records('RunSetAside')).toEqual([]);
  });
});
