/**
 * A part of a payload that an earlier record of the same run said is written as the place where it stands. Pure.
 *
 * I1  Such a payload has one more member, `said`: pointers (RFC 6901) to the texts in it that are places. Nothing else in it is one,
 *     whatever it looks like.
 * I2  A place names a value that its record holds in full, or in places of still earlier records.
 *
 * Source: design 5.
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { isDeepFrozen } from '@retainer/contract/std/frozen';
import { sha256Hex } from '@retainer/contract/std/hash';

/** The member that lists the places of a payload. */
export const SAID = 'said';

/** Shorter parts stay where they are: a place and the pointer to it take some hundred characters, and a person reads on. */
export const PART_CHARACTERS_MIN = 256;

export interface Place {
  readonly store: string;
  readonly seq: number;
  /** Into the payload of that record; empty for all of it. */
  readonly pointer: string;
}

type Members = Readonly<Record<string, Json>>;

const placePattern = /^([a-z0-9-]+)\/(\d{1,15})((?:\/[^/]*)*)$/s;

/** `run/17/spec/system`. */
export function placeText({ store, seq, pointer }: Place): string {
  return `${store}/${seq}${pointer}`;
}

/** Undefined: the text names no place. */
export function parsePlace(text: unknown): Place | undefined {
  const [, store, seq, pointer] = typeof text === 'string' ? (placePattern.exec(text) ?? []) : [];
  return store === undefined || pointer === undefined ? undefined : { store, seq: Number(seq), pointer };
}

/** Undefined: nothing stands there. */
export function valueAt(payload: Json, pointer: string): Json | undefined {
  let value: Json | undefined = payload;
  for (const key of keysOf(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Members)[key];
  }
  return value;
}

/** Sets a value in place, where one stands already. */
export function setValueAt(payload: Json, pointer: string, value: Json): void {
  const at = pointer.lastIndexOf('/');
  const parent = valueAt(payload, pointer.slice(0, at));
  const [key = ''] = keysOf(pointer.slice(at));
  if (typeof parent === 'object' && parent !== null && Object.hasOwn(parent, key)) define(parent, key, value);
}

/** Not an assignment: a member may be called __proto__. */
function define(inside: object, key: string, value: Json): void {
  Object.defineProperty(inside, key, { value, enumerable: true, writable: true, configurable: true });
}

function keysOf(pointer: string): readonly string[] {
  const escaped = pointer.split('/').slice(1);
  return escaped.map((it) => it.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function pointerTo(parent: string, key: string): string {
  return `${parent}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

export interface Cut {
  /** What is written: the payload itself if nothing in it was said before. */
  readonly written: Json;
  /** Long parts that stand here for the first time: pointer by digest. */
  readonly fresh: ReadonlyMap<string, string>;
}

/**
 * @param placeOf  where the part with a digest stands; undefined: nowhere yet
 * @param before   remembers digests from one payload to the next
 */
export function cutSaid(
  payload: Json,
  placeOf: (digest: string) => Place | undefined,
  before: KnownDigests = new KnownDigests(),
): Cut {
  const digests = new Digests(before);
  const said: string[] = [];
  const fresh = new Map<string, string>();
  const cut = (value: Json, pointer: string): Json => {
    const digest = digests.of(value);
    if (digest === undefined) return value;
    const place = pointer === '' ? undefined : placeOf(digest);
    if (place !== undefined) {
      said.push(pointer);
      return placeText(place);
    }
    if (!fresh.has(digest)) fresh.set(digest, pointer);
    return typeof value === 'object' && value !== null ? mapMembers(value, pointer, cut) : value;
  };
  const written = cut(payload, '');
  return { written: said.length === 0 ? payload : { ...(written as Members), [SAID]: said }, fresh };
}

/** Copies only on a change. */
function mapMembers(value: Json & object, pointer: string, map: (inner: Json, pointer: string) => Json): Json {
  let copy: object | undefined;
  for (const [key, inner] of membersOf(value)) {
    const mapped = map(inner, pointerTo(pointer, key));
    if (mapped === inner) continue;
    copy ??= Array.isArray(value) ? [...value] : { ...(value as Members) };
    define(copy, key, mapped);
  }
  return (copy as Json | undefined) ?? value;
}

/** As they are written: a member without a value is not. */
function membersOf(value: Json & object): readonly (readonly [string, Json])[] {
  return Object.entries(value as Readonly<Record<string, Json | undefined>>).flatMap(([key, inner]) =>
    inner === undefined ? [] : [[key, inner] as const],
  );
}

interface Told {
  /** Stands for the value in the text of what contains it: its own text, or the digest of a long one. */
  readonly token: string;
  readonly characters: number;
}

/** Texts that are remembered, and their length: some 8 MB at most. */
const TEXTS_MAX = 256;
const TEXT_CHARACTERS_MAX = 16 * 1024;

/** Digests of what many payloads repeat: long texts, and values that nobody can change, such as the tools of a request. */
export class KnownDigests {
  readonly #texts = new Map<string, Told>();
  readonly #frozen = new WeakMap<object, Told>();

  get(value: string | object): Told | undefined {
    return typeof value === 'string' ? this.#texts.get(value) : this.#frozen.get(value);
  }

  note(value: string | object, told: Told): void {
    if (typeof value === 'string') this.#noteText(value, told);
    else if (Object.isFrozen(value) && isDeepFrozen(value)) this.#frozen.set(value, told);
  }

  #noteText(text: string, told: Told): void {
    if (text.length > TEXT_CHARACTERS_MAX) return;
    this.#texts.set(text, told);
    forgetOldest(this.#texts, TEXTS_MAX);
  }
}

/** Digests of long parts of one payload. Each text is hashed once, however deep it lies. */
class Digests {
  readonly #told = new Map<Json, Told>();
  readonly #before: KnownDigests;

  constructor(before: KnownDigests) {
    this.#before = before;
  }

  /** Undefined: the part is too short to be named. Members in another order give another digest. */
  of(value: Json): string | undefined {
    const { token, characters } = this.#tell(value);
    return characters < PART_CHARACTERS_MIN ? undefined : token;
  }

  #tell(value: Json): Told {
    if (value === null || typeof value === 'number' || typeof value === 'boolean') return named('n', String(value), 0);
    if (typeof value === 'string' && value.length < PART_CHARACTERS_MIN)
      return named('s', hashable(value), value.length);
    const known = this.#told.get(value) ?? this.#before.get(value);
    if (known !== undefined) return known;
    const told = typeof value === 'string' ? named('s', hashable(value), value.length) : this.#tellMembers(value);
    this.#told.set(value, told);
    this.#before.note(value, told);
    return told;
  }

  #tellMembers(value: Json & object): Told {
    let text = '';
    let characters = 0;
    const members = value as Readonly<Record<string, Json | undefined>>;
    for (const key of Object.keys(members)) {
      const inner = members[key];
      if (inner === undefined) continue;
      const told = this.#tell(inner);
      const name = hashable(key);
      text += `${name.length}:${name}${told.token}`;
      characters += key.length + told.characters;
    }
    return named(Array.isArray(value) ? 'l' : 'o', text, characters);
  }
}

const surrogate = /[\ud800-\udfff]/;

/** Half a character has no UTF-8 of its own: all halves would have one digest. The first letter tells the two forms apart. */
function hashable(text: string): string {
  return surrogate.test(text) ? `j${JSON.stringify(text)}` : `t${text}`;
}

/** @param form  tells a list from an object, and a text from a number */
function named(form: string, text: string, characters: number): Told {
  const isLong = characters >= PART_CHARACTERS_MIN;
  return { token: isLong ? sha256Hex(form + text) : `${form}${text.length}:${text}`, characters };
}
