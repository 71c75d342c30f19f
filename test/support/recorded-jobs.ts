/** Records of jobs, as an agent writes them. */
import { agentStores } from '@retainer/agent-pod/loop/stores';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { NewRecord } from '@retainer/journal/journal';
import { openJournal } from '@retainer/journal/open-journal';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { JobCreated, JobDefinition, jobKinds } from '@retainer/mind/parts/jobs/job';
import type { z } from 'zod';

export const PERSONS_WORDS: Label = { source: { kind: 'Person' }, trust: 'Trusted', readers: 'Principal' };
export const WEB_WORDS: Label = {
  source: { kind: 'Web', name: 'example.org' },
  trust: 'Untrusted',
  readers: 'Principal',
};

/** Each day at eight in Berlin. */
export function jobDefinition(name: string, more: Partial<JobDefinition> = {}): JobDefinition {
  return {
    ...{ kind: 'Recurring', for: 'Agent', name, words: `Do ${name}.`, catchUp: 'Once', requiredTools: [] },
    ...{ when: { type: 'Cron', cron: '0 8 * * *', timeZone: 'Europe/Berlin' }, onlyIfChanged: false, tags: [] },
    ...more,
  };
}

/** Of the manifest, unless it says otherwise. */
export function jobCreated(
  jobId: string,
  job: Partial<JobDefinition> = {},
  more: Partial<Omit<JobCreated, 'job'>> = {},
): JobCreated {
  const maker = { kind: 'Person' } as const;
  const label = PERSONS_WORDS;
  return { jobId, job: jobDefinition(jobId, job), source: 'Manifest', maker, label, ...more };
}

type Kinds = typeof jobKinds;

/** @param timeMs  since 1970 */
export function jobRecord<K extends keyof Kinds>(timeMs: number, kind: K, payload: z.infer<Kinds[K]>): NewRecord {
  const runId = 'runId' in payload ? payload.runId : undefined;
  return {
    ...{ store: 'job', kind, principal: 'agent', timeMs, payload },
    ...(runId === undefined ? {} : { runId }),
  };
}

/** Into the journal of a data directory, in this order over all stores. */
export async function writeRecords(
  dataDirectory: string,
  records: readonly NewRecord[],
  agentUid = 'default/ada',
): Promise<void> {
  const journal = await openJournal({
    ...{ directory: `${dataDirectory}/journal`, stores: agentStores, agentUid, clock: systemClock },
  });
  for (const record of records) await journal.append([record]);
  await journal.close();
}
