/** All word lists. English comes first and has a fixed word order; for the others the order is open. */
import type { Lexicon } from './concepts.ts';
import { arabic, chinese, hindi, indonesian, japanese, korean, turkish, vietnamese } from './words-asian-and-turkic.ts';
import { english } from './words-english.ts';
import { dutch, german, polish, russian, swedish, ukrainian } from './words-germanic-and-slavic.ts';
import { french, italian, portuguese, romanian, spanish } from './words-romance.ts';

export const lexicons: readonly Lexicon[] = [
  english,
  german,
  dutch,
  swedish,
  french,
  spanish,
  italian,
  portuguese,
  romanian,
  polish,
  russian,
  ukrainian,
  turkish,
  arabic,
  hindi,
  chinese,
  japanese,
  korean,
  indonesian,
  vietnamese,
];
