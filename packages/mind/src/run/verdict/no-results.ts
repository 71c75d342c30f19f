/**
 * Numbers of a criterion that need not be shown: bounds, small counts of parts, years, and the numbers that are not a result in any text
 * (`number-remarks.ts`). A table read from the top.
 */
import type { NumberClaim } from './number-claims.ts';

interface Line {
  readonly name: string;
  readonly fits: (number: NumberClaim, before: string, after: string) => boolean;
}

/** Most parts that a criterion asks for as a form: "three sections", "12 rows". A larger count is a result. */
const PARTS_MAX = 20;

const PARTS =
  /^[\s-]+(?:\p{L}+\s+)?(?:rows?|lines?|columns?|words?|pages?|entries|entry|items?|points?|examples?|characters?|spaces?|fields?|tabs?|headings?|chapters?|series|cells?|questions?|sources?|zeilen?|spalten?|wörter|einträgen?|punkten?|lignes?|líneas?)(?!\p{L})/iu;
const LENGTH =
  /^[\s-]+(?:words?|characters?|wörter[n]?|zeichen|mots|caractères|palabras|caracteres|woorden|tekens|parole|caratteri)(?!\p{L})/iu;
const PLACES =
  /^[\s-]*(?:decimals?|decimal places?|digits?|significant|nachkommastellen?|dezimalstellen?|décimales?|decimales)/iu;
const BOUND_BEFORE =
  /(?:\b(?:at least|at most|no more than|not more than|no fewer than|fewer than|less than|more than|under|over|above|below|up to|within|exceeds?|maximum(?: of)?|max\.?|minimum(?: of)?|min\.?|between|longer than|shorter than|greater than|mindestens|höchstens|weniger als|mehr als|unter|über|bis zu|maximal|minimal|moins de|plus de|menos de|más de)|[<>≤≥]=?)\s*(?:the |a )?[$€£]?\s*$/iu;
const BETWEEN = /\bbetween\s+[\d.,]+\s+and\s*$|\bzwischen\s+[\d.,]+\s+und\s*$/iu;
const BOUND_AFTER = /^\s*(?:%\s*)?(?:or (?:more|fewer|less)|oder (?:mehr|weniger)|\+(?!\d))/iu;
const LABEL = /\b(?:row|column|item|case|level|phase|task)\s?-?$/iu;
const RANK = /\b(?:every|each|per|best|largest|smallest)\s+$/iu;
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
  { name: 'a length of the text', fits: (_, __, after) => LENGTH.test(after) },
  { name: 'a small count of parts', fits: ({ text }, _, after) => Number(text) <= PARTS_MAX && PARTS.test(after) },
  {
    name: 'the number of something named: "Try 4"',
    fits: ({ text }, before) => Number(text) <= PARTS_MAX && /(?<!\p{L})\p{Lu}\p{L}*\s+$/u.test(before),
  },
  { name: 'a rank', fits: (_, before) => RANK.test(before) },
  { name: 'the number of a part', fits: (_, before) => LABEL.test(before) },
  {
    name: 'no result in any text: an ordinal, a label, a version, a small count of files',
    fits: ({ remark, readings }) =>
      remark !== undefined && (remark.reads !== 'Count' || Number(readings[0]?.value) <= PARTS_MAX),
  },
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
