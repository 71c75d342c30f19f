import type { PartAdvice } from '@retainer/contract/wire/bus/payloads';
import { describe, expect, it } from 'vitest';
import { call, criterion } from '../../../../../test/support/steer-rounds.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { isWorthCorrecting } from './corrections.ts';
import { adviseByRules } from './part-rules.ts';
import { openParts, openShare, openWholes, roundBefore, type Attempt, type RunHistory, type Step } from './parts.ts';

const none = { tokens: 0, times: 0 };

function history(steps: readonly Step[], change: Partial<RunHistory> = {}): RunHistory {
  const used = { plan: none, attempt: none, merge: none };
  return { people: [], steps, judged: [], advised: [], used, leftMs: 1000, ...change };
}

function step(round: number, text: string, attempts: readonly Attempt[], isMatched = false): Step {
  const criteria = [criterion(text)];
  return { subtaskId: `r${round}-${text}`, round, intent: `do ${text}`, criteria, attempts, isMatched };
}

function attempt(tool: string, target: string, how: 'TimedOut' | 'NotThere' | 'Wrong' | 'Right' | 'Partly'): Attempt {
  const status = ({ TimedOut: 'TimedOut', NotThere: 'Error', Wrong: 'Ok', Right: 'Ok', Partly: 'Ok' } as const)[how];
  const failureClass =
    how === 'NotThere' || how === 'TimedOut' ? 'Environmental' : how === 'Right' ? 'None' : 'Logical';
  const score = how === 'Right' ? 1 : how === 'Partly' ? 0.5 : 0;
  return { calls: [call(tool, target, { status })], failureClass, score };
}

const advised = (...attempts: readonly Attempt[]): PartAdvice => {
  const [part] = openParts(history([step(1, 'A', attempts)]));
  if (part === undefined) throw new Error('the part is open');
  return adviseByRules(part, 'Do it.');
};
const brief = ({ directive, options, avoid }: PartAdvice): readonly unknown[] => [
  directive,
  options.filter((it) => it.rank === 1).map(({ tool = '*', target = '*' }) => `${tool} on ${target}`),
  avoid.map(({ tool, target }) => `${tool} on ${target}`),
];

describe('one part', () => {
  verifies('steer:part-rules', 'goes on by how it failed last', () => {
    expect(brief(advised(attempt('read', '/a', 'TimedOut')))).toEqual(['Retry', ['read on /a'], []]);
    expect(brief(advised(attempt('read', '/a', 'NotThere')))).toEqual(['ChangePath', ['read on *'], ['read on /a']]);
    expect(brief(advised(attempt('read', '/a', 'Wrong')))).toEqual(['ChangeApproach', ['* on /a'], ['read on /a']]);
    expect(brief(advised(attempt('read', '/a', 'Partly')))).toEqual(['Refine', ['read on /a'], []]);
  });

  it('remembers every pair that failed by itself, and offers tried names on what they were not tried with', () => {
    const told = advised(
      attempt('read', '/a', 'Wrong'),
      attempt('web', '/a', 'NotThere'),
      attempt('web', '/b', 'Wrong'),
    );
    expect(brief(told)).toEqual([
      'ChangeApproach',
      ['read on /b', '* on /b'],
      ['read on /a', 'web on /a', 'web on /b'],
    ]);
    expect(told.options.map((it) => it.rank)).toEqual([1, 1, 2, 3, 3, 3]);
  });

  it('does not refuse what people named, what a call wrote, nor a tool without a target', () => {
    const named = history([step(1, 'A', [attempt('read', 'menu.txt', 'Wrong'), attempt('run', '', 'Wrong')])]);
    const [part] = openParts(named);
    expect(part && adviseByRules(part, 'Look into menu.txt.').avoid).toEqual([]);
    const files = [{ path: 'out', sizeBytes: 1, sha256: '' }];
    const [wrote] = openParts(
      history([
        step(1, 'A', [{ calls: [call('write', 'out', { status: 'Ok', files })], failureClass: 'Logical', score: 0 }]),
      ]),
    );
    expect(wrote && adviseByRules(wrote, '').avoid).toEqual([]);
  });

  it('takes nothing from calls that were refused or stopped', () => {
    const refused: Attempt = { calls: [call('read', '/a', { status: 'Unrun' })], failureClass: 'None', score: 0 };
    expect(advised(refused)).toMatchObject({ directive: 'Retry', options: [], avoid: [] });
  });
});

describe('the parts of a run', () => {
  const [a, b] = [attempt('read', '/a', 'Wrong'), attempt('read', '/b', 'Right')];
  const first = [step(1, 'A', [a]), step(1, 'B', [b], true)];

  verifies('steer:parts-stay', 'a shorter plan for what is left is not further from the goal', () => {
    const two = history([...first, step(2, 'A', [a])]);
    expect([openShare(roundBefore(two)), openShare(two)]).toEqual([0.5, 0.5]);
    expect(openShare(history([...first, step(2, ' a', [b], true)]))).toBe(0);
  });

  verifies('steer:parts-stay', 'a part whose proof the judge of the whole takes back is open again', () => {
    const done = [step(1, 'A', [b], true), ...first.slice(1)];
    expect(openParts(history(done))).toEqual([]);
    const back = history(done, { judged: [{ round: 1, open: ['B'], refused: ['B'] }] });
    expect(openParts(back).map((it) => [it.criteria, it.isWithdrawn])).toEqual([[['B'], true]]);
    expect(openShare(back)).toBe(0.5);
    expect(openParts(history([...done, step(2, 'B', [b], true)], { judged: back.judged }))).toEqual([]);
  });

  it('people ask for a part of their own, until the whole is judged', () => {
    const asked = { people: [criterion('The sum is right')] };
    expect(openShare(history([step(1, 'A', [b], true)], asked))).toBe(0.5);
    const refused = { ...asked, judged: [{ round: 1, open: ['The sum is right'], refused: [] }] };
    const judged = history([step(1, 'A', [b], true)], refused);
    expect(openWholes(judged).map((it) => it.criteria)).toEqual([['The sum is right']]);
    expect(
      openShare(history([step(1, 'A', [b], true)], { ...asked, judged: [{ round: 1, open: [], refused: [] }] })),
    ).toBe(0);
  });

  it('leaves alone what a later plan no longer asks for', () => {
    expect(openParts(history([...first, step(2, 'C', [a])])).map((it) => it.criteria)).toEqual([['C']]);
  });
});

describe('a correction', () => {
  const failed = (how: Parameters<typeof attempt>[2]): Attempt['calls'] => attempt('read', '/a', how).calls;
  const earlier = (...attempts: readonly Attempt[]): RunHistory => history([step(1, 'A', attempts)]);
  const wrong = attempt('read', '/a', 'Wrong');
  const other: Attempt = { calls: [call('read', '/b', { input: '{"other":1}' })], failureClass: 'Logical', score: 0 };

  verifies(
    'steer:corrections-that-change',
    'follows a time-out, and else only where corrections led to other calls',
    () => {
      expect(isWorthCorrecting(earlier(wrong), failed('TimedOut'))).toBe(true);
      expect(isWorthCorrecting(earlier(wrong), failed('Wrong'))).toBe(false);
      expect(isWorthCorrecting(earlier(wrong, other), failed('Wrong'))).toBe(true);
      expect(isWorthCorrecting(earlier(wrong, wrong), failed('Wrong'))).toBe(false);
      expect(isWorthCorrecting(earlier(attempt('read', '/a', 'TimedOut'), other), failed('Wrong'))).toBe(false);
    },
  );

  verifies(
    'steer:corrections-that-change',
    'asks for a missing proof until that has mostly led to the same calls',
    () => {
      expect(isWorthCorrecting(earlier(wrong), failed('Wrong'), true)).toBe(true);
      expect(isWorthCorrecting(earlier(wrong), [], false)).toBe(true);
      expect(isWorthCorrecting(earlier(wrong, wrong), failed('Wrong'), true)).toBe(false);
    },
  );

  it('is not what a second attempt at something met is, even with the same calls', () => {
    const met = attempt('read', '/a', 'Right');
    expect(isWorthCorrecting(earlier(met, wrong), failed('Wrong'), true)).toBe(true);
  });
});
