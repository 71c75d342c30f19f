/** Jobs of tests. */
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { JobDefinition } from '@retainer/mind/parts/jobs/job';

export const OF_PERSON: Label = { source: { kind: 'Person' }, trust: 'Trusted', readers: 'Principal' };

export type Words = Omit<Partial<JobDefinition>, 'when'> & Pick<JobDefinition, 'when'>;

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
