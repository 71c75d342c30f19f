/** Whatever a round says: numbers in range, at most so many rounds, messages that the bus takes. */
import { maxReplansOf } from '@retainer/contract/api/agent-control';
import { busPayloads } from '@retainer/contract/wire/bus/payloads';
import type { CriteriaVerdict, SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import { FAILURE_CLASSES } from '@retainer/contract/api/task-status';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { call, criterion, outcome, replanRequest, steerContext } from '../../../../../test/support/steer-rounds.ts';
import type { ReplanRequest } from '../../../../../test/support/steer-rounds.ts';
import { verifies } from '../../../../../test/verifies.ts';
import type { Steered } from './ended.ts';
import { SteerExplanation } from './explanation.ts';
import { steerAccept, steerReplan } from './steer.ts';
import { initialSteerState, SteerState } from './steer-state.ts';
import type { SteerContext } from './steer-state.ts';

const index = fc.oneof(fc.integer({ min: -2, max: 6 }), fc.double({ noNaN: true, noDefaultInfinity: true }));
const words = fc.constantFrom('', 'invalid', 'timeout', 'permission denied', 'x\u2028\n## y');
const verdict: fc.Arbitrary<CriteriaVerdict> = fc
  .record({
    index,
    verdict: fc.constantFrom('Met' as const, 'Unmet' as const, 'Unverified' as const),
    evidence: fc.constant<string[]>([]),
    reason: words,
    failureClass: fc.option(fc.constantFrom(...FAILURE_CLASSES), { nil: undefined }),
  })
  .map(({ failureClass, ...rest }) => (failureClass === undefined ? rest : { ...rest, failureClass }));

const someCriterion = fc.record({
  text: words,
  mode: fc.constantFrom('Verifiable' as const, 'Plausible' as const),
  required: fc.boolean(),
});

const someCall = fc
  .tuple(fc.constantFrom('read', 'bash', 'web'), fc.constantFrom('/a', '/b', '', undefined), fc.boolean())
  .map(([tool, target, isOk]) => call(tool, target, { status: isOk ? 'Ok' : 'Error' }));

const someOutcome: fc.Arbitrary<SubTaskOutcome> = fc
  .record({
    status: fc.constantFrom('Matched' as const, 'Failed' as const),
    started: fc.boolean(),
    criteria: fc.array(someCriterion, { maxLength: 4 }),
    verdicts: fc.array(verdict, { maxLength: 5 }),
    trajectory: fc.array(
      fc.record({
        attempt: index,
        score: index,
        unmet: fc.array(index, { maxLength: 5 }),
        failureClass: fc.constant('Mixed' as const),
      }),
      { maxLength: 4 },
    ),
    failureReason: words,
    failureClass: fc.option(fc.constantFrom(...FAILURE_CLASSES), { nil: undefined }),
    calls: fc.array(someCall, { maxLength: 4 }),
    position: fc.nat(5),
    intent: words,
  })
  .map(({ failureClass, position, ...rest }) =>
    outcome(position, [], failureClass === undefined ? rest : { ...rest, failureClass }),
  );

const someRequest: fc.Arbitrary<ReplanRequest> = fc
  .record({
    outcomes: fc.array(someOutcome, { maxLength: 6 }),
    taskVerdicts: fc.array(verdict, { maxLength: 4 }),
    elapsedMs: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: -1, max: 400_000 })),
    recommendation: fc.constantFrom('Replan' as const, 'Abandon' as const),
    gapSummary: words,
  })
  .map(({ outcomes, ...change }) => replanRequest(outcomes, change));

const ratio = fc.double({ min: 0, max: 1, noNaN: true });
const someContext: fc.Arbitrary<SteerContext> = fc
  .record({
    control: fc.record({
      profile: fc.constantFrom('Spec', 'Hardened', 'Evidence'),
      weights: fc
        .tuple(ratio, ratio)
        .map(([alpha, w1]) => ({ alpha, beta: 1 - alpha, lambda: 1 - alpha, w1, w2: 1 - w1 })),
      thresholds: fc.record({ epsilon: ratio, delta: ratio, rho: ratio, theta: ratio }),
      maxReplans: fc.nat(6),
      worseningRoundsMax: fc.integer({ min: 1, max: 6 }),
      accumulateBlockedTools: fc.boolean(),
      deliverWhenClose: fc.boolean(),
    }),
    criteria: fc.array(someCriterion, { maxLength: 4 }),
    candidateTools: fc.subarray(['read', 'bash', 'web']),
    deadlineMs: fc.option(fc.integer(), { nil: undefined }),
    tokens: fc.option(fc.record({ used: fc.integer(), budget: fc.integer() }), { nil: undefined }),
  })
  .map(({ control, deadlineMs, tokens, ...rest }) =>
    steerContext(control, {
      ...rest,
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
      ...(tokens === undefined ? {} : { tokens }),
    }),
  );

function expectWellFormed({ message, explanation, state, megrams }: Steered): void {
  const { loss, gradL, gradQ } = message.payload;
  for (const value of Object.values(loss)) {
    expect(value).toBeGreaterThanOrEqual(0);
    expect(value).toBeLessThanOrEqual(1);
  }
  expect(Math.max(Math.abs(gradL), Math.abs(gradQ))).toBeLessThanOrEqual(1);
  expect(busPayloads[message.type].safeParse(message.payload)).toEqual({ success: true, data: message.payload });
  expect(SteerExplanation.parse(explanation)).toEqual(explanation);
  expect(SteerState.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
  for (const { f, sigma } of megrams) expect([f <= 1, Math.abs(sigma) <= 1]).toEqual([true, true]);
}

describe('any round', () => {
  verifies('steer:total', 'has numbers in range and messages that the bus takes, in any state', () => {
    fc.assert(
      fc.property(fc.array(someRequest, { minLength: 1, maxLength: 4 }), someContext, (requests, context) => {
        let state = initialSteerState;
        for (const request of requests) {
          const steered = steerReplan(state, request, context);
          expectWellFormed(steered);
          expectWellFormed(steerAccept(state, { ...request, summary: 's', output: 'o' }, context));
          state = steered.state;
        }
      }),
    );
  });

  verifies('steer:replans-executed', 'no sequence of them goes on after the last allowed plan', () => {
    const requests = fc.array(someRequest, { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(requests, someContext, (all, context) => {
        let state = initialSteerState;
        let plans = 0;
        for (const request of all) {
          const steered = steerReplan(state, { ...request, recommendation: 'Replan' }, context);
          if (steered.message.type === 'FinalResult') return;
          plans += 1;
          expect(plans).toBeLessThanOrEqual(maxReplansOf(context.control));
          state = steered.state;
        }
      }),
    );
  });

  it('can go on for all allowed plans, so that the limit above is one', () => {
    const context = steerContext({ thresholds: { theta: 1 }, weights: { w1: 0.1, w2: 0.9 }, maxReplans: 6 });
    let state = initialSteerState;
    for (let plan = 0; plan < 6; plan += 1) {
      const steered = steerReplan(state, replanRequest([outcome(0, [], { status: 'Failed' })]), context);
      expect(steered.message.type).toBe('PlanDirective');
      state = steered.state;
    }
    expect(steerReplan(state, replanRequest([]), context).message.type).toBe('FinalResult');
  });

  verifies('steer:never-both-blocked', 'and targets of earlier rounds are never lost while paths are blocked', () => {
    fc.assert(
      fc.property(fc.array(someRequest, { maxLength: 5 }), someContext, (requests, context) => {
        let state = initialSteerState;
        for (const request of requests) {
          const { message, state: next } = steerReplan(state, request, context);
          if (message.type === 'FinalResult') return;
          const { blocked, directive } = message.payload;
          expect(Math.min(blocked.tools.length, blocked.targets.length)).toBe(0);
          const isPath = directive === 'ChangePath' || directive === 'Refine';
          expect(next.blockedTargets.slice(0, state.blockedTargets.length)).toEqual(state.blockedTargets);
          expect(blocked.targets).toEqual(isPath ? next.blockedTargets : []);
          if (context.candidateTools.length > 0)
            expect(context.candidateTools.filter((it) => !blocked.tools.includes(it))).not.toEqual([]);
          state = next;
        }
      }),
    );
  });

  verifies('steer:success-when-near', 'what the table calls a success ends as one', () => {
    fc.assert(
      fc.property(fc.array(someRequest, { minLength: 1, maxLength: 4 }), someContext, (requests, context) => {
        let state = initialSteerState;
        for (const request of requests) {
          const { message, explanation, state: next } = steerReplan(state, request, context);
          if (explanation.byTable === 'Success') {
            expect(message.payload.directive).toBe('Success');
            expect(explanation.loss.d).toBeLessThanOrEqual(context.control.thresholds.delta + 1e-9);
          }
          state = next;
        }
      }),
    );
  });

  verifies('steer:final-directives', 'ends with one of three, and a cause exactly where it is abandoned', () => {
    fc.assert(
      fc.property(someRequest, someContext, (request, context) => {
        const { message } = steerReplan(initialSteerState, request, context);
        if (message.type === 'PlanDirective') return;
        const { directive, cause, partial } = message.payload;
        expect(['Accept', 'Success', 'Abandon']).toContain(directive);
        expect(cause === undefined).toBe(directive !== 'Abandon');
        expect(directive === 'Abandon' ? partial : true).toBe(true);
      }),
    );
  });

  verifies('steer:unmet-always-listed', 'a criterion of the whole that is not met once is listed at every end', () => {
    fc.assert(
      fc.property(someRequest, someContext, (request, context) => {
        const criteria = [criterion('the one'), ...context.criteria];
        const { message } = steerReplan(initialSteerState, request, { ...context, criteria });
        if (message.type === 'PlanDirective') return;
        const own = request.taskVerdicts.filter((it) => it.index === 1);
        const isMet = own.length === 1 && own[0]?.verdict === 'Met';
        expect(message.payload.unmet.includes('the one')).toBe(!isMet);
        expect(message.payload.taskVerdicts).toHaveLength(criteria.length);
      }),
    );
  });
});
