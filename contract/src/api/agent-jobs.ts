/**
 * What an agent tells of its calendar: on a cluster as a note on its Lease, the text of the annotation `ANNOTATIONS.jobs`, which the
 * operator puts into the status of its Agent. It changes only when a job is made, changed, begun, ended or skipped, or stands still, so
 * an agent at rest changes nothing. It holds names and no word of a job or a result.
 */
import { z } from 'zod';
import { parseJson } from '../std/parse-json.ts';
import { Instant, PascalCase, RecordId } from './fields.ts';

/** Jobs that the status names: as many as a person reads at a glance. `retainer jobs list` has all. */
export const NAMED_JOBS_MAX = 5;

const Count = z.int().min(0);
const JobName = RecordId.describe('Name of the job; its id where its name may hold words of strangers.');

export const AgentJobs = z
  .object({
    active: Count.describe('Number of jobs whose moments come.'),
    paused: Count.describe('Number of paused jobs.'),
    failed: Count.describe('Number of these jobs whose last firing came to nothing.'),
    skipped: Count.describe('Number of moments of these jobs that nothing served.'),
    stalled: Count.describe(
      'Number of jobs that stand still: a run that does not end, or a moment that nothing serves.',
    ),
    next: z
      .object({ job: JobName, at: Instant.describe('The moment; one that waits lies in the past.') })
      .optional()
      .describe('The next moment of all jobs.'),
    last: z
      .object({
        job: JobName,
        moment: Instant.describe('The moment of the job that was served.'),
        outcome: PascalCase.describe('What came of it: the outcome of its run, Delivered, or Failed.'),
      })
      .optional()
      .describe('The firing that ended last.'),
    newest: z.array(JobName).max(NAMED_JOBS_MAX).optional().describe('The newest jobs, the last one first.'),
  })
  .describe('Jobs that the agent begins by itself, as it tells them; retainer jobs list shows all.');
export type AgentJobs = Readonly<z.infer<typeof AgentJobs>>;

/** @returns undefined where there is no note, or none that can be read */
export function parseAgentJobs(text: string | undefined): AgentJobs | undefined {
  return text === undefined ? undefined : AgentJobs.safeParse(parseJson(text)).data;
}
