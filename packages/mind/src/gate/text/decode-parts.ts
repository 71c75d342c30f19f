/**
 * Finds the encoded parts of a text and decodes them.
 *
 * I1  Each search looks at a character at most a fixed number of times: every repetition in a pattern is bounded, or repeats one
 *     character set alone.
 *
 * Source: springdrift 2 (payload signatures); reliability-security 4 (encodings other than base64).
 */
import { DECODED_PARTS_MAX } from './limits.ts';
import type { Sliced } from './pace.ts';
import type { Span } from './spelling-builder.ts';
import { reversed } from './turn-text.ts';

export interface DecodedPart extends Span {
  readonly encoding: string;
  readonly text: string;
  /** Such a part is suspicious in any text, whatever it says. */
  readonly isHidden: boolean;
}

interface Encoding {
  readonly name: string;
  readonly sign: RegExp;
  readonly isHidden?: true;
  /** Every such part contains one of these; the check for them is quicker. */
  readonly marks?: readonly string[];
  /** Undefined: not this encoding. Several readings if the encoding is ambiguous. */
  readonly decode: (part: string) => string | readonly string[] | undefined;
}

const encodings: readonly Encoding[] = [
  {
    name: 'tag-characters',
    sign: /(?<![\u{1F3F4}\u{E0020}-\u{E007F}])[\u{E0020}-\u{E007E}]{2,}/gu,
    isHidden: true,
    decode: fromTags,
  },
  {
    name: 'variation-selectors',
    sign: /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{4,}/gu,
    isHidden: true,
    decode: fromSelectors,
  },
  { name: 'invisible-run', sign: /[\u200B-\u200F\u2060-\u2064\uFEFF]{8,}/g, isHidden: true, decode: fromZeroWidth },
  { name: 'bidi-override', sign: /\u202E[^\u202C\n]{4,2000}/g, decode: (part) => reversed(part.slice(1)) },
  { name: 'base64', sign: /[A-Za-z0-9+/_-]{16,}(?:\r?\n[A-Za-z0-9+/_-]{16,}){0,64}={0,2}/g, decode: fromBase64 },
  {
    name: 'hex',
    sign: /(?:[0-9a-f]{2}[ :]?){10,20000}/gi,
    decode: (part) => fromNumbers(part.match(/[0-9a-f]{2}/gi), 16),
  },
  {
    name: 'escapes',
    marks: ['\\x', '\\u', '0x', '&#x', '0X', '\\X', '\\U', '&#X'],
    sign: /(?:(?:\\x|0x|\\u00|\\u\{|&#x)[0-9a-f]{2}[};, ]{0,2}){5,20000}/gi,
    decode: (part) => fromNumbers(part.match(/[0-9a-f]{2}(?=[^0-9a-f]|$)/gi), 16),
  },
  { name: 'percent', marks: ['%'], sign: /[^\s%]{0,80}(?:%[0-9a-f]{2}[^\s%]{0,80}){2,2000}/gi, decode: fromPercent },
  {
    name: 'entities',
    marks: ['&#'],
    sign: /(?:&#\d{2,3};?[ ]?){5,20000}/g,
    decode: (part) => fromNumbers(part.match(/\d+/g), 10),
  },
  { name: 'binary', sign: /(?:[01]{8}[ ,]?){6,20000}/g, decode: (part) => fromNumbers(part.match(/[01]{8}/g), 2) },
  {
    name: 'decimal',
    sign: /(?:\b\d{2,3}[ ,]{1,2}){8,20000}\d{2,3}/g,
    decode: (part) => fromNumbers(part.match(/\d+/g), 10),
  },
];

/** Minimum share of readable characters in a decoded text; below it the part is an image, a digest or a key. */
const READABLE_SHARE_MIN = 0.9;
const UNREADABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\n\r\t]|\uFFFD/gu;
const LETTERS = /\p{L}{2}/u;

export interface DecodedParts {
  /** In the order of the encodings, at most `DECODED_PARTS_MAX`. */
  readonly parts: readonly DecodedPart[];
  /** Start of the first part beyond that limit. */
  readonly unreadAt: number | undefined;
}

export function* decodeParts(text: string): Sliced<DecodedParts> {
  const parts: DecodedPart[] = [];
  for (const part of decodedIn(text)) {
    if (part === undefined) yield;
    else if (parts.length < DECODED_PARTS_MAX) parts.push(part);
    else return { parts, unreadAt: part.start };
  }
  return { parts, unreadAt: undefined };
}

/** Yields nothing where a slice ends: after each look at the text, and each decoding. */
function* decodedIn(text: string): Generator<DecodedPart | undefined> {
  for (const { name, sign, isHidden = false, marks, decode } of encodings) {
    if (marks?.every((mark) => !text.includes(mark)) === true) continue;
    yield undefined;
    for (const { 0: part, index } of text.matchAll(sign)) {
      const readings = [decode(part) ?? ''].flat().filter((reading) => isHidden || isReadable(reading));
      yield* readings.map((reading) => ({
        encoding: name,
        text: reading,
        isHidden,
        start: index,
        end: index + part.length,
      }));
    }
  }
}

function isReadable(text: string): boolean {
  const strange = text.match(UNREADABLE)?.length ?? 0;
  return text.length >= 4 && LETTERS.test(text) && strange <= text.length * (1 - READABLE_SHARE_MIN);
}

const TAG_BASE = 0xe0000;

function fromTags(part: string): string {
  return Array.from(part, (tag) => String.fromCodePoint((tag.codePointAt(0) ?? TAG_BASE) - TAG_BASE)).join('');
}

const SELECTOR_FIRST = 0xfe00;
const SELECTOR_SECOND = 0xe0100;
/** The number of selectors in the first block; the second block continues their numbers. */
const SELECTORS_BEFORE = 16;

function fromSelectors(part: string): string | undefined {
  return fromBytes(
    Array.from(part, (selector) => {
      const code = selector.codePointAt(0) ?? 0;
      return code >= SELECTOR_SECOND ? code - SELECTOR_SECOND + SELECTORS_BEFORE : code - SELECTOR_FIRST;
    }),
  );
}

/** Reads two kinds of zero-width characters as bits. */
function fromZeroWidth(part: string): string | undefined {
  const [zero = ''] = part;
  const bits = Array.from(part, (character) => (character === zero ? '0' : '1')).join('');
  return fromNumbers(bits.match(/[01]{8}/g), 2);
}

/** Encoded text mixes capitals and other characters; paths and words do not. */
const MIXED_CASE = /[A-Z][^A-Z]|[^A-Z][A-Z]/;

/** Shorter parts between signs are words of a path. */
const BASE64_PART_CHARACTERS_MIN = 16;
/** Four characters encode three bytes, so preceding characters shift the groups. */
const BASE64_GROUP = 4;

/**
 * Decodes the whole part. If the result is unreadable, decodes the parts between signs that also occur in paths and names, as in
 * `data/SWdub3Jl…`. If that fails, skips 1 to 3 characters at the start. Each character is decoded at most five times.
 */
function fromBase64(part: string): readonly string[] {
  return ONLY_BASE32.test(part) ? [fromBase32(part), ...readBase64(part)].filter(isReadable) : readBase64(part);
}

/** The search for base64 finds base32, too; a search of its own would cost every text. */
const ONLY_BASE32 = /^[A-Z2-7]+=*$/;

function readBase64(part: string): readonly string[] {
  if (!MIXED_CASE.test(part)) return [];
  const whole = decodeBase64(part);
  if (isReadable(whole)) return [whole];
  const between = part
    .split(/[/_+-]/)
    .filter((it) => it.length >= BASE64_PART_CHARACTERS_MIN && MIXED_CASE.test(it))
    .map(decodeBase64)
    .filter(isReadable);
  if (between.length > 0) return between;
  return Array.from({ length: BASE64_GROUP - 1 }, (_, skipped) => decodeBase64(part.slice(skipped + 1)));
}

function decodeBase64(part: string): string {
  const compact = part
    .replaceAll(/[\r\n=]/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  const whole = compact.slice(0, compact.length - (compact.length % BASE64_GROUP === 1 ? 1 : 0));
  const binary = atob(whole);
  const bytes = new Uint8Array(binary.length);
  // `Uint8Array.from` goes over a text by its iterator, in three times the time.
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return utf8.decode(bytes);
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BASE32_BITS = 5;
const BYTE_BITS = 8;

/** Digits and capitals only. A last group that fills no byte is left out. */
function fromBase32(part: string): string {
  const bytes: number[] = [];
  let [held, bits] = [0, 0];
  for (const sign of part.replaceAll('=', '')) {
    held = ((held << BASE32_BITS) | BASE32.indexOf(sign)) & 0xfff;
    bits += BASE32_BITS;
    if (bits < BYTE_BITS) continue;
    bits -= BYTE_BITS;
    bytes.push((held >> bits) & 0xff);
  }
  return fromBytes(bytes);
}

function fromNumbers(numbers: readonly string[] | null, radix: number): string | undefined {
  const values = (numbers ?? []).map((number) => Number.parseInt(number, radix));
  return values.every((value) => value <= 0xff) ? fromBytes(values) : undefined;
}

const utf8 = new TextDecoder();

function fromBytes(bytes: readonly number[]): string {
  return utf8.decode(Uint8Array.from(bytes));
}

function fromPercent(part: string): string {
  const bytes: number[] = [];
  for (let at = 0; at < part.length;) {
    const code = /^%[0-9a-f]{2}/i.test(part.slice(at, at + 3))
      ? Number.parseInt(part.slice(at + 1, at + 3), 16)
      : undefined;
    if (code === undefined) bytes.push(...encoder.encode(part.charAt(at)));
    else bytes.push(code);
    at += code === undefined ? 1 : 3;
  }
  return fromBytes(bytes).replaceAll('+', ' ');
}

const encoder = new TextEncoder();
