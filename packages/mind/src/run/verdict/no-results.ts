/**
 * Numbers of a criterion that are no figure to be shown: bounds, small counts of parts, years, numbers of pages and versions. A
 * table read from the top.
 */
import type { Claim } from './claims.ts';

type NumberClaim = Extract<Claim, { kind: 'Number' }>;

interface Line {
  readonly name: string;
  readonly fits: (number: NumberClaim, before: string, after: string) => boolean;
}

/** Most parts that a criterion asks for as a form: "three sections", "12 rows". A larger count is a result. */
const PARTS_MAX = 20;

const PARTS =
  /^[\s-]+(?:\p{L}+\s+)?(?:rows?|lines?|columns?|words?|sentences?|paragraphs?|sections?|pages?|entries|entry|items?|points?|bullets?|examples?|characters?|spaces?|fields?|tabs?|headings?|chapters?|steps?|files?|parts?|series|cells?|questions?|sources?|zeilen?|spalten?|wörter|sätzen?|absätzen?|einträgen?|punkten?|abschnitten?|dateien?|lignes?|phrases?|líneas?|frases?)(?!\p{L})/iu;
const PLACES =
  /^[\s-]*(?:decimals?|decimal places?|digits?|significant|nachkommastellen?|dezimalstellen?|décimales?|decimales)/iu;
const BOUND_BEFORE =
  /(?:\b(?:at least|at most|no more than|not more than|no fewer than|fewer than|less than|more than|under|over|above|below|up to|within|exceeds?|maximum(?: of)?|max\.?|minimum(?: of)?|min\.?|between|longer than|shorter than|greater than|mindestens|höchstens|weniger als|mehr als|unter|über|bis zu|maximal|minimal|moins de|plus de|menos de|más de)|[<>≤≥]=?)\s*(?:the |a )?[$€£]?\s*$/iu;
const BETWEEN = /\bbetween\s+[\d.,]+\s+and\s*$|\bzwischen\s+[\d.,]+\s+und\s*$/iu;
const BOUND_AFTER = /^\s*(?:%\s*)?(?:or (?:more|fewer|less)|oder (?:mehr|weniger)|\+(?!\d))/iu;
const LABEL =
  /(?:\b(?:step|page|section|part|chapter|version|task|criterion|attempt|try|round|level|line|row|column|item|case|phase|no\.|nr\.|seite|schritt|zeile|version|python|node(?:\.js)?|java|typescript|iso|rfc|http|wcag|tls|es|utf|sha|ipv|din|ieee)|#)\s?-?$/iu;
const ORDINAL = /^(?:st|nd|rd|th|e|er|ère|º|ª)(?!\p{L})/u;
const RANK = /\b(?:top|first|last|next|every|each|per|best|largest|smallest|ersten|letzten|nächsten)\s+$/iu;
const YEAR_BEFORE =
  /\b(?:in|for|from|since|to|until|through|year|years|and|im|jahr|jahre|jahren|seit|bis|von|en|de)\s*$|\d{4}\s*[–-]\s*$/iu;
const YEAR_AFTER = /^\s*(?:to|–|-|until|through|and|bis|à|a)\s*(?:19|20)\d\d(?!\d)/iu;

const lines: readonly Line[] = [
  {
    name: 'none, one, or all of it',
    fits: ({ text, isPercent }) => /^[01]$/.test(text) || (isPercent && /^(?:0|100)$/.test(text)),
  },
  {
    name: 'a bound',
    fits: (_, before, after) => BOUND_BEFORE.test(before) || BETWEEN.test(before) || BOUND_AFTER.test(after),
  },
  { name: 'digits behind the point', fits: (_, __, after) => PLACES.test(after) },
  { name: 'a small count of parts', fits: ({ text }, _, after) => Number(text) <= PARTS_MAX && PARTS.test(after) },
  {
    name: 'the number of something named: "Try 4"',
    fits: ({ text }, before) => Number(text) <= PARTS_MAX && /(?<!\p{L})\p{Lu}\p{L}*\s+$/u.test(before),
  },
  { name: 'an ordinal', fits: (_, __, after) => ORDINAL.test(after) },
  { name: 'a rank', fits: (_, before) => RANK.test(before) },
  { name: 'the number of a part, or of a version', fits: (_, before) => LABEL.test(before) },
  {
    name: 'a year',
    fits: ({ text }, before, after) =>
      /^(?:19|20)\d\d$/.test(text) && (YEAR_BEFORE.test(before) || YEAR_AFTER.test(after)),
  },
];

/**
 * @param before  the criterion's text before the number
 * @param after   the text behind it
 */
export function isResult(number: NumberClaim, before: string, after: string): boolean {
  return number.readings.length > 0 && !lines.some(({ fits }) => fits(number, before, after));
}

/** Names of norms, encodings and languages, and sizes of pictures: `UTF-8`, `sha256`, `Python3`, `800x600`. No call needs to show them. */
const TECHNICAL =
  /^\d+x\d+$|^(?:UTF|ISO|SHA|RFC|MD|HTTP|HTTPS|TLS|IPV|ES|EN|DIN|IEEE|ECMA|CO|WCAG|AES|RSA|BASE|PYTHON|NODE|WIN|X)[-:_]?\d+(?:[-:_.]\d+)*$/iu;

export function isTechnicalWord(text: string): boolean {
  return TECHNICAL.test(text);
}
