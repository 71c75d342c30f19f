/** A run in which the program throws must not stop the agent, nor the runs beside it. */
import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '@retainer/journal/journal';
import type { Clock } from '@retainer/contract/std/clock';
import { systemClock } from '@retainer/contract/std/system-clock';
import { tellRun } from '@retainer/agent-pod/review/tell-records';
import { runViews } from '@retainer/agent-pod/pod/pod-tasks';
import { scripted } from '../support/agents.ts';
import { makeRuntime, World } from '../support/crash-world.ts';
import { config } from '../support/cycles.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { manualClock } from '../support/manual-clock.ts';
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

/** Calls that never end. */
class HangingWorld extends World {
  override execute(): ReturnType<World['execute']> {
    return new Promise(() => undefined);
  }
}

/** A receiver that refuses, until it does not. */
class RefusingWorld extends World {
  isRefusing = true;
  tries = 0;

  override deliver(delivery: Parameters<World['deliver']>[0]): Promise<void> {
    this.tries += 1;
    return this.isRefusing ? Promise.reject(new Error('refused')) : super.deliver(delivery);
  }
}

class Life {
  journal = new MemoryJournal();
  readonly world: World;
  readonly faults: unknown[] = [];
  readonly notices: string[] = [];

  readonly clock: Clock;

  constructor(world = new World(), clock: Clock = systemClock) {
    this.world = world;
    this.clock = clock;
  }

  async open(gate: Gate, version = '1.0.0'): Promise<Runtime> {
    const { journal, world, clock } = this;
    const runtime = makeRuntime({
      journal,
      world,
      clock,
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

const ofJob = {
  cause: { kind: 'Job', jobId: 'j', momentMs: 0, maker: 'Person' },
  replyTo: { channel: 'Notice', target: 'ann' },
  conversation: 'job/j',
} as const;

function submit(runtime: Runtime, runId: string, origin: object = {}): Promise<boolean> {
  const words = runId === 'bad' ? { intent: 'POISON', input: 'POISON' } : {};
  const spec = { ...oneChangeRun(runId), ...words, ...origin };
  return runtime.accept(`task:${runId}`, 'test', { type: 'StartRun', spec });
}

function person(runtime: Runtime, type: 'RetryRun' | 'CancelRun', runId: string): Promise<boolean> {
  return runtime.accept(`${type}:${runId}`, 'test', { type, runId, by: 'ann', reason: 'enough' });
}

const isDone = ({ kind, payload }: JournalRecord): boolean =>
  kind === 'CommandDone' && JSON.stringify(payload).includes('CancelRun:bad');

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise(setImmediate);
};

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

  verifies(
    'loop:retry-anywhere',
    'is begun by the next start, if it ended before anything of it was recorded',
    async () => {
      const life = new Life();
      const first = await life.open(brokenGate());
      await submit(first, 'bad');
      await expect(first.closed('bad')).rejects.toThrow(/set aside/);
      await first.stop();
      // The process ended between the word that it is tried again and the first record of its work.
      const begins = life.journal.records.filter(({ store }) => store === 'inbox' || store === 'agent');
      life.journal = new MemoryJournal(begins);
      const payload = { runId: 'bad', version: '1.0.0', by: 'ann' };
      await life.journal.append([{ store: 'agent', kind: 'RunTriedAgain', principal: 'agent', payload, runId: 'bad' }]);
      const second = await life.open(config.gate);
      expect((await second.closed('bad')).concluded?.outcome).toBe('Succeeded');
      await second.stop();
      life.kill();
      const third = await life.open(config.gate);
      expect(third.openRuns()).toEqual([]);
      await third.stop();
    },
  );

  verifies('loop:retry-anywhere', 'that has ended begins anew at a person’s word', async () => {
    const life = new Life();
    const runtime = await life.open(config.gate);
    await submit(runtime, 'good');
    await runtime.closed('good');
    await person(runtime, 'RetryRun', 'good');
    expect(life.records('RunAskedAnew')).toMatchObject([{ payload: { runId: 'good', by: 'ann' } }]);
    expect(runtime.attemptOf((attempt) => (attempt === 1 ? 'good' : `good-${attempt}`))).toBe(2);
    await runtime.stop();
  });

  verifies('loop:run-set-aside', 'can be cancelled, is delivered as such, and is never tried again', async () => {
    const life = new Life();
    const first = await life.open(brokenGate());
    await submit(first, 'bad');
    await expect(first.closed('bad')).rejects.toThrow(/set aside/);
    await person(first, 'CancelRun', 'bad');
    await until(() => life.records('GivenUpDelivered').length > 0);
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

  verifies('loop:run-set-aside', 'is delivered as cancelled although its receiver refused at first', async () => {
    const [world, clock] = [new RefusingWorld(), manualClock()];
    const life = new Life(world, clock);
    const runtime = await life.open(brokenGate());
    await submit(runtime, 'bad');
    await expect(runtime.closed('bad')).rejects.toThrow(/set aside/);
    await person(runtime, 'CancelRun', 'bad');
    await until(() => world.tries === 1 && clock.nextInMs() !== undefined);
    expect(life.notices.at(-1)).toMatch(/the reply of .*bad cannot be delivered yet: refused/);
    world.isRefusing = false;
    clock.advance(clock.nextInMs() ?? 0);
    await until(() => life.records('GivenUpDelivered').length > 0);
    expect(outcomes(life)).toEqual(['bad Cancelled']);
    await runtime.stop();
  });

  verifies('loop:run-set-aside', 'is delivered as cancelled by the next process, once', async () => {
    const [world, clock] = [new RefusingWorld(), manualClock()];
    const life = new Life(world, clock);
    const first = await life.open(brokenGate());
    await submit(first, 'bad');
    await expect(first.closed('bad')).rejects.toThrow(/set aside/);
    await person(first, 'CancelRun', 'bad');
    await until(() => world.tries === 1);
    await first.stop();
    // The process died before it noted that the command is done.
    life.journal = new MemoryJournal(life.journal.records.filter((it) => !isDone(it)));
    world.isRefusing = false;
    for (let start = 0; start < 2; start += 1) {
      const runtime = await life.open(brokenGate());
      await until(() => life.records('GivenUpDelivered').length > 0);
      expect(runtime.asideRuns()).toEqual([]);
      await runtime.stop();
    }
    expect([outcomes(life), world.tries]).toEqual([['bad Cancelled'], 2]);
    expect([life.records('RunGivenUp').length, life.records('GivenUpDelivered').length]).toEqual([1, 1]);
  });

  for (const isRestarted of [false, true])
    verifies(
      'cause:no-task-no-status',
      `that is a job’s is no Task’s, and a notice tells its end${isRestarted ? ', after a restart' : ''}`,
      async () => {
        const life = new Life();
        const first = await life.open(brokenGate());
        await submit(first, 'bad', ofJob);
        await expect(first.closed('bad')).rejects.toThrow(/set aside/);
        if (isRestarted) await first.stop();
        const runtime = isRestarted ? await life.open(brokenGate()) : first;
        expect(runtime.asideRuns()).toMatchObject([{ runId: 'bad', notice: 'ann' }]);
        expect(runViews(runtime)).toEqual([]);
        await person(runtime, 'CancelRun', 'bad');
        await until(() => life.records('GivenUpDelivered').length > 0);
        expect(life.world.deliveries).toMatchObject([{ deliveryId: 'bad-given-up', ...ofJob.replyTo }]);
        await runtime.stop();
      },
    );

  verifies('cause:no-task-no-status', 'that is a job’s is not among the runs of Tasks while it is open', async () => {
    const life = new Life(new HangingWorld());
    const runtime = await life.open(config.gate);
    await submit(runtime, 'job', ofJob);
    await submit(runtime, 'task');
    await until(() => runtime.openCycles().length === 2);
    expect(runtime.openRuns().map(({ spec }) => spec.runId)).toEqual(['job', 'task']);
    expect(runViews(runtime)).toMatchObject([{ runId: 'task' }]);
    await runtime.stop();
  });

  it('is not what a journal that takes no more is: that stops the process', async () => {
    const life = new Life();
    const runtime = await life.open(config.gate);
    life.journal.mode = 'Degraded';
    await expect(submit(runtime, 'good')).rejects.toThrow(/takes no more/);
    expect(life.records('RunSetAside')).toEqual([]);
  });
});

describe('a record that memory cannot take', () => {
  /** As a bug of a fold makes it: facts are read by it. */
  const unreadable = (runId: string) =>
    ({ store: 'fact', kind: 'FactWritten', principal: 'agent', payload: null, runId }) as const;

  const UNREAD = 'record fact/0 (facts) cannot be taken into memory: the agent goes on without it';

  /** A record that ends in the middle of `bad`; then `of` has a record that cannot be taken. */
  async function began(of: string): Promise<Life> {
    const life = new Life();
    const runtime = await life.open(config.gate);
    for (const runId of ['done', 'bad']) {
      await submit(runtime, runId);
      await runtime.closed(runId);
    }
    await runtime.stop();
    const cut = life.journal.records.findLastIndex(({ kind }) => kind === 'RunConcluded');
    life.journal = new MemoryJournal(life.journal.records.slice(0, cut));
    await life.journal.append([unreadable(of)]);
    return life;
  }

  verifies('loop:unread-record', 'sets its run aside, and hinders neither a start nor another run', async () => {
    const life = await began('bad');
    for (let start = 0; start < 2; start += 1) {
      const runtime = await life.open(config.gate);
      expect(runtime.isReady).toBe(true);
      expect(runtime.asideRuns()).toMatchObject([{ runId: 'bad', version: '1.0.0' }]);
      await expect(runtime.closed('bad')).rejects.toThrow(/set aside/);
      await submit(runtime, `good-${start}`);
      expect((await runtime.closed(`good-${start}`)).concluded?.outcome).toBe('Succeeded');
      await runtime.stop();
      life.kill();
    }
    expect(life.records('RunSetAside')).toHaveLength(1);
    expect(JSON.stringify(life.records('RunSetAside')[0]?.payload)).toMatch(/TypeError/);
    expect(life.notices.filter((it) => it === UNREAD)).toHaveLength(2);
    expect(life.faults).toEqual([]);
  });

  verifies('loop:unread-record', 'of a run that has ended costs no run', async () => {
    const life = await began('done');
    const runtime = await life.open(config.gate);
    expect((await runtime.closed('bad')).concluded?.outcome).toBe('Succeeded');
    expect(life.records('RunSetAside')).toEqual([]);
    expect(life.notices).toContain(UNREAD);
    await runtime.stop();
  });
});
