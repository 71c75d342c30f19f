/** Who wanted each run: the Task and whoever gave it, the job and whoever made that, or the letter and whoever wrote it. */
import type { JournalRecord } from '@retainer/contract/wire/record';
import type { JobCreated } from '../../parts/jobs/job.ts';
import type { MailRecordOf } from '../../parts/mail/mail-records.ts';
import { eventOf } from '../../part/projection.ts';
import type { RunEventOf } from '../../run/event.ts';
import type { Command } from '../../run/inbox.ts';
import type { RunCause } from '../../run/run-cause.ts';
import type { AccountRow, Wanted, WantingJob, WantingLetter } from './account-row.ts';

interface Arrival {
  readonly principal: string;
  readonly source: string;
}

type Makers = Map<string, NonNullable<WantingJob['maker']>>;
type Letters = Map<string, Omit<WantingLetter, 'letterId'>>;

/** What was learned so far. */
export interface Wishes {
  readonly arrivals: Map<string, Arrival>;
  readonly jobs: Makers;
  readonly letters: Letters;
  readonly wanted: Map<string, Wanted>;
}

/** By kind of record. */
const learners: Readonly<Record<string, (known: Wishes, record: JournalRecord) => void>> = {
  CommandAccepted: ({ arrivals }, record) => learnArrival(arrivals, record),
  JobCreated: ({ jobs }, record) => learnMaker(jobs, record),
  MailSeen: ({ letters }, record) => learnWriter(letters, record),
  MailAdmitted: ({ letters }, { payload }) => letIn(letters, payload as { letterId: string }, { kind: 'Known' }),
  MailReleased: ({ letters }, { payload }) => learnRelease(letters, payload as MailRecordOf<'MailReleased'>),
  RunAdmitted: learnWanted,
};

export function learnWish(wishes: Wishes, record: JournalRecord): void {
  learners[record.kind]?.(wishes, record);
}

function learnArrival(arrivals: Map<string, Arrival>, { payload, principal }: JournalRecord): void {
  const { command, source } = payload as unknown as { readonly command: Command; readonly source: string };
  if (command.type === 'StartRun') arrivals.set(command.spec.runId, { principal, source });
}

/** A job of the same id may have been there before. */
function learnMaker(jobs: Makers, { payload, seq }: JournalRecord): void {
  const { jobId, maker, source } = payload as unknown as JobCreated;
  jobs.set(jobId, { ...maker, source, seq });
}

function learnWriter(letters: Letters, { payload, seq }: JournalRecord): void {
  const { head } = payload as unknown as MailRecordOf<'MailSeen'>;
  const { letterId, from = 'nobody or several', authentication } = head;
  letters.set(letterId, { writer: { from, authentication, seq } });
}

function learnRelease(letters: Letters, { letterId, by }: MailRecordOf<'MailReleased'>): void {
  letIn(letters, { letterId }, { kind: 'Released', ...(by === undefined ? {} : { by }) });
}

function letIn(letters: Letters, { letterId }: { letterId: string }, how: NonNullable<WantingLetter['let']>): void {
  letters.set(letterId, { ...letters.get(letterId), let: how });
}

function learnWanted({ arrivals, jobs, letters, wanted }: Wishes, record: JournalRecord): void {
  const spec = readableSpec(record);
  if (spec === undefined) return;
  const { task, runId, override, cause } = spec;
  wanted.set(runId, {
    task: `${task.namespace}/${task.name}`,
    runId,
    ...(cause.kind === 'Job' ? { job: wantingJob(cause, { jobs, wanted }) } : {}),
    ...(cause.kind === 'Mail' ? { letter: { letterId: cause.letterId, ...letters.get(cause.letterId) } } : {}),
    ...arrivals.get(runId),
    ...(override === undefined ? {} : { overrules: override.rule }),
  });
  arrivals.delete(runId);
}

/** Undefined where a part of the admission is missing: a run that is not asked for does not hinder the others. */
function readableSpec(record: JournalRecord): RunEventOf<'RunAdmitted'>['spec'] | undefined {
  try {
    return eventOf<RunEventOf<'RunAdmitted'>>(record).spec;
  } catch {
    // Whoever asks for this run reads it again, and is told.
    return undefined;
  }
}

function wantingJob(
  { jobId, momentMs }: Extract<RunCause, { kind: 'Job' }>,
  { jobs, wanted }: Pick<Wishes, 'jobs' | 'wanted'>,
): WantingJob {
  const maker = jobs.get(jobId);
  const madeFor = maker?.runId === undefined ? undefined : wanted.get(maker.runId);
  return {
    ...{ jobId, momentMs },
    ...(maker === undefined ? {} : { maker }),
    ...(madeFor === undefined ? {} : { madeFor }),
  };
}

/** Why nobody answers for a run that was wanted; empty: somebody does. */
export function unwantedBy({ principal, job, letter }: Wanted): AccountRow['missing'] {
  const missing = (why: string): AccountRow['missing'] => [{ column: 'wanted', why }];
  if (principal === undefined) return missing('the inbox does not say who gave the Task');
  if (letter !== undefined) return unwantedLetter(letter).flatMap(missing);
  if (job === undefined) return [];
  const { jobId, maker, madeFor } = job;
  if (maker === undefined) return missing(`the record does not have the job ${jobId}, so nobody knows who made it`);
  return maker.runId !== undefined && madeFor === undefined
    ? missing(`the admission of run ${maker.runId}, in which job ${jobId} was made, is not in the record`)
    : [];
}

function unwantedLetter({ letterId, writer, let: how }: WantingLetter): readonly string[] {
  if (writer === undefined) return [`the record does not have the letter ${letterId}, so nobody knows who wrote it`];
  return how === undefined ? [`no record lets the letter ${letterId} begin a run`] : [];
}
