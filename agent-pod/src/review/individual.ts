/** The individual of a record, which goes where the volume goes, and whether this life of it was restored from a copy. */
import { backupKinds } from '@retainer/mind/parts/backup/second-copy';
import { agentKinds } from '../loop/stores.ts';
import type { JournalReader } from '@retainer/journal/journal';

export interface RecordedLife {
  /** A UUID; undefined if no program that gives names has started on this record. */
  readonly individual: string | undefined;
  /** The commit that the record was restored from; undefined: it was not, or a program has started on it since. */
  readonly restoredFrom: string | undefined;
}

export async function recordedLife(reader: Pick<JournalReader, 'read'>): Promise<RecordedLife> {
  let individual: string | undefined;
  let restoredFrom: string | undefined;
  for await (const { kind, payload } of reader.read('agent')) {
    if (kind === 'IndividualNamed') individual ??= agentKinds.IndividualNamed.parse(payload).individual;
    if (kind === 'Restored') restoredFrom = backupKinds.Restored.parse(payload).from;
    if (kind === 'Configured') restoredFrom = undefined;
  }
  return { individual, restoredFrom };
}
