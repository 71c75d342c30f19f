/**
 * The stem of an English word, so that its forms are one term: `connected`, `connecting` and `connections` become `connect`.
 *
 * Source: libraries 3 (stemmed words for free text). The algorithm is Porter 2 of the Snowball project, step by step.
 */

/** The suffix is replaced where what stands before it matches, if that is named. */
type Row = readonly [suffix: string, replacement: string, before?: RegExp];

// The longest suffix stands first: the first that fits is the only one that is tried.

const STEP_2: readonly Row[] = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
  ['ogi', 'og', /l$/],
  ['li', '', /[cdeghkmnrt]$/],
];

const STEP_3: readonly Row[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];

const STEP_4: readonly Row[] = [
  ...'ement ance ence able ible ment ant ent ism ate iti ous ive ize'.split(' ').map((suffix): Row => [suffix, '']),
  ['ion', '', /[st]$/],
  ...'al er ic'.split(' ').map((suffix): Row => [suffix, '']),
];

const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ...'sky news howe atlas cosmos bias andes'.split(' ').map((word): [string, string] => [word, word]),
]);

/** Their ends are no suffixes. */
const WHOLE = new Set('inning outing canning herring earring proceed exceed succeed'.split(' '));

const VOWEL = /[aeiouy]/;
const DOUBLE_END = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;
const SHORT_SYLLABLE_END = /(?:^[aeiouy][^aeiouy]|[^aeiouy][aeiouy][^aeiouywxY])$/;
/** Beginnings that many words share; what follows them is the first region. */
const SHARED_BEGINNING = /^(?:gener|commun|arsen)/;

/** @param word  in lower case; anything but a word of a to z is its own stem */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  // A `y` that is a consonant is written as `Y` meanwhile.
  const marked = word.replace(/^y/, 'Y').replaceAll(/([aeiouy])y/g, '$1Y');
  const first = SHARED_BEGINNING.exec(marked)?.[0].length ?? regionAfter(marked, 0);
  const second = regionAfter(marked, first);
  const singular = withoutPlural(marked);
  if (WHOLE.has(singular)) return singular;
  let stemmed = withoutPast(singular, first).replace(/(.[^aeiouy])[yY]$/, '$1i');
  stemmed = replaceSuffix(stemmed, STEP_2, first);
  stemmed = stemmed.endsWith('ative')
    ? replaceSuffix(stemmed, [['ative', '']], second)
    : replaceSuffix(stemmed, STEP_3, first);
  return withoutEnd(replaceSuffix(stemmed, STEP_4, second), first, second).toLowerCase();
}

/** Where the region begins: after the first consonant that follows a vowel. */
function regionAfter(word: string, from: number): number {
  const found = /[aeiouy][^aeiouy]/.exec(word.slice(from));
  return found === null ? word.length : from + found.index + 2;
}

function replaceSuffix(word: string, rows: readonly Row[], region: number): string {
  const row = rows.find(([suffix]) => word.endsWith(suffix));
  if (row === undefined) return word;
  const [suffix, replacement, before] = row;
  const rest = word.slice(0, word.length - suffix.length);
  return rest.length >= region && (before === undefined || before.test(rest)) ? rest + replacement : word;
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (/ie[ds]$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1);
  if (/[us]s$/.test(word) || !word.endsWith('s')) return word;
  return VOWEL.test(word.slice(0, -2)) ? word.slice(0, -1) : word;
}

function withoutPast(word: string, region: number): string {
  const eed = /eed(?:ly)?$/.exec(word);
  if (eed !== null) return eed.index >= region ? `${word.slice(0, eed.index)}ee` : word;
  const past = /(?:ed|ing)(?:ly)?$/.exec(word);
  if (past === null || !VOWEL.test(word.slice(0, past.index))) return word;
  const rest = word.slice(0, past.index);
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (DOUBLE_END.test(rest)) return rest.slice(0, -1);
  return rest.length <= region && SHORT_SYLLABLE_END.test(rest) ? `${rest}e` : rest;
}

function withoutEnd(word: string, first: number, second: number): string {
  const rest = word.slice(0, -1);
  if (word.endsWith('e')) {
    const isCut = rest.length >= second || (rest.length >= first && !SHORT_SYLLABLE_END.test(rest));
    return isCut ? rest : word;
  }
  return word.endsWith('ll') && rest.length >= second ? rest : word;
}
