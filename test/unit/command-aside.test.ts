/** A command of the inbox in which the program throws, and that belongs to no run, must not stop the agent, nor its next start. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AgentRuntime } from '@retainer/agent-pod/loop/agent-runtime';
import { ProjectionCache } from '@retainer/agent-pod/loop/projection-cache';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import type { JournalRecord, NewRecord } from '@retainer/journal/journal';
import { openJournal } from '@retainer/journal/open-journal';
import { Command, COMMANDS_ASIDE_MAX, inbox } from '@retainer/mind/run/inbox';
import { main } from '../../cli/src/main.ts';
import { standard } from '../../cli/src/standard-stream.ts';
import { scripted } from '../support/agents.ts';
import { makeRuntime, World } from '../support/crash-world.ts';
import { manualClock } from '../support/manual-clock.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { oneChangeRun, oneChangeScript } from '../support/runs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
afterAll(root.remove);

/** A bug of whatever writes what these commands say. */
class BrokenJournal extends MemoryJournal {
  isBroken = true;

  override append(records: readonly NewRecord[]): Promise<readonly JournalRecord[]> {
    if (
      this.isBroken &&
      records.some(({ payload }) => JSON.stringify(payload).includes('POISON') && !isInboxed(records))
    )
      return Promise.reject(new TypeError('a secret of the person'));
    return super.append(records);
  }
}

const isInboxed = (records: readonly NewRecord[]): boolean => records.some(({ store }) => store === 'inbox');

const said = { by: 'ann', reason: 'POISON' } as const;
const digest = 'a'.repeat(64);

const poisons = [
  { type: 'TrustFile', path: 'notes.md', digest, sizeBytes: 1, trusted: true, ...said },
  { type: 'Remember', key: 'currency', value: 'EUR', ...said },
  { type: 'ReportFalsePositive', cycleId: 'r-c1', gate: 'Tool', rule: 'inside/other-file', ...said },
] as const satisfies readonly Command[];
const [trust, remember] = poisons;

/** The effect of a command, in the record. */
const KINDS = { TrustFile: 'FileTrusted', Remember: 'FactWritten', ReportFalsePositive: 'FalsePositiveReported' };

class Life {
  journal = new BrokenJournal();
  readonly faults: unknown[] = [];
  readonly notices: string[] = [];
  readonly cache: ProjectionCache | undefined;
  #said = 0;

  constructor(cache?: ProjectionCache) {
    this.cache = cache;
  }

  async open(version = '1.0.0'): Promise<AgentRuntime> {
    const { journal, cache } = this;
    const runtime = makeRuntime({
      journal,
      world: new World(),
      model: await scripted(oneChangeScript),
      version,
      onFault: (error) => this.faults.push(error),
      onNotice: (notice) => this.notices.push(notice),
      ...(cache === undefined ? {} : { cache }),
    });
    await runtime.start();
    return runtime;
  }

  /** The same record, in a process that knows nothing else. */
  kill(): void {
    const { records, isBroken } = this.journal;
    this.journal = Object.assign(new BrokenJournal(records), { isBroken });
  }

  say(runtime: AgentRuntime, command: Command, originId = `word-${(this.#said += 1)}`): Promise<boolean> {
    return runtime.accept(originId, 'test', command);
  }

  all(kind: string): readonly unknown[] {
    return this.journal.records.filter((it) => it.kind === kind).map(({ payload }) => payload);
  }
}

async function worksOn(life: Life, runtime: AgentRuntime, runId: string): Promise<void> {
  await life.say(runtime, { type: 'StartRun', spec: oneChangeRun(runId) }, `task:${runId}`);
  expect((await runtime.closed(runId)).concluded?.outcome).toBe('Succeeded');
}

function decide(decision: 'Drop' | 'Retry', originId = 'bad'): Command {
  return { type: 'DecideCommand', originId, decision, by: 'ann', reason: 'enough' };
}

describe('a command in which the program throws', () => {
  for (const poison of poisons)
    verifies(
      'loop:command-set-aside',
      `${poison.type}: is set aside with a record, and the agent works on`,
      async () => {
        const life = new Life();
        const runtime = await life.open();
        expect(await life.say(runtime, poison, 'bad')).toBe(true);
        await worksOn(life, runtime, 'good');
        expect(runtime.asideCommands()).toMatchObject([{ originId: 'bad', type: poison.type, version: '1.0.0' }]);
        expect(runtime.known.inbox.open.size).toBe(0);
        expect(life.faults).toEqual([]);
        const [record] = life.all('CommandSetAside');
        expect(record).toMatchObject({
          originId: 'bad',
          version: '1.0.0',
          where: expect.arrayContaining(['TypeError']),
        });
        expect(JSON.stringify(record)).not.toContain('a secret of the person');
        expect(life.notices).toEqual([
          expect.stringMatching(
            /^command bad \(\w+\) is set aside, because the program failed in it: TypeError.*retainer retry bad/,
          ),
        ]);
        await runtime.stop();
      },
    );

  verifies('loop:command-set-aside', 'that an earlier program left open does not hinder a start', async () => {
    const life = new Life();
    const accepted = { originId: 'bad', source: 'test', command: JSON.parse(JSON.stringify(trust)) };
    await life.journal.append([{ store: 'inbox', kind: 'CommandAccepted', principal: 'human:ann', payload: accepted }]);
    for (let start = 0; start < 3; start += 1) {
      const runtime = await life.open();
      expect(runtime.isReady).toBe(true);
      await worksOn(life, runtime, `good-${start}`);
      await runtime.stop();
      life.kill();
    }
    expect(life.all('CommandSetAside')).toHaveLength(1);
    expect(life.notices.filter((it) => it.startsWith('command bad'))).toHaveLength(3);
  });

  verifies('loop:command-set-aside', 'is tried again by a person and by a new version, once each', async () => {
    const life = new Life();
    const first = await life.open();
    await life.say(first, trust, 'bad');
    await life.say(first, decide('Retry'));
    expect(life.all('CommandSetAside')).toHaveLength(2);
    await first.stop();
    life.kill();
    life.journal.isBroken = false;
    const same = await life.open();
    expect(life.all('FileTrusted')).toEqual([]);
    await same.stop();
    life.kill();
    const next = await life.open('1.0.1');
    expect(life.all('FileTrusted')).toMatchObject([{ path: 'notes.md', by: 'ann' }]);
    expect(next.asideCommands()).toEqual([]);
    await next.stop();
    life.kill();
    await (await life.open('1.0.2')).stop();
    expect(life.all('FileTrusted')).toHaveLength(1);
  });

  verifies('loop:command-set-aside', 'is dropped by a person, and nobody tries it again', async () => {
    const life = new Life();
    const first = await life.open();
    await life.say(first, remember, 'bad');
    await life.say(first, decide('Drop'));
    expect(first.asideCommands()).toEqual([]);
    await first.stop();
    life.kill();
    life.journal.isBroken = false;
    const second = await life.open('2.0.0');
    expect(second.asideCommands()).toEqual([]);
    expect(await second.factsFor('the currency')).toEqual([]);
    await second.stop();
  });

  it('a word about a command that is not set aside does nothing', async () => {
    const life = new Life();
    const runtime = await life.open();
    for (const decision of ['Retry', 'Drop'] as const) await life.say(runtime, decide(decision, 'nobody'));
    expect(life.all('CommandDone')).toHaveLength(2);
    await runtime.stop();
  });

  verifies('loop:command-set-aside', 'is known from the cache of a start as from the whole record', async () => {
    const life = new Life(new ProjectionCache(join(root.path, 'cache')));
    const first = await life.open();
    await life.say(first, trust, 'bad');
    await first.saveCache();
    await first.stop();
    life.kill();
    const second = await life.open();
    expect(second.asideCommands()).toMatchObject([{ originId: 'bad', type: 'TrustFile' }]);
    await second.stop();
  });

  verifies('loop:names-are-bounded', 'only the newest of those set aside are known', () => {
    const state = inbox.start();
    for (let at = 0; at <= COMMANDS_ASIDE_MAX; at += 1) {
      const originId = `o${at}`;
      const record = (kind: string, payload: object) =>
        inbox.take(state, { store: 'inbox', kind, seq: at, timeMs: 0, payload: JSON.parse(JSON.stringify(payload)) });
      record('CommandAccepted', { originId, source: 'test', command: trust });
      record('CommandSetAside', { originId, where: ['TypeError'], version: '1.0.0' });
    }
    expect(state.aside.size).toBe(COMMANDS_ASIDE_MAX);
    expect(state.aside.has('o0')).toBe(false);
    expect(state.open.size).toBe(0);
  });

  it('is not what a journal that takes no more is', async () => {
    const life = new Life();
    const runtime = await life.open();
    const saying = life.say(runtime, trust, 'bad');
    await Promise.resolve();
    life.journal.mode = 'Degraded';
    await expect(saying).rejects.toThrow();
    expect(life.all('CommandSetAside')).toEqual([]);
  });

  it('leaves its effect where that has one', async () => {
    const life = new Life();
    life.journal.isBroken = false;
    const runtime = await life.open();
    for (const poison of poisons) await life.say(runtime, poison);
    for (const { type } of poisons) expect(life.all(KINDS[type]), type).toHaveLength(1);
    await runtime.stop();
  });
});

describe('retainer retry and cancel', () => {
  const data = join(root.path, 'data');
  beforeAll(async () => {
    const directory = join(data, 'journal');
    const journal = await openJournal({ directory, stores: agentStores, agentUid: 'a', clock: manualClock() });
    const command = JSON.parse(JSON.stringify(trust)) as JournalRecord['payload'];
    const inboxed = { store: 'inbox', principal: 'agent' } as const;
    const aside = { originId: 'spool-1', where: ['TypeError'], version: '1.0.0' };
    await journal.append([
      { ...inboxed, kind: 'CommandAccepted', payload: { originId: 'spool-1', source: 'spool', command } },
      { ...inboxed, kind: 'CommandSetAside', payload: aside },
    ]);
    await journal.close();
  });

  async function retainer(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
    const lines: string[] = [];
    const spies = (['out', 'err'] as const).map((stream) =>
      vi.spyOn(standard[stream], 'write').mockImplementation((text) => void lines.push(text)),
    );
    try {
      const code = await main(['node', 'retainer', ...args, '--data', data, '--reason', 'it is mended']);
      return { code, text: lines.join('') };
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  }

  verifies('loop:command-set-aside', 'leave the word of a person for a command that is named', async () => {
    expect(await retainer('retry', 'spool-1')).toMatchObject({
      code: 0,
      text: expect.stringMatching(/spool-1 is tried again/),
    });
    expect(await retainer('cancel', 'spool-1')).toMatchObject({
      code: 0,
      text: expect.stringMatching(/spool-1 will be dropped/),
    });
    const wrong = await retainer('retry', 'spool-2');
    expect(wrong).toMatchObject({
      code: 1,
      text: expect.stringMatching(/no run "spool-2".*commands set aside: spool-1/),
    });
    const left = await readdir(join(data, 'spool'));
    const commands = left.map(async (file) =>
      Command.parse(JSON.parse(await readFile(join(data, 'spool', file), 'utf8'))),
    );
    expect(await Promise.all(commands)).toMatchObject([
      { type: 'DecideCommand', originId: 'spool-1', decision: 'Retry', reason: 'it is mended' },
      { type: 'DecideCommand', originId: 'spool-1', decision: 'Drop', reason: 'it is mended' },
    ]);
  });
});
