import { describe, expect, it } from 'vitest';
import { Task } from '@retainer/contract/api/task';
import { iso, startMs, taskObject } from '../../../test/support/observed-tasks.ts';
import { scheduledTask, scheduledTaskName } from './scheduled-task.ts';

const at = { momentMs: startMs, moment: iso(startMs), runNumber: 7, isCancelled: false };

describe('scheduledTask', () => {
  const schedule = taskObject('daily', {
    spec: {
      schedule: { cron: '@daily' },
      cancel: false,
      answers: [{ question: 'q', text: 'yes', by: 'ann' }],
      priority: 5,
      ttlSecondsAfterFinished: 60,
      dependsOn: [{ name: 'one' }],
    },
    metadata: { labels: { team: 'red' } },
  });

  it('has the work of the schedule, and nothing that is about the schedule or one run of it', () => {
    expect(scheduledTask(schedule, at).spec).toEqual({
      agentRef: { name: 'ada' },
      intent: 'Count the words.',
      priority: 5,
      ttlSecondsAfterFinished: 60,
      dependsOn: [{ name: 'one' }],
    });
  });

  it('says which moment and which run it is, and fits the schema', () => {
    const task = { ...taskObject('x'), ...scheduledTask(schedule, at) };
    expect(task.metadata.annotations).toEqual({
      'retainer.dev/scheduled-for': '2030-01-01T00:00:00Z',
      'retainer.dev/schedule-run': '7',
    });
    expect(task.metadata.labels).toMatchObject({ 'retainer.dev/task': 'daily' });
    expect(Task.safeParse(task).success).toBe(true);
  });

  it('is cancelled where its schedule is', () => {
    expect(scheduledTask(schedule, { ...at, isCancelled: true }).spec).toMatchObject({ cancel: true });
  });
});

describe('scheduledTaskName', () => {
  it('is the name of the schedule and the minutes since 1970', () => {
    expect(scheduledTaskName('daily', startMs)).toBe('daily-31557600');
  });

  it('keeps within 63 characters, and tells long names apart', () => {
    const long = 'a'.repeat(62);
    const names = [`${long}b`, `${long}c`, `${'a'.repeat(43)}-------------------z`].map((name) =>
      scheduledTaskName(name, startMs),
    );
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])$/);
  });
});
