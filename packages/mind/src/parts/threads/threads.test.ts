import { describe, expect, it } from 'vitest';
import { readOlder } from '../../../../../test/support/older-record.ts';
import { verifies } from '../../../../../test/verifies.ts';
import type { Label } from '../../gate/provenance/label.ts';
import { joinThread, shared, threadScore, type RunLabels, type Thread } from './thread-rules.ts';
import { threadKinds, threads, type Threads } from './threads.ts';

const DAY_MS = 86_400_000;
const labels = (change: Partial<RunLabels> = {}): RunLabels => ({ domain: '', locations: [], keywords: [], ...change });
const thread = (change: Partial<Thread> = {}): Thread => ({
  threadId: 't1',
  name: 'finance — sales.csv',
  domain: 'finance',
  locations: ['sales.csv'],
  keywords: ['march'],
  runs: 2,
  lastRunId: 'r2',
  lastAtMs: 0,
  ...change,
});
const run = { runId: 'r3', atMs: 0 };

describe('a run', () => {
  const rows: readonly (readonly [string, RunLabels, boolean])[] = [
    ['a place and a keyword', labels({ locations: ['Sales.csv'], keywords: ['March'] }), true],
    ['a domain and a keyword', labels({ domain: 'finance', keywords: ['march'] }), false],
    ['a place and the domain', labels({ domain: 'finance', locations: ['sales.csv'] }), true],
    ['a place alone', labels({ locations: ['sales.csv'] }), false],
    ['nothing', labels({ domain: 'law', keywords: ['april'] }), false],
  ];
  for (const [what, own, isJoined] of rows)
    verifies('memory:threads', `that shares ${what} with a thread ${isJoined ? 'joins it' : 'begins another'}`, () => {
      const join = joinThread([thread()], own, run);
      expect(join.threadId).toBe(isJoined ? 't1' : 'thread-r3');
      expect(join.position).toBe(isJoined ? 3 : 1);
      expect(join.continuity === '').toBe(!isJoined);
    });

  verifies('memory:threads', 'joins the thread of the highest score, the first of equal ones', () => {
    const own = labels({ domain: 'finance', locations: ['sales.csv'], keywords: ['march'] });
    const others = [thread({ threadId: 'a' }), thread({ threadId: 'b' }), thread({ threadId: 'c', keywords: [] })];
    expect(joinThread(others, own, run)).toMatchObject({ threadId: 'a', score: 6 });
    expect(joinThread(others.toReversed(), own, run).threadId).toBe('b');
  });

  verifies('memory:threads', 'is drawn half as much after each month that a thread lay idle, from a week on', () => {
    const matched = shared(labels({ domain: 'finance', locations: ['sales.csv'], keywords: ['march'] }), thread());
    expect([0, 7, 37, 67].map((days) => threadScore(matched, days * DAY_MS))).toEqual([6, 6, 3, 1.5]);
  });

  it('names the thread that it begins by what is known', () => {
    const names = [
      labels({ domain: 'finance', locations: ['a.csv'], keywords: ['x'] }),
      labels({ domain: 'finance' }),
      labels({ locations: ['a.csv'] }),
      labels({ keywords: ['sum', 'sales', 'march'] }),
      labels(),
    ].map((own) => joinThread([], own, { runId: 'abcdefghij', atMs: 0 }).name);
    expect(names).toEqual(['finance — a.csv', 'finance', 'a.csv', 'sum sales', 'Thread abcdefgh']);
  });
});

describe('the index of threads', () => {
  const own: Label = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] };
  const strangers: Label = { source: { kind: 'Web', name: 'a.example' }, trust: 'Untrusted', readers: 'Everyone' };

  /** A run joins a thread, or begins it. */
  function joined(state: Threads, runId: string, about: RunLabels, label: Label): void {
    const payload = { ...joinThread([...state.byId.values()], about, { runId, atMs: 5 }), labels: about, label };
    threads.take(state, { store: 'thread', kind: 'ThreadJoined', seq: 0, timeMs: 5, runId, payload });
  }

  it('holds what its runs were about, and comes back from its cached form', () => {
    const state = threads.start();
    joined(state, 'r3', labels({ keywords: ['a', 'b'] }), own);
    expect(state.byId.get('thread-r3')).toMatchObject({ keywords: ['a', 'b'], runs: 1, lastRunId: 'r3', lastAtMs: 5 });
    const kept = threads.keep(state);
    const restored = threads.start();
    expect(kept !== undefined && threads.restore(restored, JSON.parse(JSON.stringify(kept)))).toBe(true);
    expect(restored).toEqual(state);
  });

  const about = labels({ domain: 'finance', locations: ['a.csv'] });
  const rows = [
    ['its own runs alone', [own, own], 'Trusted', 'Trusted'],
    ['a stranger after it began', [own, strangers], 'Trusted', 'Untrusted'],
    ['a stranger from its beginning', [strangers, own], 'Untrusted', 'Untrusted'],
  ] as const;
  for (const [whose, labelled, ofName, ofAll] of rows)
    verifies('memory:threads-labelled', `knows whose words name a thread of ${whose}`, () => {
      const state = threads.start();
      for (const [at, label] of labelled.entries()) joined(state, `r${at}`, about, label);
      const [thread, ...others] = state.byId.values();
      expect(others).toEqual([]);
      expect(thread).toMatchObject({ runs: 2, nameLabel: { trust: ofName }, label: { trust: ofAll } });
    });

  verifies('memory:threads-labelled', 'believes no name in a record of version 1, which told no label', () => {
    const older = { ...joinThread([], about, { runId: 'r', atMs: 1 }), labels: about };
    expect(threadKinds.ThreadJoined.parse(readOlder('ThreadJoined', 1, older))).toEqual({
      ...older,
      label: expect.objectContaining({ trust: 'Untrusted' }),
    });
  });
});
