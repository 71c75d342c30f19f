import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import { describe, expect, it } from 'vitest';
import {
  call,
  criterion,
  met,
  outcome,
  replanRequest,
  steerContext,
  unmet,
} from '../../../../../test/support/steer-rounds.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { fastReply, steerAbort, steerDeadline, steerPerceptionFailure, steerPlanFailure } from './end.ts';
import type { Steered } from './ended.ts';
import { steerReplan } from './steer.ts';
import { initialSteerState } from './steer-state.ts';

const context = steerContext({}, { criteria: [criterion('a')] });
const known = {
  outcomes: [outcome(0, [met(1)]), outcome(1, [unmet(1, 'Logical')], { calls: [call('bash', 'x')] })],
  taskVerdicts: [],
  elapsedMs: 60_000,
};

function final({ message }: Steered): BusPayload<'FinalResult'> {
  if (message.type !== 'FinalResult') throw new Error('the run goes on');
  return message.payload;
}

const second = steerReplan(
  initialSteerState,
  replanRequest([outcome(0, [met(1)]), outcome(1, [unmet(1)])]),
  context,
).state;

describe('past the deadline', () => {
  verifies('steer:watchdog-end', 'with what is known, and as a failing round', () => {
    const steered = steerDeadline(second, known, context);
    expect(final(steered)).toMatchObject({
      directive: 'Abandon',
      cause: 'Deadline',
      previous: 'ChangePath',
      output: 'output 0',
      partial: true,
      replans: 1,
      unmet: ['a', 'step 1, point 1'],
      loss: { d: 0.5, p: 1 },
    });
    expect(final(steered).loss.omega).toBeCloseTo(0.4 + 0.08, 12);
    expect(steered.explanation).toMatchObject({ occasion: 'Deadline', rounds: 2 });
    expect(steered.megrams).toEqual([expect.objectContaining({ state: 'Abandon', sigma: -1 })]);
  });

  verifies('steer:watchdog-end', 'with nothing known', () => {
    const nothing = { outcomes: [], taskVerdicts: [], elapsedMs: 0 };
    expect(final(steerDeadline(initialSteerState, nothing, context))).toMatchObject({
      loss: { d: 1, p: 0.5 },
      output: '',
    });
  });

  it('says that the result would have done', () => {
    const near = { ...known, outcomes: [outcome(0, [met(1), met(2), met(3), met(4)])], taskVerdicts: [met(1)] };
    expect(final(steerDeadline(initialSteerState, near, context)).summary).toContain('within threshold');
    expect(final(steerDeadline(initialSteerState, known, context)).summary).not.toContain('within threshold');
  });
});

describe('stopped by a person', () => {
  it('says by whom and why, keeps what matched, and remembers nothing', () => {
    const steered = steerAbort(second, { by: 'ann', reason: 'not needed' }, known, context);
    expect(final(steered)).toMatchObject({ directive: 'Abandon', cause: 'Aborted', replans: 1, output: 'output 0' });
    expect(final(steered).summary).toContain('stopped by ann: not needed');
    expect(steered.megrams).toEqual([]);
    expect(steered.explanation.rounds).toBe(1);
    const near = { ...known, outcomes: [outcome(0, [met(1)])], taskVerdicts: [met(1)] };
    expect(final(steerAbort(second, { by: 'ann', reason: 'x' }, near, context)).summary).not.toContain(
      'within threshold',
    );
  });
});

describe('no plan', () => {
  verifies('steer:plan-failure', 'in the first round', () => {
    const steered = steerPlanFailure(initialSteerState, { reason: 'no subtasks', failureClass: 'Logical' }, 0, context);
    expect(final(steered)).toMatchObject({
      directive: 'Abandon',
      cause: 'Planning',
      loss: { d: 1, p: 0.5 },
      unmet: ['a'],
    });
    expect(final(steered).summary).toContain('no subtasks');
    expect(steered.megrams).toHaveLength(1);
  });

  verifies('steer:plan-failure', 'later on, what an earlier round brought is delivered', () => {
    const failure = { reason: 'the same plan again', failureClass: 'Logical' } as const;
    expect(final(steerPlanFailure(second, failure, 90_000, context))).toMatchObject({
      output: 'output 0',
      replans: 1,
      partial: true,
      previous: 'ChangePath',
    });
  });

  it.each([
    ['Policy', 'Policy', ['PolicyBlock']],
    ['Infrastructure', 'Infrastructure', []],
    ['Environmental', 'Budget', ['Abandon']],
    ['Unverified', 'Planning', ['Abandon']],
  ] as const)('a failure of class %s has cause %s', (failureClass, cause, states) => {
    const steered = steerPlanFailure(initialSteerState, { reason: 'x', failureClass }, 0, context);
    expect(final(steered).cause).toBe(cause);
    expect(steered.megrams.map((it) => it.state)).toEqual(states);
  });

  it('is no plan, either, where the input was not understood; there is no intent to remember', () => {
    const steered = steerPerceptionFailure({ reason: 'no text', failureClass: 'Logical' }, steerContext());
    expect(final(steered)).toMatchObject({ cause: 'Planning', replans: 0, previous: 'Init', unmet: ['sum the sales'] });
    expect(final(steered).loss).toMatchObject({ d: 1, p: 0.5, omega: 0 });
    expect(steered.megrams).toEqual([]);
  });
});

describe('a direct answer', () => {
  verifies('steer:fast-path', 'is an acceptance without replans or verdicts', () => {
    const steered = fastReply({ reply: 'Hello.' }, 30_000, context);
    expect(final(steered)).toMatchObject({
      directive: 'Accept',
      previous: 'Init',
      replans: 0,
      fastPath: true,
      partial: false,
      summary: 'Hello.',
      output: 'Hello.',
      unmet: [],
      taskVerdicts: [],
    });
    expect(final(steered).loss.l).toBeCloseTo(0.16, 12);
    expect(steered.megrams).toEqual([]);
  });

  it('has a summary in bounds', () => {
    expect(final(fastReply({ reply: 'x'.repeat(1e6) }, 0, context)).summary.length).toBeLessThan(1100);
  });
});
