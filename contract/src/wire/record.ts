/** One record of an agent, as written and as read. */
import type { Json } from '../std/canonical-json.ts';

export interface NewRecord {
  /** Name of a store that `stores.ts` defines. */
  readonly store: string;
  /** Name of a record kind of that store. */
  readonly kind: string;
  /** Who caused it: `agent`, `operator`, `human:NAME`, `schedule`. */
  readonly principal: string;
  /** Validated against the kind's schema. Over 64 KiB it moves to a blob, invisibly to readers. */
  readonly payload: Json;
  readonly cycleId?: string;
  readonly runId?: string;
  /** Wall clock of the decision, milliseconds since 1970; the journal's own clock when absent. */
  readonly timeMs?: number;
}

/** One line of JSON on the disk. */
export interface JournalRecord extends NewRecord {
  /** Version of the kind's schema; readers see the newest, older lines are upcast. */
  readonly version: number;
  /** Contiguous within the store, from 0. */
  readonly seq: number;
  /** Increasing over all stores of the agent. */
  readonly order: number;
  /** Number of the writer, rising with each opening. */
  readonly epoch: number;
  readonly timeMs: number;
  /** Hash of the previous line of the store, 64 hexadecimal digits; zeros on the first. */
  readonly prev: string;
  readonly hash: string;
}
