import { describe, expect, it } from 'vitest';
import { readOlder } from '../../../../../test/support/older-record.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { testTools } from '../../../../../test/support/known-tools.ts';
import type { ReadItem } from '../../gate/provenance/read-item.ts';
import { isBrought } from '../../gate/provenance/brought-by-calls.ts';
import { confidenceNow, guarded, replaces, type Derivation } from './fact-rules.ts';
import { factKinds, facts, factsUnder, type Facts, type FactWritten } from './facts.ts';
import type { Recorded } from '../../part/projection.ts';

const DAY_MS = 86_400_000;

describe('the confidence of a fact', () => {
  for (const days of [7, 14, 30, 60, 90])
    verifies('memory:facts-decay', `halves in ${days} days, exactly`, () => {
      expect(confidenceNow(0.8, days * DAY_MS, days)).toBe(0.4);
      expect(confidenceNow(0.8, -DAY_MS, days)).toBe(0.8);
    });

  const claims: readonly (readonly [string, Parameters<typeof guarded>[0], readonly [Derivation, number]])[] = [
    ['seen, and shown', { derivation: 'DirectObservation', evidence: ['a.md'] }, ['DirectObservation', 0.9]],
    ['concluded, and shown', { derivation: 'Synthesis', evidence: ['a.md'], confidence: 0.8 }, ['Synthesis', 0.8]],
    ['concluded from nothing', { derivation: 'Synthesis', evidence: [], confidence: 0.95 }, ['Unknown', 0.5]],
    ['that cites what nobody read', { derivation: 'Synthesis', evidence: ['b.md'] }, ['Unknown', 0.5]],
    ['of which nothing is said', { derivation: 'Unknown', evidence: [], confidence: 0.2 }, ['Unknown', 0.2]],
  ];
  for (const [what, claim, [derivation, confidence]] of claims)
    verifies('memory:synthesis-guard', `of one ${what} is ${confidence}, as ${derivation}`, () => {
      expect(guarded(claim, (cited) => cited === 'a.md')).toMatchObject({ derivation, confidence });
    });

  verifies('memory:synthesis-guard', 'rests on calls that read, never on what memory says', () => {
    const call = (tool: string, input: object): ReadItem => ({
      recordId: 'c',
      label: { source: { kind: 'Workspace' }, trust: 'Trusted', readers: 'Everyone' },
      text: '',
      call: { tool, input },
    });
    const items = [call('read_file', { path: 'data/sales.csv' }), call('memory_read', { prefix: 'customer' })];
    const cited = ['data/sales.csv', 'customer', 'data/other.csv', 'a'];
    expect(cited.map((it) => isBrought(items, it, testTools))).toEqual([true, false, false, false]);
  });
});

describe('of two values', () => {
  const at = (days: number, derivation: Derivation, confidence: number) => {
    return { derivation, confidence, writtenAtMs: days * DAY_MS };
  };
  const rows: readonly (readonly [string, ReturnType<typeof at>, ReturnType<typeof at>, boolean])[] = [
    ['a fresh sight before a surer old one', at(0, 'DirectObservation', 0.9), at(1, 'DirectObservation', 0.8), true],
    ['no guess before a surer sight', at(0, 'DirectObservation', 0.9), at(1, 'Synthesis', 0.6), false],
    ['a guess before a sight that has faded', at(0, 'DirectObservation', 0.9), at(30, 'Synthesis', 0.6), true],
    ['an unknown one before an unknown one', at(0, 'Unknown', 0.5), at(0, 'Unknown', 0.5), true],
    [
      'nothing before what a person said, however old',
      at(0, 'OperatorProvided', 1),
      at(9000, 'DirectObservation', 1),
      false,
    ],
    ['what a person said before all', at(0, 'OperatorProvided', 1), at(1, 'OperatorProvided', 0.1), true],
  ];
  for (const [what, older, newer, holds] of rows)
    verifies('memory:newest-holds', `holds ${what}`, () => {
      expect(replaces(older, newer, 30)).toBe(holds);
    });
});

describe('the index of facts', () => {
  const written = (change: Partial<FactWritten>, head: Partial<Recorded> = {}): Recorded => {
    const claim = { scope: 'Persistent', confidence: 0.5, derivation: 'Unknown', evidence: [] } as const;
    const label = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] } as const;
    const payload = { key: 'k', value: 'v', callId: 'c', label, ...claim, ...change };
    return { store: 'fact', kind: 'FactWritten', seq: 0, timeMs: 0, payload, ...head };
  };
  const folded = (records: readonly Recorded[]): Facts => {
    const state = facts.start();
    for (const record of records) facts.take(state, record);
    return state;
  };

  verifies('memory:fact-scopes', 'shows a fact of a run or a cycle to that one alone, before the common one', () => {
    const known = folded([
      written({ value: 'all' }),
      written({ value: 'run', scope: 'Run' }, { runId: 'r', cycleId: 'c1' }),
      written({ value: 'cycle', scope: 'Cycle' }, { runId: 'r', cycleId: 'c1' }),
    ]);
    const seenBy = (reader?: object) => factsUnder(known, '', reader).map(({ value }) => value);
    expect([seenBy(), seenBy({ runId: 'x' }), seenBy({ runId: 'r' }), seenBy({ runId: 'r', cycleId: 'c1' })]).toEqual([
      ['all'],
      ['all'],
      ['run'],
      ['cycle'],
    ]);
  });

  verifies('memory:newest-holds', 'keeps what a person corrected, and lets them clear it', () => {
    const person = written({ value: 'EUR', derivation: 'OperatorProvided', confidence: 1 });
    const seen = written({ value: 'USD', derivation: 'DirectObservation', confidence: 1 }, { timeMs: 400 * DAY_MS });
    const cleared: Recorded = { ...person, kind: 'FactCleared', payload: { key: 'k', by: 'ada', reason: 'old' } };
    expect(factsUnder(folded([seen, person, seen]), 'k')[0]?.value).toBe('EUR');
    expect(factsUnder(folded([person, cleared]), 'k')).toEqual([]);
    expect(factsUnder(folded([person, cleared, seen]), 'k')[0]?.value).toBe('USD');
  });

  it('counts what left it', () => {
    const known = folded(Array.from({ length: 50_002 }, (_, at) => written({ key: `k${at}` })));
    expect([known.held.size, known.left, known.held.has('k1'), known.held.has('k2')]).toEqual([50_000, 2, false, true]);
  });

  it('comes back from its cached form, of its own half-life alone', () => {
    const known = folded([written({}), written({ scope: 'Run' }, { runId: 'r' })]);
    const kept = facts.keep(known);
    const restored = facts.start();
    expect(kept !== undefined && facts.restore(restored, kept)).toBe(true);
    expect(restored).toEqual(known);
  });

  it('reads a record of version 1 as it was meant: for all runs, of unknown origin', () => {
    const older = { key: 'k', value: 'v', callId: 'c' };
    expect(factKinds.FactWritten.parse(readOlder('FactWritten', 1, older))).toMatchObject({
      ...older,
      scope: 'Persistent',
      derivation: 'Unknown',
    });
  });
});
