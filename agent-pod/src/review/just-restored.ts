/** Whether a record was restored and no program has started on it since. */
import type { JournalReader } from '@retainer/journal/journal';
import { backupKinds } from '@retainer/mind/parts/backup/second-copy';

/** @returns the id of the commit that it was restored from; undefined: it was not, or a program has started on it since */
export async function justRestoredFrom(reader: Pick<JournalReader, 'read'>): Promise<string | undefined> {
  let from: string | undefined;
  for await (const { kind, payload } of reader.read('agent')) {
    if (kind === 'Restored') from = backupKinds.Restored.parse(payload).from;
    if (kind === 'Configured') from = undefined;
  }
  return from;
}
