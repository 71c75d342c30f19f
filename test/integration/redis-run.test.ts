/** Runs over a bus of Redis that is killed in the middle of them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, describe, expect } from 'vitest';
import type { BusMessage } from '@retainer/contract/wire/bus/envelope';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { Publisher } from '../../agent-pod/src/bus/bus.ts';
import { redisAddress } from '../../agent-pod/src/bus/redis-address.ts';
import type { RunEventOf } from '@retainer/mind/run/event';
import type { AgentRuntime } from '../../agent-pod/src/loop/agent-runtime.ts';
import { openSharedBus, watchSharedBus } from '@retainer/agent-pod/bus/open-bus';
import { MessageAudit } from '../../agent-pod/src/audit/message-audit.ts';
import { scripted } from '../support/agents.ts';
import { makeRuntime, World } from '../support/crash-world.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { startRedisServer, type RedisServer } from '../support/redis-server.ts';
import { oneChangeRun, oneChangeScript } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

/** The longest that a run may take, and Redis for its return. */
const TIMEOUT_MS = 60_000;

let server: RedisServer;
beforeAll(async () => {
  server = await startRedisServer();
  return () => server.remove();
});

interface Scene {
  readonly journal: MemoryJournal;
  readonly world: World;
  readonly bus: Publisher;
  readonly runtime: AgentRuntime;
  readonly notices: readonly string[];
  close(): Promise<void>;
}

/** @param onPublish  test equipment: before a message is published */
async function open(agent: string, onPublish: (message: BusMessage) => Promise<void>): Promise<Scene> {
  const address = redisAddress(server.url);
  if (!address.ok) throw new Error(address.error);
  const notices: string[] = [];
  const onNotice = (notice: string): void => void notices.push(notice);
  const bus = await openSharedBus({ address: address.value, agent, consumer: 'pod-0', clock: systemClock, onNotice });
  const [journal, world] = [new MemoryJournal(), new World()];
  const runtime = makeRuntime({
    journal,
    world,
    model: await scripted(oneChangeScript),
    bus: {
      publish: async (message) => {
        await onPublish(message);
        await bus.publish(message);
      },
      close: () => bus.close(),
    },
    onNotice,
  });
  await runtime.start();
  const close = async (): Promise<void> => {
    await runtime.stop();
    await bus.close();
  };
  return { journal, world, bus, runtime, notices, close };
}

async function run({ runtime }: Scene, runId: string): Promise<void> {
  await runtime.accept(`task:${runId}`, 'test', { type: 'StartRun', spec: oneChangeRun(runId) });
  await runtime.closed(runId);
}

function messageIds({ journal }: Pick<Scene, 'journal'>): readonly string[] {
  return journal.records.flatMap(({ kind, payload }) =>
    kind === 'MessageSent' ? (payload as unknown as RunEventOf<'MessageSent'>).messages.map(({ id }) => id) : [],
  );
}

function expectOnce({ journal, world }: Scene, runIds: readonly string[]): void {
  const count = (kind: string): number => journal.records.filter((it) => it.kind === kind).length;
  expect([count('RunConcluded'), count('RunClosed')]).toEqual([runIds.length, runIds.length]);
  expect(world.deliveries.map(({ runId }) => runId)).toEqual(runIds);
  expect([...world.effects.values()]).toEqual(runIds.map(() => 1));
  const ids = messageIds({ journal });
  expect(new Set(ids).size).toBe(ids.length);
}

const calm = (): Promise<void> => Promise.resolve();

describe('a run over a bus of Redis', () => {
  verifies(
    'bus:killed-in-a-run',
    'ends once where nothing happens to Redis',
    async () => {
      const scene = await open('team/calm', calm);
      await run(scene, 'a');
      expectOnce(scene, ['a']);
      await scene.close();
    },
    TIMEOUT_MS,
  );

  for (const data of ['Kept', 'Lost'] as const)
    verifies(
      'bus:killed-in-a-run',
      `ends once at whichever word Redis is killed and started again, its data ${data.toLowerCase()}`,
      async () => {
        for (let seq = 1, last = seq; seq <= last; seq += 1) {
          const fired: number[] = [];
          let restarted = Promise.resolve();
          const scene = await open(`team/again-${data.toLowerCase()}-${seq}`, (message) => {
            if (message.seq !== seq || fired.length > 0) return Promise.resolve();
            fired.push(seq);
            restarted = server.kill().then(() => server.start(data));
            return restarted;
          });
          await run(scene, 'a');
          await restarted;
          last = messageIds(scene).length;
          expect(last).toBeGreaterThan(5);
          expect(fired, 'the fault fired').toEqual([seq]);
          expectOnce(scene, ['a']);
          await scene.close();
        }
      },
      4 * TIMEOUT_MS,
    );

  for (const data of ['Kept', 'Lost'] as const)
    verifies(
      'bus:killed-in-a-run',
      `ends once where Redis is killed in its middle, its data ${data.toLowerCase()}`,
      async () => {
        let kills = 0;
        let killed = Promise.resolve();
        const scene = await open(`team/killed-${data.toLowerCase()}`, ({ type, runId }) => {
          if (runId !== 'a' || type !== 'SubTaskDispatch') return Promise.resolve();
          kills += 1;
          killed = server.kill();
          return killed;
        });
        await run(scene, 'a');
        await killed;
        expect(kills, 'the fault fired').toBe(1);
        while (!scene.notices.some((it) => it.includes('the bus is unreachable'))) await nextTurn();
        await server.start(data);
        await run(scene, 'b');
        expectOnce(scene, ['a', 'b']);
        await scene.close();
      },
      TIMEOUT_MS,
    );

  verifies(
    'audit-bus:shared',
    'is heard by the auditor in a group of its own',
    async () => {
      const address = redisAddress(server.url);
      if (!address.ok) throw new Error(address.error);
      const audit = new MessageAudit(systemClock);
      const stop = new AbortController();
      const watching = watchSharedBus(
        { address: address.value, agent: 'team/heard', clock: systemClock },
        audit,
        stop.signal,
      );
      const scene = await open('team/heard', calm);
      await run(scene, 'a');
      const sent = messageIds(scene).length;
      while (audit.figures.heardTotal < sent) await nextTurn();
      expect(sent).toBeGreaterThan(5);
      stop.abort();
      await Promise.all([watching, scene.close()]);
    },
    TIMEOUT_MS,
  );
});
