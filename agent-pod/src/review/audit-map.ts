/** The accountability map of a record, or of a copy of one. */
import type { JournalReader } from '@retainer/journal/journal';
import type { AccountRow } from '@retainer/mind/explain/audit/account-row';
import { accountabilityMap, MAP_STORES } from '@retainer/mind/explain/audit/accountability';

/** @param runId  absent: of every run */
export async function mapRecord(reader: JournalReader, runId?: string): Promise<readonly AccountRow[]> {
  const map = accountabilityMap(runId);
  for await (const record of reader.readAll(MAP_STORES)) map.take(record);
  return map.rows();
}
