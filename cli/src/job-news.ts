/**
 * What a person at `retainer run` is told of jobs while they come: what is next, what was skipped or waits, and what reaches people.
 * Folded from the records that the agent writes.
 */
import { asRecorded, type RecordedJob } from '@retainer/agent-pod/review/job-records';
import { momentText, SKIP_WORDS, skippedSpan, waitsFor, zoneOf } from '@retainer/agent-pod/review/job-rows';
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { printable } from '@retainer/contract/std/printable';
import { utcMinute } from '@retainer/contract/std/utc-date';
import type { JournalRecord } from '@retainer/journal/journal';
import { renderDuration, renderPlural } from '@retainer/mind/explain/figures';
import type { StoryLine, Tone } from '@retainer/mind/part/story';
import { isForAgent, jobKinds, type JobRecordOf } from '@retainer/mind/parts/jobs/job';
import { isGoodEnd, jobs, lastingJobs, type Jobs } from '@retainer/mind/parts/jobs/jobs';
import { jobStore } from '@retainer/mind/parts/jobs/part';
import { deferralText } from '@retainer/mind/parts/jobs/plan-jobs';

/** Words that reached a person: those of a reminder, or the result of a run that a job made. */
export interface JobNotice {
  readonly jobId: string;
  /** Milliseconds since 1970. */
  readonly momentMs: number;
  /** Absent: no model was asked. */
  readonly runId?: string;
  /** Of the run; `Reminder`: the words of the job itself. */
  readonly outcome: string;
  readonly words: string;
}

export interface JobTold {
  readonly notice?: JobNotice;
  readonly note?: StoryLine;
}

/** Runs of jobs that are told apart from those of Tasks: many more than are under way at a time. */
const FIRINGS_KEPT = 1_000;

type Reply = Pick<JobNotice, 'outcome' | 'words'>;

export class JobNews {
  readonly #jobs: Jobs = jobs.start();
  /** By run: its archive may end the firing before its reply has gone out. */
  readonly #firings = new Map<string, { readonly jobId: string; readonly momentMs: number }>();
  /** By run, until they are delivered. */
  readonly #replies = new Map<string, Reply>();

  /** @returns what is new in a record */
  take(record: JournalRecord): JobTold {
    if (record.store === jobStore.name) return this.#takeJob(record);
    return record.store === 'run' ? this.#takeRun(record) : {};
  }

  isOfJob(runId: string): boolean {
    return this.#firings.has(runId);
  }

  /** The moment that a run serves, milliseconds since 1970; undefined for a run of no job. */
  momentOf(runId: string): number | undefined {
    return this.#firings.get(runId)?.momentMs;
  }

  /** Firings that are under way. */
  open(): readonly { readonly runId?: string; readonly momentMs: number }[] {
    return [...this.#jobs.byId.values()].flatMap(({ open }) => open ?? []);
  }

  /** The job whose moment is the next one. @param isEnabled  whether the agent begins work by itself */
  next(isEnabled: boolean): RecordedJob | undefined {
    const coming = lastingJobs(this.#jobs)
      .map(asRecorded)
      .filter(({ job, nextAtMs }) => nextAtMs !== undefined && (isEnabled || !isForAgent(job)));
    return coming.toSorted((a, b) => (a.nextAtMs ?? 0) - (b.nextAtMs ?? 0))[0];
  }

  #takeJob(record: JournalRecord): JobTold {
    const { kind, payload } = record;
    const { jobId } = payload as { readonly jobId: string };
    const before = this.#jobs.byId.get(jobId);
    jobs.take(this.#jobs, record);
    if (kind === 'JobFired') this.#noteFiring(jobKinds.JobFired.parse(payload));
    if (kind === 'JobEnded') {
      const { runId, outcome, momentMs } = jobKinds.JobEnded.parse(payload);
      const isWords = runId === undefined && isGoodEnd(outcome) && before !== undefined;
      return isWords ? { notice: { jobId, momentMs, outcome: 'Reminder', words: before.job.words } } : {};
    }
    const note = tellers[kind]?.(payload);
    return note === undefined ? {} : { note };
  }

  #takeRun({ kind, payload, runId = '' }: JournalRecord): JobTold {
    if (kind === 'DeliveryRequested' && this.isOfJob(runId)) {
      const { body } = payload as unknown as { readonly body: { readonly outcome: string; readonly summary: string } };
      this.#replies.set(runId, { outcome: body.outcome, words: body.summary });
    }
    const reply = this.#replies.get(runId);
    const firing = this.#firings.get(runId);
    if (kind !== 'Delivered' || reply === undefined || firing === undefined) return {};
    this.#replies.delete(runId);
    return { notice: { ...firing, runId, ...reply } };
  }

  #noteFiring({ jobId, momentMs, runId }: JobRecordOf<'JobFired'>): void {
    if (runId === undefined) return;
    this.#firings.set(runId, { jobId, momentMs });
    forgetOldest(this.#firings, FIRINGS_KEPT);
  }
}

type Tell = (payload: unknown) => StoryLine;

function teller<K extends keyof typeof jobKinds>(kind: K, tone: Tone, text: (told: JobRecordOf<K>) => string): Tell {
  return (payload) => ({ tone, text: printable(text(jobKinds[kind].parse(payload) as JobRecordOf<K>)) });
}

/** What nobody sees otherwise: runs are told step by step. */
const tellers: Readonly<Record<string, Tell>> = {
  JobSkipped: teller('JobSkipped', 'Warning', ({ jobId, why, count, firstMs, lastMs }) => {
    const span = skippedSpan({ count, firstMs, lastMs });
    return `job ${jobId}: ${renderPlural(count, 'moment')} skipped, ${span}: ${SKIP_WORDS[why]}`;
  }),
  JobDeferred: teller('JobDeferred', 'Quiet', ({ jobId, untilMs, ...wait }) => {
    const until = untilMs === undefined ? '' : `, until ${utcMinute(untilMs)}`;
    return `job ${jobId} waits: ${deferralText(wait)}${until}`;
  }),
  JobPaused: teller('JobPaused', 'Warning', (told) => wordText(told, 'paused')),
  JobResumed: teller('JobResumed', 'Plain', (told) => wordText(told, 'resumed')),
  JobCancelled: teller('JobCancelled', 'Warning', (told) => wordText(told, 'cancelled')),
  JobOver: teller('JobOver', 'Quiet', ({ jobId, status, reason }) => `job ${jobId} is over (${status}): ${reason}`),
};

function wordText({ jobId, by, reason }: JobRecordOf<'JobPaused'>, done: string): string {
  return `job ${jobId} was ${done}${by === undefined ? '' : ` by ${by}`}: ${reason}`;
}

/** `next daily at 2030-03-04 08:00 Europe/Berlin (07:00 UTC), in 2 h 05 min`. @param nowMs  milliseconds since 1970 */
export function nextLine(job: RecordedJob, nowMs: number): string {
  const { jobId, nextAtMs = nowMs } = job;
  const head = `next ${printable(jobId)} at ${momentText(nextAtMs, zoneOf(job))}`;
  if (nextAtMs > nowMs) return `${head}, in ${renderDuration(nextAtMs - nowMs)}`;
  const waits = waitsFor(job, nowMs);
  return waits === '' ? `${head}, now` : `${head}; it waits ${waits}`;
}

export function noticeLines({ jobId, momentMs, outcome, words }: JobNotice): readonly StoryLine[] {
  const tone = outcome === 'Reminder' || isGoodEnd(outcome) ? 'Good' : 'Warning';
  return [
    { tone: 'Plain', text: '' },
    { tone, text: `${outcome.toUpperCase()}  job ${printable(jobId)}, for ${utcMinute(momentMs)}` },
    ...words
      .trim()
      .split('\n')
      .map((line): StoryLine => ({ tone: 'Plain', text: `  ${printable(line)}` })),
  ];
}
