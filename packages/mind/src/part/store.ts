/**
 * A store of the record as data: its kinds of records, and who may write each. Several parts may have kinds in one store.
 *
 * Source: artoo C (one writer, typed commands, a list of who may write what); design 5 (one store per record kind).
 */
import type { z } from 'zod';

/** Who may write into memory, by the name that the record has for it where no person caused the record. */
export const WRITERS = {
  /** Arrivals of programs and people. */
  Inbox: 'operator',
  /** What the agent's own machines did with them, and with runs that cannot go on. */
  Runtime: 'agent',
  /** Calls of the model, after the gate. */
  Tools: 'agent',
  /** The steering step, and the planner's question to memory, which restarts the decay of what it was told. */
  Steerer: 'agent',
  Archivist: 'archivist',
  /** Makes a lesson of a report on a run that was given up. */
  Appraiser: 'appraiser',
  /** What its passes want, and what it tells of them. */
  Dreamer: 'dreamer',
  /** The operator's manifests. */
  Manifests: 'operator',
  /** Whoever gave the command by name. */
  Person: 'operator',
} as const;
export type Writer = keyof typeof WRITERS;

export type Kinds = Readonly<Record<string, z.ZodType>>;

export interface PartStore<
  Name extends string = string,
  K extends Kinds = Kinds,
  W extends { readonly [_ in Writer]?: readonly string[] } = { readonly [_ in Writer]?: readonly string[] },
> {
  readonly name: Name;
  /** `durable`: on the disk before an append resolves. `lazy`: synced within a second; for telemetry. */
  readonly durability: 'durable' | 'lazy';
  readonly kinds: K;
  readonly writers: W;
}

export function defineStore<
  const Name extends string,
  const K extends Kinds,
  const W extends { readonly [_ in Writer]?: readonly (keyof K & string)[] },
>(store: PartStore<Name, K, W>): PartStore<Name, K, W> {
  return store;
}

/** A record to be written. */
export interface PartRecord<Store extends string = string, Kind extends string = string, Payload = unknown> {
  readonly store: Store;
  readonly kind: Kind;
  readonly payload: Payload;
  /** The bare name of the person who caused it. */
  readonly by?: string;
  readonly runId?: string;
  readonly cycleId?: string;
}

type RecordOfNames<S extends PartStore, Names> = Names extends readonly (infer K)[]
  ? K extends keyof S['kinds'] & string
    ? PartRecord<S['name'], K, z.infer<S['kinds'][K]>>
    : never
  : never;

/** What a writer may write into a store of the union. */
export type RecordBy<W extends Writer, S extends PartStore> = S extends PartStore
  ? W extends keyof S['writers']
    ? RecordOfNames<S, S['writers'][W]>
    : never
  : never;
