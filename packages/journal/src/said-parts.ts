/**
 * What the records of the newest runs said, and where it stands: the memory of the writer. It is only as old as this opening of the
 * journal: after a start, a run says its long parts once more.
 */
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import type { Json } from '@retainer/contract/std/canonical-json';
import { cutSaid, KnownDigests, type Place } from './said-once.ts';

/** Far more than are under way at once. */
const RUNS_MAX = 64;
/** Of one run; some 200 bytes each. What comes later is written where it is said. */
const PARTS_MAX = 4096;

export interface Said {
  readonly runId: string;
  readonly store: string;
  /** The sequence that it gets. */
  readonly seq: number;
  readonly payload: Json;
}

/**
 * Whether a record of a store may name a place in another one: the record there is acknowledged, so no crash can take it and leave
 * what names it, and its store stands before this one in the table, so no two stores need each other to be read.
 */
type MayName = (store: string, place: Place) => boolean;

export class SaidParts {
  /** By run, then by digest. */
  readonly #runs = new Map<string, Map<string, Place>>();
  readonly #digests = new KnownDigests();
  readonly #mayName: MayName;

  constructor(mayName: MayName) {
    this.#mayName = mayName;
  }

  /** In the order of the store. @returns the payload as it is written */
  write({ runId, store, seq, payload }: Said): Json {
    const parts = this.#partsOf(runId);
    const placeOf = (digest: string): Place | undefined => {
      const place = parts.get(digest);
      return place !== undefined && (place.store === store || this.#mayName(store, place)) ? place : undefined;
    };
    const { written, fresh } = cutSaid(payload, placeOf, this.#digests);
    for (const [digest, pointer] of fresh)
      if (parts.size < PARTS_MAX || parts.has(digest)) parts.set(digest, { store, seq, pointer });
    return written;
  }

  /** After an append that failed: its places do not exist. */
  forget(): void {
    this.#runs.clear();
  }

  #partsOf(runId: string): Map<string, Place> {
    const parts = this.#runs.get(runId) ?? new Map<string, Place>();
    // The newest at the end.
    this.#runs.delete(runId);
    this.#runs.set(runId, parts);
    forgetOldest(this.#runs, RUNS_MAX);
    return parts;
  }
}
