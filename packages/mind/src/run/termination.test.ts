import { AgentControl, maxReplansOf } from '@retainer/contract/api/agent-control';
import { BusMessage } from '@retainer/contract/wire/bus/envelope';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import fc from 'fast-check';
import { expect } from 'vitest';
import { call, criterion, judged, merged, perceived, planned, worked } from '../../../../test/support/run-scenarios.ts';
import { RunWorld, type Mind, type Thinking } from '../../../../test/support/run-world.ts';
import { runSpec } from '../../../../test/support/runs.ts';
import { verifies } from '../../../../test/verifies.ts';
import { noUsage, totalTokens } from '../cycle/state.ts';
import { deadlineOf } from './deadline.ts';
import type { CyclePurpose } from './event.ts';

/** What any role may come back with that is no answer to what it was asked. */
const failures: readonly (Thinking | undefined)[] = [
  undefined,
  { outcome: 'Failed', reason: 'the model failed' },
  { outcome: 'OutOfBudget', reason: 'the turns are used up', text: 'half of it' },
  { outcome: 'Cancelled', reason: 'by nobody' },
  { outcome: 'Refused', rejections: [{ gate: 'Input', rule: 'x/y', reason: 'no' }] },
  { text: '' },
  { value: 'nonsense' },
  { value: { verdicts: [{ criterion: 99, met: true, evidence: ['forged'], reason: 'trust me' }] } },
];

const statuses: readonly ToolCallRecord['status'][] = ['Ok', 'Error', 'TimedOut', 'Cancelled', 'Unknown', 'Unrun'];

/** A sound answer of the role, or one that is sound in form and wrong in substance; chosen by `choice`. */
function answer(purpose: CyclePurpose, choice: number): Thinking | undefined {
  const { role, round } = purpose;
  switch (role) {
    case 'Perceiver':
      return choice % 3 === 0
        ? { value: { kind: 'Question', text: 'Which?' } }
        : perceived(choice % 2 === 0 ? 'SingleStep' : 'Plan');
    case 'Planner':
      return [
        planned(['Always the same']),
        planned([`One, ${round}`], [`Two, ${round}`]),
        planned(Array.from({ length: 1000 }, (_, index) => `Step ${index}`)),
        planned(['Twice', 'Twice']),
        { value: { criteria: [], subtasks: [] } },
      ][choice % 5];
    case 'Executor':
      return worked(purpose, { status: statuses[choice % statuses.length] ?? 'Ok' });
    case 'AgentValidator':
      return [judged(purpose, true), judged(purpose, false), judged(purpose, true, 9), judged(purpose, true, 0)][
        choice % 4
      ];
    case 'MetaValidator':
      return [
        merged([call({ ...purpose, subtaskId: `r-r${round}-s1` }).callId]),
        merged(['forged']),
        merged([], 1, false),
      ][choice % 3];
  }
}

const ratio = fc.integer({ min: 0, max: 100 }).map((it) => it / 100);

const controls = fc
  .record({
    profile: fc.constantFrom('Spec', 'Hardened', 'Evidence'),
    thresholds: fc.record({ epsilon: ratio, delta: ratio, rho: ratio, theta: ratio }),
    weights: fc
      .tuple(ratio, ratio, ratio, ratio)
      .map(([a, b, c, w1]) => ({ alpha: a, lambda: (1 - a) * b, beta: (1 - a) * b * c, w1, w2: 1 - w1 })),
    timeBudget: fc.constantFrom('1s', '60s', '300s', '1h'),
    maxReplans: fc.integer({ min: 0, max: 5 }),
    worseningRoundsMax: fc.integer({ min: 1, max: 4 }),
    fastLoop: fc.record({
      maxRetries: fc.integer({ min: 0, max: 3 }),
      validatorRetries: fc.integer({ min: 0, max: 2 }),
    }),
    maxParallelSubtasks: fc.integer({ min: 1, max: 4 }),
    continueAfterFailedGroup: fc.boolean(),
    accumulateBlockedTools: fc.boolean(),
    deliverWhenClose: fc.boolean(),
    urgency: fc.boolean(),
  })
  .map((it) => AgentControl.parse(it));

/** Numbers that a run draws from, one for each thing that happens. */
const draws = fc.array(fc.nat({ max: 9999 }), { minLength: 20, maxLength: 60 });

/** Milliseconds that a Task may take: from too little for one cycle to more than is needed. */
const wallClocks = fc.constantFrom(1, 5000, 120_000, 600_000);

const RUNS = 400;

verifies(
  'run:terminates',
  `whatever models answer, and whatever the bus does: ${RUNS} random runs end, once and in time`,
  () => {
    fc.assert(
      fc.property(
        controls,
        draws,
        fc.integer({ min: 0, max: 8 }),
        wallClocks,
        (control, numbers, failureRate, wallClockMs) => {
          let drawn = 0;
          const draw = (): number => numbers[(drawn += 1) % numbers.length] ?? 0;
          const mind: Mind = (purpose) => {
            const number = draw();
            const thinking = number % 10 < failureRate ? failures[number % failures.length] : answer(purpose, number);
            return thinking === undefined ? undefined : { ...thinking, takesMs: 1 + (number % 90_000) };
          };
          const bus = (): readonly number[] => ([[1], [], [1, 2], [2500], [40]] as const)[draw() % 5] ?? [1];
          const spec = runSpec(
            {
              criteria: [criterion('It is right')],
              reportDuties: [],
              control,
              wallClockMs,
              onNoAnswer: 'Proceed',
              answerWaitMs: 1000,
            },
            ['read_file'],
          );
          const world = new RunWorld({ spec, mind, bus }).play();
          const { concluded } = world;
          expect(world.of('RunConcluded')).toHaveLength(1);
          expect(world.messages().filter((it) => it.type === 'FinalResult')).toHaveLength(1);
          expect(concluded.replans).toBeLessThanOrEqual(maxReplansOf(control));
          expect(world.nowMs).toBeLessThanOrEqual(deadlineOf(world.state) + 5000);
          const known = new Map(
            [...world.state.roleCycles.values()].flatMap((it) => it.end?.calls ?? []).map((it) => [it.callId, it]),
          );
          if (concluded.outcome === 'Accepted')
            for (const verdict of concluded.criteria.filter((it) => it.required)) {
              expect(verdict.verdict).toBe('Met');
              expect(verdict.evidence.length).toBeGreaterThan(0);
              for (const id of verdict.evidence) expect(known.get(id)?.status).toBe('Ok');
            }
          if (concluded.outcome === 'Abandoned') expectWellFormedEnd(world);
        },
      ),
      { numRuns: RUNS },
    );
  },
);

/** What an abandoned run hands over: outputs of subtasks that matched, whole and in messages that the bus takes, and what is missing. */
function expectWellFormedEnd(world: RunWorld): void {
  const { concluded } = world;
  const matched = world
    .messages()
    .flatMap((it) => (it.type === 'SubTaskOutcome' && it.payload.status === 'Matched' ? [it.payload] : []));
  for (const message of world.messages()) {
    expect(BusMessage.safeParse(message)).toEqual({ success: true, data: message });
    if (message.type === 'FinalResult') {
      expect(message.payload).toMatchObject({ directive: 'Abandon', partial: true });
      if (message.payload.output !== '')
        expect(matched.some(({ output }) => message.payload.output.includes(output))).toBe(true);
    }
    if (message.type === 'PlanDirective')
      for (const { subtaskId, intent, round } of message.payload.salvage) {
        expect(matched).toContainEqual(expect.objectContaining({ subtaskId, intent }));
        expect(round).toBeLessThanOrEqual(message.round);
      }
  }
  expect(concluded.summary.trim()).not.toBe('');
  expect(concluded.reasons.join('').trim()).not.toBe('');
  expect(concluded.unmet.length).toBeGreaterThan(0);
}

verifies(
  'run:terminates',
  'a run never uses more tokens, dollars or tool calls than it has, whatever each cycle takes',
  () => {
    const budgets = fc.record({
      tokens: fc.integer({ min: 1, max: 5000 }),
      costUsd: fc.integer({ min: 0, max: 400 }).map((cents) => cents / 100),
      toolCalls: fc.integer({ min: 1, max: 9 }),
    });
    let spent = 0;
    fc.assert(
      fc.property(budgets, draws, (budget, numbers) => {
        let drawn = 0;
        const mind: Mind = (purpose, { limits }) => {
          const number = numbers[(drawn += 1) % numbers.length] ?? 0;
          const calls = Math.min(limits.toolCalls, number % 12);
          return {
            ...answer(purpose, number),
            ...(purpose.role === 'Executor'
              ? { calls: Array.from({ length: calls }, (_, at) => call(purpose, { callId: `${drawn}-t${at}` })) }
              : {}),
            usage: { ...noUsage, inputTokens: Math.min(limits.tokens, number) },
            costUsd: Math.min(limits.costUsd, number / 1000),
          };
        };
        const spec = runSpec(
          {
            criteria: [criterion('It is right')],
            budget,
            reportDuties: [],
            onNoAnswer: 'Proceed',
            answerWaitMs: 10,
          },
          ['read_file'],
        );
        const world = new RunWorld({ spec, mind }).play();
        const { usage, costUsd, roleCycles } = world.state;
        expect(totalTokens(usage)).toBeLessThanOrEqual(budget.tokens);
        expect(costUsd).toBeLessThanOrEqual(budget.costUsd + 1e-9);
        expect([...roleCycles.values()].flatMap((it) => it.end?.calls ?? []).length).toBeLessThanOrEqual(
          budget.toolCalls,
        );
        spent += Number(costUsd >= budget.costUsd);
      }),
      { numRuns: 200 },
    );
    // Otherwise nothing was tried.
    expect(spent).toBeGreaterThan(0);
  },
);
