/**
 * Whether a text contains a value in a form that hides it: base64, base32, hexadecimal, rot13, reversed, in pieces, in halves, with its
 * letters or its digits alone, or several of these. Only letters and digits are compared, so characters between the pieces do not matter.
 *
 * I1  The gates and the redaction of the record look for the same forms: `hiddenForms` is their one list.
 *
 * Source: reliability-security 4 (byte-level search in base64, hex, reversed and split forms).
 */

/** Shorter values occur by chance. */
const VALUE_CHARACTERS_MIN = 8;

/** Shorter halves occur by chance. */
const HALF_CHARACTERS_MIN = 10;

/** Searches the arguments of one call for many values. */
export interface HiddenSearch {
  holds(value: string): boolean;
}

/** Every text in the arguments, in order. @param argumentsText  JSON */
export function argumentTexts(argumentsText: string): readonly string[] {
  const texts: string[] = [];
  JSON.parse(argumentsText, (_key, value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    return value;
  });
  return texts;
}

/** @param argumentsText  JSON; the search also covers values split over several of its texts */
export function hiddenSearch(argumentsText: string): HiddenSearch {
  const texts = argumentTexts(argumentsText);
  const joined = texts.join('');
  const all = [argumentsText, joined, texts.toReversed().join(''), decoded(joined)];
  // Turned once, the places spare turning every form of every value.
  const places = [...new Set(all.map(squeezed).flatMap(turned))];
  const starts = startsOf(places);
  return {
    holds: (value) =>
      formsOf(value).some(
        (form) =>
          starts?.has(form.slice(0, VALUE_CHARACTERS_MIN)) !== false && places.some((place) => place.includes(form)),
      ),
  };
}

/** Characters of arguments up to which their parts are indexed: searching rare longer ones costs less than an index. */
const LOOKED_UP_CHARACTERS_MAX = 65_536;

/** Every possible start of a form; one look-up excludes most values. */
function startsOf(places: readonly string[]): ReadonlySet<string> | undefined {
  const characters = places.reduce((sum, place) => sum + place.length, 0);
  if (characters > LOOKED_UP_CHARACTERS_MAX) return undefined;
  const starts = new Set<string>();
  for (const place of places)
    for (let at = 0; at + VALUE_CHARACTERS_MIN <= place.length; at += 1)
      starts.add(place.slice(at, at + VALUE_CHARACTERS_MIN));
  return starts;
}

/** Telling tokens to search for in all texts together. More are a table; a cycle that has read one sends nothing out. */
const TOKENS_MAX = 2048;

/**
 * Whether a text holds something telling of others, asked of one after the other.
 *
 * @param text   JSON
 * @param known  texts whose tokens tell nothing
 */
export function tellingSearch(text: string, known: readonly string[] = []): (other: string) => boolean {
  const search = hiddenSearch(text);
  let left = TOKENS_MAX;
  return (other) => {
    const tokens = [...tellingTokens(other)];
    left -= tokens.length;
    return left < 0 || tokens.some((token) => !known.some((it) => it.includes(token)) && search.holds(token));
  };
}

/** Runs of letters and digits that do not occur by chance: keys, tokens, account numbers. */
export function tellingTokens(text: string): ReadonlySet<string> {
  const words = text.match(/[A-Za-z0-9_-]{8,}/g) ?? [];
  return new Set(words.filter((word) => /[A-Za-z]/.test(word) && /[0-9]/.test(word)));
}

/** Every form of a value, as {@link squeezed} spells it; none of a value that occurs by chance. */
export function hiddenForms(value: string): readonly string[] {
  return [...new Set(formsOf(value).flatMap(turned))];
}

/** The forms that are left when the text is {@link turned}. */
function formsOf(value: string): readonly string[] {
  const half = Math.ceil(value.length / 2);
  const halves = [value.slice(0, half), value.slice(half)].filter(
    (part) => squeezed(part).length >= HALF_CHARACTERS_MIN,
  );
  const whole = [value, ...(halves.length === 2 ? halves : []), ...ofOneKind(value)];
  const parts = squeezed(value).length < VALUE_CHARACTERS_MIN ? [] : whole;
  const forms = parts.flatMap((part) => [...encoded(part), ...encoded(reversed(part)).slice(1)]).map(squeezed);
  return [...new Set(forms)].filter((form) => form.length >= VALUE_CHARACTERS_MIN);
}

/** Shorter runs of letters, or of digits, occur by chance once spaces do not count. */
const ONE_KIND_CHARACTERS_MIN = 12;
/** A date with its time of day is two runs of digits among letters, a version three; a key of chance has more. */
const DIGIT_RUNS_MIN = 4;

/** The letters of a value alone, and its digits alone, where neither reads like words or like a date. Keys are ASCII. */
function ofOneKind(value: string): readonly string[] {
  if (value.length < ONE_KIND_CHARACTERS_MIN) return [];
  const digitRuns = value.replaceAll(/[^A-Za-z0-9]+/g, '').match(/[0-9]+/g) ?? [];
  const letters = value.replaceAll(/[^A-Za-z]+/g, '');
  const isMixed = digitRuns.length >= DIGIT_RUNS_MIN;
  const isLetters = isMixed || (digitRuns.length > 0 && isByChance(letters.toLowerCase()));
  const kinds = [isLetters ? letters : '', isMixed ? digitRuns.join('') : ''];
  return kinds.filter((kind) => kind.length >= ONE_KIND_CHARACTERS_MIN);
}

/** Joined words have more vowels, about two in five; letters of chance one in five. */
const VOWELS_OF_WORDS = 0.3;
/** Joined words hardly have so many consonants in a row; letters of chance have, in most runs of twelve. */
const CONSONANTS_IN_ROW = /[b-df-hj-np-tv-xz]{5}/;

/** Whether letters read like no words. @param letters  small. Names like `proddbpvcmysql` are taken for chance, too: nobody writes them apart */
export function isByChance(letters: string): boolean {
  const vowels = letters.match(/[aeiouy]/g)?.length ?? 0;
  return vowels < letters.length * VOWELS_OF_WORDS || CONSONANTS_IN_ROW.test(letters);
}

/** A squeezed text in each order and alphabet. Turning it back is the same, so the form or the text can be turned. */
function turned(text: string): readonly string[] {
  const rotated = rot13(text);
  return [text, reversed(text), rotated, reversed(rotated)];
}

/** What is compared of a text. */
function squeezed(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}

function reversed(text: string): string {
  let result = '';
  for (const character of text) result = character + result;
  return result;
}

/** @param text  squeezed */
function rot13(text: string): string {
  return text.replaceAll(/[a-z]/g, (letter) => ROT13[letter] ?? letter);
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const ROT13: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from(LETTERS, (letter, at) => [letter, LETTERS.charAt((at + LETTERS.length / 2) % LETTERS.length)]),
);

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** How many bits a character of each encoding holds, its signs, and after how many bytes the two are level again. */
const ENCODINGS = [
  { bits: 4, signs: '0123456789abcdef', bytes: 1 },
  { bits: 5, signs: 'abcdefghijklmnopqrstuvwxyz234567', bytes: 5 },
  { bits: 6, signs: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', bytes: 3 },
] as const;

type Encoding = (typeof ENCODINGS)[number];

/** The text itself, and of each encoding the part that depends on it alone, for each place at which it can begin. */
function encoded(text: string): readonly string[] {
  const bytes = encoder.encode(text);
  const forms = ENCODINGS.flatMap((encoding) =>
    Array.from({ length: encoding.bytes }, (_, offset) => encodedAt(bytes, encoding, offset)),
  );
  return [text, ...forms];
}

const BITS_OF_BYTE = 8;

function encodedAt(bytes: Uint8Array, { bits, signs }: Encoding, offset: number): string {
  const skipped = Math.ceil((offset * BITS_OF_BYTE) / bits) * bits - offset * BITS_OF_BYTE;
  let form = '';
  let held = 0;
  let count = -skipped;
  for (const byte of bytes) {
    held = ((held << BITS_OF_BYTE) | byte) & 0xff_ff;
    count += BITS_OF_BYTE;
    while (count >= bits) {
      count -= bits;
      form += signs.charAt((held >> count) & ((1 << bits) - 1));
    }
  }
  return form;
}

/** Decodes `%41` to its letter; a text without such codes stays unchanged. */
function decoded(text: string): string {
  return text.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (codes) =>
    decoder.decode(Uint8Array.from(codes.slice(1).split('%'), (digits) => Number.parseInt(digits, 16))),
  );
}
