import { describe, expect, it } from 'vitest';
import type { Outcome } from './outcome.ts';
import { requeueOf, resultOf } from './requeue.ts';

const cases: readonly (readonly [name: string, outcome: Outcome, requeue: object, result: string])[] = [
  ['done', { type: 'Done', resyncAfterMs: 1000 }, { type: 'After', delayMs: 1000 }, 'success'],
  ['over for good', { type: 'Gone' }, { type: 'Never' }, 'success'],
  ['waiting', { type: 'Wait', reason: 'AgentNotFound', afterMs: 50 }, { type: 'After', delayMs: 50 }, 'requeue_after'],
  ['stalled', { type: 'Stalled', reason: 'NameTaken', message: 'm' }, { type: 'Never' }, 'success'],
  ['failed', { type: 'Failed', error: new Error('m') }, { type: 'BackOff' }, 'error'],
];

describe('a pass', () => {
  it.each(cases)('that is %s is looked at again as it should', (_, outcome, requeue, result) => {
    expect(requeueOf(outcome, 0.5)).toEqual(requeue);
    expect(resultOf(outcome)).toBe(result);
  });

  it('spreads resyncs over a tenth of their time in both directions', () => {
    const outcome: Outcome = { type: 'Done', resyncAfterMs: 1000 };
    expect(requeueOf(outcome, 0)).toEqual({ type: 'After', delayMs: 900 });
    expect(requeueOf(outcome, 1)).toEqual({ type: 'After', delayMs: 1100 });
  });
});
