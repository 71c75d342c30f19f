/**
 * Payloads as they were said: where a record names the place of a part that an earlier record of its run said, the auditor takes it
 * from there. Written from the format's description, as `journal-line.ts` is.
 *
 * I1  A part comes from a line whose hash is right, and that precedes the record in the order of the agent's life.
 * I2  An agent that lies can make a payload unreadable, but neither endless nor large: {@link CHARACTERS_MAX} bounds it.
 */
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { parseJson } from '@retainer/contract/std/parse-json';
import { z } from 'zod';
import { readBlob } from './check-blob.ts';
import { readJournalLine, type RecordLine } from './journal-line.ts';
import { LinesBySequence } from './lines-by-sequence.ts';
import { readLineContent } from './run-note.ts';

/** Whether records of a kind may name places. Injected: it is a table of the agent's. */
export type NamesPlaces = (store: string, kind: string) => boolean;

/** As much as the longest text that the auditor reads whole. */
const CHARACTERS_MAX = 32 * 1024 * 1024;
const PLACES_MAX = 4096;
/** Records that others may name, of the runs that are judged together. */
const KNOWN_MAX = 256;

const placePattern = /^([a-z][a-z0-9-]{0,47})\/(\d{1,15})((?:\/[^/]*)*)$/s;

const Named = z.looseObject({ said: z.array(z.string()).max(PLACES_MAX) });

interface Known {
  readonly order: number;
  /** Undefined: nothing can be read there. */
  readonly payload: unknown;
}

interface Place {
  readonly store: string;
  readonly seq: number;
  readonly pointer: string;
}

export class WholePayloads {
  readonly #directory: string;
  readonly #namesPlaces: NamesPlaces;
  readonly #lines: LinesBySequence;
  /** By place, those named last at the end. */
  readonly #known = new Map<string, Known>();

  /** @param directory  the journal's */
  constructor(directory: string, namesPlaces: NamesPlaces) {
    this.#directory = directory;
    this.#namesPlaces = namesPlaces;
    this.#lines = new LinesBySequence(directory);
  }

  /** Undefined: it is not JSON, or a part or its blob is not there. @throws when a read fails */
  async read(store: string, line: RecordLine, bytes: Buffer): Promise<unknown> {
    const { order, recordKind: kind, blob, seq } = line;
    if (!this.#namesPlaces(store, kind)) return this.#written(blob, bytes);
    const key = `${store}/${seq}`;
    const known = this.#known.get(key) ?? {
      order,
      payload: await this.#filled(await this.#written(blob, bytes), order),
    };
    this.#known.delete(key);
    this.#known.set(key, known);
    forgetOldest(this.#known, KNOWN_MAX);
    return known.payload;
  }

  /** Call it after a look: the next one finds what is there then. */
  forget(): Promise<void> {
    this.#known.clear();
    return this.#lines.close();
  }

  async #written(blob: RecordLine['blob'], bytes: Buffer): Promise<unknown> {
    if (blob === undefined) return readLineContent(bytes.toString('utf8')).payload;
    const kept = await readBlob(this.#directory, blob);
    return kept === undefined ? undefined : parseJson(kept);
  }

  async #filled(written: unknown, order: number): Promise<unknown> {
    const named = Named.safeParse(written);
    if (!named.success) return hasMember(written, 'said') ? undefined : written;
    const { said, ...payload } = named.data;
    const places = said.map((pointer) => ({ pointer, place: placeIn(valueAt(payload, pointer)) }));
    let characters = 0;
    const parts: (readonly [pointer: string, part: unknown])[] = [];
    for (const { pointer, place } of places) {
      const part = place === undefined ? undefined : await this.#part(place, order);
      characters += part === undefined ? Infinity : JSON.stringify(part).length;
      if (characters > CHARACTERS_MAX) return undefined;
      parts.push([pointer, part]);
    }
    for (const [pointer, part] of parts) setValueAt(payload, pointer, part);
    return payload;
  }

  async #part({ store, seq, pointer }: Place, before: number): Promise<unknown> {
    const known = this.#known.get(`${store}/${seq}`);
    if (known !== undefined) return known.order < before ? valueAt(known.payload, pointer) : undefined;
    const bytes = await this.#lines.find(store, seq);
    const line = bytes === undefined ? undefined : readJournalLine(store, bytes);
    if (bytes === undefined || line?.type !== 'Record' || line.order >= before) return undefined;
    return valueAt(await this.read(store, line, bytes), pointer);
  }
}

function placeIn(text: unknown): Place | undefined {
  const [, store, seq, pointer] = typeof text === 'string' ? (placePattern.exec(text) ?? []) : [];
  return store === undefined || pointer === undefined ? undefined : { store, seq: Number(seq), pointer };
}

/** By RFC 6901. */
function keysOf(pointer: string): readonly string[] {
  const keys = pointer.split('/').slice(1);
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueAt(payload: unknown, pointer: string): unknown {
  let value = payload;
  for (const key of keysOf(pointer)) value = hasMember(value, key) ? value[key] : undefined;
  return value;
}

function setValueAt(payload: unknown, pointer: string, value: unknown): void {
  const keys = keysOf(pointer);
  const inside = keys.slice(0, -1).reduce<unknown>((at, key) => (hasMember(at, key) ? at[key] : undefined), payload);
  const key = keys.at(-1) ?? '';
  if (!hasMember(inside, key)) return;
  Object.defineProperty(inside, key, { value, enumerable: true, writable: true, configurable: true });
}

function hasMember(value: unknown, key: string): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}
