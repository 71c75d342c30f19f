import { describe, expect, it } from 'vitest';
import { scripted } from '../../../test/support/agents.ts';
import { makeRuntime, World, type Arrival, type Played } from '../../../test/support/crash-world.ts';
import { oneChangeRun, oneChangeScript } from '../../../test/support/runs.ts';
import { MemoryJournal } from '../../../test/support/memory-journal.ts';
import { verifies } from '../../../test/verifies.ts';
import { NotRunningError } from './new-run.ts';

function startRun(runId: string, originId = `task:${runId}`): Arrival {
  return { originId, command: { type: 'StartRun', spec: oneChangeRun(runId) } };
}

async function world(): Promise<Played & { readonly journal: MemoryJournal }> {
  return { journal: new MemoryJournal(), world: new World(), model: await scripted(oneChangeScript) };
}

describe('AgentRuntime', () => {
  it('takes an arrival once', async () => {
    const parts = await world();
    const runtime = makeRuntime(parts);
    await runtime.start();
    const { originId, command } = startRun('a');
    expect(await runtime.accept(originId, 'test', command)).toBe(true);
    await runtime.closed('a');
    expect(await runtime.accept(originId, 'test', command)).toBe(false);
    expect(parts.world.deliveries).toHaveLength(1);
    await runtime.stop();
  });

  it('delivers nothing that was delivered before', async () => {
    const parts = await world();
    parts.world.isDelivered = () => Promise.resolve(true);
    const runtime = makeRuntime(parts);
    await runtime.start();
    const { originId, command } = startRun('a');
    await runtime.accept(originId, 'test', command);
    await runtime.closed('a');
    expect(parts.world.deliveries).toEqual([]);
    await runtime.stop();
  });

  it('counts no record of the journal itself among the newest runs', async () => {
    const parts = await world();
    const opened = { storeId: 'narrative', agentUid: 'a', schemaVersion: 1, nonce: 'n' };
    await parts.journal.append([{ store: 'narrative', kind: 'StoreOpened', principal: 'journal', payload: opened }]);
    const runtime = makeRuntime(parts);
    await runtime.start();
    const { originId, command } = startRun('a');
    await runtime.accept(originId, 'test', command);
    await runtime.closed('a');
    expect(runtime.session('tasks').turns).toHaveLength(1);
    await runtime.stop();
  });

  it('refuses another piece of work under a known run id', async () => {
    const runtime = makeRuntime(await world());
    await runtime.start();
    await runtime.accept('one', 'test', startRun('a').command);
    await expect(runtime.accept('two', 'test', startRun('a').command)).rejects.toThrow(/belongs to other work/);
    await runtime.stop();
  });

  it.each([
    ['before it is started', async () => makeRuntime(await world())],
    [
      'after it is stopped',
      async () => {
        const runtime = makeRuntime(await world());
        await runtime.start();
        await runtime.stop();
        return runtime;
      },
    ],
    [
      'while the volume is nearly full',
      async () => {
        const runtime = makeRuntime(await world());
        await runtime.start();
        runtime.takeNewRuns(false);
        return runtime;
      },
    ],
  ])('acknowledges nothing %s', async (_, make) => {
    const { originId, command } = startRun('a');
    await expect((await make()).accept(originId, 'test', command)).rejects.toBeInstanceOf(NotRunningError);
  });

  verifies('loop:stop-and-start', 'stopped and started many times, at any moment, it does the work once', async () => {
    for (let pauses = 0; pauses < 40; pauses += 1) {
      const parts = await world();
      const runtime = makeRuntime(parts);
      await runtime.start();
      const { originId, command } = startRun('a');
      const accepted = runtime.accept(originId, 'test', command).catch(() => false);
      for (let turn = 0; turn < pauses; turn += 1) await Promise.resolve();
      const stopping = runtime.stop();
      const starting = runtime.start();
      await Promise.all([accepted, stopping, starting]);
      await runtime.accept(originId, 'test', command).catch(() => undefined);
      await runtime.closed('a');
      const count = (kind: string): number => parts.journal.records.filter((it) => it.kind === kind).length;
      expect([count('RunAdmitted'), count('RunConcluded'), count('RunClosed')], `${pauses} turns`).toEqual([1, 1, 1]);
      expect(parts.world.deliveries, `${pauses} turns`).toHaveLength(1);
      expect(
        [...parts.world.effects.values()].every((times) => times === 1),
        `${pauses} turns`,
      ).toBe(true);
      await runtime.stop();
    }
  });
});
