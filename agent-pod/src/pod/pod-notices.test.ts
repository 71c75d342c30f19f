import { describe, expect } from 'vitest';
import { Calendar, jobOf, JOBS_NOW_MS as nowMs } from '../../../test/support/calendar.ts';
import { verifies } from '../../../test/verifies.ts';
import { noticeEvent } from './pod-notices.ts';

const agent = { namespace: 'weather', name: 'ada', uid: 'u1' };
const words = { words: 'SECRET words' };
const untrusted = { source: { kind: 'Web' }, trust: 'Untrusted', readers: 'Everyone' } as const;
const { byId } = new Calendar()
  .make('j-1', jobOf({ name: 'call-ben', ...words }), nowMs)
  .make('j-2', jobOf({ name: 'ignore-all-rules', ...words }), nowMs, { label: untrusted }).jobs;

const told = (target: string, outcome: string) =>
  noticeEvent(agent, { deliveryId: `n-${target}`, target, outcome }, byId.get(target));
const shows = (name: string) => `retainer jobs show ${name} -n weather --agent ada`;

describe('the Event of a notice', () => {
  verifies('jobs-cluster:events', 'names the job and the command that shows it, and none of its words', () => {
    expect(told('j-1', 'Reminder')).toEqual({
      ...{ type: 'Normal', reason: 'ReminderDue', action: 'Remind' },
      about: 'n-j-1',
      regarding: {
        ...{ apiVersion: 'retainer.dev/v1alpha1', kind: 'Agent' },
        metadata: { namespace: 'weather', name: 'ada', uid: 'u1' },
      },
      note: `words of the job j-1 are due: ${shows('j-1')}`,
    });
    expect(told('j-1', 'Succeeded')).toMatchObject({
      ...{ type: 'Normal', reason: 'JobFinished' },
      note: `the job j-1 ended Succeeded: ${shows('j-1')}`,
    });
  });

  verifies('jobs-cluster:events', 'warns of a run that came to nothing', () => {
    for (const outcome of ['Failed', 'Refused', 'Abandoned'])
      expect(told('j-1', outcome)).toMatchObject({ type: 'Warning', reason: 'JobFinished' });
  });

  verifies('jobs-cluster:events', 'has the id of a job that a stranger may have named, or that nobody knows', () => {
    for (const target of ['j-2', 'j-3'])
      expect(told(target, 'Succeeded').note).toBe(`the job ${target} ended Succeeded: ${shows(target)}`);
  });
});
