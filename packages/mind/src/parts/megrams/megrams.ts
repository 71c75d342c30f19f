/**
 * Megrams: the lesson of a steering decision about one pair of space and entity. A projection of the store `megram`.
 *
 * I1  A megram is added once: writing its id again changes nothing.
 * I2  A forgotten megram is never returned and never comes back; the record keeps it.
 * I3  A megram is trusted only if its record or a person says so; the words of any other one are told to nobody (`recollect`).
 * I4  Total: events can be folded in any order; an event that names an unknown megram changes nothing.
 *
 * Only the steering step writes megrams, a person who teaches a lesson, and the Dreamer (`tend/`), which makes rules of them and
 * forgets.
 *
 * Source: artoo A.11 (the log is the truth, the index a projection; one writer).
 */
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { Megram } from '@retainer/contract/wire/bus/payloads';
import { z } from 'zod';
import { isOwners, Label } from '../../gate/provenance/label.ts';
import { originField } from '../../part/applied-changes.ts';
import { lessonFields, megramOf } from './lesson.ts';
import { slugWords } from './megram-space.ts';
import { StoredMegram } from './potentials.ts';
import { defineProjection, eventOf, everyKind } from '../../part/projection.ts';

const ids = z.array(z.string());

export const megramKinds = {
  MegramWritten: z.object({
    megram: Megram,
    /** Of everything that the run had read. */
    label: Label,
  }),
  /** A person taught it. */
  MegramLearned: z.object({
    id: z.string(),
    ...lessonFields,
    /** Milliseconds since 1970. */
    atMs: z.number(),
    by: z.string(),
    reason: z.string(),
    ...originField,
  }),
  /** The planner has seen them; their decay restarts. */
  MegramRecalled: z.object({ ids, atMs: z.number() }),
  /** Experience that became knowledge. */
  MegramPromoted: z.object({ ids, reason: z.string() }),
  /** Newer experience contradicts the knowledge, so it is one experience among others again. */
  MegramDoubted: z.object({ ids, reason: z.string() }),
  /** Merged into a rule, itself a megram of level C. */
  MegramConsolidated: z.object({ ids, into: z.string(), reason: z.string().exactOptional() }),
  /** Newer experience contradicts the rule, so it becomes knowledge that fades again. */
  MegramDemoted: z.object({ id: z.string(), k: z.number(), atMs: z.number(), reason: z.string().exactOptional() }),
  /** No longer shown or counted. */
  MegramForgotten: z.object({ ids, reason: z.string(), by: z.string().exactOptional(), ...originField }),
  /** A person believes their words, whatever the run had read that taught them. */
  MegramEndorsed: z.object({ ids, by: z.string(), reason: z.string(), ...originField }),
} as const;

type Kinds = typeof megramKinds;
export type MegramEvent = { [K in keyof Kinds]: { readonly kind: K } & Readonly<z.infer<Kinds[K]>> }[keyof Kinds];

/** Intents that another is compared with, the newest written ones: a recall stays quick as an agent grows old. */
const INTENTS_COMPARED_MAX = 1000;

const KeptIndex = z.object({ megrams: z.array(StoredMegram), forgotten: ids });

/** An intent of the past, in the space that begins like it. */
export interface PastIntent {
  readonly space: string;
  readonly intent: string;
}

export class MegramIndex {
  readonly #megrams = new Map<string, StoredMegram>();
  /** Ids by space, then by entity, oldest first. */
  readonly #pairs = new Map<string, Map<string, Set<string>>>();
  readonly #forgotten = new Set<string>();
  /** By space and words; the most recently written one is last. */
  readonly #intents = new Map<string, PastIntent>();

  /** Applies one event, in the order of the store. */
  take(event: MegramEvent): void {
    switch (event.kind) {
      case 'MegramWritten':
        return this.#write({ ...event.megram, ...believedOf(event.label) });
      case 'MegramLearned':
        return this.#write(megramOf(event));
      case 'MegramRecalled':
        return this.#change(event.ids, { lastRecalledAtMs: event.atMs });
      case 'MegramPromoted':
        return this.#change(event.ids, { level: 'K' });
      case 'MegramDoubted':
        return this.#change(event.ids, { level: 'M' });
      case 'MegramConsolidated':
        return this.#change(event.ids, { consolidatedInto: event.into });
      case 'MegramDemoted':
        return this.#change([event.id], { level: 'K', k: event.k, demotedAtMs: event.atMs });
      case 'MegramEndorsed':
        return this.#change(event.ids, { isTrusted: true });
      case 'MegramForgotten':
        for (const id of event.ids) this.#forget(id);
    }
  }

  /** All megrams that count or can count again, in the order of their writing, and the ids of those that never will. */
  get kept(): z.infer<typeof KeptIndex> {
    return { megrams: [...this.#megrams.values()], forgotten: [...this.#forgotten] };
  }

  restore({ megrams: written, forgotten }: z.infer<typeof KeptIndex>): void {
    for (const id of forgotten) this.#forgotten.add(id);
    for (const megram of written) this.#write(megram);
  }

  get size(): number {
    return this.#megrams.size;
  }

  /** @param atMs  milliseconds since 1970 */
  isRecalledSince(id: string, atMs: number): boolean {
    return (this.#megrams.get(id)?.lastRecalledAtMs ?? -Infinity) >= atMs;
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

  /** What was done before, the most recently written last. */
  get intents(): readonly PastIntent[] {
    return [...this.#intents.values()];
  }

  #write(megram: StoredMegram): void {
    if (this.has(megram.id)) return;
    this.#noteIntent(megram);
    this.#megrams.set(megram.id, megram);
    const entities = this.#pairs.get(megram.space) ?? new Map<string, Set<string>>();
    const members = entities.get(megram.entity) ?? new Set<string>();
    this.#pairs.set(megram.space, entities.set(megram.entity, members.add(megram.id)));
  }

  #noteIntent(megram: StoredMegram): void {
    const intent = intentOf(megram);
    if (intent === undefined) return;
    const key = JSON.stringify([megram.space, intent]);
    this.#intents.delete(key);
    this.#intents.set(key, { space: megram.space, intent });
    forgetOldest(this.#intents, INTENTS_COMPARED_MAX);
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
    if (entities?.size === 0) this.#pairs.delete(megram.space);
    const intent = intentOf(megram);
    if (intent === undefined) return;
    const left = this.entitiesOf(megram.space).flatMap((entity) => this.of(megram.space, entity));
    if (!left.some((it) => intentOf(it) === intent)) this.#intents.delete(JSON.stringify([megram.space, intent]));
  }
}

/** The run that taught a megram: `RUN-g7-1` is of the run RUN. A rule of a dream, or of a person, is of none. */
export function runOfMegram(id: string): string {
  return id.replace(/-g\d+-\d+$/, '');
}

function believedOf({ trust, readers }: Label): Pick<StoredMegram, 'isTrusted' | 'readers'> {
  return { isTrusted: trust === 'Trusted', ...(isOwners(readers) ? {} : { readers }) };
}

/** The intent that taught a megram: in older ones only its first words are known. Undefined: it is of no intent. */
export function intentOf({ space, about }: Megram): string | undefined {
  const slug = slugWords(space);
  return slug === undefined ? undefined : (about ?? slug);
}

export const megrams = defineProjection({
  store: 'megram',
  kinds: megramKinds,
  start: () => new MegramIndex(),
  folds: everyKind(megramKinds, (index: MegramIndex, _payload, record) => index.take(eventOf<MegramEvent>(record))),
  window: 'WholeStore',
  cached: {
    version: 4,
    schema: KeptIndex,
    keep: (index) => index.kept,
    restore: (index, kept) => index.restore(kept),
  },
});
