/** The calendar of the agent, recounted from the records of each job. Moments of `@hourly` in UTC are whole hours since 1970. */
import type { JournalRecord } from '@retainer/journal/journal';
import { fieldsOf, minute, textIn, type Fields, type Moment, type Past } from './past.ts';
import { toldBefore } from './recount-events.ts';
import { ROWS, tagged, type Tag } from './told-state.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Job {
  readonly jobId: string;
  readonly kind: string;
  readonly whose: string;
  readonly isOwn: boolean;
  readonly isPaused: boolean;
  /** Its next moment, or when it is due; undefined: none, or its run is under way. */
  readonly atMs: number | undefined;
}

/** The records of one job, by kind. */
type Of = (kind: string) => readonly JournalRecord[];

/** Those that are not over. */
function jobsIn(past: Past): readonly Job[] {
  return past.of('job', 'JobCreated').flatMap((created) => {
    const { jobId, job, maker } = fieldsOf(created) as Readonly<Record<'job' | 'maker', Fields>> &
      Readonly<{ jobId: string }>;
    const of: Of = (kind) => past.of('job', kind).filter((it) => textIn(fieldsOf(it), 'jobId') === jobId);
    const when = job['when'] as When;
    const newest = (kind: string): number => of(kind).at(-1)?.seq ?? -1;
    if (isOver(of, when)) return [];
    return [
      {
        jobId,
        ...{ kind: textIn(job, 'kind').toLowerCase(), whose: textIn(job, 'for').toLowerCase() },
        ...{ isOwn: maker['kind'] === 'Agent', isPaused: newest('JobPaused') > newest('JobResumed') },
        atMs: of('JobFired').length > of('JobEnded').length ? undefined : nextOf(of, when, created.timeMs),
      },
    ];
  });
}

type When = Readonly<{ type: 'Cron' | 'Moment' | 'Open'; atMs: number; dueAtMs?: number }>;

const isOver = (of: Of, { type }: When): boolean =>
  of('JobCancelled').length > 0 || of('JobOver').length > 0 || (type === 'Moment' && of('JobEnded').length > 0);

/** The whole hour after all that was served, skipped or slept through in a pause. */
function nextOf(of: Of, { type, atMs, dueAtMs }: When, createdMs: number): number | undefined {
  const servedMs = Math.max(
    createdMs,
    ...of('JobResumed').map(({ timeMs }) => timeMs),
    ...of('JobFired').map((it) => fieldsOf(it)['momentMs'] as number),
    ...of('JobSkipped').map((it) => fieldsOf(it)['lastMs'] as number),
  );
  return { Cron: (Math.floor(servedMs / HOUR_MS) + 1) * HOUR_MS, Moment: atMs, Open: dueAtMs }[type];
}

export function schedule(moment: Moment): readonly Tag[] {
  const { past, nowMs } = moment;
  const jobs = jobsIn(past);
  const active = jobs.filter(({ isPaused }) => !isPaused);
  const dated = active
    .flatMap((it) => (it.atMs === undefined ? [] : [{ ...it, atMs: it.atMs }]))
    .toSorted((a, b) => a.atMs - b.atMs);
  const rows = (name: string, of: typeof dated): readonly Tag[] =>
    of
      .slice(0, ROWS)
      .map(({ jobId, kind, whose, atMs }) => tagged(name, { job: jobId, kind, for: whose, at: minute(atMs) }));
  const overdue = dated.filter(({ atMs }) => atMs <= nowMs);
  const sinceMs = Math.max(toldBefore(moment), nowMs - DAY_MS);
  const lately = past.records.filter(({ store, timeMs }) => store === 'job' && timeMs >= sinceMs);
  const skips = lately.filter(({ kind }) => kind === 'JobSkipped').map((it) => Number(fieldsOf(it)['count']));
  if (jobs.length + lately.filter(({ kind }) => kind === 'JobFired' || kind === 'JobSkipped').length === 0) return [];
  const figures = {
    jobs: active.length,
    own: orNone(active.filter(({ isOwn }) => isOwn).length),
    paused: orNone(jobs.length - active.length),
    overdue: orNone(overdue.length),
    fired_while_away: orNone(lately.filter(({ kind }) => kind === 'JobFired').length),
    skipped_while_away: orNone(skips.reduce((sum, it) => sum + it, 0)),
  };
  const later = dated.filter(({ atMs }) => atMs > nowMs);
  return [tagged('schedule', figures, [...rows('overdue', overdue), ...rows('next', later)].slice(0, ROWS))];
}

const orNone = (count: number): number | undefined => (count === 0 ? undefined : count);
