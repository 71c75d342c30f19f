/** What the record says of its second copy in git: which of the copies is late, and from which commit the record was restored. */
import { z } from 'zod';
import { defineProjection } from '../../part/projection.ts';
import { defineStore, type RecordBy } from '../../part/store.ts';

/** `Commit`: the one in the data directory. `Push`: the one at the remote. */
const COPIES = ['Commit', 'Push'] as const;
export type Copy = (typeof COPIES)[number];

/** `Late`: a record has not been in the copy for too long. `Diverged`: the branch at the remote has another history. */
const COPY_TROUBLES = ['Late', 'Diverged'] as const;

export const backupKinds = {
  /** `sinceMs`: when the oldest record came that is not in the copy, milliseconds since 1970. */
  BackupLate: z.object({ copy: z.enum(COPIES), why: z.enum(COPY_TROUBLES), sinceMs: z.number() }),
  /** `lateMs`: from `sinceMs` of the newest `BackupLate` until a copying was seen to succeed. */
  BackupCaughtUp: z.object({ copy: z.enum(COPIES), lateMs: z.number() }),
  /** The first record after a restoring, written by the program that restored it. */
  Restored: z.object({
    /** Id of the commit. */
    from: z.string(),
    /** Of the commit, milliseconds since 1970. */
    at: z.number(),
    /** Order of the last record that was restored. */
    lastOrder: z.number(),
    heads: z.array(z.object({ store: z.string(), seq: z.number(), hash: z.string(), epoch: z.number() })),
    /** The person who restored it. */
    by: z.string(),
  }),
} as const;

export const backupStore = defineStore({
  name: 'agent',
  durability: 'durable',
  kinds: backupKinds,
  // The program that restores a directory writes `Restored` when no agent is there.
  writers: { Runtime: ['BackupLate', 'BackupCaughtUp'] },
});

const Late = backupKinds.BackupLate.omit({ copy: true }).readonly();
/** What is wrong with a copy. */
export type LateCopy = z.infer<typeof Late>;

const Restoring = z.object({
  from: z.string(),
  /** Of the commit, milliseconds since 1970. */
  asOfMs: z.number(),
  /** When it was restored, milliseconds since 1970. */
  restoredMs: z.number(),
});
export type Restoring = Readonly<z.infer<typeof Restoring>>;

export interface SecondCopy {
  /** Copies that are late, by name. */
  readonly late: Map<Copy, LateCopy>;
  /** The newest restoring; undefined: there was none. */
  restoring: Restoring | undefined;
}

/** Longer than people take to see whether something is missing. */
export const RESTORED_TOLD_MS = 7 * 24 * 3600 * 1000;

/** The restoring, for as long as it explains what the agent does not remember. */
export function recentRestoring({ restoring }: SecondCopy, nowMs: number): Restoring | undefined {
  return restoring !== undefined && nowMs - restoring.restoredMs <= RESTORED_TOLD_MS ? restoring : undefined;
}

type ChangedCopy = RecordBy<'Runtime', typeof backupStore>;

/**
 * What the record lacks of how the copies stand: not each success, which would make each commit the cause of the next one.
 *
 * @param copies  a copy that is not among them is current, or is not wanted any more
 */
export function copyChanges(
  { late }: Pick<SecondCopy, 'late'>,
  copies: Readonly<Partial<Record<Copy, LateCopy>>>,
  nowMs: number,
): readonly ChangedCopy[] {
  return COPIES.flatMap((copy): readonly ChangedCopy[] => {
    const before = late.get(copy);
    const now = copies[copy];
    if (before?.why === now?.why) return [];
    if (now !== undefined) return [{ store: 'agent', kind: 'BackupLate', payload: { copy, ...now } }];
    const lateMs = Math.max(0, nowMs - (before?.sinceMs ?? nowMs));
    return [{ store: 'agent', kind: 'BackupCaughtUp', payload: { copy, lateMs } }];
  });
}

/** The newest record of each copy, and the newest restoring. */
export const secondCopy = defineProjection({
  store: 'agent',
  kinds: backupKinds,
  start: (): SecondCopy => ({ late: new Map(), restoring: undefined }),
  folds: {
    BackupLate: ({ late }, { copy, ...why }) => void late.set(copy, why),
    BackupCaughtUp: ({ late }, { copy }) => void late.delete(copy),
    Restored: (state, { from, at }, { timeMs }) => {
      // What was late then was a copy of another directory.
      state.late.clear();
      state.restoring = { from, asOfMs: at, restoredMs: timeMs };
    },
  },
  others: { because: 'it says nothing of the second copy' },
  window: 'WholeStore',
  cached: {
    version: 1,
    schema: z.object({
      late: z.array(z.tuple([z.enum(COPIES), Late])).readonly(),
      restoring: Restoring.exactOptional(),
    }),
    keep: ({ late, restoring }) => ({ late: [...late], ...(restoring === undefined ? {} : { restoring }) }),
    restore: (state, { late, restoring }) => {
      for (const [copy, why] of late) state.late.set(copy, why);
      state.restoring = restoring;
    },
  },
});
