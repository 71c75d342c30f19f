import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import { describe, expect, it } from 'vitest';
import {
  attempts,
  call,
  criterion,
  met,
  outcome,
  outcomesOf,
  replanRequest,
  steerContext,
  unmet,
} from '../../../../../test/support/steer-rounds.ts';
import type { ReplanRequest } from '../../../../../test/support/steer-rounds.ts';
import { verifies } from '../../../../../test/verifies.ts';
import type { Steered } from './ended.ts';
import { steerAccept, steerReplan } from './steer.ts';
import { initialSteerState } from './steer-state.ts';
import type { SteerContext, SteerState } from './steer-state.ts';

const spec = steerContext();

function final({ message }: Steered): BusPayload<'FinalResult'> {
  if (message.type !== 'FinalResult') throw new Error(`the run goes on: ${message.payload.directive}`);
  return message.payload;
}

function plan({ message }: Steered): BusPayload<'PlanDirective'> {
  if (message.type !== 'PlanDirective') throw new Error(`the run ended: ${message.payload.summary}`);
  return message.payload;
}

/** Steers rounds one after the other; the last answer. */
function rounds(requests: readonly ReplanRequest[], context: SteerContext = spec): Steered {
  let state = initialSteerState;
  let steered: Steered | undefined;
  for (const request of requests) {
    steered = steerReplan(state, request, context);
    state = steered.state;
  }
  if (steered === undefined) throw new Error('no round');
  return steered;
}

/** A round with these numbers. `seconds` since the first plan. */
const round = (d: number, p: number | undefined, seconds = 0): ReplanRequest =>
  replanRequest(outcomesOf(d, p), { elapsedMs: seconds * 1000 });

const accepted = (change: Partial<BusPayload<'OutcomeSummary'>> = {}): BusPayload<'OutcomeSummary'> => ({
  summary: 'The sum is 42.',
  output: '42',
  elapsedMs: 30_000,
  outcomes: [outcome(0, [met(1)])],
  taskVerdicts: [],
  ...change,
});

const after = (rounds: number): SteerState => ({ ...initialSteerState, rounds });

describe('the published vectors', () => {
  it.each<readonly [string, readonly ReplanRequest[], readonly [number, number, number], readonly [string, string]]>([
    ['first, logical', [round(1, 1)], [0.2, 0.92, 0], ['BreakSymmetry', 'Init']],
    ['first, neutral', [round(1, undefined)], [0.2, 0.8, 0], ['ChangePath', 'Init']],
    ['then half', [round(1, undefined), round(0.5, undefined)], [0.4, 0.55, -0.25], ['Refine', 'ChangePath']],
    ['over time', [round(1, undefined, 600)], [1, 1, 0], ['Abandon', 'Init']],
    ['near', [round(0.25, 0, 1)], [0.201333, 0.230533, 0], ['Success', 'Init']],
    ['Ω drift, round 1', [round(1, 0, 60)], [0.28, 0.712, 0], ['ChangePath', 'Init']],
    ['Ω drift, round 2', [round(1, 0, 60), round(1, 0, 120)], [0.56, 0.824, 0.112], ['Refine', 'ChangePath']],
    [
      'Ω drift, round 3',
      [round(1, 0, 60), round(1, 0, 120), round(1, 0, 170)],
      [0.826667, 0.930667, 0.106667],
      ['Abandon', 'Refine'],
    ],
    ['kill-switch, round 1', [round(0.4, undefined)], [0.2, 0.44, 0], ['ChangePath', 'Init']],
    [
      'kill-switch, round 2',
      [round(0.4, undefined), round(0.6, undefined, 10)],
      [0.413333, 0.613333, 0.173333],
      ['Refine', 'ChangePath'],
    ],
    [
      'kill-switch, round 3',
      [round(0.4, undefined), round(0.6, undefined, 10), round(0.8, undefined, 20)],
      [0.626667, 0.786667, 0.173333],
      ['Abandon', 'Refine'],
    ],
    ['no outcomes', [replanRequest([])], [0.2, 0.8, 0], ['ChangePath', 'Init']],
  ])('%s', (_, requests, [omega, l, gradL], [directive, previous]) => {
    const { message, explanation } = rounds(requests);
    expect(message.payload).toMatchObject({ directive, previous });
    expect(message.payload.loss.omega).toBeCloseTo(omega, 6);
    expect(message.payload.loss.l).toBeCloseTo(l, 6);
    expect(message.payload.gradL).toBeCloseTo(gradL, 6);
    expect(explanation).toMatchObject({ directive, loss: message.payload.loss, rounds: requests.length });
  });

  verifies('steer:vectors', 'boundary: Ω exactly at its threshold, in the third round', () => {
    const { message } = steerReplan(after(2), round(1, undefined, 150), spec);
    expect(message.payload.loss.omega).toBeCloseTo(0.8, 12);
    expect(message.payload.directive).toBe('Abandon');
  });

  verifies('steer:vectors', 'accepted at the first try', () => {
    const result = final(steerAccept(initialSteerState, accepted(), spec));
    expect(result).toMatchObject({ directive: 'Accept', previous: 'Init', replans: 0, gradL: 0, gradQ: 0 });
    expect(result.loss).toMatchObject({ d: 0, p: 0.5 });
    expect(result.loss.omega).toBeCloseTo(0.04, 12);
    expect(result.loss.l).toBeCloseTo(0.16, 12);
  });

  verifies('steer:threshold-tolerance', 'the float trap: the fourth failing round is spent by rounds alone', () => {
    const { explanation } = steerReplan(after(3), round(1, undefined), spec);
    expect(explanation.loss.omega).toBeLessThan(0.8);
    expect(explanation).toMatchObject({ byTable: 'Abandon', cell: 15 });
  });
});

describe('which gradient decides', () => {
  const drift = [round(1, 0, 60), round(1, 0, 120)];

  verifies('steer:quality-gradient', 'Hardened does not take the clock for a change', () => {
    const hardened = rounds(drift, steerContext({ profile: 'Hardened' }));
    expect(plan(hardened)).toMatchObject({ directive: 'ChangePath', gradQ: 0 });
    expect(plan(hardened).gradL).toBeCloseTo(0.112, 6);
    expect(hardened.explanation).toMatchObject({ gradient: 'Q', trend: 'Plateau', worsening: 0 });
    expect(rounds(drift).explanation).toMatchObject({ gradient: 'L', trend: 'Worsening', worsening: 1, gradQ: 0 });
  });

  verifies('steer:quality-gradient', 'the kill-switch follows it', () => {
    const slow = { weights: { alpha: 0.6, beta: 0.3, lambda: 0.4, w1: 0, w2: 1 } };
    const requests = [round(1, 0, 60), round(1, 0, 140), round(1, 0, 220)];
    expect(final(rounds(requests, steerContext(slow)))).toMatchObject({ cause: 'Worsening' });
    expect(plan(rounds(requests, steerContext({ ...slow, profile: 'Hardened' }))).directive).toBe('ChangePath');
    const worse = [round(0.4, undefined), round(0.6, undefined), round(0.8, undefined)];
    expect(final(rounds(worse, steerContext({ profile: 'Hardened' })))).toMatchObject({ cause: 'Worsening' });
  });
});

describe('the kill-switch', () => {
  verifies('steer:kill-switch', 'counts only rounds in a row', () => {
    const worse = [round(0.4, undefined), round(0.6, undefined)];
    const plateau = round(0.55, undefined);
    expect(rounds(worse).state.worsening).toBe(1);
    expect(rounds([...worse, plateau]).state.worsening).toBe(0);
    const enough = steerContext({ maxReplans: 16 });
    expect(plan(rounds([...worse, plateau, round(0.8, undefined)], enough)).directive).toBe('Refine');
    expect(final(rounds([...worse, round(0.8, undefined)]))).toMatchObject({
      cause: 'Worsening',
      directive: 'Abandon',
    });
  });

  verifies('steer:kill-switch', 'fires after as many rounds as the control allows', () => {
    const worse = [0.35, 0.55, 0.75, 0.95].map((d) => round(d, undefined));
    const allowed = steerContext({ maxReplans: 16, worseningRoundsMax: 3 });
    expect(plan(rounds(worse.slice(0, 3), allowed)).directive).toBe('Refine');
    expect(final(rounds(worse, allowed)).cause).toBe('Worsening');
    const once = steerContext({ worseningRoundsMax: 1 });
    expect(final(rounds(worse.slice(0, 2), once)).cause).toBe('Worsening');
  });

  verifies('steer:success-when-near', 'a success is overruled by nothing', () => {
    const strict = steerContext({ worseningRoundsMax: 1, maxReplans: 16 });
    const before = { ...after(8), worsening: 5, lPrevious: 0, qPrevious: 0 };
    const request = { ...round(0.3, 1), recommendation: 'Abandon' as const };
    const steered = steerReplan(before, request, strict);
    expect(final(steered)).toMatchObject({ directive: 'Success' });
    expect(steered.explanation).toMatchObject({ trend: 'Worsening', worsening: 6, byTable: 'Success' });
    expect(steered.explanation).not.toHaveProperty('override');
  });
});

describe('the end of the replans', () => {
  verifies('steer:replans-executed', 'three plans are made anew, and the fourth failing round ends the run', () => {
    const slowly = steerContext({ thresholds: { theta: 1 } });
    const failing = [1, 1, 1].map((d) => round(d, undefined));
    expect(plan(rounds(failing, slowly)).directive).toBe('ChangePath');
    const last = rounds([...failing, round(1, undefined)], slowly);
    expect(final(last)).toMatchObject({ directive: 'Abandon', cause: 'Replans', replans: 3 });
    expect(last.explanation).toMatchObject({ byTable: 'ChangePath', override: 'ReplansUsedUp' });
  });

  it('follows a recommendation to abandon, and says that the replans are the reason', () => {
    const steered = rounds([{ ...round(1, undefined), recommendation: 'Abandon' }]);
    expect(final(steered)).toMatchObject({ cause: 'Replans', replans: 0 });
    expect(steered.explanation).toMatchObject({ byTable: 'ChangePath', override: 'AbandonRecommended' });
    expect(final(steerReplan(after(3), { ...round(1, undefined), recommendation: 'Abandon' }, spec)).cause).toBe(
      'Replans',
    );
  });

  it('names the budget where time alone used it up', () => {
    expect(final(rounds([round(1, undefined, 600)]))).toMatchObject({ cause: 'Budget' });
  });

  it('takes the kill-switch before the recommendation', () => {
    const requests = [
      round(0.4, undefined),
      round(0.6, undefined),
      { ...round(0.8, undefined), recommendation: 'Abandon' as const },
    ];
    expect(rounds(requests).explanation.override).toBe('Worsening');
  });

  it('names the machinery where nothing else failed', () => {
    const lost = outcome(0, [], { status: 'Failed', failureClass: 'Infrastructure' });
    const steered = steerReplan(after(3), replanRequest([lost, outcome(1, [met(1)])]), spec);
    expect(final(steered)).toMatchObject({ cause: 'Infrastructure', directive: 'Abandon', output: 'output 1' });
    expect(steered.megrams).toEqual([]);
    expect(final(steerReplan(after(3), replanRequest([lost, outcome(1, [unmet(1)])]), spec)).cause).toBe('Replans');
  });
});

describe('the whole', () => {
  const criteria = [criterion('a'), criterion('b'), criterion('c'), criterion('d')];
  const context = steerContext({}, { criteria });
  const matched = [outcome(0, [met(1)])];

  verifies(
    'steer:task-criteria-in-distance',
    'one verifiable failure in four is no success, though D is below its threshold',
    () => {
      const request = replanRequest(matched, { taskVerdicts: [met(1), unmet(2), met(3), met(4)] });
      const steered = steerReplan(initialSteerState, request, context);
      expect(plan(steered)).toMatchObject({ directive: 'ChangePath', failedCriterion: 'b', loss: { d: 0.25 } });
      expect(steered.explanation).toMatchObject({ successBar: 'TaskCriterion', cell: 13 });
      expect(plan(steered).rationale).toContain('a criterion of the whole failed');
    },
  );

  verifies('steer:task-criteria-in-distance', 'all of them failed with all subtasks matched is full distance', () => {
    const request = replanRequest(matched, { taskVerdicts: [1, 2, 3, 4].map((index) => unmet(index)) });
    expect(plan(steerReplan(initialSteerState, request, context)).loss.d).toBe(1);
  });

  verifies('steer:unmet-always-listed', 'a plausible failure is a success that names it', () => {
    const own = steerContext(
      {},
      { criteria: [...criteria.slice(0, 3), criterion('it reads well', { mode: 'Plausible' })] },
    );
    const request = replanRequest(matched, { taskVerdicts: [met(1), met(2), met(3), unmet(4)] });
    const result = final(steerReplan(initialSteerState, request, own));
    expect(result).toMatchObject({ directive: 'Success', unmet: ['it reads well'], partial: true, output: 'output 0' });
    expect(result.taskVerdicts.map((it) => it.verdict)).toEqual(['Met', 'Met', 'Met', 'Unmet']);
  });

  verifies('steer:unmet-always-listed', 'criteria of the whole that nobody judged, and those of subtasks', () => {
    const outcomes = [outcome(0, [met(1), met(2), met(3)]), outcome(1, [unmet(1)])];
    const result = final(steerReplan(initialSteerState, replanRequest(outcomes), context));
    expect(result).toMatchObject({ directive: 'Success', unmet: ['a', 'b', 'c', 'd', 'step 1, point 1'] });
    expect(result.taskVerdicts.map((it) => [it.index, it.verdict])).toEqual(
      [1, 2, 3, 4].map((it) => [it, 'Unverified']),
    );
  });

  verifies('steer:infrastructure-excluded', 'D is 0, and yet it is no success', () => {
    const lost = outcome(1, [], { status: 'Failed', failureClass: 'Infrastructure' });
    const steered = steerReplan(initialSteerState, replanRequest([...matched, lost]), spec);
    expect(plan(steered)).toMatchObject({ directive: 'ChangePath', loss: { d: 0 } });
    expect(steered.explanation.successBar).toBe('Infrastructure');
  });
});

describe('a refused deed', () => {
  const refused = outcome(1, [unmet(1, 'Policy'), unmet(2, 'Logical')]);
  const request = replanRequest([outcome(0, [met(1)]), refused]);

  verifies('steer:policy-ends-the-round', 'no plan around it, and nothing bad about the tool', () => {
    const steered = steerReplan(initialSteerState, request, spec);
    expect(final(steered)).toMatchObject({ directive: 'Abandon', cause: 'Policy', output: 'output 0', partial: true });
    expect(final(steered).summary).toContain('not seen 1');
    expect(steered.explanation).toMatchObject({ occasion: 'PolicyBlock' });
    expect(steered.explanation).not.toHaveProperty('cell');
    expect(steered.megrams).toEqual([
      expect.objectContaining({ state: 'PolicyBlock', sigma: 0, space: 'intent:sum_sales', entity: 'env:local' }),
    ]);
  });

  verifies('steer:policy-ends-the-round', 'by the class of the outcome or of the whole, too', () => {
    const whole = outcome(0, [], { status: 'Failed', failureClass: 'Policy', failureReason: 'rule 7' });
    expect(final(rounds([replanRequest([whole])])).summary).toContain('rule 7');
    const verdicts = replanRequest([outcome(0, [met(1)])], { taskVerdicts: [unmet(1, 'Policy')] });
    expect(
      final(steerReplan(initialSteerState, verdicts, steerContext({}, { criteria: [criterion('a')] }))).cause,
    ).toBe('Policy');
  });

  it('is no failure where the criterion is met all the same', () => {
    const unharmed = outcome(0, [{ ...met(1), failureClass: 'Policy' }, unmet(2)]);
    expect(plan(rounds([replanRequest([unharmed])])).directive).toBe('ChangePath');
  });
});

describe('what the next plan is told', () => {
  const failing = (change: Parameters<typeof outcome>[2]): ReplanRequest =>
    replanRequest([outcome(0, [unmet(1)], change)]);

  verifies('steer:previous-directive', 'Init, then the directive of the round before, to the end', () => {
    const requests = [round(1, 1), round(1, 1), round(0.5, 0), round(0.1, 0)];
    const told = requests.map((_, index) => rounds(requests.slice(0, index + 1)).message.payload.previous);
    expect(told).toEqual(['Init', 'BreakSymmetry', 'BreakSymmetry', 'Refine']);
  });

  it.each<readonly [string, ReplanRequest, string]>([
    [
      'first unmet of the last attempt',
      replanRequest([
        outcome(0, [met(1)]),
        outcome(1, [unmet(1), unmet(2), unmet(3)], { trajectory: attempts([1, 2], [3, 2]) }),
      ]),
      'step 1, point 3',
    ],
    ['first unmet by the verdicts where there was no attempt', failing({ trajectory: [] }), 'step 0, point 1'],
    ['intent of a failed subtask without criteria', failing({ criteria: [], verdicts: [] }), 'step 0'],
    ['empty where nothing is known', replanRequest([]), ''],
    ['empty for an index that does not exist', failing({ trajectory: attempts([9]) }), ''],
  ])('failed criterion: %s', (_, request, text) => {
    expect(plan(rounds([request])).failedCriterion).toBe(text);
  });

  it('why, in numbers and words, in bounds', () => {
    const { rationale } = plan(
      rounds([round(1, undefined), { ...round(0.5, undefined), gapSummary: 'no total\nin it' }]),
    );
    expect(rationale).toBe(
      'Round 2: D 0.500, P 0.500, Ω 0.400, L 0.550; change of L -0.250, of Q -0.300; by L: improving. Cell 5: Refine. ' +
        'Gap: no total in it.',
    );
    expect(plan(rounds([{ ...round(1, 1), gapSummary: 'x'.repeat(1e6) }])).rationale.length).toBeLessThan(1200);
  });

  verifies('steer:salvage', 'matched subtasks of all earlier rounds in Hardened, none in Spec', () => {
    const first = replanRequest([outcome(0, [met(1)]), outcome(1, [unmet(1)], { intent: 'other' })]);
    const second = replanRequest([outcome(0, [met(1)], { subtaskId: 't0', intent: 'new' }), outcome(1, [unmet(1)])]);
    const hardened = steerContext({ profile: 'Hardened' });
    expect(plan(rounds([first], hardened)).salvage).toEqual([
      { subtaskId: 's0', round: 1, intent: 'step 0', output: 'output 0' },
    ]);
    expect(plan(rounds([first, second], hardened)).salvage.map((it) => [it.round, it.intent])).toEqual([
      [1, 'step 0'],
      [2, 'new'],
    ]);
    expect(plan(rounds([first, second])).salvage).toEqual([]);
  });
});

describe('an end without acceptance', () => {
  const outcomes = [outcome(1, [met(1)]), outcome(0, [met(1)]), outcome(2, [unmet(1)], { output: 'wrong' })];

  verifies('steer:partial-delivery', 'what matched is delivered in order, marked partial, with what is missing', () => {
    const result = final(steerReplan(after(3), replanRequest(outcomes), spec));
    expect(result).toMatchObject({ directive: 'Abandon', partial: true, unmet: ['step 2, point 1'] });
    expect(result.output).toBe('## step 0\n  output 0\n\n## step 1\n  output 1');
  });

  verifies(
    'steer:partial-delivery',
    'near but over budget: said so, or delivered as a success where that is set',
    () => {
      const request = round(0.25, 0, 600);
      const late = rounds([request]);
      expect(final(late)).toMatchObject({ directive: 'Abandon', cause: 'Budget', partial: true });
      expect(final(late).summary).toContain('within threshold, over budget');
      expect(final(late).output).not.toBe('');
      expect(late.explanation.cell).toBe(11);
      const delivered = rounds([request], steerContext({ deliverWhenClose: true }));
      expect(final(delivered)).toMatchObject({ directive: 'Success', partial: true });
      expect(delivered.explanation).toMatchObject({
        byTable: 'Abandon',
        override: 'DeliverWhenClose',
        directive: 'Success',
      });
    },
  );

  it('is no success for being near, where it is not near or may not be called so', () => {
    const close = { deliverWhenClose: true };
    expect(final(rounds([round(0.35, 0, 600)], steerContext(close))).directive).toBe('Abandon');
    const context = steerContext(close, { criteria: [1, 2, 3, 4].map((it) => criterion(`c${it}`)) });
    const request = replanRequest([outcome(0, [met(1)])], {
      taskVerdicts: [met(1), met(2), met(3), unmet(4)],
      elapsedMs: 600_000,
    });
    const result = final(steerReplan(initialSteerState, request, context));
    expect(result.directive).toBe('Abandon');
    expect(result.summary).not.toContain('within threshold');
  });

  verifies('steer:abandon-text-by-code', 'what is done, what is not, the gap and what to do', () => {
    expect(final(steerReplan(after(3), replanRequest(outcomes), spec)).summary).toBe(
      'Abandoned: no plan of those allowed met the criteria. 2 of 3 subtasks matched, 1 failed. Done: step 1; step 0. ' +
        'Not done: step 2. Gap: something is missing. Check whether the criteria can be met at all.',
    );
    const many = Array.from({ length: 1000 }, (_, index) => outcome(index, [unmet(1)], { intent: 'x'.repeat(1e4) }));
    expect(final(steerReplan(after(3), replanRequest(many), spec)).summary.length).toBeLessThan(4000);
  });

  it('says of a success that it is not all', () => {
    expect(final(rounds([round(0.25, 0)])).summary).toBe(
      'Near enough, not fully met (distance 0.250): 15 of 20 subtasks matched, 5 failed. Gap: something is missing.',
    );
  });

  it('names the intent where nothing else is known to be missing', () => {
    expect(final(steerReplan(after(3), replanRequest([]), spec)).unmet).toEqual(['sum the sales']);
  });
});

describe('an acceptance', () => {
  it('is delivered with the words of the validator, after any number of rounds and any time', () => {
    const state = rounds([round(1, undefined), round(0.5, undefined)]).state;
    const result = final(steerAccept(state, accepted({ elapsedMs: 9_000_000 }), spec));
    expect(result).toMatchObject({ directive: 'Accept', previous: 'Refine', replans: 2, partial: false, unmet: [] });
    expect(result).toMatchObject({ summary: 'The sum is 42.', output: '42', fastPath: false, loss: { omega: 1 } });
    expect(result.gradL).toBeCloseTo(0.4 - 0.55, 12);
  });

  it('lists the optional criteria that are not met', () => {
    const context = steerContext({}, { criteria: [criterion('a'), criterion('b', { required: false })] });
    const result = final(steerAccept(initialSteerState, accepted({ taskVerdicts: [met(1), unmet(2)] }), context));
    expect(result).toMatchObject({ directive: 'Accept', unmet: ['b'], partial: false });
  });

  verifies('steer:no-false-acceptance', 'a required criterion unmet, doubled or missing, or a failed subtask', () => {
    const context = steerContext({}, { criteria: [criterion('a'), criterion('b', { mode: 'Plausible' })] });
    const lies = [
      { taskVerdicts: [met(1), unmet(2)] },
      { taskVerdicts: [met(1)] },
      { taskVerdicts: [met(1), met(2), met(2)] },
      { taskVerdicts: [] },
      { taskVerdicts: [met(1), met(2)], outcomes: [outcome(0, [unmet(1)])] },
      { taskVerdicts: [], outcomes: [] },
    ];
    for (const lie of lies) {
      const { message, explanation } = steerAccept(initialSteerState, accepted(lie), context);
      expect(message.payload.directive).not.toBe('Accept');
      expect(explanation).toMatchObject({ occasion: 'Round', rounds: 1 });
    }
    expect(final(steerAccept(initialSteerState, accepted({ taskVerdicts: [met(1), met(2)] }), context)).directive).toBe(
      'Accept',
    );
  });
});

describe('the explanation', () => {
  it('has everything that the decision looked at', () => {
    const request = replanRequest([outcome(0, [unmet(1, 'Logical')], { calls: [call('bash', 'ls')] })]);
    expect(rounds([request]).explanation).toEqual({
      occasion: 'Round',
      rounds: 1,
      loss: { d: 1, p: 1, omega: expect.closeTo(0.2, 12), l: expect.closeTo(0.92, 12), q: expect.closeTo(0.9, 12) },
      gradL: 0,
      gradQ: 0,
      gradient: 'L',
      trend: 'Plateau',
      worsening: 0,
      cell: 14,
      byTable: 'BreakSymmetry',
      directive: 'BreakSymmetry',
      blocked: { tools: ['bash'], targets: [] },
    });
  });
});
