/** Records of jobs, as an agent writes them. */
import { agentStores } from '@retainer/agent-pod/loop/stores';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { NewRecord } from '@retainer/journal/journal';
import { openJournal } from '@retainer/journal/open-journal';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { jobKinds } from '@retainer/mind/parts/jobs/job';
import type { z } from 'zod';

export const WEB_WORDS: Label = {
  source: { kind: 'Web', name: 'example.org' },
  trust: 'Untrusted',
  readers: ['owner'],
};

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
