import { AgentControl } from '@retainer/contract/api/agent-control';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { describe, expect, it } from 'vitest';
import {
  RunWorld,
  type BusFault,
  type Mind,
  type Thinking,
  type WorldOptions,
} from '../../../../test/support/run-world.ts';
import { call, judged, merged, perceived, planned, scenarios, worked } from '../../../../test/support/run-scenarios.ts';
import { runSpec } from '../../../../test/support/runs.ts';
import { verifies } from '../../../../test/verifies.ts';
import { answeredText } from '../gate/person-question.ts';
import { deadlineOf } from './deadline.ts';
import type { CyclePurpose, RunOutcome } from './event.ts';

const [plain, corrected, replanned, abandoned] = scenarios;
if (!plain || !corrected || !replanned || !abandoned) throw new Error('there are four scenarios');

const typesOf = (world: RunWorld): readonly string[] => world.messages().map((it) => it.type);
const count = (world: RunWorld, type: string): number => typesOf(world).filter((it) => it === type).length;

describe('a run', () => {
  it('says these words, in this order, when all goes well', () => {
    expect(typesOf(new RunWorld(plain).play())).toEqual([
      'TaskReceived',
      'TaskSpec',
      'MemoryRead',
      'MemoryResponse',
      'DispatchManifest',
      'SubTask',
      'SubTaskDispatch',
      'ExecutionResult',
      'SubTaskOutcome',
      'OutcomeSummary',
      'MemoryWrite',
      'FinalResult',
    ]);
  });

  it.each(scenarios)('that is $name ends $outcome, told and remembered once', ({ outcome, ...scenario }) => {
    const world = new RunWorld(scenario).play();
    expect(world.concluded.outcome).toBe(outcome);
    for (const kind of ['RunConcluded', 'DeliveryRequested', 'ArchiveRequested', 'RunClosed'] as const)
      expect(world.of(kind)).toHaveLength(1);
    expect(count(world, 'FinalResult')).toBe(1);
    expect(world.messages().map((it) => it.seq)).toEqual(world.messages().map((_, index) => index + 1));
  });

  it('that is corrected tells the executor what was wrong, in a cycle of its own', () => {
    const world = new RunWorld(corrected).play();
    const executions = world.of('CycleRequested').filter((it) => it.purpose.role === 'Executor');
    expect(executions.map((it) => it.purpose.attempt)).toEqual([1, 2]);
    expect(executions[1]?.spec.input).toContain('read another one');
  });

  it('that is one step hands the worker the words, and what they were understood to mean', () => {
    const world = new RunWorld(plain).play();
    const [work] = world.of('CycleRequested').filter((it) => it.purpose.role === 'Executor');
    expect(work?.spec.input).toContain('As understood: Do the work.');
  });

  it('that is replanned blocks what failed, and starts the second group with what the first put out', () => {
    const world = new RunWorld(replanned).play();
    expect(world.of('RoundSteered').map((it) => it.explanation.directive)).toEqual(['ChangePath', 'Accept']);
    const second = world.of('CycleRequested').filter((it) => it.purpose.role === 'Executor' && it.purpose.round === 2);
    expect(second.every((it) => it.spec.blocked?.targets.includes('b.csv'))).toBe(true);
    const last = world.messages().findLast((it) => it.type === 'SubTaskDispatch');
    expect(last?.type === 'SubTaskDispatch' && last.payload.context).toContain('r-r2-s1 is done');
    const plans = world.of('CycleRequested').filter((it) => it.purpose.role === 'Planner');
    const input = plans[1]?.spec.input ?? '';
    expect(input).toMatch(/^What the round before tried:\n(?:step .*\n)*step failed: /m);
    expect(input).not.toMatch(/Cell \d|D \d\.\d{3}/);
    expect(world.concluded.replans).toBe(1);
  });

  it('that is abandoned hands over what matched, says what is missing, and made as many plans as it may', () => {
    const { concluded, ...world } = new RunWorld(abandoned).play();
    expect(concluded).toMatchObject({ outcome: 'Abandoned', partial: true, replans: 3 });
    expect(concluded.summary).toContain('r-r4-s1 is done');
    expect(concluded.unmet).toContain('The work is done');
    expect(world.events.filter((it) => it.kind === 'RoundSteered')).toHaveLength(4);
  });
});

const forbidden = { rule: 'never/x', reason: 'it is forbidden' };
const rejections = [{ gate: 'Tool', ...forbidden }];

/** How the plain run ends when one role comes back with something else. */
describe('ends as the table says', () => {
  const when = (role: CyclePurpose['role'], thinking: Thinking): Mind => {
    return (purpose, spec) => (purpose.role === role ? thinking : plain.mind(purpose, spec));
  };
  const refusedCall = (purpose: CyclePurpose): Thinking => ({
    text: 'I could not.',
    calls: [call(purpose, { status: 'Unrun', refusal: forbidden })],
    rejections,
  });
  it.each<readonly [string, Mind, RunOutcome, string | undefined]>([
    [
      'the input is refused',
      when('Perceiver', { outcome: 'Refused', rejections }),
      'Refused',
      'it is forbidden (rule never/x)',
    ],
    ['the perceiver fails', when('Perceiver', { outcome: 'Failed', reason: 'the model failed' }), 'Failed', undefined],
    ['the perceiver says nothing usable', when('Perceiver', { value: { nonsense: 1 } }), 'Failed', undefined],
    [
      'a call is refused, whatever the reply claims',
      (purpose, spec) => (purpose.role === 'Executor' ? refusedCall(purpose) : plain.mind(purpose, spec)),
      'Refused',
      'it is forbidden (rule never/x)',
    ],
    [
      'the model of the executor fails for good',
      when('Executor', { outcome: 'Failed', reason: 'the model failed' }),
      'Failed',
      undefined,
    ],
    ['nothing ran', when('Executor', { text: 'done' }), 'Abandoned', undefined],
    [
      'the validator never has a usable word',
      when('AgentValidator', { outcome: 'Failed', reason: 'Malformed' }),
      'Abandoned',
      undefined,
    ],
  ])('when %s', (_, mind, outcome, reason) => {
    const world = new RunWorld({ ...plain, mind }).play();
    expect(world.concluded.outcome).toBe(outcome);
    if (reason !== undefined) expect(world.concluded.reasons).toEqual([reason]);
  });

  verifies(
    'steer:unjudged-says-why',
    'when the only step proved nothing: its criterion says that, as the summary does',
    () => {
      const mind = when('Executor', { text: 'done' });
      const spec = { ...plain.spec, control: AgentControl.parse({ maxReplans: 0 }) };
      const { criteria, summary } = new RunWorld({ spec, mind }).play().concluded;
      const reason = 'no tool call ran and succeeded, so nothing proves it';
      expect(criteria).toMatchObject([{ verdict: 'Unmet', reason }]);
      expect(summary).toContain(reason);
    },
  );

  verifies('steer:unjudged-says-why', 'when one step of several failed: the whole was not judged because of it', () => {
    const { criteria } = new RunWorld(abandoned).play().concluded;
    expect(criteria).toMatchObject([
      { verdict: 'Unverified', reason: expect.stringMatching(/^not judged: .*the file is not there/) },
    ]);
  });

  verifies('steer:unjudged-says-why', 'when the machinery failed, or the time was over', () => {
    const mind = when('Executor', { outcome: 'Failed', reason: 'the model failed' });
    expect(new RunWorld({ ...plain, mind }).play().concluded.criteria[0]?.reason).toBe('not judged: the model failed');
    const late = new RunWorld({
      ...plain,
      mind: (purpose, spec) => (purpose.role === 'Executor' ? undefined : plain.mind(purpose, spec)),
    });
    expect(late.play().concluded.criteria[0]?.reason).toBe('not judged: the time is over');
  });

  it('when nobody named criteria: nothing was verified, and it says so', () => {
    const world = new RunWorld({ ...plain, spec: runSpec({}, ['read_file']) }).play();
    expect(world.concluded).toMatchObject({ outcome: 'Succeeded', criteria: [] });
    expect(world.concluded.reasons[0]).toContain('names no success criteria');
  });

  it('when the perceiver answers at once: a word is enough where nobody named criteria', () => {
    const mind: Mind = () => ({ value: { kind: 'Reply', text: 'Hello.' } });
    const world = new RunWorld({ mind, spec: runSpec({}, []) }).play();
    expect(world.concluded).toMatchObject({ outcome: 'Succeeded', summary: 'Hello.' });
    expect(typesOf(world)).toEqual(['TaskReceived', 'FastReply', 'FinalResult']);
  });

  verifies('run:cancelled-at-once', 'whatever word is under way when a person cancels: nothing new begins', () => {
    for (const scenario of scenarios)
      for (const { id, atMs } of new RunWorld(scenario).play().messages()) {
        const input = { kind: 'RunCancelled', atMs: atMs + 1, by: 'ann', reason: 'enough' } as const;
        const bus: BusFault = (message) => (message.id === id ? [500] : [1]);
        const world = new RunWorld({ ...scenario, bus, happenings: [{ atMs: input.atMs, input }] }).play();
        const cancelledAt = world.events.findIndex((it) => it.kind === 'RunCancelled');
        if (cancelledAt < 0) continue;
        expect(world.concluded.outcome, id).toBe('Cancelled');
        expect(
          world.events.slice(cancelledAt).filter((it) => it.kind === 'CycleRequested'),
          id,
        ).toEqual([]);
      }
  });

  it('when a person approves at the second asking: the call ran, so nothing is refused any more', () => {
    const mind: Mind = (purpose, cycle) =>
      purpose.role === 'Executor'
        ? {
            text: 'done',
            calls: [call(purpose, { callId: 't0', status: 'Unrun', refusal: forbidden }), call(purpose)],
            rejections,
          }
        : plain.mind(purpose, cycle);
    expect(new RunWorld({ ...plain, mind }).play().concluded.outcome).toBe('Accepted');
  });

  it('when a person cancels: at once, whatever is under way', () => {
    const input = { kind: 'RunCancelled', atMs: 1500, by: 'ann', reason: 'enough' } as const;
    const world = new RunWorld({ ...plain, happenings: [{ atMs: 1500, input }] }).play();
    expect(world.concluded.outcome).toBe('Cancelled');
    expect(world.concluded.endedAtMs).toBeLessThan(1600);
    expect(world.of('CycleAbandoned')).toHaveLength(1);
  });
});

describe('questions', () => {
  const asking: Mind = (purpose, spec) =>
    purpose.role === 'Perceiver' && !spec.input.includes('answer 1')
      ? { value: { kind: 'Question', text: 'Which file?' } }
      : plain.mind(purpose, spec);
  const answered = { kind: 'QuestionAnswered', atMs: 60_000, questionId: 'r-q1', text: 'a.csv', by: 'ann' } as const;

  it('are answered by people, and the waiting does not count', () => {
    const spec = { ...plain.spec, wallClockMs: 20_000 };
    const world = new RunWorld({ spec, mind: asking, happenings: [{ atMs: 60_000, input: answered }] }).play();
    expect(world.concluded.outcome).toBe('Accepted');
    expect(world.state.waitedMs).toBeGreaterThan(55_000);
    expect(deadlineOf(world.state)).toBe(world.state.waitedMs + 20_000);
    expect(world.of('CycleRequested')[1]?.spec.input).toContain('a.csv');
  });

  it.each([
    ['Proceed', 'Accepted'],
    ['Refuse', 'Refused'],
  ] as const)('that nobody answers: %s', (onNoAnswer, outcome) => {
    const world = new RunWorld({ mind: asking, spec: { ...plain.spec, onNoAnswer, answerWaitMs: 5000 } }).play();
    expect(world.concluded.outcome).toBe(outcome);
    expect(world.of('QuestionExpired')).toHaveLength(1);
    const spec = world.messages().find((it) => it.type === 'TaskSpec');
    if (onNoAnswer === 'Proceed')
      expect(spec?.type === 'TaskSpec' && spec.payload.assumptions).toEqual(['nobody answered: Which file?']);
  });

  verifies('run:waiting-does-not-count', 'nor does waiting for an approval, however many wait', () => {
    const wait = (kind: 'WaitBegan' | 'WaitEnded', atMs: number, cycleId: string) => ({
      atMs,
      input: { kind, atMs, cycleId } as const,
    });
    const mind: Mind = (purpose, spec) =>
      purpose.role === 'Executor' ? { ...worked(purpose), takesMs: 3_600_000 } : plain.mind(purpose, spec);
    const happenings = [
      wait('WaitBegan', 3000, 'r-c1'),
      wait('WaitBegan', 4000, 'r-c2'),
      wait('WaitEnded', 5000, 'r-c2'),
      wait('WaitEnded', 3_500_000, 'r-c1'),
    ];
    const world = new RunWorld({ ...plain, mind, happenings }).play();
    expect(world.concluded.outcome).toBe('Accepted');
    expect(world.state.waitedMs).toBe(3_497_000);
    expect(world.of('RoundSteered')[0]?.explanation.loss.omega).toBeLessThan(0.2);
  });

  it('reach whoever works, in one step and in a plan', () => {
    const spec = { ...plain.spec, onNoAnswer: 'Wait' as const };
    const single = new RunWorld({ spec, mind: asking, happenings: [{ atMs: 60_000, input: answered }] }).play();
    const work = single.of('CycleRequested').find((it) => it.purpose.role === 'Executor');
    expect(work?.spec.input).toContain('Answered: a.csv');
    const mind: Mind = (purpose, cycle) => {
      const thinking = purpose.role === 'Perceiver' ? asking(purpose, cycle) : undefined;
      return thinking?.value !== undefined && JSON.stringify(thinking.value).includes('Question')
        ? thinking
        : replanned.mind(purpose, cycle);
    };
    const planned = new RunWorld({ spec, mind, happenings: [{ atMs: 60_000, input: answered }] }).play();
    const plan = planned.of('CycleRequested').find((it) => it.purpose.role === 'Planner');
    expect(plan?.spec.input).toContain('Answered: a.csv');
  });

  verifies(
    'cycle:asks-a-person',
    'asked in the work reach the next attempt, the numbers of its answer included',
    () => {
      const asked: ToolCallRecord = {
        callId: 'r-c1-t1',
        tool: 'ask_person',
        input: '{"question":"Which year?"}',
        status: 'Unrun',
        output: answeredText('the year 2014\nand no other'),
        durationMs: 0,
        files: [],
      };
      const mind: Mind = (purpose, cycle) => {
        if (purpose.role === 'Executor')
          return purpose.attempt === 1
            ? { ...worked(purpose), calls: [asked] }
            : { ...worked(purpose), text: 'For 2014.' };
        return plain.mind(purpose, cycle);
      };
      const world = new RunWorld({ ...plain, mind }).play();
      const [, second] = world.of('CycleRequested').filter((it) => it.purpose.role === 'Executor');
      expect(second?.spec.input).toContain('  Asked: Which year?\n  Answered: the year 2014 and no other');
      expect(second?.spec.asked).toContain('the year 2014');
    },
  );

  it('that wait for ever end with the deadline', () => {
    const world = new RunWorld({ mind: asking, spec: { ...plain.spec, deadlineMs: 90_000 } }).play();
    expect(world.concluded).toMatchObject({ outcome: 'Abandoned', endedAtMs: expect.closeTo(90_000, -2) });
  });

  it('are two at most: the third time it must do without', () => {
    const mind: Mind = (purpose, spec) =>
      purpose.role === 'Perceiver' ? { value: { kind: 'Question', text: 'Which?' } } : replanned.mind(purpose, spec);
    const spec = { ...plain.spec, onNoAnswer: 'Proceed' as const, answerWaitMs: 1000 };
    const world = new RunWorld({ mind, spec }).play();
    expect(count(world, 'ClarificationRequest')).toBe(2);
    expect(world.concluded.outcome).toBe('Accepted');
  });
});

describe('the record of a run', () => {
  verifies('run:record-is-whole', 'goes on until all is steered, remembered and delivered, and ends there', () => {
    for (const scenario of scenarios) {
      const { events } = new RunWorld(scenario).play();
      const last = (kind: string): number => events.findLastIndex((it) => it.kind === kind);
      expect(last('RunClosed')).toBe(events.length - 1);
      expect(last('RoundSteered')).toBeLessThan(last('RunConcluded'));
      expect(last('RunConcluded')).toBeLessThan(last('Delivered'));
      expect(last('Remembered')).toBeLessThan(last('RunClosed'));
    }
  });

  verifies('run:record-is-whole', 'says zero where it is zero', () => {
    const steered: unknown = JSON.parse(JSON.stringify(new RunWorld(plain).play().of('RoundSteered')[0]));
    expect(steered).toMatchObject({ explanation: { rounds: 0, loss: { d: 0 }, gradL: 0, gradQ: 0, worsening: 0 } });
  });
});

describe('the report on a run that is given up', () => {
  const ofReport = (thinking: Thinking | undefined): Mind => {
    return (purpose, spec) => (spec.structured === 'AbandonReport' ? thinking : abandoned.mind(purpose, spec));
  };
  const told = (thinking: Thinking | undefined, change: Partial<WorldOptions> = {}): RunWorld =>
    new RunWorld({ ...abandoned, mind: ofReport(thinking), ...change }).play();
  const points = (missing: readonly string[], done: readonly string[] = []): Thinking => ({
    value: { done: [...done], missing: [...missing], nextMoves: [] },
  });
  const requestedAtMs = (): number =>
    new RunWorld(abandoned)
      .play()
      .messages()
      .find((it) => it.type === 'ReportRequest')?.atMs ?? 0;

  verifies('run:abandon-is-reported', 'is one call of the planner, told beside what code says and what matched', () => {
    const world = new RunWorld(abandoned).play();
    const asked = world.of('CycleRequested').filter((it) => it.spec.structured === 'AbandonReport');
    expect(asked.map((it) => [it.purpose.role, it.spec.system, it.spec.limits.turns])).toEqual([
      ['Planner', abandoned.spec.reportDuties, 1],
    ]);
    expect(asked[0]?.spec.input).toContain('given up after 3 new plans');
    const { summary, reasons, outcome } = world.concluded;
    expect(outcome).toBe('Abandoned');
    expect(summary).toMatch(
      /^r-r4-s1 is done\n\nIn the planner's words\. Done: A was read\. Missing: B is not there\. Next: Say/,
    );
    expect(reasons[0]).toMatch(/^Abandoned: no plan of those allowed met the criteria\. 1 of 2 subtasks matched/);
  });

  const fallback = new RunWorld({
    ...abandoned,
    spec: { ...runSpec({ criteria: abandoned.spec.criteria }, ['read_file']) },
  }).play().concluded;

  verifies(
    'run:abandon-is-reported',
    'is not waited for longer than 20 seconds: then the words of code are all',
    () => {
      const world = told(undefined);
      expect(world.concluded).toMatchObject({
        outcome: 'Abandoned',
        summary: fallback.summary,
        reasons: fallback.reasons,
      });
      expect(world.of('ReportOverdue').map((it) => it.atMs - requestedAtMs())).toEqual([20_000]);
      expect(world.of('CycleAbandoned')).toHaveLength(1);
    },
  );

  describe('from a slow model', () => {
    const { Planner, ...others } = abandoned.spec.roles;
    const { model } = Planner;
    const limits = { ...Planner.limits, modelTimeoutMs: 300_000, wallClockMs: 600_000 };
    const patient = {
      ...abandoned.spec,
      roles: { ...others, Planner: { ...Planner, limits } },
      wallClockMs: 3_600_000,
    };
    /** The same run on a model that does so much work a second. */
    const slowly =
      (workPerSecond: number, report: Thinking | undefined): Mind =>
      (purpose, cycle) => {
        const thinking = ofReport(report)(purpose, cycle);
        return thinking && { ...thinking, paces: [{ model, work: 10 * workPerSecond, ms: 10_000 }] };
      };
    const waitedMs = (workPerSecond: number): number | undefined => {
      const world = told(undefined, { spec: patient, mind: slowly(workPerSecond, undefined) });
      return world.of('ReportOverdue').map((it) => it.atMs - requestedAtMs())[0];
    };

    verifies(
      'run:abandon-is-reported',
      'is waited for as long as its speed asks, and no longer than four minutes',
      () => {
        const speeds = [10_000, 400, 100, 20, 1].map((it) => waitedMs(it) ?? 0);
        expect(speeds[0]).toBe(20_000);
        expect(speeds[1]).toBeGreaterThan(20_000);
        expect(speeds[2]).toBeGreaterThan(speeds[1] ?? 0);
        expect(speeds.slice(3)).toEqual([240_000, 240_000]);
      },
    );

    verifies('run:abandon-is-reported', 'is told when it comes after a minute and a half', () => {
      const mind = slowly(100, { ...points(['B is not there.']), takesMs: 90_000 });
      const world = told(undefined, { spec: patient, mind });
      expect(world.concluded.summary).toMatch(/words\. Missing: B is not there\.$/);
      expect(world.of('ReportOverdue')).toEqual([]);
    });
  });

  describe.each<readonly [string, Thinking]>([
    ['what is no report', { value: { subtasks: [] } }],
    ['nothing', { outcome: 'Failed', reason: 'the model failed' }],
    ['what nothing shows', points(['The file /etc/passwd has 4711 lines.'])],
    ['nothing that is missing', points([], ['All of it was done.'])],
    ['more points than a person reads', points(Array.from({ length: 17 }, () => 'B is not there.'))],
    ['a point that is longer than a point', points(['B is not there. '.repeat(65)])],
  ])('where the planner says %s', (_, thinking) => {
    verifies('run:abandon-is-reported', 'leaves the words of code', () => {
      expect(told(thinking).concluded).toMatchObject({ outcome: 'Abandoned', summary: fallback.summary });
    });
  });

  verifies('run:abandon-is-reported', 'leaves out each point that says what nothing shows', () => {
    const { summary } = told(
      points(['B is not there.', 'It is 4711 miles away.'], ['It is at https://example.org/b.']),
    ).concluded;
    expect(summary).toMatch(/words\. Missing: B is not there\.$/);
  });

  verifies(
    'run:abandon-is-reported',
    'is not asked for where a person stopped it, the budget is used up or the time is over',
    () => {
      const isAsked = (change: Partial<WorldOptions>): boolean =>
        new RunWorld({ ...abandoned, ...change })
          .play()
          .messages()
          .some((it) => it.type === 'ReportRequest');
      expect(isAsked({})).toBe(true);
      const input = { kind: 'RunCancelled', atMs: requestedAtMs() - 1, by: 'ann', reason: 'enough' } as const;
      expect(isAsked({ happenings: [{ atMs: input.atMs, input }] })).toBe(false);
      expect(isAsked({ spec: { ...abandoned.spec, budget: { tokens: 2000 } } })).toBe(false);
      expect(isAsked({ spec: { ...abandoned.spec, wallClockMs: requestedAtMs() - 1 } })).toBe(false);
    },
  );

  verifies('run:abandon-is-reported', 'gets no more than the budget has left', () => {
    const { usage } = new RunWorld(abandoned).play().concluded;
    const tokens = usage.inputTokens + usage.outputTokens;
    const world = new RunWorld({ ...abandoned, spec: { ...abandoned.spec, budget: { tokens } } }).play();
    const asked = world.of('CycleRequested').find((it) => it.spec.structured === 'AbandonReport');
    expect(asked?.spec.limits.tokens).toBe(110);
  });

  verifies('run:abandon-is-reported', 'ends with the run, when a person stops it or the time is over', () => {
    const atMs = requestedAtMs() + 500;
    const input = { kind: 'RunCancelled', atMs, by: 'ann', reason: 'enough' } as const;
    const stopped = told(undefined, { happenings: [{ atMs, input }] });
    expect(stopped.concluded).toMatchObject({ outcome: 'Cancelled', endedAtMs: expect.closeTo(atMs, -2) });
    const late = told(undefined, { spec: { ...abandoned.spec, wallClockMs: atMs } });
    expect(late.concluded).toMatchObject({ outcome: 'Abandoned', endedAtMs: expect.closeTo(atMs, -2) });
    expect(late.of('RoundSteered')).toHaveLength(4);
    expect(late.concluded.summary).toBe(fallback.summary);
  });
});

describe('a validator that fails itself', () => {
  const failed: Thinking = { outcome: 'Failed', reason: 'the model failed (Overloaded)' };
  /** As `mind`, but that this role fails the first times that it is asked. */
  const failing = (role: CyclePurpose['role'], times: number, mind: Mind): Mind => {
    let asked = 0;
    return (purpose, spec) => {
      if (purpose.role !== role) return mind(purpose, spec);
      asked += 1;
      return asked <= times ? failed : mind(purpose, spec);
    };
  };

  verifies(
    'run:validators-are-asked-again-later',
    'twice, after one second and after four, and then judges as ever',
    () => {
      const world = new RunWorld({ ...plain, mind: failing('AgentValidator', 2, plain.mind) }).play();
      expect(world.concluded.outcome).toBe('Accepted');
      expect(world.of('RetryScheduled')).toMatchObject([
        { failureClass: 'Infrastructure', reason: failed.reason },
        { failureClass: 'Infrastructure', reason: failed.reason },
      ]);
      const ends = world.of('CycleConcluded').filter((it) => it.cycleId.startsWith('r-v'));
      const asked = world.events.flatMap((it, index) => {
        const before = world.events.slice(0, index).findLast((other) => 'atMs' in other);
        return it.kind === 'CycleRequested' && it.purpose.role === 'AgentValidator'
          ? [(before as { atMs: number }).atMs]
          : [];
      });
      expect(asked.slice(1).map((atMs, index) => atMs - (ends[index]?.atMs ?? 0))).toEqual([1000, 4000]);
      expect(world.of('RoundSteered')).toHaveLength(1);
    },
  );

  verifies('run:validators-are-asked-again-later', 'and once more fails: what it judges is unverified', () => {
    const world = new RunWorld({ ...plain, mind: failing('AgentValidator', Infinity, plain.mind) }).play();
    expect(world.of('RoundSteered')[0]?.explanation.loss).toMatchObject({ d: 1, p: 0.5 });
    const asked = world
      .of('CycleRequested')
      .filter((it) => it.purpose.role === 'AgentValidator' && it.purpose.round === 1);
    expect(asked).toHaveLength(3);
  });

  verifies('run:validators-are-asked-again-later', 'the one of the whole, too', () => {
    const world = new RunWorld({ ...replanned, mind: failing('MetaValidator', 1, replanned.mind) }).play();
    expect(world.concluded.outcome).toBe('Accepted');
    expect(world.of('RetryScheduled').map((it) => it.purpose.role)).toEqual(['MetaValidator']);
  });

  verifies('run:validators-are-asked-again-later', 'is asked no more once a person cancels', () => {
    const mind = failing('AgentValidator', Infinity, plain.mind);
    const dueAtMs = new RunWorld({ ...plain, mind }).play().of('RetryScheduled')[0]?.dueAtMs ?? 0;
    const input = { kind: 'RunCancelled', atMs: dueAtMs - 500, by: 'ann', reason: 'enough' } as const;
    const world = new RunWorld({ ...plain, mind, happenings: [{ atMs: input.atMs, input }] }).play();
    expect(world.concluded.outcome).toBe('Cancelled');
    expect(world.of('RetryDue')).toEqual([]);
    expect(world.nowMs).toBeLessThan(dueAtMs);
  });
});

describe('the watchdog', () => {
  const roles = ['Perceiver', 'Planner', 'Executor', 'AgentValidator', 'MetaValidator'] as const;
  it.each(roles)('ends a run whose %s never comes back, with what is known by then', (role) => {
    const mind: Mind = (purpose, spec) => (purpose.role === role ? undefined : replanned.mind(purpose, spec));
    const world = new RunWorld({ ...replanned, mind }).play();
    expect(world.concluded.outcome).toBe('Abandoned');
    expect(world.nowMs).toBeLessThan(deadlineOf(world.state) + 1500);
    expect(world.of('RoundSteered').at(-1)?.explanation.occasion).toBe('Deadline');
  });
});

describe('what the task itself names', () => {
  it('is never blocked: without it no plan could succeed', () => {
    const spec = { ...replanned.spec, input: 'Add up b.csv.' };
    const world = new RunWorld({ ...replanned, spec }).play();
    expect(world.of('RoundSteered')[0]?.explanation.blocked.targets).toEqual([]);
  });
});

describe('runs that overlap', () => {
  verifies('run:share-nothing', 'share nothing, not even under one name: each knows only its own messages', () => {
    const one = new RunWorld({ ...replanned, spec: { ...replanned.spec, runId: 'r' } }).play();
    const foreign = one.messages().map((message, index) => ({
      atMs: index * 10,
      input: { kind: 'MessageReceived', atMs: index * 10, messageId: message.id.replace(/^r-/, 'other-') } as const,
    }));
    const two = new RunWorld({ ...replanned, happenings: foreign }).play();
    expect(two.events).toEqual(one.events);
  });
});

it('a subtask whose group failed is not started, and the rest of the round is told so', () => {
  const mind: Mind = (purpose) => {
    if (purpose.role === 'Perceiver') return perceived('Plan');
    if (purpose.role === 'Planner') return planned([`One, try ${purpose.round}`], ['Two'], ['Three']);
    if (purpose.role === 'Executor') return worked(purpose);
    if (purpose.role === 'AgentValidator') return judged(purpose, false);
    return merged([]);
  };
  const world = new RunWorld({ ...replanned, mind }).play();
  const first = world.messages().filter((it) => it.type === 'SubTaskOutcome' && it.round === 1);
  expect(first.map((it) => it.type === 'SubTaskOutcome' && it.payload.started)).toEqual([true, false, false]);
});
