/**
 * Finds known values in the forms of `hidden-forms.ts`, with anything but letters and digits between their characters. Pure.
 *
 * I1  One pass over a text, whatever the number of values and forms: everything that is recorded comes through here.
 */
import { hiddenForms, isByChance } from '@retainer/mind/gate/provenance/hidden-forms';

/** Shorter forms stand in ordinary sentences by chance, once spaces do not count. */
const FORM_CHARACTERS_MIN = 12;

/** Shorter ones that read like no words do not, unless they are the plain spelling: *Pass 2024*. */
const STRANGE_CHARACTERS_MIN = 8;

/** Characters of the beginning of a form by which it is looked up: they fill one number. */
const KEY_CHARACTERS = 5;
const CODE_BITS = 6;
const KEY_MASK = (1 << (KEY_CHARACTERS * CODE_BITS)) - 1;

/** Bits of the table that tells, without a look-up, that nothing begins so. */
const TABLE_BITS = 16;

interface Form {
  readonly name: string;
  /** Of letters and digits, as {@link LOWER} numbers them. */
  readonly codes: Uint8Array;
}

/** UTF-16 units of the text. */
export interface HiddenSecret {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** @returns the places in their order; none overlaps another */
export function hiddenSecretFinder(
  secrets: readonly { readonly name: string; readonly value: string }[],
): (text: string) => readonly HiddenSecret[] {
  const forms = new Map<number, Form[]>();
  const table = new Uint8Array(1 << TABLE_BITS);
  for (const { name, value } of secrets) {
    const plain = value.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
    for (const form of hiddenForms(value)) {
      const codes = codesOf(form);
      const isWhole = codes.length === form.length;
      if (codes.length < FORM_CHARACTERS_MIN && (!isWhole || form === plain || !isStrange(form))) continue;
      const key = keyAt(codes, 0);
      table[slotOf(key)] = 1;
      forms.set(key, [...(forms.get(key) ?? []), { name, codes }]);
    }
  }
  if (forms.size === 0) return () => [];
  /** Shows for almost every text that nothing begins in it, and keeps nothing of the text. */
  const canHold = (text: string): boolean => {
    let key = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = LOWER[text.charCodeAt(at)] ?? 0;
      if (code === 0) continue;
      key = keyWith(key, code);
      if (table[slotOf(key)] === 1 && forms.has(key)) return true;
    }
    return false;
  };
  return (text) => (text.length >= STRANGE_CHARACTERS_MIN && canHold(text) ? placesOf(text, forms) : []);
}

function placesOf(text: string, forms: ReadonlyMap<number, readonly Form[]>): readonly HiddenSecret[] {
  const places: number[] = [];
  for (let at = 0; at < text.length; at += 1) if ((LOWER[text.charCodeAt(at)] ?? 0) !== 0) places.push(at);
  const codes = codesOf(text);
  const found: HiddenSecret[] = [];
  let at = 0;
  while (at + STRANGE_CHARACTERS_MIN <= codes.length) {
    const form = longest(forms.get(keyAt(codes, at)) ?? [], codes, at);
    const end = at + (form?.codes.length ?? 1);
    if (form !== undefined) found.push({ name: form.name, start: places[at] ?? 0, end: (places[end - 1] ?? 0) + 1 });
    at = end;
  }
  return found;
}

function isStrange(form: string): boolean {
  if (form.length < STRANGE_CHARACTERS_MIN || !/[a-z]/.test(form)) return false;
  return /[0-9]/.test(form) || isByChance(form);
}

function longest(forms: readonly Form[], codes: Uint8Array, at: number): Form | undefined {
  return forms
    .filter((form) => form.codes.every((code, index) => code === codes[at + index]))
    .reduce<Form | undefined>(
      (best, it) => (best === undefined || it.codes.length > best.codes.length ? it : best),
      undefined,
    );
}

function keyAt(codes: Uint8Array, at: number): number {
  let key = 0;
  for (let index = at; index < at + KEY_CHARACTERS; index += 1) key = keyWith(key, codes[index] ?? 0);
  return key;
}

/** The newest characters of a text, with one more. */
function keyWith(key: number, code: number): number {
  return ((key << CODE_BITS) | code) & KEY_MASK;
}

/** Multiplicative hashing, by 2^32 times the golden ratio. */
function slotOf(key: number): number {
  return Math.imul(key, 0x9e37_79b1) >>> (32 - TABLE_BITS);
}

function codesOf(text: string): Uint8Array {
  return Uint8Array.from(
    Array.from({ length: text.length }, (_, at) => LOWER[text.charCodeAt(at)] ?? 0).filter((code) => code !== 0),
  );
}

const SIGNS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** A number from 1 on for each letter and digit of ASCII, the same for both cases; 0 for everything else. */
const LOWER = Uint8Array.from(
  { length: 128 },
  (_, code) => SIGNS.indexOf(String.fromCodePoint(code).toLowerCase()) + 1,
);
