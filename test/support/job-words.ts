/** Jobs of tests. */
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { JobCreated, JobDefinition } from '@retainer/mind/parts/jobs/job';

export const OF_PERSON: Label = { source: { kind: 'Person' }, trust: 'Trusted', readers: ['owner'] };
const OF_TASK: Label = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] };

export type Words = Omit<Partial<JobDefinition>, 'when'> & Pick<JobDefinition, 'when'>;

/** Words to a person, unless it says otherwise. */
export function jobWords(job: Words): JobDefinition {
  const usual = {
    kind: 'Reminder',
    for: 'Person',
    name: 'a-job',
    words: 'Look at the logs.',
    catchUp: 'Once',
  } as const;
  return { ...usual, requiredTools: [], onlyIfChanged: false, tags: [], ...job };
}

/** Work for the agent each day at eight, UTC, unless it says otherwise. */
export function jobDefinition(name: string, more: Partial<JobDefinition> = {}): JobDefinition {
  const when = { type: 'Cron', cron: '0 8 * * *', timeZone: 'UTC' } as const;
  return jobWords({ kind: 'Recurring', for: 'Agent', name, words: `Do ${name}.`, when, ...more });
}

/** By a tool in a run of a Task, unless it says otherwise. */
export function jobCreated(jobId: string, more: Partial<JobCreated> = {}): JobCreated {
  const maker = { kind: 'Agent', runId: 'run-0' } as const;
  return { jobId, job: jobDefinition(jobId), source: 'Tool', maker, label: OF_TASK, ...more };
}

/** Of the manifest, unless it says otherwise. */
export function jobOfPeople(
  jobId: string,
  job: Partial<JobDefinition> = {},
  more: Partial<Omit<JobCreated, 'job'>> = {},
): JobCreated {
  const people = { source: 'Manifest', maker: { kind: 'Person' }, label: OF_PERSON } as const;
  return jobCreated(jobId, { job: jobDefinition(jobId, job), ...people, ...more });
}
