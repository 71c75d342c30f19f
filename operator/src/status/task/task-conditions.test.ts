import { describe, expect, it } from 'vitest';
import { CONDITION_REASONS } from '@retainer/contract/api/conditions';
import { agentObject, condition, iso, observed, startMs, taskObject } from '../../../../test/support/observed-tasks.ts';
import { verifies } from '../../../../test/verifies.ts';
import { admissionOf } from '../../desired/task/admission.ts';
import { schedulePlan } from '../../desired/task/schedule-plan.ts';
import { endOf } from '../../desired/task/task-end.ts';
import { BEGIN_MS, taskConditions } from './task-conditions.ts';

function conditionsOf(
  task: ReturnType<typeof taskObject>,
  agents = [agentObject()],
  others: readonly ReturnType<typeof taskObject>[] = [],
): ReturnType<typeof taskConditions> {
  const seen = observed(task, { agents, others });
  const admission = admissionOf(seen, startMs);
  const plan = seen.task.spec.schedule === undefined ? undefined : schedulePlan(seen, startMs, admission.isAdmitted);
  return taskConditions({ observed: seen, admission, end: endOf(seen, startMs).end, plan, nowMs: startMs });
}

const agentThat = (reason: string): ReturnType<typeof agentObject> =>
  agentObject({ status: { conditions: [condition('Ready', 'False', reason)] } });
const admitted = condition('Admitted', 'True', 'Admitted');
const running = { acceptedAt: iso(startMs), startedAt: iso(startMs) };

const held = { ...condition('Running', 'False', 'Held'), message: 'the character has changed in persona' };

const cases = [
  { name: 'admitted, its Agent ready', task: {}, ready: 'False', reason: 'Running' },
  {
    name: 'told to run ten seconds ago, and not begun',
    task: { status: { conditions: [condition('Admitted', 'True', 'Admitted', startMs - BEGIN_MS)] } },
    ready: 'False',
    reason: 'Queued',
  },
  {
    name: 'told to wait',
    task: { status: { conditions: [admitted, condition('Ready', 'False', 'Queued')] } },
    ready: 'False',
    reason: 'Queued',
  },
  { name: 'without its Agent', task: {}, agents: [], ready: 'False', reason: 'AgentNotFound' },
  {
    name: 'admitted, its Agent gone since',
    task: { status: { conditions: [admitted] } },
    agents: [],
    ready: 'False',
    reason: 'AgentNotFound',
  },
  {
    name: 'its Agent suspended',
    task: {},
    agents: [agentObject({ spec: { suspend: true } })],
    ready: 'False',
    reason: 'AgentSuspended',
  },
  { name: 'its Agent starting', task: {}, agents: [agentThat('Starting')], ready: 'False', reason: 'Queued' },
  {
    name: 'its Agent in trouble',
    task: {},
    agents: [agentThat('CharacterNotFound')],
    ready: 'False',
    reason: 'AgentNotReady',
  },
  { name: 'running', task: { status: running }, ready: 'False', reason: 'Running' },
  {
    name: 'set aside by its agent',
    task: { status: { ...running, conditions: [condition('Running', 'False', 'SetAside')] } },
    ready: 'False',
    reason: 'SetAside',
  },
  {
    name: 'held under a changed character',
    task: { status: { ...running, conditions: [held] } },
    ready: 'False',
    reason: 'Held',
  },
  {
    name: 'running, its Agent in trouble',
    task: { status: running },
    agents: [agentThat('PodCrashing')],
    ready: 'False',
    reason: 'Running',
  },
  {
    name: 'asking',
    task: { status: { ...running, conditions: [condition('AwaitingAnswer', 'True', 'QuestionAsked')] } },
    ready: 'False',
    reason: 'QuestionAsked',
  },
  {
    name: 'waiting for approval',
    task: { status: { ...running, conditions: [condition('AwaitingApproval', 'True', 'ApprovalRequested')] } },
    ready: 'False',
    reason: 'ApprovalRequested',
  },
  { name: 'accepted', task: { status: { outcome: 'Accepted' } }, agents: [], ready: 'True', reason: 'Accepted' },
  { name: 'succeeded', task: { status: { outcome: 'Succeeded' } }, ready: 'True', reason: 'Succeeded' },
  { name: 'abandoned', task: { status: { outcome: 'Abandoned' } }, ready: 'False', reason: 'Abandoned' },
  { name: 'refused', task: { status: { outcome: 'Refused' } }, ready: 'False', reason: 'Refused' },
  { name: 'cancelled by its Agent', task: { status: { outcome: 'Cancelled' } }, ready: 'False', reason: 'Cancelled' },
  { name: 'cancelled just now', task: { spec: { cancel: true } }, ready: 'False', reason: 'Cancelled' },
  { name: 'failed', task: { status: { outcome: 'Failed' } }, ready: 'False', reason: 'InfrastructureFailed' },
  {
    name: 'failed for want of time',
    task: { status: { outcome: 'Failed', conditions: [condition('Failed', 'True', 'DeadlinePassed')] } },
    ready: 'False',
    reason: 'DeadlinePassed',
  },
  {
    name: 'failed for a reason that nobody knows',
    task: { status: { outcome: 'Failed', conditions: [condition('Failed', 'True', 'SomethingElse')] } },
    ready: 'False',
    reason: 'InfrastructureFailed',
  },
  { name: 'a schedule', task: { spec: { schedule: { cron: '@daily' } } }, ready: 'True', reason: 'Scheduled' },
  {
    name: 'a schedule that nobody can read',
    task: { spec: { schedule: { cron: '61 * * * *' } } },
    ready: 'False',
    reason: 'ScheduleInvalid',
  },
  {
    name: 'a schedule, cancelled',
    task: { spec: { cancel: true, schedule: { cron: '@daily' } } },
    ready: 'False',
    reason: 'Cancelled',
  },
];

/** Tasks of the same Agent, of which it works on two at once; `b` is the judged one. */
const places = [
  { name: 'nobody else', others: [], reason: 'Running' },
  { name: 'one that runs', others: [taskObject('c', { status: running })], reason: 'Running' },
  {
    name: 'two that run',
    others: [taskObject('c', { status: running }), taskObject('d', { status: running })],
    reason: 'Queued',
  },
  { name: 'two that come before it', others: [taskObject('a'), taskObject('aa')], reason: 'Queued' },
  { name: 'two that come after it', others: [taskObject('c'), taskObject('d')], reason: 'Running' },
  {
    name: 'two of higher priority',
    others: ['c', 'd'].map((name) => taskObject(name, { spec: { priority: 10 } })),
    reason: 'Queued',
  },
  {
    name: 'two that wait beside the work',
    others: ['a', 'aa'].map((name) => taskObject(name, { status: { ...running, conditions: [admitted, held] } })),
    reason: 'Running',
  },
  {
    name: 'two that were not admitted',
    others: ['a', 'aa'].map((name) =>
      taskObject(name, { status: { conditions: [condition('Admitted', 'False', 'DependencyPending')] } }),
    ),
    reason: 'Running',
  },
  {
    name: 'two schedules',
    others: ['a', 'aa'].map((name) => taskObject(name, { spec: { schedule: { cron: '@daily' } } })),
    reason: 'Running',
  },
  {
    name: 'two that have ended',
    others: ['a', 'aa'].map((name) => taskObject(name, { status: { ...running, outcome: 'Accepted' } })),
    reason: 'Running',
  },
  {
    name: 'two of another Agent',
    others: ['a', 'aa'].map((name) => taskObject(name, { spec: { agentRef: { name: 'bob' } } })),
    reason: 'Running',
  },
];

describe('a Task whose Agent is ready', () => {
  for (const { name, others, reason } of places)
    verifies('operator-task:about-to-run', `beside ${name}: ${reason}`, () => {
      const agents = [agentObject({ spec: { limits: { concurrentRuns: 2 } } })];
      expect(conditionsOf(taskObject('b'), agents, others)[0]).toMatchObject({ status: 'False', reason });
    });

  verifies('operator-task:about-to-run', 'is told the same once it has begun', () => {
    const [before] = conditionsOf(taskObject('a'));
    const [after] = conditionsOf(taskObject('a', { status: { ...running, conditions: [admitted] } }));
    expect(after).toEqual(before);
  });
});

describe('taskConditions', () => {
  for (const { name, task, agents, ready: status, reason } of cases)
    verifies('operator-task:says-next-action', `${name}: ${reason}`, () => {
      const conditions = conditionsOf(taskObject('a', task), agents);
      expect(conditions.map(({ type }) => type)).toEqual(['Ready', 'Admitted']);
      expect(conditions[0]).toMatchObject({ status, reason });
      for (const told of conditions) {
        expect(CONDITION_REASONS.Task).toContain(told.reason);
        expect(told.message).toMatch(/^\S.{9,500}\S$/);
        expect(told.message).not.toContain('Count the words');
      }
    });

  it('keeps what was said of the admission once the Task has ended', () => {
    const status = { outcome: 'Accepted', conditions: [{ ...admitted, message: 'as it was' }] };
    expect(conditionsOf(taskObject('a', { status }), [])[1]).toEqual({
      type: 'Admitted',
      status: 'True',
      reason: 'Admitted',
      message: 'as it was',
    });
  });
});
