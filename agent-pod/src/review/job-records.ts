/** The jobs of an agent, as its record has them: read with no agent running, and never changed here. */
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import { jobs as jobsProjection, type JobState } from '@retainer/mind/parts/jobs/jobs';
import { jobKinds, type JobCreated, type JobRecordOf } from '@retainer/mind/parts/jobs/job';
import { isUsedUp, nextMomentMs } from '@retainer/mind/parts/jobs/moments-of-job';
import { jobStore } from '@retainer/mind/parts/jobs/part';

export interface RecordedJob extends JobState {
  /** What is served next, milliseconds since 1970; it may have passed while nobody worked. Absent: there is none, or it is paused. */
  readonly nextAtMs?: number;
}

/** One moment that was served, and what came of it. Moments are milliseconds since 1970. */
export interface JobFiring extends Omit<JobRecordOf<'JobFired'>, 'jobId'> {
  readonly atMs: number;
  /** Absent: it is under way. */
  readonly end?: Omit<JobRecordOf<'JobEnded'>, 'jobId' | 'momentMs' | 'runId'> & { readonly atMs: number };
}

export interface JobSkipping extends Omit<JobRecordOf<'JobSkipped'>, 'jobId'> {
  readonly atMs: number;
}

const WORDS = { JobPaused: 'Paused', JobResumed: 'Resumed', JobCancelled: 'Cancelled', JobWanted: 'RunNow' } as const;

/** What somebody said of it. */
export interface JobWord {
  readonly word: (typeof WORDS)[keyof typeof WORDS];
  readonly atMs: number;
  /** Absent: the agent itself. */
  readonly by?: string;
  readonly reason: string;
}

/** One job, and what became of it; of each the newest ones, oldest first. */
export interface JobStory extends RecordedJob {
  readonly firings: readonly JobFiring[];
  readonly skips: readonly JobSkipping[];
  readonly words: readonly JobWord[];
}

/** Of firings, skips and words: as many as one reads. */
export const JOB_STORY_MAX = 10;

/** Oldest first; those that are over among them. */
export async function jobsIn(reader: Pick<JournalReader, 'read'>): Promise<readonly RecordedJob[]> {
  const state = jobsProjection.start();
  for await (const record of reader.read(jobStore.name)) jobsProjection.take(state, record);
  return [...state.byId.values()].map(asRecorded);
}

export function asRecorded(job: JobState): RecordedJob {
  const nextAtMs = nextOf(job);
  return { ...job, ...(nextAtMs === undefined ? {} : { nextAtMs }) };
}

function nextOf(job: JobState): number | undefined {
  if (job.wantedAtMs !== undefined) return job.wantedAtMs;
  return job.status !== 'Active' || isUsedUp(job) ? undefined : nextMomentMs(job);
}

/** A job as it was made, with the place of that record. */
export interface JobMaking extends JobCreated {
  readonly seq: number;
  readonly createdAtMs: number;
}

/** Who made the job of a run. @param order  of the run's admission: a job of the same id may have come after it */
export async function makingOf(
  reader: Pick<JournalReader, 'read'>,
  jobId: string,
  order: number,
): Promise<JobMaking | undefined> {
  let found: JobMaking | undefined;
  for await (const record of reader.read(jobStore.name)) {
    if (record.order > order) break;
    if (record.kind !== 'JobCreated' || idOf(record) !== jobId) continue;
    found = { ...jobKinds.JobCreated.parse(record.payload), seq: record.seq, createdAtMs: record.timeMs };
  }
  return found;
}

/** The whole story of one job of {@link jobsIn}. */
export async function jobStory(reader: Pick<JournalReader, 'read'>, job: RecordedJob): Promise<JobStory> {
  const firings: JobFiring[] = [];
  const skips: JobSkipping[] = [];
  const words: JobWord[] = [];
  for await (const record of reader.read(jobStore.name)) {
    if (!isOf(record, job)) continue;
    if (record.kind === 'JobFired' || record.kind === 'JobEnded') takeFiring(firings, record);
    if (record.kind === 'JobSkipped') skips.push(skippingOf(record));
    if (isWord(record.kind)) words.push(wordOf(record, record.kind));
    for (const list of [firings, skips, words]) while (list.length > JOB_STORY_MAX) list.shift();
  }
  return { ...job, firings, skips, words };
}

/** A job of the same id may have been there before. */
function isOf(record: JournalRecord, job: RecordedJob): boolean {
  return idOf(record) === job.jobId && record.seq >= job.seq;
}

function idOf({ payload }: JournalRecord): string | undefined {
  return (payload as { readonly jobId?: string }).jobId;
}

function takeFiring(firings: JobFiring[], { kind, payload, timeMs: atMs }: JournalRecord): void {
  if (kind === 'JobFired') {
    const { jobId: _, ...fired } = jobKinds.JobFired.parse(payload);
    firings.push({ ...fired, atMs });
    return;
  }
  const { jobId: _, momentMs, runId, ...ended } = jobKinds.JobEnded.parse(payload);
  const at = firings.findLastIndex((it) => it.momentMs === momentMs && it.runId === runId);
  const fired = firings[at];
  if (fired !== undefined) firings[at] = { ...fired, end: { ...ended, atMs } };
}

function skippingOf({ payload, timeMs: atMs }: JournalRecord): JobSkipping {
  const { jobId: _, ...skipped } = jobKinds.JobSkipped.parse(payload);
  return { ...skipped, atMs };
}

function isWord(kind: string): kind is keyof typeof WORDS {
  return Object.hasOwn(WORDS, kind);
}

function wordOf({ payload, timeMs: atMs }: JournalRecord, kind: keyof typeof WORDS): JobWord {
  const { by, reason } = jobKinds[kind].parse(payload);
  return { word: WORDS[kind], atMs, ...(by === undefined ? {} : { by }), reason };
}
