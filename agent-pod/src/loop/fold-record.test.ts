import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { z } from 'zod';
import { scripted } from '../../../test/support/agents.ts';
import { makeRuntime, unobserved, World } from '../../../test/support/crash-world.ts';
import { MANUAL_START_MS, manualClock } from '../../../test/support/manual-clock.ts';
import { MemoryJournal } from '../../../test/support/memory-journal.ts';
import { oneChangeRun, oneChangeScript } from '../../../test/support/runs.ts';
import { verifies } from '../../../test/verifies.ts';
import { openJournal } from '@retainer/journal/open-journal';
import type { Journal, NewRecord, JournalReader } from '@retainer/journal/journal';
import { FIGURES_OF_RUNS } from '@retainer/mind/assemble/curator/figures';
import { NARRATIVE_WINDOW } from '@retainer/mind/parts/narrative/narrative';
import { defineProjection } from '@retainer/mind/part/projection';
import { Projections, projections } from '@retainer/mind/projections/projections';
import { foldRecord } from './fold-record.ts';
import { Oversight } from './oversight.ts';
import { ProjectedJournal } from './projected-journal.ts';
import { ProjectionCache } from './projection-cache.ts';
import { agentStores } from './stores.ts';

const DAY_MS = 86_400_000;

let directory: string;
let cache: ProjectionCache;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'retainer-fold-'));
  cache = new ProjectionCache(directory);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A process that works on these runs until they are closed, and keeps its cache where it is asked to. */
async function live(journal: Journal, runIds: readonly string[], keeps?: ProjectionCache): Promise<void> {
  const model = await scripted(oneChangeScript);
  const parts = { journal, world: new World(), model, clock: manualClock() };
  const runtime = makeRuntime(keeps === undefined ? parts : { ...parts, cache: keeps });
  await runtime.start();
  for (const runId of runIds) {
    await runtime.accept(`task:${runId}`, 'test', { type: 'StartRun', spec: oneChangeRun(runId) });
    await runtime.closed(runId);
  }
  await runtime.archived();
  await runtime.saveCache();
  await runtime.stop();
}

class WatchedCache extends ProjectionCache {
  #onSaved: () => void = () => undefined;
  readonly saved = new Promise<void>((resolve) => (this.#onSaved = resolve));

  override async save(...of: Parameters<ProjectionCache['save']>): Promise<void> {
    await super.save(...of);
    this.#onSaved();
  }
}

interface FoldedAtStart {
  readonly states: Projections['states'];
  readonly oversight: Oversight['state'];
  readonly reads: ReadonlyMap<string, number>;
}

/** What a process knows that starts now. */
async function start(journal: Journal, kept?: ProjectionCache, nowMs = MANUAL_START_MS): Promise<FoldedAtStart> {
  const counted = countedReads(journal);
  const oversight = new Oversight(
    unobserved,
    () => 0,
    () => undefined,
  );
  const projections = new Projections({ oversight: oversight.projection });
  await foldRecord(counted.journal, projections, nowMs, kept);
  return { states: projections.states, oversight: oversight.state, reads: counted.reads };
}

const storesIn = ({ reads }: FoldedAtStart): readonly string[] =>
  [...new Set([...reads.keys()].map((it) => it.replace(/\/.*/, '')))].toSorted();

function expectEachOnce({ reads }: FoldedAtStart): void {
  expect([...reads].filter(([, times]) => times > 1)).toEqual([]);
}

/** Changes the cache on the disk. */
async function alter(change: (kept: Record<string, { version: number; form: unknown }>) => void): Promise<void> {
  const path = join(directory, 'projections.json');
  const file = JSON.parse(await readFile(path, 'utf8')) as {
    forms: Record<string, { version: number; form: unknown }>;
  };
  change(file.forms);
  await writeFile(path, JSON.stringify(file));
}

function remembered(runId: string): NewRecord {
  const figures = { tools: [], tokens: 0, startedAtMs: MANUAL_START_MS, endedAtMs: MANUAL_START_MS };
  const payload = {
    task: { namespace: 'a', name: 'task' },
    conversation: 'tasks',
    intent: 'Count.',
    outcome: 'Accepted',
    ...figures,
  };
  return { store: 'narrative', kind: 'RunRemembered', principal: 'agent', runId, payload };
}

describe('a start', () => {
  verifies('loop:read-once', 'reads each record once, with a run under way', async () => {
    const journal = new MemoryJournal();
    await live(journal, ['a', 'b']);
    const cut = journal.records.findLastIndex((it) => it.kind === 'CycleEnded');
    const killed = new MemoryJournal(journal.records.slice(0, cut));
    const started = await start(killed);
    expectEachOnce(started);
    const cycles = killed.records.filter((it) => it.store === 'cycle');
    expect([...started.reads.keys()].filter((it) => it.startsWith('cycle/'))).toHaveLength(cycles.length);
    expect([...started.states.runs.open.keys()]).toEqual(['b']);
    expect([...started.states.cycles.values()].every(({ runId }) => runId === 'b')).toBe(true);
    expect(started.states.cycles.size).toBeGreaterThan(1);
  });

  verifies('loop:read-once', 'reads no cycle where no run is open and all are older than a week', async () => {
    const journal = new MemoryJournal();
    await live(journal, ['a']);
    const started = await start(journal, undefined, MANUAL_START_MS + 8 * DAY_MS);
    expect(storesIn(started)).toEqual(['affect', 'archive', 'case', 'inbox', 'megram', 'narrative', 'run', 'thread']);
    expectEachOnce(started);
  });

  verifies('loop:read-once', 'reads the newest part of a narrative that grew for years', async () => {
    const journal = new MemoryJournal();
    const runs = NARRATIVE_WINDOW.lastRecords + 1_000;
    await journal.append(Array.from({ length: runs }, (_, at) => remembered(`run-${at}`)));
    const started = await start(journal);
    expect(started.reads.size).toBe(NARRATIVE_WINDOW.lastRecords);
    expect(started.states.newestRuns.runs.map((it) => it.runId)).toEqual(
      Array.from({ length: 8 }, (_, at) => `run-${runs - 8 + at}`),
    );
    expect(started.states.narratedRuns.size).toBe(1_000);
    expect(started.states.runFigures).toHaveLength(FIGURES_OF_RUNS);
  });

  verifies('loop:read-once', 'knows a change of a person, however many records came after it', async () => {
    const journal = new MemoryJournal();
    const fact = {
      key: 'k',
      value: 'v',
      scope: 'Persistent',
      confidence: 1,
      derivation: 'OperatorProvided',
      evidence: [],
    };
    const written = (payload: object): NewRecord => {
      return { store: 'fact', kind: 'FactWritten', principal: 'ada', payload: { ...fact, callId: 'c', ...payload } };
    };
    await journal.append([written({ originId: 'set-aside' }), ...Array.from({ length: 2_000 }, () => written({}))]);
    expect((await start(journal)).states.factChanges).toEqual(new Set(['set-aside']));
  });

  verifies('loop:read-once', 'reads nothing that a cache kept, and once what came after it', async () => {
    const journal = new MemoryJournal();
    await live(journal, ['a'], cache);
    expect(storesIn(await start(journal, cache))).toEqual([]);
    const before = journal.records.length;
    await live(journal, ['b']);
    const started = await start(journal, cache);
    expectEachOnce(started);
    const later = journal.records.slice(before).filter((it) => it.store === 'run');
    const read = [...started.reads.keys()].filter((it) => it.startsWith('run/'));
    // The last record that the cache knows is read to compare its hash.
    expect(read).toHaveLength(later.length + 1);
  });

  verifies('loop:read-once', 'has a cache of a life in which one run follows the other at once', async () => {
    const journal = new MemoryJournal();
    const watched = new WatchedCache(directory);
    const parts = { journal, world: new World(), model: await scripted(oneChangeScript), clock: manualClock() };
    const runtime = makeRuntime({ ...parts, cache: watched });
    await runtime.start();
    // The fiftieth is followed before it is archived; the cache comes when the next one is not.
    for (let run = 0; run < 52; run += 1) {
      await runtime.accept(`task:${run}`, 'test', { type: 'StartRun', spec: oneChangeRun(`r${run}`) });
      await runtime.closed(`r${run}`);
    }
    await watched.saved;
    await runtime.stop();
    expect([...(await start(journal, watched)).reads.keys()].length).toBeLessThan(journal.records.length / 10);
  });

  verifies('loop:read-once', 'asks the journal once for each store, though the agent at work asks it', async () => {
    const journal = new MemoryJournal();
    await live(journal, ['a']);
    const counted = countedReads(journal);
    await live(counted.journal, []);
    expect([...counted.reads.values()].every((times) => times === 1)).toBe(true);
    expect(counted.reads.size).toBeGreaterThan(20);
  });

  verifies('loop:cache-is-versioned', 'knows from a cache what it knows from the whole record', async () => {
    const journal = new MemoryJournal();
    await live(journal, ['a'], cache);
    await live(journal, ['b']);
    const whole = await start(journal);
    const names = Object.keys(projections) as (keyof typeof projections)[];
    for (const kept of [cache, new ProjectionCache(join(directory, 'none'))]) {
      const { states, oversight } = await start(journal, kept);
      for (const name of names) expect(states[name], name).toEqual(whole.states[name]);
      expect(oversight).toEqual(whole.oversight);
    }
    expect(whole.states.newestRuns.runs).toHaveLength(2);
  });

  const misfits: readonly (readonly [string, { version?: number; form?: unknown }])[] = [
    ['of another version', { version: 1 }],
    ['that its schema refuses', { form: [{ key: 1 }] }],
  ];
  for (const [what, misfit] of misfits)
    verifies('loop:cache-is-versioned', `drops a form ${what}, and folds that projection alone anew`, async () => {
      const journal = new MemoryJournal();
      const claim = { scope: 'Persistent', confidence: 0.5, derivation: 'Unknown', evidence: [] };
      const payload = { key: 'k', value: 'v', callId: 'c', ...claim };
      await journal.append([{ store: 'fact', kind: 'FactWritten', principal: 'agent', payload }]);
      await live(journal, ['a'], cache);
      await alter((forms) => Object.assign(forms['facts'] ?? {}, misfit));
      const started = await start(journal, cache);
      expect(storesIn(started)).toEqual(['fact']);
      expect(started.states.facts.held.get('k')?.value).toBe('v');
    });

  verifies(
    'loop:cache-is-versioned',
    'drops the cache of a program with other kinds, and reads the record',
    async () => {
      const journal = new MemoryJournal();
      const newer = {
        name: 'fact',
        durability: 'durable',
        kinds: { Retracted: { schema: z.json(), version: 1 } },
      } as const;
      await live(journal, ['a'], new ProjectionCache(directory, [...agentStores, newer]));
      expect(storesIn(await start(journal, cache)).length).toBeGreaterThan(1);
    },
  );

  verifies('loop:cache-is-versioned', 'drops the cache of another record', async () => {
    const journal = new MemoryJournal();
    await live(journal, ['a'], cache);
    const other = new MemoryJournal();
    await live(other, ['b', 'c']);
    expect([...(await start(other, cache)).states.runs.ids]).toEqual(['b', 'c']);
  });
});

describe('a new store', () => {
  const tallyKinds = { Tallied: z.object({ what: z.string(), count: z.number() }) } as const;
  const tallies = defineProjection({
    store: 'tally',
    kinds: tallyKinds,
    start: () => new Map<string, number>(),
    folds: {
      Tallied: (state, { what, count }) => {
        state.set(what, (state.get(what) ?? 0) + count);
      },
    },
    window: 'WholeStore',
    cached: {
      version: 1,
      schema: z.array(z.tuple([z.string(), z.number()])),
      keep: (state) => [...state],
      restore: (state, kept) => {
        for (const [what, count] of kept) state.set(what, count);
      },
    },
  });
  const tallyStore = {
    name: 'tally',
    durability: 'durable',
    kinds: { Tallied: { schema: tallyKinds.Tallied, version: 1 } },
  } as const;

  interface Process {
    readonly memory: ProjectedJournal;
    readonly known: Map<string, number>;
    readonly reads: ReadonlyMap<string, number>;
    tally(what: string, count: number): Promise<void>;
    end(): Promise<void>;
  }

  async function begin(): Promise<Process> {
    const stores = [...agentStores, tallyStore];
    const opened = await openJournal({
      directory: join(directory, 'journal'),
      stores,
      agentUid: 'a',
      clock: manualClock(),
    });
    const { journal, reads } = countedReads(opened);
    const memory = new ProjectedJournal(journal);
    const known = new Map<string, number>();
    await memory.fold({ tallies: { ...tallies, start: () => known } }, MANUAL_START_MS, cache);
    return {
      memory,
      known,
      reads,
      tally: async (what, count) => {
        await memory.append([{ store: 'tally', kind: 'Tallied', principal: 'agent', payload: { what, count } }]);
      },
      end: () => opened.close(),
    };
  }

  verifies('loop:store-is-a-row', 'is appended to, folded, cached and restored with a row and a fold', async () => {
    const first = await begin();
    await first.tally('a', 1);
    await first.tally('a', 2);
    expect(first.known).toEqual(new Map([['a', 3]]));
    await expect(first.tally('a', 'three' as never)).rejects.toThrow();
    await first.end();

    const folded = await begin();
    expect(folded.known).toEqual(new Map([['a', 3]]));
    expect([...folded.reads].filter(([it]) => it.startsWith('tally/'))).toHaveLength(3);
    await folded.memory.saveTo(cache);
    await folded.end();

    const restored = await begin();
    expect(restored.known).toEqual(new Map([['a', 3]]));
    expect([...restored.reads].filter(([it]) => it.startsWith('tally/'))).toEqual([]);
    await restored.tally('b', 1);
    expect(restored.known).toEqual(
      new Map([
        ['a', 3],
        ['b', 1],
      ]),
    );
    await restored.end();
  });
});

/** A journal that counts at its port how often each record was read. */
interface CountedReads {
  readonly journal: Journal;
  /** By `store/seq`. */
  readonly reads: ReadonlyMap<string, number>;
}

function countedReads(journal: Journal): CountedReads {
  const reads = new Map<string, number>();
  const read: JournalReader['read'] = async function* counted(store, range) {
    for await (const record of journal.read(store, range)) {
      const name = `${store}/${record.seq}`;
      reads.set(name, (reads.get(name) ?? 0) + 1);
      yield record;
    }
  };
  const counted = new Proxy(journal, {
    get(target, property) {
      if (property === 'read') return read;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { journal: counted, reads };
}
