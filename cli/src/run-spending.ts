/** What runs spent, by the record, with the built-in prices beside it. */
import { costOf, pricedModels } from '@retainer/agent-pod/infer/price';
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import { callReader, spendingOf, type PaidCall, type Spending } from '@retainer/mind/explain/spending';

export function spendingOfCalls(calls: readonly PaidCall[]): Spending {
  return spendingOf(calls, { models: pricedModels(), costOf });
}

export function spendingOfRecords(records: readonly JournalRecord[]): Spending {
  return spendingOfCalls(records.flatMap(callReader()));
}

/** The calls of each run, by its id, in one pass over the record; those of dreams, which are of no run, under the empty one. */
export async function callsByRun(reader: JournalReader): Promise<ReadonlyMap<string, readonly PaidCall[]>> {
  const callsOf = callReader();
  const runs = new Map<string, PaidCall[]>();
  for (const store of ['cycle', 'archive', 'dream'])
    for await (const record of reader.read(store)) {
      const { runId = '' } = record;
      const calls = runs.get(runId) ?? [];
      runs.set(runId, calls);
      calls.push(...callsOf(record));
    }
  return runs;
}
