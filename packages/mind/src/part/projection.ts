/**
 * A projection: a state that is folded from one store and can be rebuilt. Each is one row: its store, a fold for each kind of
 * record, the part of the store that it needs, and its form in a cache.
 *
 * I1  Each kind of the store has a fold, or a reason for having none. A kind without either is a bug.
 * I2  A cached form of another version, or one that its schema rejects, is ignored: the state is folded anew.
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { invariant } from '@retainer/contract/std/invariant';
import { z } from 'zod';

/** The part of a record that a fold reads; fields for the hash chain are omitted. */
export interface Recorded {
  readonly store: string;
  readonly kind: string;
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  readonly payload: Json;
  readonly runId?: string;
  readonly cycleId?: string;
}

/** A record of a machine's store as its event. */
export function eventOf<Event>({ kind, payload }: Pick<Recorded, 'kind' | 'payload'>): Event {
  return { kind, ...(payload as object) } as Event;
}

/** A deliberate omission, with its reason. */
export interface Omitted {
  readonly because: string;
}

/** What an uncached projection needs of its store: all, records of open runs, those of the last milliseconds, or the last records. */
export type Window = 'WholeStore' | 'OpenRuns' | { readonly lastMs: number } | { readonly lastRecords: number };

type Kinds = Readonly<Record<string, z.ZodType>>;
type Fold<State, Payload> = (state: State, payload: Payload, record: Recorded) => void;
type Folds<State, K extends Kinds> = { readonly [Name in keyof K]: Fold<State, z.infer<K[Name]>> | Omitted };

/** The part of a state that a cache keeps while no run, cycle or command is open. */
interface CachedForm<State, Schema extends z.ZodType> {
  /** From 1. Raise it with every change of the folds' results or of the form. */
  readonly version: number;
  readonly schema: Schema;
  keep(state: State): z.infer<Schema>;
  /** Fills a newly started state. */
  restore(state: State, form: z.infer<Schema>): void;
}

interface Row<State, K extends Kinds, Schema extends z.ZodType> {
  readonly store: string;
  readonly kinds: K;
  readonly start: () => State;
  readonly folds: Folds<State, K>;
  /** Why kinds that are not its own change nothing, in a store in which other parts have kinds, too. Absent: the store is its own. */
  readonly others?: Omitted;
  readonly window: Window;
  readonly cached: CachedForm<State, Schema> | Omitted;
}

export interface KeptForm {
  readonly version: number;
  readonly form: unknown;
}

export interface Projection<State> {
  readonly store: string;
  readonly kinds: readonly string[];
  /** Why kinds of other parts in its store change nothing; undefined: the store is its own. */
  readonly others: Omitted | undefined;
  readonly window: Window;
  start(): State;
  /** Applies one record, in the order of the store. Throws if its kind has no fold. */
  take(state: State, record: Recorded): void;
  /** Undefined: the state is folded anew at each start. Call it only at rest. */
  keep(state: State): KeptForm | undefined;
  /** Whether the form was accepted; otherwise the state is unchanged. */
  restore(state: State, kept: KeptForm): boolean;
}

const ofTheJournal: Omitted = { because: 'it says how the record is kept, not what the agent did' };

/** Kinds that the journal writes into every store. */
export const journalKinds = {
  StoreOpened: ofTheJournal,
  Recovered: ofTheJournal,
  Gap: ofTheJournal,
  Tombstone: ofTheJournal,
} as const;

export function defineProjection<State, const K extends Kinds, Schema extends z.ZodType>(
  row: Row<State, K, Schema>,
): Projection<State> {
  const { store, kinds, start, window, cached, others } = row;
  const folds = new Map<string, Fold<State, never> | Omitted>(Object.entries({ ...journalKinds, ...row.folds }));
  return {
    store,
    kinds: Object.keys(kinds),
    others,
    window,
    start,
    take: (state, record) => {
      const fold = folds.get(record.kind) ?? others;
      invariant(
        fold !== undefined,
        `record ${record.seq} of store ${store} has kind ${record.kind}, which this version cannot read: use the version that wrote it`,
      );
      // The kind's schema checked the payload when it was written, and the reader has upcast it.
      if (typeof fold === 'function') fold(state, record.payload as never, record);
    },
    keep: (state) => ('because' in cached ? undefined : { version: cached.version, form: cached.keep(state) }),
    restore: (state, kept) => {
      if ('because' in cached || kept.version !== cached.version) return false;
      const form = cached.schema.safeParse(kept.form);
      if (form.success) cached.restore(state, form.data);
      return form.success;
    },
  };
}

/** The same fold for each kind of a store. */
export function everyKind<State, const K extends Kinds>(kinds: K, fold: Fold<State, unknown>): Folds<State, K> {
  return Object.fromEntries(Object.keys(kinds).map((kind) => [kind, fold])) as Folds<State, K>;
}

/** One reason for each kind of a store: for a row that folds few of them and names these after it. */
export function omitEach<const K extends Kinds>(kinds: K, because: string): { readonly [Name in keyof K]: Omitted } {
  return Object.fromEntries(Object.keys(kinds).map((kind) => [kind, { because }])) as {
    readonly [Name in keyof K]: Omitted;
  };
}

/** The form of a state that is empty while no run is open. */
export const emptyAtRest = {
  version: 1,
  schema: z.null(),
  keep: () => null,
  restore: () => undefined,
} as const;
