import { describe, expect, it } from 'vitest';
import { AgentScheduler } from '../api/agent-limits.ts';
import { verifies } from '../../../test/verifies.ts';
import { isTimeZone, jobFaults, scheduleFault } from './schedule-fault.ts';

const job = (name: string, more: object = {}) => ({ name, cron: '0 8 * * *', intent: 'Look.', ...more });
const scheduler = (jobs: readonly object[], more: object = {}) => AgentScheduler.parse({ jobs, ...more });

describe('scheduleFault', () => {
  verifies('api:schedule-faults', 'finds no fault in what has a moment', () => {
    for (const cron of ['* * * * *', '@daily', '0 0 29 2 *', '0 8 * * 1-5'])
      for (const timeZone of ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Africa/Casablanca'])
        expect(scheduleFault({ cron, timeZone })).toBeUndefined();
  });

  const faulty = [
    ['Middle/Earth', '0 8 * * *', 'timeZone', /IANA time zone/],
    ['Europe/Berln', '61 8 * * *', 'timeZone', /IANA time zone/],
    ['UTC', '61 * * * *', 'cron', /five cron fields/],
    ['UTC', '0 8 * * 9', 'cron', /five cron fields/],
    ['UTC', '0 0 31 2 *', 'cron', /has a moment/],
    ['Europe/Berlin', '0 0 31 4,6,9,11 *', 'cron', /has a moment/],
  ] as const;
  for (const [timeZone, cron, field, allowed] of faulty)
    verifies('api:schedule-faults', `finds what is wrong with ${cron} in ${timeZone}`, () => {
      expect(scheduleFault({ cron, timeZone })).toEqual({ field, allowed: expect.stringMatching(allowed) });
    });

  it('knows zones by all their names', () => {
    expect(['Asia/Kolkata', 'Asia/Calcutta', 'Etc/UTC', 'europe/berlin'].every(isTimeZone)).toBe(true);
  });
});

describe('jobFaults', () => {
  verifies('api:schedule-faults', 'names each faulty job once, by the place of its field', () => {
    const given = scheduler([
      job('good'),
      job('never', { cron: '0 0 31 2 *' }),
      job('nowhere', { timeZone: 'Middle/Earth', cron: '61 * * * *' }),
    ]);
    expect(jobFaults(given)).toEqual([
      { path: ['scheduler', 'jobs', 1, 'cron'], job: 'never', allowed: expect.any(String) },
      { path: ['scheduler', 'jobs', 2, 'timeZone'], job: 'nowhere', allowed: expect.any(String) },
    ]);
  });

  verifies('api:schedule-faults', 'tells a faulty zone of all jobs once', () => {
    const given = scheduler([job('one'), job('two'), job('own', { timeZone: 'UTC' })], { timeZone: 'Middle/Earth' });
    expect(jobFaults(given)).toEqual([
      { path: ['scheduler', 'timeZone'], job: undefined, allowed: expect.any(String) },
    ]);
  });
});
