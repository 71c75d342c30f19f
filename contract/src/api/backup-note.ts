/**
 * What an agent on a cluster notes on its Lease of the second copy of its record: the text of the annotation `ANNOTATIONS.backup`, as
 * JSON. It changes only when a commit, a push or the trouble does, so an agent at rest changes nothing.
 */
import { z } from 'zod';
import { parseJson } from '../std/parse-json.ts';
import { Instant } from './fields.ts';

/**
 * One is told, the first that holds. `CommitLate`: a record has waited too long for a commit, and so for a push. `RemoteDiverged`: the
 * branch of the remote has another history, and nothing more is pushed. `PushLate`: a record has waited too long for a push.
 */
export const BACKUP_TROUBLES = ['CommitLate', 'RemoteDiverged', 'PushLate'] as const;
export type BackupTrouble = (typeof BACKUP_TROUBLES)[number];

/**
 * A copy that waits longer is late, for the agent, its status and its alerts. One try may fail, and a record may come just after a
 * copying began; what lasts longer does not pass by itself.
 */
export const LATE_INTERVALS = 3;

/** Moments are of the agent's clock. */
export const BackupNote = z
  .object({
    /** When a commit was made last, or when the first one found nothing new. Absent: no commit succeeded since the agent started. */
    lastAt: Instant.exactOptional(),
    /** The same of the push. Absent also without a remote. */
    pushedAt: Instant.exactOptional(),
    /** When the oldest record came that no commit has; only with `CommitLate`. */
    unsavedSince: Instant.exactOptional(),
    /** When the oldest record came that the remote does not have; only while the push is late or the remote has diverged. */
    unpushedSince: Instant.exactOptional(),
    /** Absent: none. */
    trouble: z.enum(BACKUP_TROUBLES).exactOptional(),
  })
  .readonly();
export type BackupNote = z.infer<typeof BackupNote>;

/** @returns undefined where there is no note, or none that can be read */
export function parseBackupNote(text: string | undefined): BackupNote | undefined {
  return text === undefined ? undefined : BackupNote.safeParse(parseJson(text)).data;
}
