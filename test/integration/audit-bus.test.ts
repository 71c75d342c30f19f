/**
 * The auditor's two paths, with everything real but its clock: the runtime on a journal on the disk, the socket of the bus beside
 * it, and an auditor process that follows both, as `runAuditor` does in its container.
 */
import { mkdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LogLine } from '../../contract/src/std/log.ts';
import { runAuditor } from '../../agent-pod/src/audit/run-auditor.ts';
import type { Publisher } from '../../agent-pod/src/bus/bus.ts';
import { TapSocket } from '../../agent-pod/src/bus/tap-socket.ts';
import type { Journal } from '@retainer/journal/journal';
import { openJournal } from '@retainer/journal/open-journal';
import type { AgentRuntime } from '../../agent-pod/src/loop/agent-runtime.ts';
import { agentStores } from '../../agent-pod/src/loop/stores.ts';
import { openWatchedBus } from '@retainer/agent-pod/bus/open-bus';
import { contentHash, type BusMessage } from '@retainer/contract/wire/bus/envelope';
import { systemClock } from '@retainer/contract/std/system-clock';
import { scripted } from '../support/agents.ts';
import { busMessages } from '../support/bus-contract.ts';
import { makeRuntime, World } from '../support/crash-world.ts';
import { manualClock } from '../support/manual-clock.ts';
import { oneChangeRun, oneChangeScript } from '../support/runs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

function freshDirectory(): string {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  return path;
}

/** Test equipment: what an agent that was tampered with does to its messages. */
interface Patch {
  readonly isFor: (message: BusMessage) => boolean;
  /** The journal is not told of it. */
  readonly isLeftOut?: boolean;
  readonly publish?: (message: BusMessage) => BusMessage | undefined;
}

interface Agent {
  readonly runtime: AgentRuntime;
  close(): Promise<void>;
}

async function openAgent(data: string, patch?: Patch): Promise<Agent> {
  const journal = await openJournal({
    directory: join(data, 'journal'),
    stores: agentStores,
    agentUid: 'default/agent',
    clock: systemClock,
    limits: { ballastBytes: 0 },
  });
  const bus = await openWatchedBus({
    socketPath: join(data, 'bus.sock'),
    clock: systemClock,
    onNotice: (notice) => expect.fail(notice),
  });
  const runtime = makeRuntime({
    journal: patch === undefined ? journal : patchedJournal(journal, patch),
    world: new World(),
    model: await scripted(oneChangeScript),
    bus: patch === undefined ? bus : patchedBus(bus, patch),
  });
  await runtime.start();
  const close = async (): Promise<void> => {
    await runtime.stop();
    await bus.close();
    await journal.close();
  };
  return { runtime, close };
}

function patchedJournal(journal: Journal, { isFor, isLeftOut = false }: Patch): Journal {
  const append: Journal['append'] = (records) =>
    journal.append(
      records.map((record) => {
        if (record.kind !== 'MessageSent') return record;
        const { messages } = record.payload as unknown as { readonly messages: readonly BusMessage[] };
        const kept = messages.filter((it) => !isLeftOut || !isFor(it));
        return { ...record, payload: { messages: kept as never } };
      }),
    );
  return new Proxy(journal, {
    get(target, property) {
      if (property === 'append') return append;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function patchedBus(bus: Publisher, { isFor, publish = (it) => it }: Patch): Publisher {
  return {
    publish: async (message) => {
      const changed = isFor(message) ? publish(message) : message;
      if (changed !== undefined) await bus.publish(changed);
    },
    close: () => bus.close(),
  };
}

const LOOK_EVERY_MS = 2_000;
/** Looks of two minutes: longer than anything is waited for. */
const LOOKS = 60;
/** Looks until both paths are heard: each is a turn of the auditor, and what it waits for is under way. */
const LOOKS_MAX = 5_000;

/** An auditor in a time of its own, which begins now and goes on by looks. */
class WatchingAuditor {
  readonly logs: LogLine[] = [];
  readonly #data: string;
  readonly #own: string;
  readonly #clock = manualClock(systemClock.nowMs());
  #stop = new AbortController();
  #running: Promise<number> = Promise.resolve(0);

  constructor(data: string, own: string) {
    this.#data = data;
    this.#own = own;
  }

  start(): this {
    this.#stop = new AbortController();
    this.#running = runAuditor(
      {
        journalDirectory: join(this.#data, 'journal'),
        ownDirectory: this.#own,
        characterFiles: [],
        busSocket: join(this.#data, 'bus.sock'),
        once: false,
        lookEveryMs: LOOK_EVERY_MS,
        telling: undefined,
        metricsFile: this.#metricsFile,
        port: undefined,
        listenAll: false,
        setAside: undefined,
      },
      { clock: this.#clock, signal: this.#stop.signal, log: (line) => void this.logs.push(line) },
    );
    return this;
  }

  async end(): Promise<void> {
    this.#stop.abort();
    expect(await this.#running).toBe(0);
  }

  async look(): Promise<void> {
    await this.#clock.untilSleeping(LOOK_EVERY_MS);
    this.#clock.advance(LOOK_EVERY_MS);
    await this.#clock.untilSleeping(LOOK_EVERY_MS);
  }

  /** Since this process of it began. */
  async untilLearnt(path: 'bus' | 'journal', messages: number): Promise<void> {
    await this.#untilFigure(`retainer_auditor_messages_total{path="${path}"}`, (it) => it >= messages);
  }

  async untilWatching(): Promise<void> {
    await this.#untilFigure('retainer_auditor_bus_watched', (it) => it === 1);
  }

  async findings(): Promise<readonly (readonly [unknown, unknown])[]> {
    for (let looks = 0; looks < LOOKS; looks += 1) await this.look();
    return this.logs.filter(({ kind }) => kind !== undefined).map(({ kind, messageId }) => [kind, messageId]);
  }

  get #metricsFile(): string {
    return join(this.#own, 'metrics');
  }

  async #untilFigure(name: string, isEnough: (value: number) => boolean): Promise<void> {
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      await this.look();
      const line = (await readFile(this.#metricsFile, 'utf8')).split('\n').find((it) => it.startsWith(`${name} `));
      if (isEnough(Number(line?.slice(name.length)))) return;
    }
    throw new Error(`${name} does not come to what it should be`);
  }
}

interface Scene {
  readonly data: string;
  readonly auditor: WatchingAuditor;
}

function scene(): Scene {
  const root = freshDirectory();
  const data = join(root, 'data');
  mkdirSync(data);
  return { data, auditor: new WatchingAuditor(data, join(root, 'own')) };
}

/** @returns  how many messages the run has */
async function runOnce({ runtime }: Agent, runId: string): Promise<number> {
  await runtime.accept(`task:${runId}`, 'test', { type: 'StartRun', spec: oneChangeRun(runId) });
  return (await runtime.closed(runId)).messages.length;
}

const isThird = ({ seq }: BusMessage): boolean => seq === 3;

describe('an auditor on both paths', () => {
  verifies('audit-bus:quiet', 'reports nothing of a sound agent, across restarts of either', async () => {
    const { data, auditor } = scene();
    auditor.start();
    const agent = await openAgent(data);
    await auditor.untilWatching();
    const first = await runOnce(agent, 'first');
    await auditor.untilLearnt('bus', first);
    await auditor.untilLearnt('journal', first);
    await agent.close();
    const again = await openAgent(data);
    const second = await runOnce(again, 'second');
    await auditor.untilLearnt('bus', first + second);
    await auditor.end();
    // Nobody looks; the agent keeps what it said.
    const third = await runOnce(again, 'third');
    auditor.start();
    await auditor.untilLearnt('bus', third);
    expect(await auditor.findings()).toEqual([]);
    await Promise.all([auditor.end(), again.close()]);
  });

  verifies('audit-bus:gap', 'reports a message that an agent drops together with its append', async () => {
    const { data, auditor } = scene();
    auditor.start();
    const agent = await openAgent(data, { isFor: isThird, isLeftOut: true, publish: () => undefined });
    await runOnce(agent, 'run');
    expect(await auditor.findings()).toEqual([['ObservationGap', 'run-m3']]);
    await Promise.all([auditor.end(), agent.close()]);
  });

  verifies('audit-bus:gap', 'reports a message that never came on the bus, after both were started again', async () => {
    const { data, auditor } = scene();
    auditor.start();
    const agent = await openAgent(data, { isFor: isThird, publish: () => undefined });
    await auditor.untilWatching();
    const messages = await runOnce(agent, 'run');
    await auditor.untilLearnt('bus', messages - 1);
    await auditor.end();
    auditor.start();
    expect(await auditor.findings()).toEqual([['ObservationGap', 'run-m3']]);
    await Promise.all([auditor.end(), agent.close()]);
  });

  verifies('audit-bus:differs', 'reports a message that an agent alters between the two', async () => {
    const { data, auditor } = scene();
    auditor.start();
    const publish = (message: BusMessage): BusMessage => {
      const payload = { ...message.payload, more: 'words' };
      return { ...message, payload, contentHash: contentHash(payload) } as BusMessage;
    };
    const agent = await openAgent(data, { isFor: isThird, publish });
    await auditor.untilWatching();
    await runOnce(agent, 'run');
    expect(await auditor.findings()).toEqual([['MessageDiffers', 'run-m3']]);
    await Promise.all([auditor.end(), agent.close()]);
  });
});

describe('the socket of the bus', () => {
  const path = (): string => join(freshDirectory(), 'bus.sock');

  async function looker(socketPath: string): Promise<{ readonly socket: Socket; readonly lines: string[] }> {
    const socket = connect(socketPath);
    const lines: string[] = [];
    let rest = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = `${rest}${chunk}`.split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    });
    await once(socket, 'connect');
    return { socket, lines };
  }

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await nextTurn();
  }

  it('is for owner and group', async () => {
    const socketPath = path();
    const tap = await TapSocket.open({ path: socketPath, clock: systemClock });
    expect(statSync(socketPath).mode & 0o777).toBe(0o660);
    await tap.close();
  });

  it('takes the place of one that a killed process left', async () => {
    const socketPath = path();
    const left = createServer().listen(socketPath);
    await once(left, 'listening');
    const tap = await TapSocket.open({ path: socketPath, clock: systemClock });
    const { socket, lines } = await looker(socketPath);
    await until(() => lines.length === 1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ line: 'Hello', first: 1 });
    socket.destroy();
    await tap.close();
    left.close();
  });

  it('shows whoever comes later what was said before, without the content', async () => {
    const socketPath = path();
    const tap = await TapSocket.open({ path: socketPath, clock: systemClock });
    for (const message of busMessages(1, 5, { text: 'a secret' })) tap.show(message);
    const { socket, lines } = await looker(socketPath);
    await until(() => lines.length === 6);
    expect(lines.slice(1).map((line) => JSON.parse(line) as object)).toMatchObject(
      [1, 2, 3, 4, 5].map((number) => ({ line: 'Shown', number, message: { seq: number } })),
    );
    expect(lines.join()).not.toContain('a secret');
    socket.destroy();
    await tap.close();
  });

  verifies(
    'audit-bus:never-blocks',
    'ends with who takes nothing, keeps the last and says what is missing',
    async () => {
      const socketPath = path();
      const tap = await TapSocket.open({
        path: socketPath,
        clock: systemClock,
        keptLinesMax: 100,
        waitingBytesMax: 1000,
      });
      const slow = connect(socketPath);
      await once(slow, 'connect');
      slow.on('error', () => undefined);
      const ended = once(slow, 'close');
      // More than the kernel takes for a socket that nobody reads.
      for (const message of busMessages(1, 20_000)) tap.show(message);
      slow.resume();
      await ended;
      const { socket, lines } = await looker(socketPath);
      await until(() => lines.length > 100);
      const { first } = JSON.parse(lines[0] ?? '') as { readonly first: number };
      expect(first).toBeGreaterThan(19_700);
      for (const message of busMessages(1, 1)) tap.show(message);
      await until(() => lines.at(-1)?.includes('"number":20001') === true);
      socket.destroy();
      await tap.close();
    },
  );
});
