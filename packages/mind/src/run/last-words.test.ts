/** Every way in which a run can end without acceptance, played, and what its last words say. */
import { AgentControl } from '@retainer/contract/api/agent-control';
import { describe, expect, it } from 'vitest';
import { criterion, judged, perceived, planned, scenarios, worked } from '../../../../test/support/run-scenarios.ts';
import { RunWorld, type Mind, type Thinking, type WorldOptions } from '../../../../test/support/run-world.ts';
import { runSpec } from '../../../../test/support/runs.ts';
import { verifies } from '../../../../test/verifies.ts';
import { limitReason, modelFailedReason } from '../cycle/end-fault.ts';
import { modelFailureKinds } from '../request/model-request.ts';
import type { CyclePurpose, RunSpec } from './event.ts';
import { lastWords, nothingSoFar, type AbandonCause, type LastEnd } from './steer/last-words.ts';

const FINAL = 'the run sends its final result';

type Role = CyclePurpose['role'];

const tools = ['read_file', 'run_code'];
const base = runSpec({ criteria: [criterion('The work is done')], onNoAnswer: 'Proceed', answerWaitMs: 1000 }, tools);
const plainMind: Mind = scenarios[0]?.mind ?? (() => undefined);

/** As a run that succeeds, but for these roles. */
function but(roles: Partial<Record<Role, (purpose: CyclePurpose) => Thinking | undefined>>): Mind {
  return (purpose, spec) => {
    const other = roles[purpose.role];
    return other === undefined ? plainMind(purpose, spec) : other(purpose);
  };
}

const asPlan = (): Thinking => perceived('Plan');
const question = (): Thinking => ({ value: { kind: 'Question', text: 'Which of the two files?' } });
const failedBy =
  (reason: string, modelCalls = 1) =>
  (): Thinking => ({ outcome: 'Failed', reason, modelCalls });
const refusedBy =
  (gate: string, rule: string, reason = 'No swords.') =>
  (): Thinking => ({ outcome: 'Refused', rejections: [{ gate, rule, reason }] });
const never = (): undefined => undefined;
const unmet = (purpose: CyclePurpose): Thinking => judged(purpose, false);
const eachAnew = (purpose: CyclePurpose): Thinking => planned([`Try ${purpose.round}`]);
const always = (): Thinking => planned(['Always the same']);
const stopped = (by: string, reason: string): NonNullable<WorldOptions['happenings']>[number] => ({
  atMs: 1500,
  input: { kind: 'RunCancelled', atMs: 1500, by, reason },
});

interface End {
  readonly name: string;
  readonly cause: AbandonCause;
  readonly mind: Mind;
  readonly spec?: Partial<RunSpec>;
  readonly happenings?: WorldOptions['happenings'];
  /** The whole of the last words begins, contains and ends so. */
  readonly begins: string;
  readonly contains?: readonly string[];
  readonly ends: string;
}

const control = (change: Record<string, unknown>): RunSpec['control'] => AgentControl.parse(change);

const ends: readonly End[] = [
  {
    name: 'a question that nobody answers',
    cause: 'Policy',
    mind: but({ Perceiver: question }),
    spec: { onNoAnswer: 'Refuse' },
    begins: 'Refused: it could not begin without an answer to its question "Which of the two files?".',
    contains: ['nobody answered the question in time'],
    ends: 'or set onNoAnswer: Proceed.',
  },
  {
    name: 'an input that a gate refuses',
    cause: 'Policy',
    mind: but({ Perceiver: refusedBy('Input', 'input-rules/swords') }),
    begins: 'Refused: its input was refused before any work began. Gap: No swords. (rule input-rules/swords).',
    ends: 'Word the task otherwise, or appeal as status.refusal says.',
  },
  {
    name: 'a plan that a gate refuses',
    cause: 'Policy',
    mind: but({ Perceiver: asPlan, Planner: refusedBy('Output', 'output-rules/swords') }),
    begins: 'Refused: a gate refused what the planner was asked or answered. Gap: no plan was made: No swords.',
    ends: 'or appeal as status.refusal says.',
  },
  {
    name: 'a call that is never allowed',
    cause: 'Policy',
    mind: but({ Executor: refusedBy('Tool', 'authority.never/x', 'It is never allowed.') }),
    begins: 'Refused: what the task needs is not allowed. 0 of 1 subtasks matched, 1 failed. Not done: Do it. Gap: ',
    ends: 'Ask for the authority, or change the task so that it is not needed.',
  },
  {
    name: 'a call that a person denies',
    cause: 'Policy',
    mind: but({ Executor: refusedBy('Tool', 'approval/denied', 'ada denied it: not today') }),
    begins: 'Refused: a person denied a call that it needs.',
    contains: ['Gap: ada denied it: not today (rule approval/denied).'],
    ends: 'Settle it with the person who denied it, or change the task so that the call is not needed.',
  },
  {
    name: 'a call that nobody approves',
    cause: 'Policy',
    mind: but({ Executor: refusedBy('Tool', 'approval/timed-out', 'nobody approved it in time') }),
    begins: 'Refused: nobody approved in time a call that it needs.',
    ends: 'Run it again when somebody can approve, or change the task so that the call is not needed.',
  },
  {
    name: 'a run that asks people too often',
    cause: 'Policy',
    mind: but({ Executor: never }),
    spec: { approvals: { requestsMax: 1, refusalsMax: 1 } },
    happenings: [
      { atMs: 1500, input: { kind: 'ApprovalsAsked', atMs: 1500, cycleId: 'r-c1', requests: 2, refusals: 1 } },
    ],
    begins: 'Refused: it asked people more often than it may.',
    ends: 'give the agent the authority in its character, or ask for less.',
  },
  {
    name: 'a planner whose answers are malformed after a failed round',
    cause: 'Planning',
    mind: but({
      Perceiver: asPlan,
      Planner: (purpose) => (purpose.round === 1 ? eachAnew(purpose) : failedBy('Malformed', 3)()),
      AgentValidator: unmet,
    }),
    begins: "Abandoned: the planner's model was reached, but never answered in the required form.",
    contains: ["none of the model's answers (3) had the required form (Malformed)"],
    ends: 'Choose a more capable model; retainer explain shows its answers.',
  },
  {
    name: 'a planner whose answer is no plan',
    cause: 'Infrastructure',
    mind: but({ Perceiver: asPlan, Planner: () => ({ value: 'nonsense' }) }),
    begins: "Failed: the planner's model was reached, but never answered in the required form.",
    contains: ['the planner gave no usable plan'],
    ends: 'retainer explain shows its answers.',
  },
  {
    name: 'a planner that fails after two failed rounds',
    cause: 'Infrastructure',
    mind: but({
      Perceiver: asPlan,
      Planner: (purpose) =>
        purpose.round < 3 ? eachAnew(purpose) : failedBy(modelFailedReason('Overloaded', 'busy (529)'))(),
      AgentValidator: unmet,
    }),
    begins: "Failed: the planner's model could not be used: its provider is overloaded.",
    contains: ['Before: round 1 matched 0 of 1 subtasks (', '; round 2 matched 0 of 1 subtasks ('],
    ends: 'Begin its work anew (retainer retry; on a cluster, a new Task) later, or choose another model.',
  },
  {
    name: 'an executor whose model is not reached',
    cause: 'Infrastructure',
    mind: but({ Executor: failedBy(modelFailedReason('Network', 'ECONNREFUSED')) }),
    begins:
      "Failed: the executor's model could not be reached. 0 of 1 subtasks matched, 1 failed. Not done: Try 4. Gap: ",
    ends: 'Check the address of the model and the network. Begin its work anew (retainer retry; on a cluster, a new Task).',
  },
  {
    name: 'work that the runtime lost',
    cause: 'Infrastructure',
    mind: but({ Executor: failedBy('its sandbox could not be started') }),
    begins: 'Failed: a tool or the runtime failed, not the work.',
    contains: ['its sandbox could not be started'],
    ends: 'Check the agent with retainer doctor. Begin its work anew (retainer retry; on a cluster, a new Task).',
  },
  {
    name: 'a person who stops it',
    cause: 'Aborted',
    mind: but({ Executor: never }),
    happenings: [stopped('ada', 'it takes too long')],
    begins: 'Cancelled: stopped by ada: it takes too long.',
    ends: 'Start it again if it is still wanted.',
  },
  {
    name: 'a wall clock that ends before the input is understood',
    cause: 'Deadline',
    mind: but({ Perceiver: never }),
    spec: { wallClockMs: 5000 },
    begins: 'Abandoned: the time is over before its input was understood.',
    ends: 'Raise its wall clock, or ask for less.',
  },
  {
    name: 'a deadline that passes before there is a plan',
    cause: 'Deadline',
    mind: but({ Perceiver: asPlan, Planner: never }),
    spec: { deadlineMs: 5000 },
    begins: 'Abandoned: its deadline passed before a plan was made.',
    ends: 'Give the task a later deadline, or ask for less.',
  },
  {
    name: 'a deadline that passes while a question is open',
    cause: 'Deadline',
    mind: but({ Perceiver: question }),
    spec: { deadlineMs: 5000, onNoAnswer: 'Wait' },
    begins: 'Abandoned: its deadline passed while it waited for an answer to its question "Which of the two files?".',
    ends: 'or set onNoAnswer: Proceed.',
  },
  {
    name: 'a deadline that passes while a call waits for a person',
    cause: 'Deadline',
    mind: but({ Executor: never }),
    spec: { deadlineMs: 5000 },
    happenings: [{ atMs: 2000, input: { kind: 'WaitBegan', atMs: 2000, cycleId: 'r-c1' } }],
    begins: "Abandoned: its deadline passed while a call waited for a person's approval.",
    ends: 'Run it again when somebody can approve, or give the task a later deadline.',
  },
  {
    name: 'a wall clock that ends in the second round',
    cause: 'Deadline',
    mind: but({
      Perceiver: asPlan,
      Planner: eachAnew,
      Executor: (purpose) => (purpose.round === 1 ? worked(purpose) : undefined),
      AgentValidator: unmet,
    }),
    spec: { wallClockMs: 60_000 },
    begins: 'Abandoned: the time is over.',
    contains: ['Before: round 1 matched 0 of 1 subtasks (Try 1 is shown: the file is not there).'],
    ends: 'Raise its wall clock, or ask for less.',
  },
  {
    name: 'a budget of the agent that is used up',
    cause: 'Budget',
    mind: but({
      Executor: () => ({ outcome: 'OutOfBudget', reason: 'budgets.tokensPerDay of the Agent', budget: 'tokensPerDay' }),
    }),
    begins: 'Abandoned: a budget of the Agent is used up. Gap: budgets.tokensPerDay of the Agent.',
    ends: 'Run it again when the budget is free again, or raise it.',
  },
  {
    name: 'a budget of the task that is used up before there is a plan',
    cause: 'Budget',
    mind: but({ Perceiver: asPlan }),
    spec: { budget: { tokens: 1 } },
    begins: 'Abandoned: the tokens or the money of the task are used up before a plan was made.',
    ends: 'Raise budget.tokens or budget.costUsd of the task, or ask for less.',
  },
  {
    name: 'a planner that reaches a limit of its call',
    cause: 'Budget',
    mind: but({ Perceiver: asPlan, Planner: () => ({ outcome: 'OutOfBudget', reason: 'out of time after 600 s' }) }),
    begins: 'Abandoned: the planner reached a limit of its call before it answered.',
    contains: ['out of time after 600 s'],
    ends: 'Raise the limits of the Agent for one cycle, or ask for less.',
  },
  {
    name: 'a planner whose model asks for tools, and never answers',
    cause: 'Budget',
    mind: but({
      Perceiver: asPlan,
      Planner: (purpose) =>
        purpose.round === 1
          ? eachAnew(purpose)
          : {
              outcome: 'OutOfBudget',
              reason: limitReason('a tool call failed in too many turns in a row', {
                limit: 'failedTurnsInRow',
                value: 3,
                max: 3,
              }),
            },
      AgentValidator: unmet,
    }),
    begins: "Abandoned: the planner's model was reached, but asked for tools until a limit ended it.",
    ends: 'Choose a more capable model; retainer explain shows its answers.',
  },
  {
    name: 'a time budget that is spent',
    cause: 'Budget',
    mind: but({ AgentValidator: unmet, Executor: (purpose) => ({ ...worked(purpose), takesMs: 500_000 }) }),
    spec: { control: control({ timeBudget: '60s' }), wallClockMs: 6_000_000 },
    begins: 'Abandoned: what it may use is used up. 0 of 1 subtasks matched, 1 failed.',
    ends: 'Give it more time, tokens, money or replans, or ask for less.',
  },
  {
    name: 'a plan that never meets the criteria',
    cause: 'Replans',
    mind: but({ Perceiver: asPlan, Planner: eachAnew, AgentValidator: unmet }),
    spec: { control: control({ maxReplans: 1, worseningRoundsMax: 9 }) },
    begins: 'Abandoned: no plan of those allowed met the criteria. 0 of 1 subtasks matched, 1 failed. Not done: Try 2.',
    contains: ['Before: round 1 matched 0 of 1 subtasks (Try 1 is shown: the same).'],
    ends: 'Check whether the criteria can be met at all.',
  },
  {
    name: 'results that no validator can judge',
    cause: 'Replans',
    mind: but({ AgentValidator: failedBy('Malformed', 3) }),
    spec: { control: control({ maxReplans: 0 }) },
    begins: 'Abandoned: there are results, but nobody could verify them.',
    ends: 'Choose a more capable model; retainer explain shows its answers.',
  },
  {
    name: 'the same plan after a failed round',
    cause: 'Planning',
    mind: but({ Perceiver: asPlan, Planner: always, AgentValidator: unmet }),
    spec: { control: control({ profile: 'Spec' }) },
    begins: 'Abandoned: after a failed round the planner found no new plan. Gap: this is the plan that failed',
    contains: ['Before: round 1 matched 0 of 1 subtasks (Always the same is shown: the file is not there).'],
    ends: 'Remove what stood in the way of the rounds, give another tool or file, or name another way.',
  },
  {
    name: 'a plan without subtasks after two failed rounds',
    cause: 'Planning',
    mind: but({
      Perceiver: asPlan,
      Planner: (purpose) => (purpose.round < 3 ? eachAnew(purpose) : { value: { criteria: [], subtasks: [] } }),
      AgentValidator: unmet,
    }),
    begins: 'Abandoned: after 2 failed rounds the planner found no new plan. Gap: the plan has no subtasks.',
    ends: 'or name another way.',
  },
  {
    name: 'a first plan without subtasks',
    cause: 'Planning',
    mind: but({ Perceiver: asPlan, Planner: () => ({ value: { criteria: [], subtasks: [] } }) }),
    begins: 'Abandoned: the planner made no plan that can be carried out. Gap: the plan has no subtasks.',
    ends: 'Say more clearly what the result must be, or split the task.',
  },
];

describe('the last words after', () => {
  it.each(ends)('$name', ({ mind, spec, happenings, cause, begins, contains = [], ends: end }) => {
    const world = new RunWorld({
      spec: { ...base, ...spec },
      mind,
      ...(happenings === undefined ? {} : { happenings }),
    }).play();
    const final = world.messages().find((it) => it.type === 'FinalResult');
    expect(final, FINAL).toBeDefined();
    if (final?.type !== 'FinalResult') return;
    const { summary } = final.payload;
    expect(final.payload.cause).toBe(cause);
    expect(summary.slice(0, begins.length)).toBe(begins);
    for (const part of contains) expect(summary).toContain(part);
    expect(summary.slice(-end.length)).toBe(end);
    expect(summary).not.toContain('0 of 0');
    expect(world.concluded.outcome).toBe(/^\w+/.exec(summary)?.[0]);
  });

  verifies('steer:last-words-tell-the-cause', 'no two of these ends have the same cause in words', () => {
    const firsts = ends.map((it) => it.begins.split(/(?<=\w)\. /)[0]);
    const shared = firsts.filter((it, at) => firsts.indexOf(it) !== at);
    expect(shared).toEqual([]);
  });
});

describe('a fault of a model', () => {
  const faults = [...modelFailureKinds, 'Malformed', 'EmptyReply', 'Truncated', 'Declined'] as const;

  it.each(faults)('%s has words and advice of its own', (kind) => {
    const end: LastEnd = {
      cause: 'Infrastructure',
      occasion: 'Round',
      outcomes: [],
      gap: 'x',
      soFar: { ...nothingSoFar, fault: { role: 'planner', kind } },
    };
    const others = faults
      .filter((it) => it !== kind)
      .map((it) => lastWords({ ...end, soFar: { ...nothingSoFar, fault: { role: 'planner', kind: it } } }).why);
    const { why, advice } = lastWords(end);
    expect(others).not.toContain(why);
    expect(advice).toMatch(/^[A-Z].*\.$/);
  });
});

describe('where only the table or an override ends it', () => {
  const end = { occasion: 'Round', outcomes: [], gap: 'x', soFar: nothingSoFar } as const;

  it.each<[AbandonCause, LastEnd['override'], string]>([
    ['Policy', 'NoAdmissibleTool', 'no tool is left that could do it: each one failed and is blocked'],
    ['Worsening', 'Worsening', 'each plan came out worse than the one before'],
    ['Distance', 'NotWorthIt', 'what going on would cost is more than its result would be worth'],
    ['Distance', 'NothingTried', 'for three rounds no tool call said anything about what is missing'],
    ['Distance', undefined, 'the result is too far from what was asked for'],
  ])('%s by %s', (cause, override, why) => {
    expect(lastWords({ ...end, cause, ...(override === undefined ? {} : { override }) }).why).toBe(why);
  });

  it('tells the newest rounds, and counts the others', () => {
    const mind = but({ Perceiver: asPlan, Planner: eachAnew, AgentValidator: unmet });
    const spec = { ...base, control: control({ maxReplans: 5, worseningRoundsMax: 9 }) };
    const { reasons } = new RunWorld({ spec, mind }).play().concluded;
    expect(reasons[0]).toMatch(/ Before: 2 more failed; round 3 matched .*; round 4 matched .*; round 5 matched /);
  });
});
