/** Jobs as a table and as lines for people. Pure: `Intl` alone knows the zones. */
import { fieldOf, textIn } from '@retainer/mind/part/part';
import { printable, printableLines } from '@retainer/contract/std/printable';
import { clockMinute, utcDate, utcMinute } from '@retainer/contract/std/utc-date';
import { renderCount, renderDuration, renderPlural } from '@retainer/mind/explain/figures';
import { readersWords, sourceWords, type Label } from '@retainer/mind/gate/provenance/label';
import type { JOB_SKIPS } from '@retainer/mind/parts/jobs/job';
import { isLasting } from '@retainer/mind/parts/jobs/jobs';
import { deferralText } from '@retainer/mind/parts/jobs/plan-jobs';
import type { JobFiring, JobMaking, JobSkipping, JobStory, JobWord, RecordedJob } from './job-records.ts';
import { zonedMinute } from './zoned-time.ts';

/** The headings, and one row for each job. @param nowMs  milliseconds since 1970 */
export function jobTable(jobs: readonly RecordedJob[], nowMs: number): readonly (readonly string[])[] {
  const rows = jobs.map((job) => [
    job.jobId,
    printable(job.job.name),
    job.job.kind,
    job.job.for,
    statusOf(job, nowMs),
    nextText(job),
    lastText(job),
    makerWord(job),
    waitsFor(job, nowMs),
  ]);
  return [['id', 'name', 'kind', 'for', 'status', 'next', 'last', 'made by', 'waits'], ...rows];
}

/** Of a job, in two columns; a text of several lines goes on below itself. @param nowMs  milliseconds since 1970 */
export function jobRows(story: JobStory, nowMs: number): readonly (readonly [string, string])[] {
  const { job, reason, because = [], firings, skips, words } = story;
  return [
    ['name', printable(job.name)],
    ['what', `${job.kind}, for ${job.for === 'Agent' ? 'the agent' : 'a person'}`],
    ...printableLines(job.words).map((line, at): [string, string] => [at === 0 ? 'words' : '', line]),
    ['when', whenText(story)],
    ...filled('next', nextText(story)),
    ['status', statusText(story, nowMs)],
    ...filled('waits', waitsFor(story, nowMs)),
    ['made by', `${makerText(story)}, ${utcMinute(story.createdAtMs)} (job/${story.seq})`],
    ...filled('reason', printable(reason ?? '')),
    ...filled('because of', because.map(printable).join(', ')),
    ['label', labelText(story.label)],
    ...rulesOf(story),
    ['counts', countsText(story)],
    ...firings.map((it): [string, string] => ['served', firingText(it)]),
    ...skips.map((it): [string, string] => ['skipped', skippingText(it)]),
    ...words.map((it): [string, string] => ['said', wordText(it)]),
  ];
}

/** What a person may type next about it: words of the command line, without the place. */
export function jobCommands(story: JobStory): readonly string[] {
  const { jobId, status, open, last } = story;
  const runId = open?.runId ?? last?.runId;
  const ran = runId === undefined ? [] : [`explain ${runId}`];
  if (!isLasting(story)) return ran;
  const pause = status === 'Paused' ? 'resume' : 'pause';
  const changes = [pause, ...(open === undefined ? ['run-now'] : []), 'cancel'];
  return [...ran, ...changes.map((word) => `jobs ${word} ${jobId} --reason TEXT`)];
}

/**
 * Of a run that a job made: who made the job, why, and whose words the run began with, one line each.
 *
 * @param making    undefined: the record does not have it
 * @param label     of the run; absent: its words are people's own
 * @param momentMs  that the run serves, milliseconds since 1970
 */
export function causeLines(making: JobMaking | undefined, momentMs: number, label?: Label): readonly string[] {
  if (making === undefined) return ['the record does not have this job: nobody knows who made it'];
  const { job, reason, because = [], seq, createdAtMs } = making;
  return [
    `job ${printable(job.name)} (${job.kind}): made by ${makerText(making)}, ${utcMinute(createdAtMs)} (job/${seq})`,
    ...(reason === undefined ? [] : [`because ${printable(reason)}`]),
    ...(because.length === 0 ? [] : [`records that led to it: ${because.map(printable).join(', ')}`]),
    `its moment: ${momentText(momentMs, zoneOf(making))}`,
    `its words: ${label === undefined ? "people's own" : labelText(label)}`,
  ];
}

/** After "it waits". Empty: for nothing but its moment. @param nowMs  milliseconds since 1970 */
export function waitsFor(
  { jobId, status, open, deferred, wantedAtMs, nextAtMs, job }: RecordedJob,
  nowMs: number,
): string {
  if (open !== undefined)
    return open.runId === undefined
      ? 'for the delivery of its words'
      : `for the end of its run ${printable(open.runId)}`;
  if (wantedAtMs !== undefined) return 'for an agent that works: a person wants a run of it now';
  if (status === 'Paused') return `for a person: jobs resume ${jobId}`;
  if (status !== 'Active') return '';
  if (deferred !== undefined) {
    const until = deferred.untilMs === undefined ? '' : `, until ${utcMinute(deferred.untilMs)}`;
    return `because ${deferralText(deferred)}${until}`;
  }
  if (nextAtMs === undefined) return job.when.type === 'Open' ? 'for whoever does it' : '';
  return nextAtMs <= nowMs ? 'for an agent that works: its moment has come' : '';
}

/** `2026-11-30 08:00 Europe/Berlin (07:00 UTC)`. @param ms  since 1970 */
export function momentText(ms: number, timeZone: string): string {
  const here = zonedMinute(ms, timeZone);
  if (timeZone === 'UTC') return `${here} UTC`;
  const day = here.startsWith(utcDate(ms)) ? '' : `${utcDate(ms)} `;
  return `${here} ${timeZone} (${day}${clockMinute(ms)} UTC)`;
}

/** Of a moment without a zone of its own: UTC. */
export function zoneOf({ job: { when } }: Pick<RecordedJob, 'job'>): string {
  return when.type === 'Cron' ? when.timeZone : 'UTC';
}

function nextText(job: RecordedJob): string {
  const { nextAtMs } = job;
  if (nextAtMs !== undefined) return momentText(nextAtMs, zoneOf(job));
  const { when } = job.job;
  return when.type === 'Open' && when.dueAtMs !== undefined && isLasting(job) ? `due ${utcMinute(when.dueAtMs)}` : '';
}

function isOverdue(job: RecordedJob, nowMs: number): boolean {
  const { when } = job.job;
  return when.type === 'Open' && job.status === 'Active' && (when.dueAtMs ?? Infinity) < nowMs;
}

function statusOf(job: RecordedJob, nowMs: number): string {
  return isOverdue(job, nowMs) ? 'Overdue' : job.status;
}

function statusText(job: RecordedJob, nowMs: number): string {
  const { statusBy, statusReason } = job;
  const by = statusBy === undefined ? '' : ` by ${printable(statusBy)}`;
  return `${statusOf(job, nowMs)}${by}${statusReason === undefined ? '' : `: ${printable(statusReason)}`}`;
}

function lastText({ last }: RecordedJob): string {
  return last === undefined ? '' : `${printable(last.outcome)}, ${utcMinute(last.momentMs)}`;
}

function whenText({ job: { when, catchUp, durationMs } }: RecordedJob): string {
  const lasts = durationMs === undefined ? '' : `, for ${renderDuration(durationMs)}`;
  switch (when.type) {
    case 'Cron': {
      const until = when.untilMs === undefined ? '' : `, until ${momentText(when.untilMs, when.timeZone)}`;
      const runs = when.runsMax === undefined ? '' : `, ${renderPlural(when.runsMax, 'run')} at most`;
      return `${printable(when.cron)} in ${when.timeZone}${until}${runs}; missed moments: ${catchUp}${lasts}`;
    }
    case 'Moment':
      return `once, ${utcMinute(when.atMs)}${lasts}; if it is missed: ${catchUp}`;
    case 'Open':
      return when.dueAtMs === undefined ? 'at no moment' : `at no moment, due ${utcMinute(when.dueAtMs)}`;
  }
}

function makerWord({ source, maker }: RecordedJob): string {
  if (source === 'Manifest') return 'manifest';
  if (source === 'Task') return 'schedule';
  if (source === 'FollowUp') return 'agent (follow-up)';
  return maker.kind === 'Person' ? 'person' : 'agent';
}

/** Who made it, and in which run, as a part of a sentence. */
export function makerText({ source, maker, task }: Pick<JobMaking, 'source' | 'maker' | 'task'>): string {
  const run = maker.runId === undefined ? '' : ` in run ${printable(maker.runId)}`;
  switch (source) {
    case 'Manifest':
      return 'people, by the manifest of the Agent';
    case 'Task':
      return `people, by the schedule of Task ${printable(textIn(fieldOf(fieldOf(task, 'metadata'), 'name')))}`;
    case 'FollowUp':
      return `the agent${run}, for a reason that code found`;
    case 'Tool':
      return maker.kind === 'Person' ? `the agent${run}, because a person asked for it` : `the agent${run}, of its own`;
  }
}

/** What its runs begin with. */
export function labelText({ trust, source, readers }: Label): string {
  return `${trust.toLowerCase()}, words of ${sourceWords(source)}, for ${readersWords(readers)}`;
}

function rulesOf({ job: { requiredTools, onlyIfChanged, tags } }: RecordedJob): readonly [string, string][] {
  return [
    ...filled('must call', requiredTools.map(printable).join(', ')),
    ...filled('delivers', onlyIfChanged ? 'only what differs from the last result' : ''),
    ...filled('tags', tags.map(printable).join(', ')),
  ];
}

function countsText({ fired, failed, skipped }: RecordedJob): string {
  return `${renderPlural(fired, 'moment')} served, ${renderCount(failed)} of them in vain; ${renderPlural(skipped, 'moment')} skipped`;
}

function firingText({ momentMs, atMs, runId, isWanted, end }: JobFiring): string {
  const what = runId === undefined ? 'words to a person' : `run ${printable(runId)}`;
  const wanted = isWanted === true ? ', because a person wanted it' : '';
  const late = atMs - momentMs >= LATE_MS ? `, ${renderDuration(atMs - momentMs)} late` : '';
  return `${utcMinute(momentMs)}  ${what}${wanted}${late}: ${endText(end)}`;
}

/** A lateness that people notice. */
const LATE_MS = 60_000;

function endText(end: JobFiring['end']): string {
  if (end === undefined) return 'under way';
  const why = end.why === undefined ? '' : `, because ${printable(end.why)}`;
  return `${printable(end.outcome)}${why}${end.isUnchanged === true ? ', nothing new and so not delivered' : ''}`;
}

/** Why moments are over without a run, as the end of a sentence. */
export const SKIP_WORDS: Readonly<Record<(typeof JOB_SKIPS)[number], string>> = {
  Missed: 'nobody was there to serve them',
  Restored: 'the record was restored from an earlier copy, which may lack that they were served',
  StillRunning: 'the run before was still under way',
};

/** `2030-03-03 07:00 UTC to 2030-03-04 07:00 UTC`, or the one moment. */
export function skippedSpan({ count, firstMs, lastMs }: Pick<JobSkipping, 'count' | 'firstMs' | 'lastMs'>): string {
  return count === 1 ? utcMinute(firstMs) : `${utcMinute(firstMs)} to ${utcMinute(lastMs)}`;
}

function skippingText({ why, count, firstMs, lastMs, nextAtMs }: JobSkipping): string {
  const span = skippedSpan({ count, firstMs, lastMs });
  const next = nextAtMs === undefined ? '' : `; the next was ${utcMinute(nextAtMs)}`;
  return `${renderPlural(count, 'moment')}, ${span}: ${SKIP_WORDS[why]}${next}`;
}

const WORD_TEXTS: Readonly<Record<JobWord['word'], string>> = {
  Paused: 'paused it',
  Resumed: 'resumed it',
  Cancelled: 'cancelled it',
  RunNow: 'wanted a run at once',
};

function wordText({ word, atMs, by = 'the agent', reason }: JobWord): string {
  return `${utcMinute(atMs)}  ${printable(by)} ${WORD_TEXTS[word]}: ${printable(reason)}`;
}

function filled(label: string, text: string): readonly [string, string][] {
  return text === '' ? [] : [[label, text]];
}
