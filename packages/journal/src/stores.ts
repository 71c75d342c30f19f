/**
 * Stores are data: a name, a durability class, and per record kind its schema, version and upcasters.
 *
 * Source: reliability-security 1 (two classes); design 5 (one store per record kind).
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { z } from 'zod';
import { kindPattern, storeNamePattern } from './codec.ts';

/** Turns a payload of one version into the next one's. Pure and total: old lines can never be changed. */
export type Upcast = (older: Json) => Json;

export interface RecordKind {
  /** Schema of a caller's payload. Keep it small: it runs on every append. */
  readonly schema: z.ZodType;
  /** From 1. */
  readonly version: number;
  /** Upcasters by the version that they start from; each lower version needs one. */
  readonly upcasters?: Readonly<Record<number, Upcast>>;
  /** Long parts that an earlier record of the same run said are written as the place where they stand; see `said-once.ts`. */
  readonly saidOnce?: true;
}

export interface StoreDefinition {
  readonly name: string;
  /**
   * `durable`: on the disk before an append resolves; for all records that precede an outside effect, an approval, money or a
   * reply.
   * `lazy`: synced within a second; for telemetry.
   */
  readonly durability: 'durable' | 'lazy';
  readonly kinds: Readonly<Record<string, RecordKind>>;
}

/** Names under the journal's directory that are no stores. */
export const reservedNames: readonly string[] = ['blobs', 'checkpoints', 'recovered', 'damaged', 'ballast', 'lock'];

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().nonnegative();
/** Both ends inclusive. */
const orders = z.object({ from: count, to: count });

/** Kinds that every store has. */
export const commonKinds = {
  /** The first record of a store, and of that store only. */
  StoreOpened: {
    version: 1,
    schema: z.object({ storeId: z.string(), agentUid: z.string(), schemaVersion: count, nonce: z.string() }),
  },
  /** An opening cut off an unfinished end; `copy` keeps the cut bytes. */
  Recovered: {
    version: 1,
    schema: z.object({ segment: z.string(), offsetBytes: count, cutBytes: count, sha256: hash, copy: z.string() }),
  },
  /**
   * Records were lost to damage. The record is at the first lost sequence; the one after it has `resumeSeq` and continues
   * `resumePrev`. Both are absent if nothing was lost or nothing follows.
   */
  Gap: {
    version: 1,
    schema: z.object({
      lostFromSeq: count.optional(),
      lostToSeq: count.optional(),
      resumeSeq: count.optional(),
      resumePrev: hash.optional(),
      damagedFiles: z.array(z.string()),
      reason: z.string(),
      /** Places in the order of the whole journal that no record has any more; at least one of them is a lost record's. */
      lostOrders: z.array(orders).optional(),
      /** Kinds and runs as far as damaged lines still tell them: no hash vouches for these. */
      lostKinds: z.array(z.string()).optional(),
      /** Also the runs of the records beside the gap. */
      runs: z.array(z.string()).optional(),
    }),
  },
  /** "Delete": the named record stays in the file but is no longer shown. */
  Tombstone: { version: 1, schema: z.object({ store: z.string(), seq: count, reason: z.string() }) },
} as const satisfies StoreDefinition['kinds'];

const head = z.object({ store: z.string(), seq: count, hash, epoch: count });
/** What an opening found and a closing left, so that nobody can take away a whole store, an end or a checkpoint unseen. */
const testimony = { heads: z.array(head).optional(), checkpoints: z.array(z.string()).optional() };

/** The store that the journal itself writes. */
export const systemStore = {
  name: 'system',
  durability: 'durable',
  kinds: {
    /** One per opening for writing. */
    Opened: {
      version: 1,
      schema: z.object({ epoch: count, stores: z.array(z.string()), recovered: z.array(z.string()), ...testimony }),
    },
    /** After it no record and no checkpoint of this epoch is under way. */
    Closed: { version: 1, schema: z.object({ epoch: count, ...testimony }) },
    DiskFull: { version: 1, schema: z.object({ store: z.string(), code: z.string() }) },
    SpaceReturned: { version: 1, schema: z.object({ degradedMs: count }) },
    /** Wall clock and monotonic clock diverged. */
    ClockJump: { version: 1, schema: z.object({ jumpMs: z.int() }) },
    Head: { version: 1, schema: z.object({ heads: z.array(head) }) },
  },
} as const satisfies StoreDefinition;

/** Kinds that only the journal itself writes. */
export const journalKinds: ReadonlySet<string> = new Set([
  'StoreOpened',
  'Recovered',
  'Gap',
  'Opened',
  'Closed',
  'DiskFull',
  'SpaceReturned',
]);

/** Schema version of the line format, part of every `StoreOpened`. */
export const FORMAT_VERSION = 1;

/** Checks a store table once, at start: a wrong table is a bug. Keeps the literal types. */
export function defineStores<const Stores extends readonly StoreDefinition[]>(stores: Stores): Stores {
  const names = new Set<string>([systemStore.name, ...reservedNames]);
  for (const store of stores) {
    if (!storeNamePattern.test(store.name)) throw new TypeError(`store name ${store.name}: want ${storeNamePattern}`);
    if (names.has(store.name)) throw new TypeError(`store name ${store.name} is taken`);
    names.add(store.name);
    for (const [kind, definition] of Object.entries(store.kinds)) checkKind(`${store.name}.${kind}`, kind, definition);
    // What a lazy store said may be gone after a crash, and what names it may not.
    if (store.durability === 'lazy' && Object.values(store.kinds).some(({ saidOnce }) => saidOnce === true))
      throw new TypeError(`store ${store.name}: only a durable store has kinds that are said once`);
  }
  return stores;
}

function checkKind(label: string, kind: string, { version, upcasters }: RecordKind): void {
  if (!kindPattern.test(kind)) throw new TypeError(`record kind ${label}: want ${kindPattern}`);
  if (Object.hasOwn(commonKinds, kind)) throw new TypeError(`record kind ${label} belongs to the journal`);
  if (!Number.isInteger(version) || version < 1) throw new TypeError(`record kind ${label}: version counts from 1`);
  for (let older = 1; older < version; older += 1)
    if (upcasters?.[older] === undefined)
      throw new TypeError(`record kind ${label}: no upcaster from version ${older}`);
}

/** A store that is on the disk and no longer in the table: readable, not writable. */
/** The journal's own store notes where the others end. */
export function ownFirst(stores: readonly string[]): readonly string[] {
  return [...stores.filter((it) => it === systemStore.name), ...stores.filter((it) => it !== systemStore.name)];
}

export function unknownStore(name: string): StoreDefinition {
  return { name, durability: 'durable', kinds: {} };
}

export function kindOf(store: StoreDefinition, kind: string): RecordKind | undefined {
  if (Object.hasOwn(store.kinds, kind)) return store.kinds[kind];
  return isCommonKind(kind) ? commonKinds[kind] : undefined;
}

function isCommonKind(kind: string): kind is keyof typeof commonKinds {
  return Object.hasOwn(commonKinds, kind);
}

/** Whether the table can read it. Nothing is known of a store that left the table, so everything in it is read as it is. */
export function isKnown(store: StoreDefinition, line: { readonly kind: string; readonly version: number }): boolean {
  return Object.keys(store.kinds).length === 0 || line.version <= (kindOf(store, line.kind)?.version ?? 0);
}

/** Upcasts a payload of any older version to the newest. Kinds that the table no longer knows stay unchanged. */
export function upcast(store: StoreDefinition, line: { kind: string; version: number }, payload: Json): Json {
  const kind = kindOf(store, line.kind);
  let current = payload;
  for (let version = line.version; version < (kind?.version ?? 0); version += 1)
    current = kind?.upcasters?.[version]?.(current) ?? current;
  return current;
}
