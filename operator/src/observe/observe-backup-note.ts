/** What an agent notes on its Lease of its second copy. */
import { parseBackupNote, type BackupNote } from '@retainer/contract/api/backup-note';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';

export interface SeenBackupNote extends BackupNote {
  /** Of `unsavedSince` and `unpushedSince`; milliseconds since 1970. */
  readonly unsavedSinceMs: number | undefined;
  readonly unpushedSinceMs: number | undefined;
}

/** @returns undefined if the Lease was not read, or has no note */
export function observeBackupNote(lease: KubeObject | undefined): SeenBackupNote | undefined {
  const note = parseBackupNote(lease?.metadata.annotations?.[ANNOTATIONS.backup]);
  return note && { ...note, unsavedSinceMs: msOf(note.unsavedSince), unpushedSinceMs: msOf(note.unpushedSince) };
}

function msOf(instant: string | undefined): number | undefined {
  return instant === undefined ? undefined : Date.parse(instant);
}
