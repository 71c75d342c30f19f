import { describe, expect, it } from 'vitest';
import {
  agentObject,
  condition,
  iso,
  minuteMs,
  observed,
  startMs,
  taskObject,
} from '../../../../test/support/observed-tasks.ts';
import { verifies } from '../../../../test/verifies.ts';
import { admissionOf } from './admission.ts';

const dependingOn = (...names: readonly string[]): object => ({ dependsOn: names.map((name) => ({ name })) });
const ended = (name: string, outcome: string, spec: object = {}) => taskObject(name, { spec, status: { outcome } });

const cases = [
  { name: 'an Agent that exists', task: {}, reason: 'Admitted' },
  {
    name: 'an Agent that is suspended',
    task: {},
    agents: [agentObject({ spec: { suspend: true } })],
    reason: 'Admitted',
  },
  { name: 'an Agent that is starting', task: {}, agents: [agentObject({ status: {} })], reason: 'Admitted' },
  { name: 'no Agent', task: {}, agents: [], reason: 'AgentNotFound' },
  {
    name: 'an Agent that is being deleted',
    task: {},
    agents: [agentObject({ metadata: { deletionTimestamp: iso(startMs) } })],
    reason: 'AgentNotFound',
  },
  {
    name: 'an Agent of that name in another namespace',
    task: {},
    agents: [agentObject({ metadata: { namespace: 'other' } })],
    reason: 'AgentNotFound',
  },
  {
    name: 'a dependency that is missing',
    task: dependingOn('one'),
    reason: 'DependencyPending',
    message: 'Tasks in dependsOn do not exist; create one',
  },
  {
    name: 'a dependency that runs',
    task: dependingOn('one'),
    others: [taskObject('one')],
    reason: 'DependencyPending',
    message: 'waits for Tasks one',
  },
  {
    name: 'a dependency that was accepted',
    task: dependingOn('one'),
    others: [ended('one', 'Accepted')],
    reason: 'Admitted',
  },
  {
    name: 'a dependency that is good enough, where that is enough',
    task: { dependsOn: [{ name: 'one', outcome: 'Succeeded' }] },
    others: [ended('one', 'Succeeded')],
    reason: 'Admitted',
  },
  {
    name: 'a dependency that was accepted, where less is enough',
    task: { dependsOn: [{ name: 'one', outcome: 'Succeeded' }] },
    others: [ended('one', 'Accepted')],
    reason: 'Admitted',
  },
  ...[{}, { outcome: 'Accepted' }].map((wanted) => ({
    name: `a dependency that is only good enough, with ${JSON.stringify(wanted)}`,
    task: { dependsOn: [{ name: 'one', ...wanted }] },
    others: [ended('one', 'Succeeded')],
    reason: 'DependencyFailed',
    message:
      'Tasks in dependsOn did not end as wanted: one (Succeeded); create this Task again with dependsOn[].outcome Succeeded if that is enough',
  })),
  ...['Abandoned', 'Refused', 'Cancelled', 'Failed'].map((outcome) => ({
    name: `a dependency that ended ${outcome}`,
    task: dependingOn('one', 'two'),
    others: [ended('one', outcome), taskObject('two')],
    reason: 'DependencyFailed',
    message: 'one',
  })),
  {
    name: 'a dependency that is a schedule',
    task: dependingOn('daily'),
    others: [taskObject('daily', { spec: { schedule: { cron: '@daily' } } })],
    reason: 'DependencyPending',
    message: 'daily has a schedule',
  },
  {
    name: 'a cycle of three',
    task: dependingOn('b'),
    others: [taskObject('b', { spec: dependingOn('c') }), taskObject('c', { spec: dependingOn('a') })],
    reason: 'DependencyCycle',
    message: 'a → b → c → a',
  },
  {
    name: 'a cycle that it merely waits for',
    task: dependingOn('b'),
    others: [taskObject('b', { spec: dependingOn('c') }), taskObject('c', { spec: dependingOn('b') })],
    reason: 'DependencyPending',
  },
  {
    name: 'a cycle that a finished Task broke',
    task: dependingOn('b'),
    others: [ended('b', 'Accepted', dependingOn('a'))],
    reason: 'Admitted',
  },
  { name: 'a deadline that passes now', task: { constraints: { deadline: iso(startMs) } }, reason: 'DeadlinePassed' },
  { name: 'a deadline ahead', task: { constraints: { deadline: iso(startMs + 1000) } }, reason: 'Admitted' },
  {
    name: 'a budget above what its Agent may spend in a day',
    task: { budget: { tokens: 2_000_000 } },
    agents: [agentObject({ spec: { budgets: { tokensPerDay: 1_999_999 } } })],
    reason: 'BudgetExhausted',
    message: 'budgets.tokensPerDay',
  },
  {
    name: 'a budget at what its Agent may spend in a day',
    task: { budget: { tokens: 2_000_000, costUsd: 5 } },
    agents: [agentObject({ spec: { budgets: { tokensPerDay: 2_000_000, costUsdPerDay: 0 } } })],
    reason: 'Admitted',
  },
  { name: 'a schedule', task: { schedule: { cron: '@daily' } }, reason: 'Scheduled' },
  { name: 'a schedule that nobody can read', task: { schedule: { cron: '61 * * * *' } }, reason: 'ScheduleInvalid' },
  {
    name: 'a time zone that nobody knows',
    task: { schedule: { cron: '@daily', timeZone: 'Middle/Earth' } },
    reason: 'ScheduleInvalid',
    message: 'schedule.timeZone has no moments; create a new Task with the name of an IANA time zone',
  },
  {
    name: 'a schedule without a moment ever',
    task: { schedule: { cron: '0 0 31 2 *' } },
    reason: 'ScheduleInvalid',
    message: 'schedule.cron has no moments; create a new Task with a cron text that has a moment',
  },
];

describe('admissionOf', () => {
  for (const { name, task, reason, message = '', ...world } of cases as readonly (Parameters<typeof observed>[1] & {
    name: string;
    task: object;
    reason: string;
    message?: string;
  })[]) {
    verifies('operator-task:waits-and-heals', `${name}: ${reason}`, () => {
      const admission = admissionOf(observed(taskObject('a', { spec: task }), world), startMs);
      expect(admission).toMatchObject({ reason, isAdmitted: reason === 'Admitted' || reason === 'Scheduled' });
      expect(admission.message).toContain(message);
    });
  }

  verifies('operator-task:cycle-told', 'by every Task that is part of it', () => {
    const spec = { a: dependingOn('b'), b: dependingOn('c', 'x'), c: dependingOn('a') };
    const tasks = Object.entries(spec).map(([name, it]) => taskObject(name, { spec: it }));
    for (const task of tasks)
      expect(admissionOf(observed(task, { others: tasks }), startMs).reason).toBe('DependencyCycle');
  });

  it('stands, whatever becomes of what it was judged by', () => {
    const status = { conditions: [condition('Admitted', 'True', 'Admitted')] };
    const spec = { ...dependingOn('gone'), constraints: { deadline: iso(startMs) } };
    const task = taskObject('a', { spec, status });
    expect(admissionOf(observed(task, { agents: [] }), startMs + minuteMs).isAdmitted).toBe(true);
  });

  it('follows a thousand Tasks and no more', () => {
    const chain = Array.from({ length: 3000 }, (_, at) =>
      taskObject(`t${at}`, { spec: dependingOn(`t${(at + 1) % 3000}`) }),
    );
    const [first] = chain;
    expect(first && admissionOf(observed(first, { others: chain }), startMs).reason).toBe('DependencyPending');
  });

  it('tells eight names of many', () => {
    const names = Array.from({ length: 32 }, (_, at) => `a-rather-long-name-of-a-task-that-is-missing-${at}`);
    const { message } = admissionOf(observed(taskObject('a', { spec: dependingOn(...names) })), startMs);
    expect(message).toContain('and 24 more');
    expect(message.length).toBeLessThan(1024);
  });
});
