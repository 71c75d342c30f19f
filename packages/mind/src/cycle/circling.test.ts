import { describe, expect, it } from 'vitest';
import { CycleUnderTest, cycleSpec } from '../../../../test/support/cycles.ts';
import { verifies } from '../../../../test/verifies.ts';
import { ALIKE_CALLS_MAX } from './circling.ts';

const CALLS = 30;
const limits = { ...cycleSpec().limits, turns: 100, toolCalls: 100, tokens: 1_000_000 };

/** @returns calls that ran before the cycle ended; all of them where it did not */
function played(
  call: (number: number) => { readonly tool?: string; readonly input: object; readonly output: string },
): {
  readonly ran: number;
  readonly ended: CycleUnderTest['now']['ended'];
} {
  const cycle = new CycleUnderTest({ limits });
  for (let number = 1; number <= CALLS && cycle.now.ended === undefined; number += 1) {
    const { tool = 'look', input, output } = call(number);
    cycle.answer({ calls: [[tool, input as never]] });
    cycle.finish(`r-c1-t${number}`, output);
  }
  return { ran: cycle.now.calls.length, ended: cycle.now.ended };
}

const query = (number: number): object => ({ query: 'open invoices of the customer', page: number });

describe('calls that go round in a circle', () => {
  verifies('budget:no-progress', 'end the cycle when the same question brought the same answer ten times', () => {
    const { ran, ended } = played((number) => ({ input: query(number), output: 'no results' }));
    expect(ran).toBe(ALIKE_CALLS_MAX);
    expect(ended).toMatchObject({ outcome: 'OutOfBudget', reason: expect.stringContaining('nothing new') });
  });

  const going: readonly (readonly [string, Parameters<typeof played>[0]])[] = [
    ['bring something new', (number) => ({ input: query(number), output: `page ${number}` })],
    [
      'ask for something else',
      (number) => ({ input: { name: `${String.fromCodePoint(96 + number).repeat(7)}` }, output: '' }),
    ],
    ['change something', (number) => ({ tool: 'change', input: query(number), output: 'written' })],
    [
      'use other tools between',
      (number) => ({ tool: number % 5 === 0 ? 'change' : 'look', input: query(number), output: 'same' }),
    ],
  ];

  for (const [name, call] of going)
    it(`are none where they ${name}`, () => {
      expect(played(call)).toEqual({ ran: CALLS, ended: undefined });
    });
});
