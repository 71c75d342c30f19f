/**
 * Whether a text holds a value in a form that hides it: base64, hexadecimal, reversed, in pieces, in halves, or in several of
 * these. Letters and digits alone are compared, so that what stands between the pieces does not matter.
 *
 * Source: reliability-security 4 (byte-level search in base64, hex, reversed and split forms).
 */

/** Fewer letters and digits are met by chance. */
const VALUE_CHARACTERS_MIN = 8;

/** A half that is shorter is met by chance. */
const HALF_CHARACTERS_MIN = 10;

/** Looks for many values in the arguments of one call. */
export interface HiddenSearch {
  holds(value: string): boolean;
}

/** Every text in arguments, in their order. @param argumentsText  JSON */
export function argumentTexts(argumentsText: string): readonly string[] {
  const texts: string[] = [];
  JSON.parse(argumentsText, (_key, value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    return value;
  });
  return texts;
}

/** @param argumentsText  JSON; values in pieces are looked for over all its texts */
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

/** Characters of arguments whose parts are looked up: looking through longer ones for each value is rarer and costs less than that. */
const LOOKED_UP_CHARACTERS_MAX = 65_536;

/** Every beginning that a form could have there: most values are excluded by one look. */
function startsOf(places: readonly string[]): ReadonlySet<string> | undefined {
  const characters = places.reduce((sum, place) => sum + place.length, 0);
  if (characters > LOOKED_UP_CHARACTERS_MAX) return undefined;
  const starts = new Set<string>();
  for (const place of places)
    for (let at = 0; at + VALUE_CHARACTERS_MIN <= place.length; at += 1)
      starts.add(place.slice(at, at + VALUE_CHARACTERS_MIN));
  return starts;
}

/** Runs of letters and digits that nobody writes by chance: keys, tokens, numbers of accounts. */
export function tellingTokens(text: string): ReadonlySet<string> {
  const words = text.match(/[A-Za-z0-9_-]{8,}/g) ?? [];
  return new Set(words.filter((word) => /[A-Za-z]/.test(word) && /[0-9]/.test(word)));
}

/** What `value` looks like once it is squeezed. */
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

/** The part of its base64 that depends on the value alone, at each place in a group of three bytes. */
function base64(value: string): readonly string[] {
  return [0, 1, 2].map((offset) => {
    const bytes = [...new Uint8Array(offset), ...encoder.encode(value)];
    const text = btoa(bytes.map((byte) => String.fromCodePoint(byte)).join(''));
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });
}

/** With `%41` read as the letter that it stands for; a text that is no URL stays as it is. */
function decoded(text: string): string {
  return text.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (codes) =>
    decoder.decode(Uint8Array.from(codes.slice(1).split('%'), (digits) => Number.parseInt(digits, 16))),
  );
}
