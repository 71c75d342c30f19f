/**
 * Megrams: the lesson of a steering decision about one pair of space and entity. A projection of the store `megram`.
 *
 * I1  A megram is added once: writing its id again changes nothing.
 * I2  A forgotten megram is never returned and never comes back; the record keeps it.
 * I3  A megram is trusted only if its record says so; the words of any other one are told to nobody (`recollect`).
 * I4  Total: events can be folded in any order; an event that names an unknown megram changes nothing.
 *
 * Only the steering step writes megrams; consolidation and forgetting use kinds of the same store.
 *
 * Source: artoo A.11 (the log is the truth, the index a projection; one writer).
 */
import { Megram } from '@retainer/contract/wire/bus/payloads';
import { z } from 'zod';
import { Label } from '../gate/provenance/label.ts';
import { lexicalEmbedding, likeness, type Direction, type IntentEmbedding } from './intent-likeness.ts';
import { slugWords } from './megram-space.ts';
import type { StoredMegram } from './potentials.ts';
import { defineProjection, eventOf, everyKind } from './projection.ts';

const ids = z.array(z.string());

export const megramKinds = {
  MegramWritten: z.object({
    megram: Megram,
    /** Of everything that the run had read. Absent in records from before labels existed: untrusted. */
    label: Label.exactOptional(),
  }),
  /** The planner has seen them; their decay restarts. */
  MegramRecalled: z.object({ ids, atMs: z.number() }),
  /** Merged into a rule, itself a megram of level C. */
  MegramConsolidated: z.object({ ids, into: z.string() }),
  /** Newer experience contradicts the rule, so it becomes knowledge that fades again. */
  MegramDemoted: z.object({ id: z.string(), k: z.number(), atMs: z.number() }),
  /** No longer shown or counted. */
  MegramForgotten: z.object({ ids, reason: z.string() }),
} as const;

type Kinds = typeof megramKinds;
export type MegramEvent = { [K in keyof Kinds]: { readonly kind: K } & Readonly<z.infer<Kinds[K]>> }[keyof Kinds];

/** Spaces that an intent is compared with, the newest written ones: a recall stays quick as an agent grows old. */
const SPACES_COMPARED_MAX = 1000;

/** A space, and the likeness of its intent, 0 to 1. */
export interface Neighbour {
  readonly space: string;
  readonly similarity: number;
}

export class MegramIndex {
  readonly #megrams = new Map<string, StoredMegram>();
  /** Ids by space, then by entity, oldest first. */
  readonly #pairs = new Map<string, Map<string, Set<string>>>();
  readonly #forgotten = new Set<string>();
  /** Directions of the intents to compare; the most recently written space is last. */
  readonly #directions = new Map<string, Direction>();
  readonly #embedding: IntentEmbedding;

  constructor(embedding: IntentEmbedding = lexicalEmbedding) {
    this.#embedding = embedding;
  }

  /** Applies one event, in the order of the store. */
  take(event: MegramEvent): void {
    switch (event.kind) {
      case 'MegramWritten':
        return this.#write({ ...event.megram, isTrusted: event.label?.trust === 'Trusted' });
      case 'MegramRecalled':
        return this.#change(event.ids, { lastRecalledAtMs: event.atMs });
      case 'MegramConsolidated':
        return this.#change(event.ids, { consolidatedInto: event.into });
      case 'MegramDemoted':
        return this.#change([event.id], { level: 'K', k: event.k, demotedAtMs: event.atMs });
      case 'MegramForgotten':
        for (const id of event.ids) this.#forget(id);
    }
  }

  /** Whether a megram with this id was ever written. */
  has(id: string): boolean {
    return this.#megrams.has(id) || this.#forgotten.has(id);
  }

  /** Megrams of the pair, oldest first. */
  of(space: string, entity: string): readonly StoredMegram[] {
    const known = this.#pairs.get(space)?.get(entity) ?? [];
    return [...known].flatMap((id) => this.#megrams.get(id) ?? []);
  }

  entitiesOf(space: string): readonly string[] {
    return [...(this.#pairs.get(space)?.keys() ?? [])];
  }

  /** Other spaces with similar intents, most similar first; ties have a fixed order. */
  neighboursOf(space: string, intent: string): readonly Neighbour[] {
    const { embed, neighbourMin } = this.#embedding;
    const own = embed(intent);
    return [...this.#directions]
      .filter(([other]) => other !== space)
      .map(([other, direction]) => ({ space: other, similarity: likeness(own, direction) }))
      .filter(({ similarity }) => similarity >= neighbourMin)
      .toSorted((a, b) => b.similarity - a.similarity || (a.space < b.space ? -1 : 1));
  }

  #write(megram: StoredMegram): void {
    if (this.has(megram.id)) return;
    this.#compare(megram);
    this.#megrams.set(megram.id, megram);
    const entities = this.#pairs.get(megram.space) ?? new Map<string, Set<string>>();
    const members = entities.get(megram.entity) ?? new Set<string>();
    this.#pairs.set(megram.space, entities.set(megram.entity, members.add(megram.id)));
  }

  #compare({ space, about }: Megram): void {
    const slug = slugWords(space);
    if (slug === undefined) return;
    const direction = this.#directions.get(space) ?? this.#embedding.embed(about ?? slug);
    this.#directions.delete(space);
    this.#directions.set(space, direction);
    const [oldest] = this.#directions.keys();
    if (this.#directions.size > SPACES_COMPARED_MAX && oldest !== undefined) this.#directions.delete(oldest);
  }

  #change(among: readonly string[], change: Partial<StoredMegram>): void {
    for (const id of among) {
      const megram = this.#megrams.get(id);
      if (megram !== undefined) this.#megrams.set(id, { ...megram, ...change });
    }
  }

  #forget(id: string): void {
    this.#forgotten.add(id);
    const megram = this.#megrams.get(id);
    if (megram === undefined) return;
    this.#megrams.delete(id);
    const entities = this.#pairs.get(megram.space);
    const members = entities?.get(megram.entity);
    members?.delete(id);
    if (members?.size === 0) entities?.delete(megram.entity);
    if (entities?.size !== 0) return;
    this.#pairs.delete(megram.space);
    this.#directions.delete(megram.space);
  }
}

export const megrams = defineProjection({
  store: 'megram',
  kinds: megramKinds,
  start: () => new MegramIndex(),
  folds: everyKind(megramKinds, (index: MegramIndex, _payload, record) => index.take(eventOf<MegramEvent>(record))),
  window: 'WholeStore',
  cached: { because: 'the store is small, and its index is more than a list' },
});
