import { isUnspaced, partsOf } from '../../meaning/words.ts';
import { significantWords } from '../../meaning/significant-words.ts';
import { stem } from './stem.ts';

/** The terms that texts are compared by: stems of words that carry a subject; pairs of characters in scripts without blanks. */
export function termsOf(text: string): readonly string[] {
  return significantWords(text).flatMap((word) => (isUnspaced(word) ? partsOf(word, 2) : [stem(word)]));
}
