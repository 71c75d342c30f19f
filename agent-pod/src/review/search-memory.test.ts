import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { openWordTable } from '../boot/word-table.ts';
import type { Remembered } from './memory-records.ts';
import { searchMemory } from './search-memory.ts';

const opened = await openWordTable();
if (!opened.ok) throw new Error(opened.error);
const meaning = opened.value;

const fact = (key: string, text: string, confidence = 1): Remembered => ({
  ...{ what: 'Fact', id: `fact:${key}`, text, isTrusted: true, atMs: 1, confidence },
});
const run = (id: string, text: string): Remembered => ({ what: 'Run', id, text, isTrusted: true, atMs: 1, runId: id });
const all = [
  fact('customer/acme.currency', 'EUR'),
  fact('office.coffee', 'The machine on the second floor'),
  run('rain-1', 'Find the wettest town of the region → Accepted: Alta'),
  run('mail-2', 'Write to Anna about the invoice → Refused'),
  fact('old.invoice', 'Anna pays each invoice late', 0.1),
];
const ids = (text: string, words = true) =>
  searchMemory(all, { text, meaning: words ? meaning : undefined, count: 20 }).map(({ id }) => id);

describe('a search in memory', () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['currency of acme', ['fact:customer/acme.currency']],
    ['where is the coffee machine', ['fact:office.coffee']],
    ['wettest town', ['rain-1']],
  ];
  for (const [text, expected] of rows)
    verifies('memory:search', `finds ${expected.join(', ')} by ${JSON.stringify(text)}`, () => {
      expect(ids(text, false)).toEqual(expected);
      expect(ids(text)[0]).toBe(expected[0]);
    });

  verifies('memory:search', 'finds what means the like and shares no word', () => {
    expect(ids('rainiest city', false)).toEqual([]);
    expect(ids('rainiest city')).toEqual(['rain-1']);
    expect(ids('quantum chromodynamics')).toEqual([]);
  });

  verifies('memory:search', 'puts what is hardly sure any more last, and says why each was found', () => {
    const found = searchMemory(all, { text: 'invoice of Anna', count: 20 });
    expect(found.map(({ id }) => id)).toEqual(['mail-2', 'fact:old.invoice']);
    expect(found[0]).toMatchObject({ matched: ['invoic', 'anna'], signals: { meaning: 0, weight: 1 } });
    expect(found[1]?.signals.weight).toBe(0.1);
  });

  it('returns no more than it is asked for', () => {
    expect(searchMemory(all, { text: 'invoice of Anna', count: 1 })).toHaveLength(1);
  });
});
