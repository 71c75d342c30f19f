import { describe, expect } from 'vitest';
import { DAY_MS, plainCase, stranger, TendedMemory } from '../../../../../test/support/tended-memory.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { cases, type CaseWritten } from '../../parts/cases/cases.ts';
import { joinThread } from '../../parts/threads/thread-rules.ts';

const ids = ({ cases: { byId } }: TendedMemory): readonly string[] => [...byId.keys()];

const { problem, outcome } = plainCase('x');
const two = (change: Partial<CaseWritten> = {}): TendedMemory => {
  const memory = new TendedMemory();
  memory.try('older', {}, 1);
  memory.try('newer', change, 2);
  return memory;
};

describe('cases that say the same', () => {
  verifies('dream:merge-cases', 'failures are one: the newer stands for both, with what went wrong in each', () => {
    const memory = two({ outcome: { ...outcome, pitfalls: ['an empty file'] } });
    for (const [runId, caseId, end] of [
      ['p', 'older', 'Success'],
      ['q', 'newer', 'Failure'],
    ])
      memory.take('case', 'CaseUsed', { caseId, shown: true, cited: true, outcome: end }, { runId: runId ?? '' });
    memory.dream(3);
    expect([...memory.cases.byId.values()]).toMatchObject([
      { caseId: 'newer', shown: 2, succeeded: 1, outcome: { pitfalls: ['an empty file', 'no file'] } },
    ]);
    expect(memory.dream(3)).toEqual([]);
  });

  const rows: readonly (readonly [string, Partial<CaseWritten>, isOne: boolean])[] = [
    ['the same case', {}, true],
    ['another order and case of the keywords', { problem: { ...problem, keywords: ['Sales', 'MARCH'] } }, true],
    ['another intent', { problem: { ...problem, intent: 'send' } }, false],
    ['another domain', { problem: { ...problem, domain: 'mail' } }, false],
    ['one of two keywords', { problem: { ...problem, keywords: ['march', 'rain'] } }, false],
    ['an entity that the other lacks', { problem: { ...problem, entities: ['a.csv'] } }, false],
    ['another end', { outcome: { ...outcome, status: 'Success' } }, false],
    ['a stranger’s word', { label: stranger }, false],
  ];
  for (const [name, change, isOne] of rows)
    verifies('dream:merge-cases', `${name}: ${isOne ? 'one' : 'two'}`, () => {
      const memory = two(change);
      memory.after('MergeCases', 3);
      expect(ids(memory)).toEqual(isOne ? ['newer'] : ['older', 'newer']);
    });

  verifies('dream:merge-cases', 'how alike they must be is the Agent’s to say', () => {
    const half = { problem: { ...problem, keywords: ['march', 'rain'] } };
    // Intent and domain agree, and one of three keywords: .6 + .25 / 3 of .85.
    for (const [caseDedupSimilarity, left] of [
      [0.81, 2],
      [0.8, 1],
      [0.5, 1],
      [0, 1],
    ] as const) {
      const memory = two(half);
      memory.after('MergeCases', 3, { caseDedupSimilarity });
      expect(memory.cases.byId.size).toBe(left);
    }
  });

  verifies(
    'dream:merge-cases',
    'a case that a person had a word on stays, and takes others; one out of use does neither',
    () => {
      const word = (memory: TendedMemory, how: string): void =>
        memory.take('case', 'CaseCurated', { caseId: 'older', how, by: 'ada', reason: 'so it was' });
      const curated = two();
      word(curated, 'Correct');
      curated.after('MergeCases', 3);
      expect([...curated.cases.byId.values()]).toMatchObject([
        { caseId: 'older', outcome: { assessment: 'so it was' } },
      ]);
      const suppressed = two();
      word(suppressed, 'Suppress');
      suppressed.after('MergeCases', 3);
      expect(ids(suppressed)).toEqual(['older', 'newer']);
    },
  );

  verifies('dream:merge-cases', 'what was merged stays so after a restart, and its credit goes to the other', () => {
    const memory = two();
    memory.after('MergeCases', 3);
    const kept = cases.keep(memory.cases);
    const restored = cases.start();
    expect(kept !== undefined && cases.restore(restored, kept)).toBe(true);
    for (const state of [memory.cases, restored]) {
      const head = { store: 'case', seq: 9, timeMs: 4, runId: 'p' };
      cases.take(state, { ...head, kind: 'CaseWritten', payload: plainCase('older') });
      const used = { caseId: 'older', shown: true, cited: true, outcome: 'Success' };
      cases.take(state, { ...head, kind: 'CaseUsed', payload: used });
      expect([...state.byId.values()]).toMatchObject([{ caseId: 'newer', shown: 1, succeeded: 1 }]);
    }
  });
});

describe('a case that teaches nothing', () => {
  const empty = { ...outcome, pitfalls: [], confidence: 0.29 };
  const rows: readonly (readonly [string, Partial<CaseWritten>, days: number, isDropped: boolean])[] = [
    ['an old failure', { outcome: empty }, 61, true],
    ['one of 60 days', { outcome: empty }, 60, false],
    ['one that names a pitfall', { outcome: { ...empty, pitfalls: ['x'] } }, 61, false],
    ['one that met a third', { outcome: { ...empty, confidence: 0.3 } }, 61, false],
    ['a success', { outcome: { ...empty, status: 'Success' } }, 61, false],
  ];
  for (const [name, change, days, isDropped] of rows)
    verifies('dream:prune-cases', `${name}: ${isDropped ? 'dropped' : 'kept'}`, () => {
      const memory = new TendedMemory();
      memory.try('a', change);
      memory.after('PruneCases', days * DAY_MS);
      expect(ids(memory)).toEqual(isDropped ? [] : ['a']);
    });

  verifies('dream:prune-cases', 'stays if a person had a word on it', () => {
    const memory = new TendedMemory();
    memory.try('a', { outcome: empty });
    memory.take('case', 'CaseCurated', { caseId: 'a', how: 'Boost', by: 'ada', reason: 'x' });
    expect(memory.after('PruneCases', 100 * DAY_MS)).toEqual([]);
  });
});

describe('facts that contradict each other', () => {
  const said = (
    memory: TendedMemory,
    value: string,
    derivation: string,
    { atMs = 0, scope = 'Persistent' } = {},
  ): void =>
    memory.take('fact', 'FactWritten', { key: 'a', value, scope, confidence: 0.9, derivation, evidence: [] }, { atMs });
  const rows: readonly (readonly [
    string,
    readonly [string, string],
    values: readonly [string, string],
    string | undefined,
  ])[] = [
    ['seen after seen', ['DirectObservation', 'DirectObservation'], ['1', '2'], 'the other value was seen later'],
    ['a person after seen', ['DirectObservation', 'OperatorProvided'], ['1', '2'], 'a person said the other value'],
    ['seen after a person', ['OperatorProvided', 'DirectObservation'], ['1', '2'], 'a person said the other value'],
    ['concluded after concluded', ['Synthesis', 'Synthesis'], ['1', '2'], expect.stringContaining('as sure')],
    ['the same', ['DirectObservation', 'DirectObservation'], ['1', '1'], undefined],
  ];
  for (const [name, [first, second], [older, newer], reason] of rows)
    verifies('dream:facts', `${name}: ${reason === undefined ? 'nothing to tell' : 'told once'}`, () => {
      const memory = new TendedMemory();
      said(memory, older, first);
      said(memory, newer, second, { atMs: 1 });
      const held = memory.facts.held.get('a')?.seq;
      const changes = memory.dream(2);
      expect(changes.map((it) => it.reason)).toEqual(reason === undefined ? [] : [reason]);
      for (const { commands } of changes) expect(commands).toMatchObject([{ payload: { key: 'a', bySeq: held } }]);
      expect(memory.dream(2)).toEqual([]);
    });

  verifies('dream:facts', 'a surer old value stays before a guess, and a run’s own value contradicts nothing', () => {
    const memory = new TendedMemory();
    said(memory, '1', 'DirectObservation');
    const guess = { key: 'a', value: '2', scope: 'Persistent', confidence: 0.5, derivation: 'Unknown', evidence: [] };
    memory.take('fact', 'FactWritten', guess, { atMs: 1 });
    expect(memory.dream(2).map((it) => it.reason)).toEqual(['the other value is older, and surer in spite of its age']);
    for (const value of ['3', '4']) said(memory, value, 'DirectObservation', { atMs: 3, scope: 'Run' });
    expect(memory.dream(4)).toEqual([]);
  });
});

describe('a thread', () => {
  const asleep = ({ threads: { byId } }: TendedMemory): readonly string[] =>
    [...byId.values()].filter(({ isDormant }) => isDormant === true).map(({ threadId }) => threadId);

  verifies('dream:threads', 'about nothing sleeps a week after its only run; another one goes on', () => {
    const memory = new TendedMemory();
    memory.join('nothing', 'a', {});
    memory.join('sales', 'b', { domain: 'sales', keywords: ['march', 'april', 'may'] });
    memory.after('AgeThreads', 7 * DAY_MS);
    expect(asleep(memory)).toEqual([]);
    memory.after('AgeThreads', 8 * DAY_MS);
    expect(asleep(memory)).toEqual(['nothing']);
    expect(memory.dream(8 * DAY_MS)).toEqual([]);
  });

  verifies('dream:threads', 'sleeps only when no run would join it, and what fits it begins a new one', () => {
    const labels = { domain: 'sales', locations: ['a.csv'], keywords: ['march', 'april'] };
    for (let days = 8; days < 90; days += 3) {
      const memory = new TendedMemory();
      for (const [n, runId] of ['a', 'b'].entries()) memory.join('sales', runId, labels, { position: n + 1 });
      const joins = joinThread([...memory.threads.byId.values()], labels, { runId: 'c', atMs: days * DAY_MS });
      memory.after('AgeThreads', days * DAY_MS);
      expect(asleep(memory)).toEqual(joins.threadId === 'sales' ? [] : ['sales']);
    }
  });

  verifies('dream:threads', 'of three runs that nobody else had a hand in wants a name, once', () => {
    const memory = new TendedMemory();
    for (const n of [1, 2, 3]) memory.join('sales', `r${n}`, { domain: 'sales' }, { position: n });
    for (const n of [1, 2, 3]) memory.join('web', `s${n}`, { domain: 'web' }, { position: n, label: stranger });
    expect(memory.after('NameThreads', 1)).toMatchObject([{ wording: { form: 'Name', subject: 'name-sales' } }]);
    expect(memory.after('NameThreads', 1)).toEqual([]);
    expect(memory.threads.byId.get('sales')).toMatchObject({ isNamed: true, runs: 3 });
  });
});
