/** The moments of a job, each parsed once, and the next one, computed once for what was served. */
import { oneMoment, readMoments, type Moments } from '@retainer/contract/schedule/moments';
import type { JobDefinition, JobTiming } from './job.ts';
import type { JobState } from './jobs.ts';

const none: Moments = { after: () => undefined, latest: () => [] };

interface Parsed {
  readonly moments: Moments;
  next?: { readonly servedMs: number; readonly atMs: number | undefined };
}

/** A definition in the state is the same object until it changes. */
const parsed = new WeakMap<JobDefinition, Parsed>();

function parse(when: JobTiming): Moments {
  if (when.type === 'Open') return none;
  if (when.type === 'Moment') return oneMoment(when.atMs);
  const read = readMoments(when.cron, when.timeZone);
  // A text that this version of the library or of the time zones cannot read has no moments; the plan says that it is over.
  return read.ok ? read.value : none;
}

function of({ job }: Pick<JobState, 'job'>): Parsed {
  const known = parsed.get(job);
  if (known !== undefined) return known;
  const made: Parsed = { moments: parse(job.when) };
  parsed.set(job, made);
  return made;
}

export function momentsOf(job: Pick<JobState, 'job'>): Moments {
  return of(job).moments;
}

/** The last moment that counts, milliseconds since 1970. */
export function untilMsOf({ when }: JobDefinition): number | undefined {
  return when.type === 'Cron' ? when.untilMs : undefined;
}

/** The first moment that is not served yet; undefined: there is none. */
export function nextMomentMs(state: Pick<JobState, 'job' | 'servedMs'>): number | undefined {
  const known = of(state);
  const { servedMs, job } = state;
  if (known.next?.servedMs === servedMs) return known.next.atMs;
  const found = known.moments.after(servedMs);
  const isLate = found !== undefined && found > (untilMsOf(job) ?? Infinity);
  const atMs = isLate ? undefined : found;
  known.next = { servedMs, atMs };
  return atMs;
}

/** Whether it has fired as often as it may. */
export function isUsedUp({ job: { when }, fired }: Pick<JobState, 'job' | 'fired'>): boolean {
  return when.type === 'Cron' && fired >= (when.runsMax ?? Infinity);
}
