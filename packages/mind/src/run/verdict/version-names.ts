/** Names that a number is the version of: `TLS 1.3`, `GPL-3.0`, `Apache License, Version 2.0`. */
import { alsoWords, licences, namedWithNumber } from './remark-words.ts';
import { unitIn } from './units.ts';

/** The word that a number is the version of: `TLS 1.3`, `GPL-3.0`, `CC BY-SA 4.0`, `Apache License, Version 2.0`. */
const NAME =
  /(\.?\p{Script=Latin}[\p{Script=Latin}\d+#.]*(?:-\p{Script=Latin}[\p{Script=Latin}\d+#]*)*)(?:,?\s(?:[Vv]ersion|[Dd]raft|[Rr]elease))?[\s/:-]?[vV]?$/u;

/** `OpenAPI`, `JUnit`: no word of a sentence is spelt so, and a version has few digits. */
const CAMEL = /^(?:\p{Lu}\p{L}*(?:\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll})\p{L}*|\p{Ll}\p{Lu}\p{Ll}+)$/u;
const VERSION = /^\d{1,2}(?:\.\d{1,3}){0,3}$/;

/**
 * What the number before `after` is the version of, in small letters; undefined: of nothing that is known.
 *
 * @param digits  the number itself
 */
export function versionedIn(digits: string, before: string, after: string): string | undefined {
  const [, word] = NAME.exec(before) ?? [];
  // A share of Firefox is not a version of it.
  if (word === undefined || /^\s?%/.test(after) || unitIn(after) !== undefined) return undefined;
  const lower = word.toLowerCase();
  const names = [lower, lower.split('-').at(-1) ?? lower];
  const name = names.find((it) => namedWithNumber.has(it) || licences.has(it));
  if (name !== undefined && alsoWords.has(name)) return isNameHere(word, digits, before) ? name : undefined;
  if (name !== undefined) return name;
  return CAMEL.test(word) && VERSION.test(digits) ? lower : undefined;
}

/** In capitals, with a point in its version, or capital within a sentence: `En 42 filas` begins one. */
function isNameHere(word: string, digits: string, before: string): boolean {
  if (!/\p{Lu}/u.test(word)) return false;
  const isWithin = /[\p{L},(–-]\s?$/u.test(before.slice(0, before.lastIndexOf(word)));
  return word === word.toUpperCase() || digits.includes('.') || isWithin;
}

const version = ['version', 'versión', 'versie', 'versione'] as const;
const licence = ['licence', 'license', 'lizenz', 'licencia', 'licenza', 'licença', 'licentie'] as const;

/** Words of a criterion that asks for the version of a name, the name itself first. */
export function wordsOfVersion(name: string): readonly string[] {
  return [name, ...version, ...(licences.has(name) ? licence : [])];
}
