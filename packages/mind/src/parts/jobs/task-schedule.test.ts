import { expect } from 'vitest';
import { task } from '../../../../../test/support/agents.ts';
import { verifies } from '../../../../../test/verifies.ts';
import type { PartRecord } from '../../part/store.ts';
import { jobs, type Jobs, type JobState } from './jobs.ts';
import { scheduleChanges } from './task-schedule.ts';

const cron = '0 8 * * *';
const daily = (more: object = {}) => task('tidy', 'Tidy up.', { schedule: { cron }, ...more });

/** As the record has them after these changes, each made from what was before. */
function after(...tasks: readonly ReturnType<typeof daily>[]): {
  readonly state: Jobs;
  readonly kinds: readonly string[];
} {
  const state = jobs.start();
  const kinds: string[] = [];
  for (const it of tasks)
    for (const record of scheduleChanges(state.byId.get('task-tidy'), it)) take(state, record, kinds);
  return { state, kinds };
}

function take(state: Jobs, { kind, payload }: PartRecord, kinds: string[]): void {
  kinds.push(kind);
  jobs.take(state, { store: 'job', kind, payload: payload as never, seq: kinds.length, timeMs: kinds.length });
}

const one = ({ state }: ReturnType<typeof after>): JobState | undefined => state.byId.get('task-tidy');

const cases = [
  ['the same Task', daily(), []],
  ['a Task that a person has answered', daily({ answers: [{ question: 'q', text: 'yes', by: 'ann' }] }), []],
  ['other words', task('tidy', 'Tidy up well.', { schedule: { cron } }), ['JobChanged']],
  ['other criteria', daily({ successCriteria: [{ text: 'It is tidy.' }] }), ['JobChanged']],
  ['another time', daily({ schedule: { cron: '0 9 * * *', timeZone: 'Europe/Berlin' } }), ['JobChanged']],
  ['a cancelled Task', daily({ cancel: true }), ['JobCancelled']],
  ['a Task that has no schedule any more', task('tidy', 'Tidy up.'), ['JobCancelled']],
] as const;
for (const [name, changed, kinds] of cases)
  verifies('cli-jobs:schedule-of-task', `${name} comes to ${kinds[0] ?? 'nothing'}`, () => {
    expect(after(daily(), changed).kinds).toEqual(['JobCreated', ...kinds]);
    expect(after(daily(), changed, changed).kinds).toEqual(['JobCreated', ...kinds]);
  });

verifies(
  'cli-jobs:schedule-of-task',
  'has the times and the bounds of the Task, and what its runs are made from',
  () => {
    const schedule = { cron, timeZone: 'Europe/Berlin', maxRuns: 3, until: '2031-01-01T00:00:00Z', catchUp: 'All' };
    expect(one(after(daily({ schedule })))).toMatchObject({
      source: 'Task',
      maker: { kind: 'Person' },
      job: {
        catchUp: 'All',
        when: { type: 'Cron', cron, timeZone: 'Europe/Berlin', runsMax: 3, untilMs: Date.UTC(2031, 0, 1) },
      },
      task: { spec: { intent: 'Tidy up.' } },
    });
  },
);

verifies('cli-jobs:schedule-of-task', 'makes nothing of a Task that never had one, and touches no other job', () => {
  expect(after(task('tidy', 'Tidy up.'), daily({ cancel: true })).kinds).toEqual([]);
  const other = { ...one(after(daily())), source: 'Tool' } as JobState;
  for (const it of [daily(), task('tidy', 'Tidy up.'), daily({ cancel: true })])
    expect(scheduleChanges(other, it)).toEqual([]);
});

verifies('cli-jobs:schedule-of-task', 'what a person cancelled stays so until the Task is another one', () => {
  const cancelled = { ...one(after(daily())), status: 'Cancelled', statusBy: 'ann' } as JobState;
  expect(scheduleChanges(cancelled, daily())).toEqual([]);
  const { statusBy: _, ...left } = cancelled;
  expect(scheduleChanges(left, daily()).map(({ kind }) => kind)).toEqual(['JobCreated']);
  const kinds = scheduleChanges(cancelled, daily({ schedule: { cron: '@hourly' } })).map(({ kind }) => kind);
  expect(kinds).toEqual(['JobCreated']);
});
