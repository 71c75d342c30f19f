/** What memory is asked, over a record: found by words and meaning, followed as it grows, and no more than it may tell. */
import type { RunRemembered } from '@retainer/mind/parts/narrative/narrative';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { CaseWritten } from '@retainer/mind/parts/cases/cases';
import type { FactWritten } from '@retainer/mind/parts/facts/facts';
import { decideOfParts } from '../parts/derived.ts';
import type { MemoryWord } from '../../../test/support/memory-word.ts';
import { REMEMBERED_KINDS } from '@retainer/mind/memory/recall/recalled';
import { describe, expect } from 'vitest';
import { runSpec } from '../../../test/support/runs.ts';
import { MANUAL_START_MS, manualClock } from '../../../test/support/manual-clock.ts';
import { MemoryJournal } from '../../../test/support/memory-journal.ts';
import { verifies } from '../../../test/verifies.ts';
import { openMeaning } from '../boot/word-table.ts';
import type { MeaningPort } from '../ports/meaning.ts';
import { AgentMemory, type MemoryParts } from './agent-memory.ts';
import { DEFAULT_RECALL } from './recall.ts';

const DAY_MS = 86_400_000;
const trusted: Label = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] };
const stranger: Label = { source: { kind: 'Web', name: 'example.org' }, trust: 'Untrusted', readers: 'Everyone' };

function fact(key: string, value: string, label = trusted): FactWritten {
  return { key, value, callId: 'c', label, scope: 'Persistent', confidence: 0.9, derivation: 'Unknown', evidence: [] };
}

function caseOf(runId: string, input: string): CaseWritten {
  return {
    caseId: `${runId}-case`,
    category: 'Pitfall',
    problem: { input, intent: '', domain: '', entities: [], keywords: [], complexity: 'Simple' },
    solution: { approach: '', agents: [], tools: [], steps: ['change data/sales.csv'] },
    outcome: { status: 'Failure', confidence: 0, assessment: 'Abandoned', pitfalls: [] },
    label: trusted,
  };
}

function entry(intent: string, endedAtMs: number, label: Label): RunRemembered {
  const words = { summary: `About ${intent}`, unmet: [], reasons: [] };
  const telling = { outcome: 'Accepted', tools: [], tokens: 1, startedAtMs: 1, endedAtMs, words };
  return { task: { namespace: 'n', name: 't' }, conversation: 'tasks', intent, label, ...telling };
}

/** An agent's memory on a record, on a day from 0. */
class Life {
  readonly journal = new MemoryJournal();
  readonly clock = manualClock(MANUAL_START_MS);
  opened = 0;

  async memory(parts: Partial<MemoryParts> = {}): Promise<AgentMemory> {
    const meaning: MemoryParts['meaning'] = () => {
      this.opened += 1;
      return openMeaning();
    };
    const { journal, clock } = this;
    const memory = new AgentMemory({ journal, clock, redact: (text) => text, meaning, ...parts });
    await memory.fold({}, clock.nowMs());
    return memory;
  }

  async past(
    store: string,
    kind: string,
    payload: unknown,
    ids: { readonly runId?: string; readonly day?: number } = {},
  ): Promise<void> {
    const { day = 0, ...of } = ids;
    const timeMs = MANUAL_START_MS + day * DAY_MS;
    await this.journal.append([{ store, kind, principal: 'agent', payload: payload as never, timeMs, ...of }]);
  }
}

const keysOf = async (memory: AgentMemory, text: string): Promise<readonly string[]> =>
  (await memory.texts.trustedFacts(text, 9)).facts.map(({ key }) => key);

describe('facts', () => {
  verifies(
    'recall:facts',
    'of day 1 answer on day 400, and one that has nothing to do with the question does not',
    async () => {
      const life = new Life();
      await life.past('fact', 'FactWritten', fact('customer/acme.currency', 'Acme pays in Swiss francs.'));
      await life.past('fact', 'FactWritten', fact('office.plant', 'A fern.'));
      life.clock.advance(400 * DAY_MS);
      expect(await keysOf(await life.memory(), 'In which currency does Acme pay?')).toEqual(['customer/acme.currency']);
    },
  );

  verifies('recall:facts', 'are found by meaning, too, and of equal ones the surer one first', async () => {
    const life = new Life();
    await life.past('fact', 'FactWritten', fact('sales.old', 'The revenue of spring was 40.'));
    await life.past('fact', 'FactWritten', fact('sales.new', 'The revenue of spring was 42.'), { day: 60 });
    life.clock.advance(60 * DAY_MS);
    const memory = await life.memory();
    expect(await keysOf(memory, 'earnings last summer')).toEqual(['sales.new', 'sales.old']);
  });

  verifies('recall:facts', 'of strangers stand in no prompt, nor those that hold for one run', async () => {
    const life = new Life();
    await life.past('fact', 'FactWritten', fact('price', 'The price is 7.', stranger));
    const memory = await life.memory();
    expect(await keysOf(memory, 'the price')).toEqual([]);
    const draft = { ...fact('price.draft', 'The price is 8.'), scope: 'Run' } as const;
    await memory.write('Tools', [{ store: 'fact', kind: 'FactWritten', payload: draft, runId: 'a' }]);
    expect(await keysOf(memory, 'the price')).toEqual([]);
  });
});

describe('an index', () => {
  verifies('recall:live', 'is made at the first question that memory may know something about', async () => {
    const life = new Life();
    const memory = await life.memory();
    const nothing = { facts: [], threads: [], cases: [] };
    expect((await memory.texts.forWork(runSpec({ intent: 'Sum the sales.' }))).recalled).toEqual(nothing);
    expect(await memory.search.search({ query: 'sales', kinds: REMEMBERED_KINDS, older: false, count: 4 })).toEqual([]);
    expect(life.opened).toBe(0);
  });

  verifies('recall:live', 'follows what is written, corrected, suppressed and forgotten', async () => {
    const life = new Life();
    await life.past('fact', 'FactWritten', fact('price', 'The price is 7.'));
    const memory = await life.memory();
    expect(await keysOf(memory, 'the price of tea')).toEqual(['price']);
    await memory.write('Tools', [{ store: 'fact', kind: 'FactWritten', payload: fact('tea', 'Tea is green.') }]);
    await memory.write('Archivist', [
      { store: 'case', kind: 'CaseWritten', payload: caseOf('a', 'Buy tea.'), runId: 'a' },
    ]);
    expect(await keysOf(memory, 'the price of tea')).toEqual(expect.arrayContaining(['price', 'tea']));
    const found = async (): Promise<readonly string[]> =>
      (await memory.texts.cases('Buy some tea.', 'env:local')).cases.map(({ id }) => id);
    expect(await found()).toEqual(['a-case']);
    let words = 0;
    const change = (change: MemoryWord): Promise<void> =>
      memory.writeAny(
        'Person',
        decideOfParts(
          memory.known,
          { ...change, by: 'ada', reason: 'r' },
          { originId: `word ${(words += 1)}`, atMs: 0 },
        ) ?? [],
      );
    await change({ type: 'ForgetFact', key: 'price' });
    await change({ type: 'CurateCase', caseId: 'a-case', how: 'Suppress' });
    expect(await keysOf(memory, 'the price of tea')).toEqual(['tea']);
    expect(await found()).toEqual([]);
    await change({ type: 'CurateCase', caseId: 'a-case', how: 'Unsuppress' });
    expect(await found()).toEqual(['a-case']);
  });

  verifies('recall:live', 'made while records come has them all', async () => {
    const life = new Life();
    for (let n = 0; n < 500; n += 1) await life.past('fact', 'FactWritten', fact(`k${n}`, `Item ${n} is red.`));
    const memory = await life.memory();
    const asked = memory.texts.trustedFacts('blue', 9);
    await memory.write('Tools', [{ store: 'fact', kind: 'FactWritten', payload: fact('last', 'It is blue.') }]);
    await asked;
    expect(await keysOf(memory, 'blue')).toContain('last');
  });
});

describe('cases', () => {
  verifies('recall:words-only', 'are told with why they were compared by words alone', async () => {
    const life = new Life();
    await life.past('case', 'CaseWritten', caseOf('a', 'Sum the sales of March.'), { runId: 'a' });
    const away = await life.memory({ meaning: () => Promise.resolve(undefined) });
    expect(await away.texts.cases('Sum the sales of April.', 'env:local')).toMatchObject({
      wordsOnly: 'Away',
      cases: [{ id: 'a-case' }],
    });
    const late = { vectorOf: () => undefined, prepare: () => Promise.resolve('Late' as const) };
    const slow = await life.memory({ meaning: () => Promise.resolve(late) });
    expect(await slow.texts.cases('Sum the sales of April.', 'env:local')).toMatchObject({ wordsOnly: 'Late' });
    const { meaning: _, ...parts } = {
      journal: life.journal,
      clock: life.clock,
      redact: (text: string) => text,
      meaning: 0,
    };
    const wanted = new AgentMemory(parts);
    await wanted.fold({}, life.clock.nowMs());
    expect(await wanted.texts.cases('Sum the sales of April.', 'env:local')).not.toHaveProperty('wordsOnly');
  });

  verifies('recall:http', 'are found by meaning once the vectors of what is remembered have come', async () => {
    const life = new Life();
    await life.past('case', 'CaseWritten', caseOf('a', 'Sum the sales of March.'), { runId: 'a' });
    const known = new Set(['Add up the revenue.']);
    const waiting: (() => void)[] = [];
    const port: MeaningPort = {
      vectorOf: (text) => (known.has(text) ? Float32Array.from([1, 0]) : undefined),
      prepare: () => Promise.resolve(undefined),
      learn: (texts, onKnown) =>
        void waiting.push(() => {
          for (const text of texts) {
            known.add(text);
            onKnown(text);
          }
        }),
    };
    const memory = await life.memory({ meaning: () => Promise.resolve(port) });
    const found = async (): Promise<readonly string[]> =>
      (await memory.texts.cases('Add up the revenue.', 'env:local')).cases.map(({ id }) => id);
    expect(await found()).toEqual([]);
    for (const come of waiting.splice(0)) come();
    expect(await found()).toEqual(['a-case']);
  });

  verifies('recall:settings', 'are as many as the Agent says, and none below its least score', async () => {
    const life = new Life();
    for (const n of [1, 2, 3])
      await life.past('case', 'CaseWritten', caseOf(`r${n}`, `Sum the sales of March, part ${n}.`));
    const count = async (recall: Partial<typeof DEFAULT_RECALL>): Promise<number> => {
      const memory = await life.memory({ recall: { ...DEFAULT_RECALL, ...recall } });
      return (await memory.texts.cases('Sum the sales of March.', 'env:local')).cases.length;
    };
    expect([
      await count({}),
      await count({ cases: 2 }),
      await count({ cases: 0 }),
      await count({ minScore: 1 }),
    ]).toEqual([3, 2, 0, 0]);
  });
});

describe('runs', () => {
  verifies('recall:window', 'of the window are searched; older ones when somebody asks', async () => {
    const life = new Life();
    const old = 'the harvest of wheat';
    await life.past('narrative', 'RunRemembered', entry(old, MANUAL_START_MS, stranger), { runId: 'old' });
    const day = 25;
    const endedAtMs = MANUAL_START_MS + day * DAY_MS;
    await life.past('narrative', 'RunRemembered', entry('the price of wheat', endedAtMs, trusted), {
      runId: 'new',
      day,
    });
    life.clock.advance(28 * DAY_MS);
    const memory = await life.memory();
    const runs = async (older = false): Promise<readonly (readonly [string, string | undefined])[]> =>
      (await memory.search.search({ query: 'wheat', kinds: ['run'], older, count: 4 })).map((it) => [
        it.id,
        it.label?.trust,
      ]);
    expect(await runs()).toEqual([
      ['old', 'Untrusted'],
      ['new', 'Trusted'],
    ]);
    life.clock.advance(4 * DAY_MS);
    expect(await runs()).toEqual([['new', 'Trusted']]);
    expect(await runs(true)).toEqual([
      ['new', 'Trusted'],
      ['old', 'Untrusted'],
    ]);
  });

  verifies('recall:window', 'leave with their own days, whatever else is in the index', async () => {
    const life = new Life();
    await life.past('narrative', 'RunRemembered', entry('the harvest of wheat', MANUAL_START_MS, trusted), {
      runId: 'old',
    });
    const kept = {
      artifactId: 'f'.repeat(64),
      callId: 'c',
      sizeBytes: 9,
      label: trusted,
      summary: 'the engine of a car',
    };
    await life.past('artifact', 'ArtifactKept', kept, { runId: 'old', day: 25 });
    life.clock.advance(28 * DAY_MS);
    const memory = await life.memory();
    const found = async (query: string): Promise<readonly string[]> =>
      (await memory.search.search({ query, kinds: ['run', 'artifact'], older: false, count: 4 })).map(
        ({ kind }) => kind,
      );
    expect([await found('wheat'), await found('engine')]).toEqual([['run'], ['artifact']]);
    life.clock.advance(4 * DAY_MS);
    expect([await found('wheat'), await found('engine')]).toEqual([[], ['artifact']]);
  });
});
