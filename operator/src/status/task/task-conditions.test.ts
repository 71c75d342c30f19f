import { describe, expect, it } from 'vitest';
import { CONDITION_REASONS } from '@retainer/contract/api/conditions';
import { agentObject, condition, iso, observed, startMs, taskObject } from '../../../../test/support/observed-tasks.ts';
import { verifies } from '../../../../test/verifies.ts';
import { admissionOf } from '../../desired/task/admission.ts';
import { schedulePlan } from '../../desired/task/schedule-plan.ts';
import { endOf } from '../../desired/task/task-end.ts';
import { taskConditions } from './task-conditions.ts';

function conditionsOf(
  task: ReturnType<typeof taskObject>,
  agents = [agentObject()],
): ReturnType<typeof taskConditions> {
  const seen = observed(task, { agents });
  const admission = admissionOf(seen, startMs);
  const plan = seen.task.spec.schedule === undefined ? undefined : schedulePlan(seen, startMs, admission.isAdmitted);
  return taskConditions({ observed: seen, admission, end: endOf(seen, startMs).end, plan });
}

const agentThat = (reason: string): ReturnType<typeof agentObject> =>
  agentObject({ status: { conditions: [condition('Ready', 'False', reason)] } });
const admitted = condition('Admitted', 'True', 'Admitted');
const running = { acceptedAt: iso(startMs), startedAt: iso(startMs) };

const cases = [
  { name: 'admitted', task: {}, ready: 'False', reason: 'Queued' },
  { name: 'accepted, not begun', task: { status: { acceptedAt: iso(startMs) } }, ready: 'False', reason: 'Queued' },
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
