import { describe, expect, it } from 'vitest';
import type { Task } from '@retainer/contract/api/task';
import { task } from '../../../test/support/agents.ts';
import { verifies } from '../../../test/verifies.ts';
import { decideTasks, type RunView, type TaskSituation, type TaskView } from './task-decisions.ts';

const admitted: Task['status'] = {
  conditions: [
    { type: 'Admitted', status: 'True', reason: 'Admitted', message: '', lastTransitionTime: '2030-01-01T00:00:00Z' },
  ],
};

function view(name: string, spec: object = {}, rest: { status?: Task['status']; metadata?: object } = {}) {
  const made = task(name, 'work', spec);
  const metadata = { ...made.metadata, uid: name, ...rest.metadata };
  return { task: { ...made, metadata, status: 'status' in rest ? rest.status : admitted } as Task, runId: `${name}-r` };
}

const argumentsDigest = 'd'.repeat(64);
const approval = {
  requestId: 'q',
  callId: 'c',
  tool: 't',
  input: {},
  reason: 'a rule asks',
  argumentsDigest,
  effectClass: 1,
  requestedAtMs: 0,
  expiresAtMs: 1,
  calls: 1,
};

function run(name: string, overrides: Partial<RunView> = {}): RunView {
  const base = { task: { namespace: 'default', name }, isConcluded: false, isBetweenWaits: false };
  const said = {
    startedAtMs: 0,
    isSetAside: false,
    approvals: [],
    mistyped: [],
    question: undefined,
    answeredAtMs: undefined,
    decidedAtMs: undefined,
    steered: undefined,
  };
  return { runId: `${name}-r`, ...base, ...said, ...overrides };
}

function decide(situation: Partial<TaskSituation>): ReturnType<typeof decideTasks> {
  return decideTasks({ tasks: [], runs: [], isTaken: () => false, concurrentMax: 10, ...situation });
}

const taken = (situation: Partial<TaskSituation>): readonly string[] =>
  decide(situation).take.map(({ metadata }) => metadata.name);

describe('what Tasks ask of the agent', () => {
  it.each([
    ['is not admitted yet', view('a', {}, { status: undefined })],
    ['has an outcome', view('a', {}, { status: { ...admitted, outcome: 'Failed' } })],
    ['is a template of a schedule', view('a', { schedule: { cron: '@daily' } })],
    ['is cancelled', view('a', { cancel: true })],
    ['is being deleted', view('a', {}, { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } })],
  ])('leaves a Task that %s', (_, one) => {
    expect(taken({ tasks: [one] })).toEqual([]);
  });

  it('takes by priority, then by age, and no more than may run at once', () => {
    const at = (second: number) => ({ metadata: { creationTimestamp: `2030-01-01T00:00:0${second}Z` } });
    const tasks = [view('late', {}, at(3)), view('early', {}, at(1)), view('urgent', { priority: 5 }, at(4))];
    expect(taken({ tasks })).toEqual(['urgent', 'early', 'late']);
    expect(taken({ tasks, concurrentMax: 2 })).toEqual(['urgent', 'early']);
    expect(decide({ tasks, concurrentMax: 1 }).waiting).toBe(2);
    expect(taken({ tasks, concurrentMax: 2, runs: [run('other')] })).toEqual(['urgent']);
  });

  it('counts no run that only waits for its delivery, and takes none twice', () => {
    const tasks = [view('a')];
    expect(taken({ tasks, concurrentMax: 1, runs: [run('other', { isConcluded: true })] })).toEqual(['a']);
    expect(taken({ tasks, isTaken: (runId) => runId === 'a-r' })).toEqual([]);
  });

  it.each([
    ['says cancel', view('a', { cancel: true }), 'task-cancel:a-r'],
    ['was ended by somebody else', view('a', {}, { status: { ...admitted, outcome: 'Failed' } }), 'task-ended:a-r'],
    ['is being deleted', view('a', {}, { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } }), 'task-gone:a-r'],
  ])('cancels the run of a Task that %s', (_, one, originId) => {
    expect(decide({ tasks: [one], runs: [run('a')] }).commands).toMatchObject([
      { originId, command: { type: 'CancelRun', runId: 'a-r' } },
    ]);
    expect(decide({ tasks: [one], runs: [run('a', { isConcluded: true })] }).commands).toEqual([]);
  });

  it.each([
    [{}, 'spec.cancel is set'],
    [{ 'retainer.dev/cancel-reason': ' ' }, 'spec.cancel is set'],
    [{ 'retainer.dev/cancel-reason': 'the wrong year' }, 'the wrong year'],
    [{ 'retainer.dev/cancel-reason': 'x'.repeat(5000) }, 'x'.repeat(1024)],
  ])('records why it was cancelled', (annotations, reason) => {
    const tasks = [view('a', { cancel: true }, { metadata: { annotations } })];
    expect(decide({ tasks, runs: [run('a')] }).commands).toMatchObject([{ command: { reason } }]);
  });

  verifies(
    'agent-cluster:held-goes-on',
    'lets a held run go on under exactly the character that a person names',
    () => {
      const held = { from: `sha256:${'0'.repeat(64)}`, to: `sha256:${'1'.repeat(64)}`, parts: ['persona'] };
      const decided = (continueUnder: string, overrides: Partial<RunView>) =>
        decide({ tasks: [view('a', { continueUnder })], runs: [run('a', overrides)] }).commands;
      expect(decided(held.to, { isSetAside: true, held })).toMatchObject([
        { originId: `task-continue:a-r:${held.to}`, command: { type: 'RetryRun', runId: 'a-r', by: 'kubectl' } },
      ]);
      expect(decided(held.from, { isSetAside: true, held })).toEqual([]);
      expect(decided(held.to, { isSetAside: true })).toEqual([]);
    },
  );

  describe.each([
    { said: {}, command: { by: 'kubectl' } },
    { said: { by: ' ', reason: ' ' }, command: { by: 'kubectl' } },
    {
      said: { by: 'ada@example.com', reason: 'read it' },
      command: { by: 'ada@example.com', reason: 'read it' },
    },
    { said: { by: 'human:ada' }, command: { by: 'ada' } },
    { said: { by: 'x'.repeat(300) }, command: { by: 'x'.repeat(253) } },
  ])('records who decided and why, of $said', ({ said: { by, reason }, command }) => {
    const annotated = (whose: string, why: string) => ({
      metadata: {
        annotations: {
          ...(by && { [`retainer.dev/${whose}`]: by }),
          ...(reason && { [`retainer.dev/${why}`]: reason }),
        },
      },
    });
    const held = { from: `sha256:${'0'.repeat(64)}`, to: `sha256:${'1'.repeat(64)}`, parts: [] };
    const commands = (one: TaskView, overrides: Partial<RunView> = {}) =>
      decide({ tasks: [one], runs: [run('a', overrides)] }).commands;

    verifies('agent-cluster:decided-by', 'of a cancellation', () => {
      const one = view('a', { cancel: true }, annotated('cancelled-by', 'cancel-reason'));
      expect(commands(one)).toMatchObject([{ command: { type: 'CancelRun', ...command } }]);
    });

    verifies('agent-cluster:decided-by', 'of a run that goes on', () => {
      const one = view('a', { continueUnder: held.to }, annotated('continued-by', 'continue-reason'));
      expect(commands(one, { isSetAside: true, held })).toMatchObject([{ command: { type: 'RetryRun', ...command } }]);
    });
  });

  it('asks about a run whose Task is not in the list, and decides nothing', () => {
    const { orphans, commands } = decide({ tasks: [view('b')], runs: [run('a')] });
    expect(orphans.map(({ runId }) => runId)).toEqual(['a-r']);
    expect(commands).toEqual([]);
  });

  verifies(
    'agent-cluster:mistyped-approval',
    'names entries for requests that the run never made, before any waits',
    () => {
      const entry = { argumentsDigest: `sha256:${argumentsDigest}`, decision: 'Approve', reason: 'fine', by: 'jo' };
      const approvals = ['a-r-c1-t1-a', 'b-r-c1-t1-a', 'a-rr-c1-t1-a'].map((request) => ({ ...entry, request }));
      const reported = (waiting: readonly (typeof approval)[]) =>
        decide({ tasks: [view('a', { approvals })], runs: [run('a', { approvals: waiting })] }).reports[0]?.run;
      const unasked = ['b-r-c1-t1-a', 'a-rr-c1-t1-a'];
      expect(reported([])).toMatchObject({ mistyped: [], unasked });
      const waiting = { ...approval, requestId: 'a-r-c1-t1-a' };
      expect(reported([waiting])).toMatchObject({ mistyped: [], unasked });
      expect(reported([{ ...waiting, argumentsDigest: 'e'.repeat(64) }])).toMatchObject({
        mistyped: ['a-r-c1-t1-a'],
        unasked,
      });
    },
  );

  it('passes on a decision for exactly the arguments that were shown', () => {
    const decision = { request: 'q', decision: 'Approve', reason: 'fine', by: 'human:jo' };
    const decided = (digest: string) =>
      decide({
        tasks: [view('a', { approvals: [{ ...decision, argumentsDigest: `sha256:${digest}` }] })],
        runs: [run('a', { approvals: [approval] })],
      }).commands;
    expect(decided(argumentsDigest)).toEqual([
      {
        originId: 'task-approval:q',
        command: {
          type: 'DecideApproval',
          requestId: 'q',
          argumentsDigest,
          decision: 'Approve',
          by: 'jo',
          reason: 'fine',
        },
      },
    ]);
    expect(decided('e'.repeat(64))).toEqual([]);
  });

  verifies('agent-cluster:mistyped-approval', 'names the request for which a digest is mistyped', () => {
    const mistyped = (digest: string): readonly string[] => {
      const approvals = [
        { request: 'q', argumentsDigest: `sha256:${digest}`, decision: 'Approve', by: 'jo', reason: 'fine' },
      ];
      const [report] = decide({
        tasks: [view('a', { approvals })],
        runs: [run('a', { approvals: [approval] })],
      }).reports;
      return report?.run.mistyped ?? ['no report'];
    };
    expect([mistyped(argumentsDigest), mistyped('e'.repeat(64))]).toEqual([[], ['q']]);
  });

  it('reports a run once it has noted that its cycle waits, or waits no longer', () => {
    const reported = (overrides: Partial<RunView>) =>
      decide({ tasks: [view('a')], runs: [run('a', overrides)] }).reports.length;
    expect(reported({ isBetweenWaits: true })).toBe(0);
    expect(reported({})).toBe(1);
  });

  verifies('agent-cluster:answer', 'passes on an answer to exactly the question that is open, once', () => {
    const question = { questionId: 'a-r-q1', question: 'Which year?', askedAtMs: 0, expiresAtMs: undefined };
    const answers = [{ question: 'a-r-q1', text: '2024', by: 'human:jo' }];
    const commands = (open: RunView['question']) =>
      decide({ tasks: [view('a', { answers })], runs: [run('a', { question: open })] }).commands;
    expect(commands(question)).toEqual([
      {
        originId: 'task-answer:a-r-q1',
        command: { type: 'AnswerQuestion', runId: 'a-r', questionId: 'a-r-q1', text: '2024', by: 'jo' },
      },
    ]);
    expect(commands({ ...question, questionId: 'a-r-q2' })).toEqual([]);
    expect(commands(undefined)).toEqual([]);
  });
});
