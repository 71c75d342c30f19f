import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { categoryOf } from './case-rules.ts';
import { cases, isCredited, useOf, type Cases, type CaseWritten } from './cases.ts';
import { utilityOf } from '../../memory/recall/recall-case.ts';

const written = (caseId: string): CaseWritten => ({
  caseId,
  category: 'Pitfall',
  problem: { input: 'Sum.', intent: 'sum', domain: '', entities: [], keywords: [], complexity: 'Simple' },
  solution: { approach: 'Read it.', agents: ['Executor'], tools: [], steps: [] },
  outcome: { status: 'Failure', confidence: 0, assessment: 'Abandoned', pitfalls: ['no file'] },
  label: { source: { kind: 'Web' }, trust: 'Untrusted', readers: 'Everyone' },
});

describe('the category of a case', () => {
  const rows = [
    ['Success', 'Read the file and sum it.', [], 'Strategy'],
    ['Success', 'Write a Python script.', [], 'CodePattern'],
    ['Failure', 'Read the file.', ['no file'], 'Pitfall'],
    ['Failure', 'Read the file.', [], 'Troubleshooting'],
    ['Partial', 'Write a script.', ['x'], 'DomainKnowledge'],
  ] as const;
  for (const [status, approach, pitfalls, category] of rows)
    verifies('memory:cases', `is ${category} after ${status} of: ${approach} ${pitfalls.join()}`, () => {
      expect(categoryOf(status, approach, pitfalls)).toBe(category);
    });
});

describe('the index of cases', () => {
  const head = { store: 'case', seq: 0, timeMs: 1, runId: 'r' };
  const after = (...curations: readonly string[]) => {
    const state = cases.start();
    cases.take(state, { ...head, kind: 'CaseWritten', payload: written('a') });
    for (const how of curations)
      cases.take(state, {
        ...head,
        kind: 'CaseCurated',
        payload: { caseId: 'a', how, by: 'ada', reason: 'so it was' },
      });
    return state;
  };

  verifies('memory:cases', 'holds what persons did to a case, and nothing else takes it out of use', () => {
    expect(after('Suppress').byId.get('a')?.isSuppressed).toBe(true);
    const [it] = after('Suppress', 'Unsuppress', 'Boost', 'Annotate', 'Correct', 'Endorse').byId.values();
    expect(it).toMatchObject({ isSuppressed: false, boosts: 1, notes: ['so it was'], label: { trust: 'Trusted' } });
    expect(it?.outcome.assessment).toBe('so it was');
  });

  type Use = readonly [shown: boolean, cited: boolean, outcome: string];
  const used = (state: Cases, runId: string, [shown, cited, outcome]: Use): void =>
    cases.take(state, { ...head, runId, kind: 'CaseUsed', payload: { caseId: 'a', shown, cited, outcome } });

  const rows = [
    ['nothing', [], [0, 0], 0.5],
    ['a success that followed it', [[true, true, 'Success']], [1, 1], 2 / 3],
    ['a failure that followed it', [[true, true, 'Failure']], [1, 0], 1 / 3],
    ['half a success', [[true, true, 'Partial']], [1, 0], 1 / 3],
    ['a success that did not follow it', [[true, false, 'Success']], [1, 0], 1 / 3],
    ['a success that never saw it', [[false, false, 'Success']], [0, 0], 0.5],
    [
      'two of three',
      [
        [true, true, 'Success'],
        [true, true, 'Success'],
        [true, true, 'Failure'],
      ],
      [3, 2],
      3 / 5,
    ],
  ] as const;
  for (const [name, uses, counted, utility] of rows)
    verifies('recall:credit', `counts ${name}`, () => {
      const state = after();
      for (const [at, use] of uses.entries()) used(state, `r${at}`, use);
      const it = state.byId.get('a');
      expect([it?.shown, it?.succeeded]).toEqual(counted);
      expect(it && utilityOf(useOf(it))).toBeCloseTo(utility, 12);
    });

  verifies('recall:credit', 'counts a run once, and a word of a person as a success', () => {
    const state = after('Boost');
    for (let time = 0; time < 2; time += 1) used(state, 'r1', [true, true, 'Failure']);
    const it = state.byId.get('a');
    expect(it).toMatchObject({ shown: 1, succeeded: 0, boosts: 1 });
    expect(it && useOf(it)).toEqual({ shown: 2, succeeded: 1 });
    expect([isCredited(state, 'r1', 'a'), isCredited(state, 'r1', 'b'), isCredited(state, 'r2', 'a')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('takes a case once, and comes back from its cached form', () => {
    const state = after('Boost');
    used(state, 'r1', [true, true, 'Success']);
    cases.take(state, { ...head, kind: 'CaseWritten', payload: { ...written('a'), category: 'Strategy' } });
    expect(state.byId.get('a')).toMatchObject({ category: 'Pitfall', boosts: 1 });
    const kept = cases.keep(state);
    const restored = cases.start();
    expect(kept !== undefined && cases.restore(restored, JSON.parse(JSON.stringify(kept)))).toBe(true);
    expect(restored).toEqual(state);
  });

  it('counts what left it', () => {
    const state = cases.start();
    for (let at = 0; at < 20_001; at += 1)
      cases.take(state, { ...head, kind: 'CaseWritten', payload: written(`c${at}`) });
    expect([state.byId.size, state.left, state.byId.has('c0')]).toEqual([20_000, 1, false]);
  });
});
