/** A person's word about memory: left as a command, recorded with who and why, told to the runs that follow, and never lost. */
import { join } from 'node:path';
import { readdir } from 'node:fs/promises';
import type { MemoryWord } from '../support/memory-word.ts';
import { Projections } from '@retainer/mind/projections/projections';
import { traceMemory } from '@retainer/agent-pod/review/memory-records';
import type { RunReflected, RunRemembered } from '@retainer/mind/parts/narrative/narrative';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { main } from '../../cli/src/main.ts';
import { standard } from '../../cli/src/standard-stream.ts';
import { scripted } from '../support/agents.ts';
import { makeRuntime, World } from '../support/crash-world.ts';
import { unpackGoldenRun } from '../support/golden-runs.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { oneChangeScript } from '../support/runs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const stranger = { source: { kind: 'Web' }, trust: 'Untrusted', readers: 'Everyone' } as const;
const seen = { scope: 'Persistent', confidence: 1, derivation: 'DirectObservation', evidence: ['a.md'] } as const;

/** A process on the record: what it is told, and what it knows then. */
async function told(journal: MemoryJournal, changes: readonly MemoryWord[]) {
  const runtime = makeRuntime({ journal, world: new World(), model: await scripted(oneChangeScript) });
  await runtime.start();
  for (const [at, change] of changes.entries())
    await runtime.accept(`word:${journal.records.length}:${at}`, 'test', {
      ...change,
      by: 'ada',
      reason: 'I know it',
    });
  const known = { facts: await runtime.factsFor('Which currency?'), turns: runtime.session('tasks').turns };
  await runtime.stop();
  return known;
}

function write(journal: MemoryJournal, value: string): Promise<unknown> {
  const payload = { key: 'currency', value, callId: 'c', label: stranger, ...seen };
  return journal.append([
    { store: 'fact', kind: 'FactWritten', principal: 'agent', payload, runId: 'r', cycleId: 'c' },
  ]);
}

describe('a person', () => {
  verifies(
    'memory:person-changes',
    'corrects a fact: it holds after a restart, whatever the agent writes',
    async () => {
      const journal = new MemoryJournal();
      await write(journal, 'USD');
      const now = await told(journal, [{ type: 'Remember', key: 'currency', value: 'EUR' }]);
      await write(journal, 'USD');
      for (const { facts } of [now, await told(journal, [])])
        expect(facts).toMatchObject([{ value: 'EUR', derivation: 'OperatorProvided', label: { trust: 'Trusted' } }]);
      expect((await told(journal, [{ type: 'ForgetFact', key: 'currency' }])).facts).toEqual([]);
      const words = journal.records.filter(({ principal, store }) => principal === 'human:ada' && store === 'fact');
      expect(words.map(({ kind, payload }) => [kind, (payload as { reason?: string }).reason])).toEqual([
        ['FactWritten', 'I know it'],
        ['FactCleared', 'I know it'],
      ]);
    },
  );

  verifies('memory:person-changes', 'believes the words of a run, or forgets it', async () => {
    const journal = new MemoryJournal();
    const task = { namespace: 'n', name: 't' };
    const telling = { tools: [], tokens: 1, startedAtMs: 1, endedAtMs: 2, label: stranger };
    const entry: RunRemembered = { task, conversation: 'tasks', intent: 'Ask.', outcome: 'Accepted', ...telling };
    const about = { intent: 'ask', domain: '', keywords: [], entities: [], topics: [], label: stranger };
    const reflected: RunReflected = { prose: 'It is 7.', status: 'Full', by: 'm', ...about };
    const of = { store: 'narrative', principal: 'archivist' } as const;
    for (const runId of ['a', 'b'])
      await journal.append([
        { ...of, kind: 'RunRemembered', payload: entry, runId },
        { ...of, kind: 'RunReflected', payload: reflected, runId },
      ]);
    const summaries = async (changes: readonly MemoryWord[]): Promise<readonly string[]> =>
      (await told(journal, changes)).turns.map(({ summary }) => summary);
    expect((await summaries([])).filter((it) => it.includes('It is 7.'))).toEqual([]);
    expect(await summaries([{ type: 'EndorseRun', runId: 'a' }])).toEqual([
      'Accepted: It is 7.',
      expect.stringContaining('left out'),
    ]);
    expect(await summaries([{ type: 'ForgetRun', runId: 'b' }])).toEqual(['Accepted: It is 7.']);
  });

  verifies('memory:person-changes', 'forgets a lesson, or believes it', async () => {
    const journal = new MemoryJournal();
    const of = { space: 'global:user', entity: 'user', state: 'Accept', f: 1, sigma: 1, k: 0 } as const;
    for (const id of ['a', 'b']) {
      const megram = { id, level: 'C', createdAtMs: 1, content: `lesson ${id}`, ...of };
      await journal.append([
        {
          store: 'megram',
          kind: 'MegramWritten',
          principal: 'agent',
          payload: { megram, label: stranger },
          runId: 'r',
        },
      ]);
    }
    const user = async (changes: readonly MemoryWord[]): Promise<readonly string[]> => {
      await told(journal, changes);
      const runtime = makeRuntime({ journal, world: new World(), model: await scripted(oneChangeScript) });
      await runtime.start();
      const known = runtime.session('tasks').user;
      await runtime.stop();
      return known;
    };
    expect(await user([])).toEqual([]);
    expect(await user([{ type: 'EndorseMegrams', ids: ['a', 'b'] }])).toEqual(['lesson b', 'lesson a']);
    expect(await user([{ type: 'ForgetMegrams', ids: ['b'] }])).toEqual(['lesson a']);
  });
});

describe('a case', () => {
  verifies('memory:person-changes', 'is taken out of use by a person, and by their name', async () => {
    const journal = new MemoryJournal();
    const problem = { input: 'Sum.', intent: 'sum', domain: '', entities: [], keywords: [], complexity: 'Simple' };
    const solution = { approach: '', agents: [], tools: [], steps: [] };
    const outcome = { status: 'Failure', confidence: 0, assessment: 'x', pitfalls: [] };
    const payload = { caseId: 'r-case', category: 'Pitfall', problem, solution, outcome, label: stranger };
    await journal.append([{ store: 'case', kind: 'CaseWritten', principal: 'archivist', payload, runId: 'r' }]);
    await told(journal, [{ type: 'CurateCase', caseId: 'r-case', how: 'Suppress' }]);
    const known = new Projections();
    for (const record of journal.records.filter(({ store }) => store === 'case')) known.take(record);
    expect(known.states.cases.byId.get('r-case')).toMatchObject({ isSuppressed: true, runId: 'r' });
    expect(journal.records.at(-2)).toMatchObject({ kind: 'CaseCurated', principal: 'human:ada' });
  });
});

describe('a lesson', () => {
  const constraint = {
    type: 'Teach',
    lesson: 'Send nothing on Sundays.',
    tags: ['mail', 'send'],
    category: 'Constraint',
    calls: [],
  } satisfies MemoryWord;

  verifies('memory:lessons', 'is told after a restart, until a person takes it back', async () => {
    const journal = new MemoryJournal();
    await told(journal, [constraint]);
    const known = async (): Promise<readonly string[]> => {
      const runtime = makeRuntime({ journal, world: new World(), model: await scripted(oneChangeScript) });
      await runtime.start();
      const { user } = runtime.session('tasks');
      await runtime.stop();
      return user;
    };
    expect(await known()).toEqual(['Send nothing on Sundays.']);
    const written = journal.records.find(({ kind }) => kind === 'MegramLearned');
    expect(written).toMatchObject({ principal: 'human:ada', payload: { by: 'ada', reason: 'I know it' } });
    const { id } = (written?.payload ?? {}) as { readonly id?: string };
    await told(journal, [{ type: 'ForgetMegrams', ids: [id ?? ''] }]);
    expect(await known()).toEqual([]);
  });
});

describe('a word that a person gave', () => {
  const rows: readonly MemoryWord[] = [
    { type: 'Remember', key: 'currency', value: 'EUR' },
    { type: 'ForgetFact', key: 'currency' },
    { type: 'Teach', lesson: 'Ask first.', tags: ['mail', 'send'], category: 'Constraint', calls: [] },
    { type: 'ForgetMegrams', ids: ['m'] },
    { type: 'EndorseMegrams', ids: ['m'] },
    { type: 'ForgetRun', runId: 'r' },
    { type: 'EndorseRun', runId: 'r' },
    { type: 'CurateCase', caseId: 'r-case', how: 'Boost' },
    { type: 'CurateCase', caseId: 'r-case', how: 'Annotate' },
  ];
  for (const change of rows)
    verifies(
      'memory:change-once',
      `is written once, wherever the process dies: ${JSON.stringify(change)}`,
      async () => {
        const journal = new MemoryJournal();
        await told(journal, [change]);
        const written = (records: MemoryJournal['records']): unknown =>
          records.filter(({ principal, store }) => principal === 'human:ada' && store !== 'inbox').length;
        expect(written(journal.records)).toBe(1);
        const accepted = journal.records.findIndex(({ kind }) => kind === 'CommandAccepted');
        for (let length = accepted + 1; length <= journal.records.length; length += 1) {
          const crashed = new MemoryJournal(journal.records.slice(0, length));
          await told(crashed, []);
          expect(written(crashed.records), `after ${length} records`).toBe(1);
          expect(crashed.records.filter(({ kind }) => kind === 'CommandDone')).toHaveLength(1);
        }
      },
    );

  verifies('memory:change-once', 'is written again when it is given again', async () => {
    const journal = new MemoryJournal();
    for (let time = 0; time < 2; time += 1)
      await told(journal, [{ type: 'CurateCase', caseId: 'r-case', how: 'Boost' }]);
    expect(journal.records.filter(({ kind }) => kind === 'CaseCurated')).toHaveLength(2);
  });
});

describe('retainer memory', () => {
  const root = temporaryDirectory();
  let data = '';
  beforeAll(async () => {
    data = await unpackGoldenRun('abandoned', root.path);
  });
  afterAll(() => root.remove());

  async function retainer(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
    const lines: string[] = [];
    const spies = (['out', 'err'] as const).map((stream) =>
      vi.spyOn(standard[stream], 'write').mockImplementation((text) => void lines.push(text)),
    );
    try {
      return { code: await main(['node', 'retainer', 'memory', ...args, '--data', data]), text: lines.join('') };
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  }

  verifies('cli:memory-told', 'lists, finds and traces what a record of an older version remembers', async () => {
    const shown = await retainer('show');
    expect(shown).toMatchObject({ code: 0, text: expect.stringMatching(/^fact +fact:a {2}/m) });
    expect(shown.text).toMatch(/^run {4}/m);
    expect((await retainer('search', 'report')).text).not.toContain('fact:a');
    expect(await retainer('threads')).toMatchObject({ code: 0 });
    const traced = await retainer('trace', 'fact:a');
    expect(traced).toMatchObject({ code: 0, text: expect.stringContaining('FactWritten "40"  (agent') });
    expect(await retainer('affect')).toEqual({ code: 0, text: '0 measurements\n' });
  });

  verifies('cli:memory-told', 'leaves a word for the agent, and names what is not there', async () => {
    const spooled = async (): Promise<number> => (await readdir(join(data, 'spool')).catch(() => [])).length;
    const because = ['--reason', 'asked to'] as const;
    for (const wrong of [
      ['forget', 'fact:none', ...because],
      ['endorse', 'none', ...because],
      ['trace', 'none'],
      ['case', 'boost', 'fact:a', ...because],
      ['remember', 'NO KEY', 'v', ...because],
      ['remember', 'key', '', ...because],
      ['teach', '', '--tag', 'a', '--tag', 'b', ...because],
      ['teach', 'x'.repeat(401), '--tag', 'a', '--tag', 'b', ...because],
      ['teach', 'One tag only.', '--tag', 'a', ...because],
      ['teach', 'Six tags.', ...'abcdef'.split('').flatMap((tag) => ['--tag', tag]), ...because],
      ['teach', 'No tool.', '--tag', 'a', '--tag', 'b', '--call', ':a.csv', ...because],
    ])
      expect(await retainer(...wrong), wrong.join(' ')).toMatchObject({ code: 1 });
    expect(await spooled()).toBe(0);
    expect(await retainer('remember', 'vat.rate', '19 %', ...because)).toMatchObject({ code: 0 });
    expect(await retainer('forget', 'fact:a', ...because)).toMatchObject({ code: 0 });
    expect(await retainer('endorse', 'fact:a', ...because)).toMatchObject({ code: 0 });
    const taught = await retainer(
      'teach',
      'Ask first.',
      '--tag',
      'mail',
      '--tag',
      'send',
      '--call',
      'bash:a.sh',
      ...because,
    );
    expect(taught).toMatchObject({ code: 0, text: expect.stringContaining('every plan is told this lesson') });
    expect(await spooled()).toBe(4);
  });
});

describe('a trace', () => {
  const traced = async (records: Parameters<MemoryJournal['append']>[0], id: string) => {
    const journal = new MemoryJournal();
    await journal.append(records);
    return traceMemory(journal, id);
  };
  const told = { type: 'ForgetFact', key: 'a', by: 'ada', reason: 'x' } as const;
  const cleared = { store: 'fact', kind: 'FactCleared', principal: 'human:ada' } as const;

  verifies(
    'cli-cluster:word-beside-agent',
    'says which word came over pods/exec, under a name that nothing compared',
    async () => {
      const accepted = (originId: string, how: string) => ({
        ...{ store: 'inbox', kind: 'CommandAccepted', principal: 'operator' },
        payload: { originId, source: 'spool', command: { ...told, knownBy: { how, uid: 7 } } },
      });
      const records = await traced(
        [
          accepted('s1', 'PodsExec'),
          accepted('s2', 'OsUser'),
          { ...cleared, payload: { key: 'a', by: 'ada', reason: 'x', originId: 's1' } },
          { ...cleared, payload: { key: 'a', by: 'ada', reason: 'x', originId: 's2' } },
          { ...cleared, payload: { key: 'a', by: 'ada', reason: 'x' } },
        ],
        'fact:a',
      );
      expect(records.map(({ knownBy }) => knownBy?.how)).toEqual(['PodsExec', 'OsUser', undefined]);
    },
  );

  verifies('cli:memory-told', 'has how the agent was in a run, and the long outputs that it kept', async () => {
    const of = { principal: 'agent', runId: 'r', payload: {} } as const;
    const records = [
      { store: 'affect', kind: 'AffectMeasured', ...of },
      { store: 'affect', kind: 'AffectMeasured', ...of, runId: 'other' },
      { store: 'artifact', kind: 'ArtifactKept', ...of, payload: { artifactId: 'abc' } },
      { store: 'artifact', kind: 'ArtifactKept', ...of, runId: 'other', payload: { artifactId: 'def' } },
    ];
    const stores = async (id: string) => (await traced(records, id)).map(({ store, seq }) => `${store}/${seq}`);
    expect(await stores('r')).toHaveLength(2);
    expect(await stores('def')).toHaveLength(1);
  });
});
