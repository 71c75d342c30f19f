/**
 * Whether a text contains a value in a form that hides it: base64, hexadecimal, reversed, in pieces, in halves, or several of
 * these. Only letters and digits are compared, so characters between the pieces do not matter.
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
  const places = [...new Set(all.map(squeezed))];
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

/** Runs of letters and digits that do not occur by chance: keys, tokens, account numbers. */
export function tellingTokens(text: string): ReadonlySet<string> {
  const words = text.match(/[A-Za-z0-9_-]{8,}/g) ?? [];
  return new Set(words.filter((word) => /[A-Za-z]/.test(word) && /[0-9]/.test(word)));
}

function formsOf(value: string): readonly string[] {
  const half = Math.ceil(value.length / 2);
  const halves = [value.slice(0, half), value.slice(half)].filter(
    (part) => squeezed(part).length >= HALF_CHARACTERS_MIN,
  );
  const parts = squeezed(value).length < VALUE_CHARACTERS_MIN ? [] : [value, ...(halves.length === 2 ? halves : [])];
  const forms = parts.flatMap((part) => [part, reversed(part)]).flatMap((part) => [part, hex(part), ...base64(part)]);
  return [...new Set(forms.map(squeezed).flatMap((form) => [form, reversed(form)]))].filter(
    (form) => form.length >= VALUE_CHARACTERS_MIN,
  );
}

function squeezed(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}

function reversed(text: string): string {
  return Array.from(text).toReversed().join('');
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function hex(value: string): string {
  return Array.from(encoder.encode(value), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The part of its base64 that depends only on the value, for each offset in a group of three bytes. */
function base64(value: string): readonly string[] {
  return [0, 1, 2].map((offset) => {
    const bytes = [...new Uint8Array(offset), ...encoder.encode(value)];
    const text = btoa(bytes.map((byte) => String.fromCodePoint(byte)).join(''));
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });
}

/** Decodes `%41` to its letter; a text without such codes stays unchanged. */
function decoded(text: string): string {
  return text.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (codes) =>
    decoder.decode(Uint8Array.from(codes.slice(1).split('%'), (digits) => Number.parseInt(digits, 16))),
  );
}
