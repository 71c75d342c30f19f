/**
 * What is wrong with the times of a schedule, where their text fits its pattern all the same. Manifests and the operator say the same of
 * it; the tools of an agent tell a model the fix, too, in words of their own (`read-job.ts`).
 */
import type { AgentScheduler } from '../api/agent-limits.ts';
import type { Task } from '../api/task.ts';
import { readMoments } from './moments.ts';

export interface ScheduleFault {
  readonly field: 'cron' | 'timeZone';
  /** What may stand there. It quotes nothing of the text. */
  readonly allowed: string;
}

export interface ScheduleTimes {
  readonly cron: string;
  readonly timeZone: string;
}

const ZONE = 'the name of an IANA time zone, such as Europe/Berlin, or UTC';
const CRON =
  'five cron fields (minute, hour, day of month, month, day of week) with values that they can have, or @daily and the like';
const NEVER = 'a cron text that has a moment: no calendar has that day';

/** @returns the first fault; undefined where there is none */
export function scheduleFault({ cron, timeZone }: ScheduleTimes): ScheduleFault | undefined {
  const moments = readMoments(cron, timeZone);
  if (!moments.ok)
    return isTimeZone(timeZone) ? { field: 'cron', allowed: CRON } : { field: 'timeZone', allowed: ZONE };
  return moments.value.after(0) === undefined ? { field: 'cron', allowed: NEVER } : undefined;
}

/** Whether this program knows the zone. */
export function isTimeZone(name: string): boolean {
  return readMoments('* * * * *', name).ok;
}

export interface FaultyField {
  /** From the spec of the object. */
  readonly path: readonly (string | number)[];
  /** Of the job; undefined where the field is of none. */
  readonly job: string | undefined;
  readonly allowed: string;
}

/**
 * Faults of the jobs that people give an Agent, in their order; each job has one at the most. A faulty zone of the scheduler is told
 * once, and not again for each job without a zone of its own.
 */
export function jobFaults({ jobs, timeZone }: Pick<AgentScheduler, 'jobs' | 'timeZone'>): readonly FaultyField[] {
  const isKnown = isTimeZone(timeZone);
  const ofScheduler = isKnown ? [] : [{ path: ['scheduler', 'timeZone'], job: undefined, allowed: ZONE }];
  const ofJobs = jobs.flatMap((job, at) => {
    const fault = scheduleFault({ cron: job.cron, timeZone: job.timeZone ?? (isKnown ? timeZone : 'UTC') });
    return fault === undefined
      ? []
      : [{ path: ['scheduler', 'jobs', at, fault.field], job: job.name, allowed: fault.allowed }];
  });
  return [...ofScheduler, ...ofJobs];
}

/** Of the schedule of a Task. */
export function taskScheduleFault({ schedule }: Pick<Task['spec'], 'schedule'>): FaultyField | undefined {
  const fault = schedule === undefined ? undefined : scheduleFault(schedule);
  return fault && { path: ['schedule', fault.field], job: undefined, allowed: fault.allowed };
}
