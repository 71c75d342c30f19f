/**
 * All words of all languages as one tree of phrases, made once.
 *
 * I1  Looking one word up costs the same however many languages there are.
 */
import { cutChunks } from './chunks.ts';
import type { Concept } from './concepts.ts';
import { lexicons } from './lexicons.ts';
import { reversed, rot13 } from './turn-text.ts';
import { LETTER_LOOK_ALIKES } from './look-alikes.ts';

export interface PhraseNode {
  readonly next: Map<string, PhraseNode>;
  /** By the beginning of a word, for languages that bend its end. */
  readonly nextByStart: Map<string, PhraseNode>;
  /** Lengths of these beginnings, by their first two letters. */
  readonly startSizes: Map<string, readonly number[]>;
  /** What the phrase that ends here means. */
  readonly concepts: Set<Concept>;
}

/** Ends a word of the lists of which only the beginning counts. */
const OPEN_END = '*';
/** Letters by which beginnings are looked up: the shortest are two syllables of Korean. */
export const START_LETTERS = 2;
/** Words shorter than this are not recognised with a letter masked: too many are one letter apart. */
const MASKED_LETTERS_MIN = 5;

export const phrases: PhraseNode = makeNode();
/** Every whole word of the lists. */
export const knownWords: ReadonlySet<string> = collectWords();
/** Words with one letter masked by `*`, and what they are. */
export const maskedWords: ReadonlyMap<string, string> = new Map(
  [...knownWords]
    .filter(isMaskable)
    .flatMap((word) =>
      Array.from(word, (_, index) => [`${word.slice(0, index)}*${word.slice(index + 1)}`, word] as const),
    ),
);
/** Words of the Latin alphabet as they stand backwards and in ROT13, where that is no word itself. */
export const turnedWords: { readonly reversed: ReadonlySet<string>; readonly rot13: ReadonlySet<string> } = {
  reversed: turned(reversed),
  rot13: turned(rot13),
};
/** Lengths of known words by their first two letters, the longest first. */
export const wordSizes: ReadonlyMap<string, readonly number[]> = collectSizes();
export const LETTERS_MAX: number = Math.max(...[...knownWords].map((word) => word.length));

function collectSizes(): ReadonlyMap<string, readonly number[]> {
  const sizes = new Map<string, readonly number[]>();
  for (const word of [...knownWords].toSorted((a, b) => b.length - a.length)) {
    const start = word.slice(0, START_LETTERS);
    const known = sizes.get(start) ?? [];
    if (word.length >= START_LETTERS && known.at(-1) !== word.length) sizes.set(start, [...known, word.length]);
  }
  return sizes;
}

function turned(turn: (word: string) => string): ReadonlySet<string> {
  return new Set(
    [...knownWords]
      .filter(isMaskable)
      .map(turn)
      .filter((word) => !knownWords.has(word)),
  );
}

function isMaskable(word: string): boolean {
  return word.length >= MASKED_LETTERS_MIN && /^[a-z]+$/.test(word);
}

function makeNode(): PhraseNode {
  return { next: new Map(), nextByStart: new Map(), startSizes: new Map(), concepts: new Set() };
}

function collectWords(): ReadonlySet<string> {
  const words = new Set<string>();
  for (const lexicon of lexicons) {
    for (const [concept, list] of Object.entries(lexicon)) {
      for (const phrase of list.split('|')) addPhrase(phrase.trim(), concept as Concept, words);
    }
  }
  return words;
}

function addPhrase(phrase: string, concept: Concept, words: Set<string>): void {
  let node = phrases;
  for (const part of phrase.split(/\s+/)) {
    const isOpen = part.endsWith(OPEN_END);
    for (const { pieces } of cutChunks(isOpen ? part.slice(0, -1) : part)) {
      const word = pieces.map((piece) => piece.letters).join('');
      if (isOpen) addStart(node, word);
      else words.add(word);
      node = step(isOpen ? node.nextByStart : node.next, word);
    }
  }
  if (node === phrases) throw new Error(`the word list of ${concept} holds an empty phrase`);
  node.concepts.add(concept);
}

function addStart({ startSizes }: PhraseNode, start: string): void {
  const key = start.slice(0, START_LETTERS);
  startSizes.set(key, [...new Set([...(startSizes.get(key) ?? []), start.length])]);
}

function step(from: Map<string, PhraseNode>, word: string): PhraseNode {
  const known = from.get(word);
  if (known !== undefined) return known;
  const node = makeNode();
  from.set(word, node);
  return node;
}

/** The word in letters of the Latin alphabet, as far as they look alike. */
export function latinised(word: string): string {
  return Array.from(word, (letter) => LETTER_LOOK_ALIKES.get(letter) ?? letter).join('');
}
