/** What runs spent, by the record, with the built-in prices of the models that their Agent may ask beside it. */
import { costOf } from '@retainer/agent-pod/infer/price';
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import { allowedModels } from '@retainer/mind/explain/allowed-models';
import { callReader, spendingOf, type PaidCall, type Spending } from '@retainer/mind/explain/spending';

/** The calls of one run, and the models that may have answered them. */
export interface RunCosts {
  readonly calls: readonly PaidCall[];
  readonly models: readonly string[];
}

const NOTHING: RunCosts = { calls: [], models: [] };

/** @param runs  each of them once; undefined: nothing is recorded of it */
export function spendingOfRuns(runs: readonly (RunCosts | undefined)[]): Spending {
  const known = runs.map((it) => it ?? NOTHING);
  const models = new Set(known.flatMap((it) => it.models));
  return spendingOf(
    known.flatMap(({ calls }) => calls),
    { models: [...models], costOf },
  );
}

export function spendingOfRecords(records: readonly JournalRecord[]): Spending {
  return spendingOfRuns([{ calls: records.flatMap(callReader()), models: records.flatMap(allowedModels) }]);
}

/** The costs of each run, by its id, in one pass over the record; those of dreams, which are of no run, under the empty one. */
export async function costsByRun(reader: JournalReader): Promise<ReadonlyMap<string, RunCosts>> {
  const callsOf = callReader();
  const runs = new Map<string, { readonly calls: PaidCall[]; readonly models: string[] }>();
  for (const store of ['run', 'cycle', 'archive', 'dream'])
    for await (const record of reader.read(store)) {
      const { runId = '' } = record;
      const costs = runs.get(runId) ?? { calls: [], models: [] };
      runs.set(runId, costs);
      costs.calls.push(...callsOf(record));
      costs.models.push(...allowedModels(record));
    }
  return runs;
}
