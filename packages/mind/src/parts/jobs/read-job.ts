/**
 * What a tool or a manifest gives becomes a job, or one sentence about the first thing that is wrong. Nothing else comes of it.
 *
 * Source: springdrift 9 (fields of a job). Differs: what has no moment is refused at once, not when it is due.
 */
import { CronText, durationMs, DurationText, TimeZone } from '@retainer/contract/api/fields';
import { readMomentText } from '@retainer/contract/schedule/moment-text';
import { readMoments } from '@retainer/contract/schedule/moments';
import { isTimeZone } from '@retainer/contract/schedule/schedule-fault';
import { matchesName } from '@retainer/contract/std/name-pattern';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { clockSecond, utcDate, utcSecond } from '@retainer/contract/std/utc-date';
import {
  isForAgent,
  JOB_LIST_MAX,
  JOB_TAG_CHARACTERS,
  JOB_WORDS_MAX,
  type JobDefinition,
  type JobKind,
  type JobTiming,
} from './job.ts';
import { fault, type JobFault } from './job-fault.ts';
import { nameFault } from './job-names.ts';
import type { JobState } from './jobs.ts';

/** A job as it is given. Moments: RFC 3339 with an offset, or a local time in `timeZone`. */
export interface GivenJob {
  readonly kind: JobKind;
  readonly for: JobDefinition['for'];
  readonly name: string;
  readonly words: string;
  /** One of the three says when; of a Todo none has to. */
  readonly cron?: string | undefined;
  readonly at?: string | undefined;
  /** From now on, as `1h30m`. */
  readonly in?: string | undefined;
  /** Absent: the zone of the scheduler. */
  readonly timeZone?: string | undefined;
  /** With `cron`: no moment after this one counts. */
  readonly until?: string | undefined;
  /** With `cron`: how many moments count. */
  readonly runsMax?: number | undefined;
  /** Of an appointment, as `45m`. */
  readonly duration?: string | undefined;
  readonly catchUp: JobDefinition['catchUp'];
  readonly requiredTools?: readonly string[] | undefined;
  readonly onlyIfChanged?: boolean | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** The circumstances in which a job is given. */
export interface JobsAround {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Of the scheduler. */
  readonly timeZone: string;
  /** Those that the new one stands beside: for a change, without the job itself. */
  readonly lasting: readonly Pick<JobState, 'job'>[];
  /** Jobs in all; Infinity for those that people give, which the manifest's own rule bounds. */
  readonly maxJobs: number;
  /** Names of the tools that the agent has; absent: nobody can tell. */
  readonly tools?: readonly string[] | undefined;
  /** Whether the agent may begin work by itself. Absent: it may. */
  readonly isEnabled?: boolean | undefined;
}

/** How often a job may run before it ends: two years of an hourly one. Whoever wants more gives no limit. */
export const JOB_RUNS_MAX = 20_000;

/** The names of the fields in a fault are those of `GivenJob`. */
export function readJob(given: GivenJob, around: JobsAround): Result<JobDefinition, JobFault> {
  return read(given, around, () => readTiming(given, around));
}

/** Some of the fields of a job. */
export type FieldsOfJob = { readonly [Field in keyof GivenJob]?: GivenJob[Field] | undefined };

/** What a job is to be from now on; the rest stays. What it is, and for whom, is for life. */
export type JobChanges = Omit<FieldsOfJob, 'kind' | 'for'>;

const TIMING = ['cron', 'at', 'in', 'timeZone', 'until', 'runsMax'] as const;

/** A job that keeps its time may have one that has come. */
export function changeJob(
  job: JobDefinition,
  changes: JobChanges,
  around: JobsAround,
): Result<JobDefinition, JobFault> {
  const isRetimed = TIMING.some((field) => changes[field] !== undefined);
  const said = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const given: GivenJob = {
    ...job,
    ...durationText(job),
    ...(isRetimed ? timingTexts(job.when, changes) : {}),
    ...said,
  };
  return read(given, around, () => (isRetimed ? readTiming(given, around) : ok(job.when)));
}

/** Fields of a recurring job that a change of the others leaves. One moment is not half changed. */
function timingTexts(when: JobTiming, { at, in: inText }: JobChanges): Partial<GivenJob> {
  if (when.type !== 'Cron' || at !== undefined || inText !== undefined) return {};
  const { cron, timeZone, untilMs, runsMax } = when;
  return { cron, timeZone, runsMax, until: untilMs === undefined ? undefined : instantText(untilMs) };
}

function durationText({ durationMs: spanMs }: JobDefinition): Pick<GivenJob, 'duration'> {
  return { duration: spanMs === undefined ? undefined : spanText(spanMs) };
}

function read(
  given: GivenJob,
  around: JobsAround,
  timing: () => Result<JobTiming, JobFault>,
): Result<JobDefinition, JobFault> {
  const wrong = nameFault(given.name, around.lasting) ?? wordsFault(given) ?? listFault(given, around);
  if (wrong !== undefined) return err(wrong);
  const when = timing();
  if (!when.ok) return when;
  const duration = readDuration(given);
  if (!duration.ok) return duration;
  const job: JobDefinition = {
    ...{ kind: given.kind, for: given.for, name: given.name, words: given.words.trim(), when: when.value },
    ...(duration.value === undefined ? {} : { durationMs: duration.value }),
    ...{ catchUp: given.catchUp, requiredTools: [...(given.requiredTools ?? [])] },
    ...{ onlyIfChanged: given.onlyIfChanged ?? false, tags: [...(given.tags ?? [])] },
  };
  const unfit = unfitFault(job, around);
  return unfit === undefined ? ok(job) : err(unfit);
}

function wordsFault({ words }: GivenJob): JobFault | undefined {
  const length = words.trim().length;
  if (length === 0) return { field: 'words', why: 'is empty', fix: 'say what is to be done' };
  if (length <= JOB_WORDS_MAX) return undefined;
  const why = `has ${length} characters, and a job has ${JOB_WORDS_MAX} at most`;
  return { field: 'words', why, fix: 'keep the long text in a file and name the file' };
}

function listFault({ tags = [], requiredTools = [] }: GivenJob, { tools }: JobsAround): JobFault | undefined {
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['tags', tags],
    ['requiredTools', requiredTools],
  ];
  for (const [field, list] of lists)
    if (list.length > JOB_LIST_MAX)
      return { field, why: `has ${list.length} entries`, fix: `give ${JOB_LIST_MAX} at most` };
  const badTag = tags.find((tag) => tag.trim() === '' || tag.length > JOB_TAG_CHARACTERS);
  if (badTag !== undefined)
    return {
      field: 'tags',
      why: 'has an entry that is no tag',
      fix: `give tags of 1 to ${JOB_TAG_CHARACTERS} characters`,
    };
  if (tools === undefined) return undefined;
  const missing = requiredTools.find((pattern) => !tools.some((tool) => matchesName(pattern, tool)));
  return missing === undefined
    ? undefined
    : {
        field: 'requiredTools',
        why: `names ${quotedName(missing)}, which the agent does not have`,
        fix: 'name tools that it has',
      };
}

/** What holds for a job as a whole. */
function unfitFault(job: JobDefinition, { lasting, maxJobs, isEnabled }: JobsAround): JobFault | undefined {
  if (isForAgent(job) && isEnabled === false)
    return { field: 'for', why: 'is Agent, and this agent begins no work by itself', fix: 'give Person' };
  if (!isForAgent(job) && (job.requiredTools.length > 0 || job.onlyIfChanged)) {
    const field = job.onlyIfChanged ? 'onlyIfChanged' : 'requiredTools';
    return { field, why: 'is of runs of the agent, and these words go to a person', fix: 'leave it out' };
  }
  if (lasting.length < maxJobs) return undefined;
  const why = `allows ${maxJobs} jobs, and there are ${lasting.length}`;
  return { field: 'spec.scheduler.maxJobs', why, fix: 'cancel one that is no longer needed' };
}

function readTiming(given: GivenJob, around: JobsAround): Result<JobTiming, JobFault> {
  const { kind, cron, at, timeZone = around.timeZone } = given;
  const said = [cron, at, given.in].filter((it) => it !== undefined).length;
  if (said > 1)
    return fault(
      cron === undefined ? 'in' : 'cron',
      'stands beside another field that says when',
      'give one of cron, at and in',
    );
  if (!isZone(timeZone))
    return fault(
      'timeZone',
      `is ${quotedName(timeZone)}, which is no time zone`,
      'give a name as Europe/Berlin or UTC',
    );
  if (kind === 'Recurring') return readCron(given, timeZone, around.nowMs);
  const stray = straySchedule(given);
  if (stray !== undefined) return stray;
  const moment = readMoment(given, timeZone, around.nowMs);
  if (!moment.ok) return moment;
  if (kind === 'Todo') return ok({ type: 'Open', ...(moment.value === undefined ? {} : { dueAtMs: moment.value }) });
  if (moment.value === undefined)
    return fault('at', 'is missing', 'give a moment as 2030-01-31T08:00, or in as 2m or 1h30m');
  return ok({ type: 'Moment', atMs: moment.value });
}

/** A zone that the machine knows. */
function isZone(timeZone: string): boolean {
  return TimeZone.safeParse(timeZone).success && isTimeZone(timeZone);
}

function straySchedule({ kind, cron, until, runsMax }: GivenJob): ReturnType<typeof fault> | undefined {
  const field = cron === undefined ? (until === undefined ? 'runsMax' : 'until') : 'cron';
  if (cron === undefined && until === undefined && runsMax === undefined) return undefined;
  return fault(field, `is of a recurring job, and this is a ${kind}`, 'leave it out, or make the job Recurring');
}

function readCron(
  { cron, at, until, runsMax, ...given }: GivenJob,
  timeZone: string,
  nowMs: number,
): Result<JobTiming, JobFault> {
  if (cron === undefined) {
    const field = at === undefined ? (given.in === undefined ? 'cron' : 'in') : 'at';
    const why = field === 'cron' ? 'is missing' : 'is one moment, and a recurring job has a cron text';
    return fault(field, why, 'give cron as "0 8 * * 1-5" (minute, hour, day, month, day of week)');
  }
  const fields = cron.trim().split(/\s+/);
  if (fields.length === 6)
    return fault(
      'cron',
      'has six fields, and jobs have no seconds',
      'give five (minute, hour, day, month, day of week)',
    );
  const text = fields.join(' ');
  const read = CronText.safeParse(text).success ? readMoments(text, timeZone) : undefined;
  if (read?.ok !== true)
    return fault('cron', 'cannot be read', 'give five fields as "0 8 * * 1-5" (minute, hour, day, month, day of week)');
  const firstMs = read.value.after(nowMs);
  if (firstMs === undefined) return fault('cron', 'has no moment, ever', 'give a day that its month has');
  const limits = readLimits({ until, runsMax }, { timeZone, firstMs });
  return limits.ok ? ok({ type: 'Cron', cron: text, timeZone, ...limits.value }) : limits;
}

function readLimits(
  { until, runsMax }: Pick<GivenJob, 'until' | 'runsMax'>,
  { timeZone, firstMs }: { readonly timeZone: string; readonly firstMs: number },
): Result<{ readonly untilMs?: number; readonly runsMax?: number }, JobFault> {
  if (runsMax !== undefined && !(Number.isInteger(runsMax) && runsMax >= 1 && runsMax <= JOB_RUNS_MAX))
    return fault('runsMax', 'is no number of runs', `give 1 to ${JOB_RUNS_MAX}, or leave it out`);
  const runs = runsMax === undefined ? {} : { runsMax };
  if (until === undefined) return ok(runs);
  const read = readMomentText(until, timeZone);
  if (!read.ok) return fault('until', read.error, MOMENT_FIX);
  if (read.value < firstMs)
    return fault('until', `is before the first moment, ${utcSecond(firstMs)}`, 'give a later end, or leave it out');
  return ok({ ...runs, untilMs: read.value });
}

const MOMENT_FIX = 'give it as 2030-01-31T08:00 in the time zone, or as 2030-01-31T08:00+01:00';

/** Undefined: none is given. */
function readMoment(
  { at, in: inText }: GivenJob,
  timeZone: string,
  nowMs: number,
): Result<number | undefined, JobFault> {
  if (inText !== undefined) {
    const spanMs = DurationText.safeParse(inText).success ? durationMs(inText) : 0;
    return spanMs > 0 ? ok(nowMs + spanMs) : fault('in', 'is no span of time', 'give it as 2m or 1h30m');
  }
  if (at === undefined) return ok(undefined);
  const read = readMomentText(at, timeZone);
  if (!read.ok) return fault('at', read.error, MOMENT_FIX);
  if (read.value > nowMs) return ok(read.value);
  return fault('at', `has passed, since it is ${utcSecond(nowMs)} now`, 'give a moment that is to come');
}

function readDuration({ kind, duration }: GivenJob): Result<number | undefined, JobFault> {
  if (kind !== 'Appointment')
    return duration === undefined
      ? ok(undefined)
      : fault('duration', `is of an appointment, and this is a ${kind}`, 'leave it out');
  const spanMs = duration === undefined || !DurationText.safeParse(duration).success ? 0 : durationMs(duration);
  if (spanMs > 0) return ok(spanMs);
  const why = duration === undefined ? 'is missing' : 'is no span of time';
  return fault('duration', why, 'give it as 45m or 1h30m');
}

/** `1h30m`. */
export function spanText(spanMs: number): string {
  const [hours, minutes] = [Math.floor(spanMs / 3_600_000), Math.floor(spanMs / 60_000) % 60];
  const [seconds, milliseconds] = [Math.floor(spanMs / 1000) % 60, spanMs % 1000];
  const parts = [`${hours}h`, `${minutes}m`, `${seconds}s`, `${milliseconds}ms`];
  return parts.filter((part) => !part.startsWith('0')).join('');
}

/** `2030-01-31T08:00:05Z`. */
export function instantText(atMs: number): string {
  return `${utcDate(atMs)}T${clockSecond(atMs)}Z`;
}

/** Characters of a text of others that a fault repeats. */
const SHOWN_CHARACTERS = 64;

function quotedName(text: string): string {
  return JSON.stringify(text.slice(0, SHOWN_CHARACTERS));
}
