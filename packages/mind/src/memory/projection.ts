/**
 * A projection: a state that is folded from one store and can be thrown away. Each is one row: its store, a fold for each kind of
 * record, how much of the store it needs, and the form in which a cache keeps it.
 *
 * I1  Each kind of the store has a fold, or a reason why it has none. A kind without either is a bug.
 * I2  A form of another version, or one that its schema refuses, is not taken: the state is folded anew.
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { invariant } from '@retainer/contract/std/invariant';
import { z } from 'zod';

/** A record as a fold sees it: without what only the chain needs. */
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

/** A record of a machine's store as the event that it is. */
export function eventOf<Event>({ kind, payload }: Pick<Recorded, 'kind' | 'payload'>): Event {
  return { kind, ...(payload as object) } as Event;
}

/** What is left out on purpose. */
export interface Omitted {
  readonly because: string;
}

/**
 * How much of its store a projection needs that no cache kept: all of it, only records of runs that are not closed, or only those
 * of the last so many milliseconds.
 */
export type Window = 'WholeStore' | 'OpenRuns' | { readonly lastMs: number };

type Kinds = Readonly<Record<string, z.ZodType>>;
type Fold<State, Payload> = (state: State, payload: Payload, record: Recorded) => void;
type Folds<State, K extends Kinds> = { readonly [Name in keyof K]: Fold<State, z.infer<K[Name]>> | Omitted };

/** What a cache keeps of a state while no run, cycle or command is open. */
interface CachedForm<State, Schema extends z.ZodType> {
  /** From 1. Raised with every change of what the folds make of a record, or of the form. */
  readonly version: number;
  readonly schema: Schema;
  keep(state: State): z.infer<Schema>;
  /** Fills a state that has taken nothing. */
  restore(state: State, form: z.infer<Schema>): void;
}

interface Row<State, K extends Kinds, Schema extends z.ZodType> {
  readonly store: string;
  /** Of the store. */
  readonly kinds: K;
  readonly start: () => State;
  readonly folds: Folds<State, K>;
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
  readonly window: Window;
  start(): State;
  /** Takes one record, in the order of the store. Throws where its kind has no row. */
  take(state: State, record: Recorded): void;
  /** Undefined: it is folded anew at each start. To be asked at rest only. */
  keep(state: State): KeptForm | undefined;
  /** Whether the form was taken; the state is as before where it was not. */
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
  const { store, kinds, start, window, cached } = row;
  const folds = new Map<string, Fold<State, never> | Omitted>(Object.entries({ ...row.folds, ...journalKinds }));
  return {
    store,
    kinds: Object.keys(kinds),
    window,
    start,
    take: (state, record) => {
      const fold = folds.get(record.kind);
      invariant(
        fold !== undefined,
        `record ${record.seq} of store ${store} is of kind ${record.kind}, which has no fold: a newer program wrote it, or a row is missing`,
      );
      // A payload was checked by its kind's schema when it was written, and is upcast when it is read.
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

/** The form of a state that holds nothing while no run is open. */
export const emptyAtRest = {
  version: 1,
  schema: z.null(),
  keep: () => null,
  restore: () => undefined,
} as const;
