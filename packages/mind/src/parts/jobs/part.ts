/** What the agent begins by itself: its own calendar, and the jobs that people gave it. */
import { utcMinute } from '@retainer/contract/std/utc-date';
import { z } from 'zod';
import { appliedChanges } from '../../part/applied-changes.ts';
import { defineCommand, definePart, fieldOf, Reason, textIn, type RunEnd } from '../../part/part.ts';
import type { PartRecord } from '../../part/store.ts';
import { recordIn } from '../../part/record-in.ts';
import { defineStore } from '../../part/store.ts';
import { endOfRun } from './end-of-run.ts';
import { jobKinds } from './job.ts';
import { isCancellable, isLasting, jobs, lastingJobs, type Jobs, type JobState } from './jobs.ts';

export const jobStore = defineStore({
  name: 'job',
  durability: 'durable',
  kinds: jobKinds,
  writers: {
    Manifests: ['JobCreated', 'JobChanged', 'JobCancelled'],
    Tools: ['JobCreated', 'JobChanged', 'JobCancelled', 'JobOver', 'JobPurged'],
    Person: ['JobPaused', 'JobResumed', 'JobCancelled', 'JobWanted'],
    Runtime: ['JobCreated', 'JobFired', 'JobEnded', 'JobSkipped', 'JobDeferred', 'JobOver'],
    Archivist: ['JobEnded'],
  },
});

interface Known {
  readonly jobs: Jobs;
  readonly jobChanges: ReadonlySet<string>;
}

const named = z.object({ jobId: z.string().min(1), reason: Reason });

type Said = z.infer<typeof named> & { readonly by: string };
interface Given {
  readonly originId: string;
  readonly atMs: number;
}

/** A person's word about one job. It changes nothing where the job is not as it supposes. */
const word = (holds: (job: JobState) => boolean, records: (said: Said, given: Given) => readonly PartRecord[]) =>
  defineCommand({
    schema: named,
    isOverPodsExec: true,
    decide: (known: Known, said, given) => {
      const job = known.jobs.byId.get(said.jobId);
      return job === undefined || known.jobChanges.has(given.originId) || !holds(job) ? [] : records(said, given);
    },
  });

const toldIn = ({ jobId, reason, by }: Said, { originId }: Given) => ({ jobId, reason, by, originId });

const commands = {
  PauseJob: word(
    ({ status }) => status === 'Active',
    (said, given) => [recordIn(jobStore, 'JobPaused', toldIn(said, given), said)],
  ),
  ResumeJob: word(
    ({ status }) => status === 'Paused',
    (said, given) => [recordIn(jobStore, 'JobResumed', toldIn(said, given), said)],
  ),
  CancelJob: word(isCancellable, (said, given) => [recordIn(jobStore, 'JobCancelled', toldIn(said, given), said)]),
  RunJobNow: word(
    (job) => isLasting(job) && job.open === undefined,
    (said, given) => [recordIn(jobStore, 'JobWanted', { ...toldIn(said, given), momentMs: given.atMs }, said)],
  ),
} as const;

const at = (moment: unknown): string => (typeof moment === 'number' ? utcMinute(moment) : 'an unknown time');

/** Jobs with a firing that is open longer than any may take, or with a moment that has waited longer than it may. */
export const JOBS_STALLED = 'jobs_stalled';

export const jobsPart = definePart({
  name: 'jobs',
  stores: [jobStore],
  projections: { jobs, jobChanges: appliedChanges('job', jobKinds) },
  commands,
  ended: ({ jobs: state }: Known, end: RunEnd) => endOfRun(state, end),
  tell: {
    JobCreated: ({ jobId, maker, reason, because }) => ({
      actor: 'agent',
      tone: 'Plain',
      text: `made the job ${textIn(jobId)}${reason === undefined ? '' : `: ${textIn(reason)}`}`,
      details: Array.isArray(because) && because.length > 0 ? [`because of ${because.map(textIn).join(', ')}`] : [],
      live: fieldOf(maker, 'kind') === 'Agent' ? true : `job ${textIn(jobId)}`,
    }),
    JobFired: ({ jobId, momentMs, isWanted }) => ({
      actor: 'agent',
      tone: 'Plain',
      text: `began by the job ${textIn(jobId)}, ${isWanted === true ? 'as a person wanted it' : `for its moment ${at(momentMs)}`}`,
      live: true,
    }),
    JobEnded: ({ jobId, outcome, why, isUnchanged }) => ({
      actor: 'agent',
      tone: why === undefined ? 'Plain' : 'Warning',
      text: `the job ${textIn(jobId)} notes ${textIn(outcome)}${why === undefined ? '' : `: ${textIn(why)}`}${isUnchanged === true ? '; nothing new, so nothing was delivered' : ''}`,
      live: true,
    }),
  },
  // One title for each name: many jobs are one row, and crowd nothing else out. A run of a job is told when the inbox takes it.
  events: {
    JobFired: ({ runId }) => (runId === undefined ? { name: 'reminder', title: 'words to a person' } : undefined),
    JobSkipped: () => ({ name: 'job-skipped', title: 'moments of the calendar' }),
    JobDeferred: () => ({ name: 'job-waits', title: 'a job of the calendar' }),
    JobPaused: ({ jobId }) => ({ name: 'job-paused', title: textIn(jobId) }),
    JobCancelled: ({ jobId }) => ({ name: 'job-cancelled', title: textIn(jobId) }),
  },
  gauges: [
    {
      name: 'jobs',
      help: 'Jobs that are not over, by status.',
      labels: { status: 'Active' },
      of: ({ jobs: state }: Known) => lastingJobs(state).filter(({ status }) => status === 'Active').length,
    },
    {
      name: 'jobs',
      help: 'Jobs that are not over, by status.',
      labels: { status: 'Paused' },
      of: ({ jobs: state }: Known) => lastingJobs(state).filter(({ status }) => status === 'Paused').length,
    },
  ],
  counters: [
    {
      name: 'jobs_fired_total',
      help: 'Moments of jobs that were served.',
      from: [{}],
      count: ({ kind }) => (kind === 'JobFired' ? [{}] : []),
    },
    {
      name: 'jobs_skipped_total',
      help: 'Moments of jobs that nothing serves any more.',
      from: [{}],
      count: ({ kind, payload }) => {
        const count = fieldOf(payload, 'count');
        return kind === 'JobSkipped' && typeof count === 'number' ? [{ by: count }] : [];
      },
    },
  ],
  isAbout: ({ payload }, id) => `job:${textIn(fieldOf(payload, 'jobId'))}` === id,
  fields: ['Agent spec.scheduler'],
});
