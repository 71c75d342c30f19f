/**
 * Records as they were said: each place in a written payload becomes the part that stands there.
 *
 * I1  A place leads to an earlier record only, so no chain of places is endless.
 * I2  A part that is not there costs the record that names it, and no other: only whoever looks at its payload gets the error.
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { JournalCorruptError, MissingPartError } from './journal-errors.ts';
import type { JournalRecord } from './journal.ts';
import { parsePlace, placeText, SAID, setValueAt, valueAt, type Place } from './said-once.ts';
import { kindOf, upcast, type StoreDefinition } from './stores.ts';

/** A record whose payload may hold places. */
export interface WrittenRecord extends Omit<JournalRecord, 'payload'> {
  readonly written: Json;
  /** Path of its segment. */
  readonly file: string;
}

export interface WholeSource {
  definition(store: string): StoreDefinition;
  /** The store from a sequence on. */
  open(store: string, fromSeq: number): AsyncGenerator<WrittenRecord>;
}

/** A record that others may name. */
interface Known {
  readonly record: WrittenRecord;
  whole: Json | undefined;
}

interface Named {
  readonly pointer: string;
  readonly text: Json | undefined;
}

interface Cursor {
  readonly records: AsyncGenerator<WrittenRecord>;
  nextSeq: number;
}

/** Several runs beside each other name a few dozen. */
const KNOWN_MAX = 256;
/** Opening a store at a sequence is cheaper than reading more records than that. */
const READ_ON_MAX = 512;

/** For one read of a journal. Close it: it holds files open. */
export class WholeRecords {
  readonly #source: WholeSource;
  /** By store and sequence, those named last at the end. */
  readonly #known = new Map<string, Known>();
  /** By store: places mostly follow each other. */
  readonly #cursors = new Map<string, Cursor>();
  /** One search at a time. Never rejects. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(source: WholeSource) {
    this.#source = source;
  }

  async whole({ file, written, ...record }: WrittenRecord): Promise<JournalRecord> {
    const definition = this.#source.definition(record.store);
    const line = { kind: record.kind, version: record.version };
    if (!isSaidOnce(definition, record)) return { ...record, payload: upcast(definition, line, written) };
    try {
      const payload = await this.#resolve(this.#keep({ ...record, file, written }));
      return { ...record, payload: upcast(definition, line, payload) };
    } catch (error) {
      if (error instanceof JournalCorruptError) return unreadable(record, error);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#turn;
    for (const { records } of this.#cursors.values()) await records.return(undefined);
  }

  #keep(record: WrittenRecord): Known {
    const key = keyOf(record);
    const known = this.#known.get(key) ?? { record, whole: undefined };
    this.#known.delete(key);
    this.#known.set(key, known);
    forgetOldest(this.#known, KNOWN_MAX);
    return known;
  }

  async #resolve(known: Known): Promise<Json> {
    const { record } = known;
    known.whole ??= hasPlaces(record.written) ? await this.#filled(record, record.written) : record.written;
    return known.whole;
  }

  async #filled(record: WrittenRecord, { [SAID]: said, ...payload }: WithPlaces): Promise<Json> {
    // All places first: a part that is set already has texts of its own.
    const named: readonly Named[] = said.map((pointer) => ({ pointer, text: valueAt(payload, pointer) }));
    const parts: (readonly [pointer: string, part: Json])[] = [];
    for (const { pointer, text } of named) parts.push([pointer, await this.#part(record, { pointer, text })]);
    for (const [pointer, part] of parts) setValueAt(payload, pointer, part);
    return payload;
  }

  async #part(record: WrittenRecord, { pointer, text }: Named): Promise<Json> {
    const place = parsePlace(text);
    if (place === undefined) throw new MissingPartError(record, { pointer, place: 'nowhere', isGivenUp: false });
    const missing = { pointer, place: placeText(place) };
    const known = await this.#at(place);
    try {
      const isEarlier = known !== undefined && known.record.order < record.order;
      const part = isEarlier ? valueAt(await this.#resolve(known), place.pointer) : undefined;
      if (part !== undefined) return part;
    } catch (error) {
      if (!(error instanceof MissingPartError)) throw error;
      throw new MissingPartError(record, { ...missing, isGivenUp: error.isGivenUp });
    }
    throw new MissingPartError(record, {
      ...missing,
      isGivenUp: known === undefined && (await this.#isGivenUp(place)),
    });
  }

  /** A gap stands at its first sequence, and its others are left out. */
  async #isGivenUp({ store, seq }: Place): Promise<boolean> {
    for await (const next of this.#source.open(store, seq)) return next.kind === 'Gap' || next.seq > seq;
    return false;
  }

  #at(place: Place): Promise<Known | undefined> {
    const found = this.#turn.then(async () => {
      const known = this.#known.get(keyOf(place));
      return known === undefined ? this.#seek(place) : this.#keep(known.record);
    });
    this.#turn = found.catch(() => undefined);
    return found;
  }

  async #seek({ store, seq }: Place): Promise<Known | undefined> {
    const definition = this.#source.definition(store);
    const { records } = await this.#cursorAt(store, seq);
    for (;;) {
      const next = await records.next();
      if (next.done === true) {
        this.#cursors.delete(store);
        return undefined;
      }
      this.#cursors.set(store, { records, nextSeq: next.value.seq + 1 });
      const known = isSaidOnce(definition, next.value) ? this.#keep(next.value) : undefined;
      if (next.value.seq >= seq) return next.value.seq === seq ? known : undefined;
    }
  }

  async #cursorAt(store: string, seq: number): Promise<Cursor> {
    const cursor = this.#cursors.get(store);
    if (cursor !== undefined && cursor.nextSeq <= seq && seq <= cursor.nextSeq + READ_ON_MAX) return cursor;
    await cursor?.records.return(undefined);
    return { records: this.#source.open(store, seq), nextSeq: seq };
  }
}

type WithPlaces = Readonly<Record<string, Json>> & { readonly [SAID]: readonly string[] };

function hasPlaces(written: Json): written is WithPlaces {
  if (typeof written !== 'object' || written === null || !(SAID in written)) return false;
  const said: unknown = written[SAID];
  return Array.isArray(said) && said.every((it) => typeof it === 'string');
}

function isSaidOnce(store: StoreDefinition, { kind }: { readonly kind: string }): boolean {
  return kindOf(store, kind)?.saidOnce === true;
}

function keyOf({ store, seq }: Pick<Place, 'store' | 'seq'>): string {
  return `${store}/${seq}`;
}

/** Not thrown where it is read: whoever looks for other records passes it by. */
function unreadable(record: Omit<JournalRecord, 'payload'>, error: JournalCorruptError): JournalRecord {
  const thrown = (): never => {
    throw error;
  };
  return Object.defineProperty({ ...record }, 'payload', { get: thrown, enumerable: true }) as JournalRecord;
}
