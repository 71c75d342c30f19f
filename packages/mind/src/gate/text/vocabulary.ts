/**
 * All words of all languages as one tree of phrases, built once for the first text.
 *
 * I1  The cost of looking up a word does not depend on the number of languages.
 * I2  A node without successors has no collection of its own, because five thousand nodes stay in memory as long as the agent
 *     runs.
 */
import { cutChunks } from './chunks.ts';
import type { Concept } from './concepts.ts';
import { lexicons } from './lexicons.ts';
import { reversed, shapeOf } from './turn-text.ts';
import { LETTER_LOOK_ALIKES } from './look-alikes.ts';
import { finished } from './pace.ts';

export interface PhraseNode {
  readonly next: ReadonlyMap<string, PhraseNode>;
  /** By the stem of a word, for languages with inflected endings. */
  readonly nextByStart: ReadonlyMap<string, PhraseNode>;
  /** Lengths of these stems, by their first two letters. */
  readonly startSizes: ReadonlyMap<string, readonly number[]>;
  /** The meanings of the phrase that ends here. */
  readonly concepts: readonly Concept[];
}

/** A node while the tree is built. */
interface GrowingNode extends PhraseNode {
  next: Map<string, GrowingNode>;
  nextByStart: Map<string, GrowingNode>;
  startSizes: Map<string, readonly number[]>;
  concepts: readonly Concept[];
}

/** Shared by all nodes without members; nothing is ever added to it. */
const NONE = new Map<string, never>();
const NO_CONCEPTS: readonly Concept[] = [];
/** A plain word that needs no cutting. */
const ONE_WORD = /^[a-z]+$/;

/** Marks a stem in the word lists. */
const OPEN_END = '*';
/** Letters by which stems are looked up; the shortest stems are two syllables of Korean. */
export const START_LETTERS = 2;
/** Minimum length of a word that is recognised with a masked letter, or turned; too many shorter words differ in one letter. */
export const DISGUISED_LETTERS_MIN = 5;

export interface Vocabulary {
  readonly phrases: PhraseNode;
  /** Every whole word of the lists. */
  readonly knownWords: ReadonlySet<string>;
  /** Words with one letter masked by `*`, and the words that they stand for. */
  readonly maskedWords: ReadonlyMap<string, string>;
  /** Words of the Latin alphabet reversed, unless the result is itself listed. */
  readonly reversedWords: ReadonlySet<string>;
  /** Words of the Latin alphabet by what a shift of the alphabet leaves of them; of several, one. */
  readonly wordsByShape: ReadonlyMap<number, string>;
  /** Lengths of known words by their first two letters, the longest first. */
  readonly wordSizes: ReadonlyMap<string, readonly number[]>;
  /** Length of the longest listed word. */
  readonly lettersMax: number;
}

let made: Vocabulary | undefined;

/** Built for the first text, so that an agent without work holds none of it in memory. */
export function vocabulary(): Vocabulary {
  return (made ??= makeVocabulary());
}

function makeVocabulary(): Vocabulary {
  const phrases = makeNode();
  const knownWords = addPhrases(phrases);
  return {
    phrases,
    knownWords,
    maskedWords: collectMasks(knownWords),
    reversedWords: turned(knownWords, reversed),
    wordsByShape: byShape(knownWords),
    wordSizes: collectSizes(knownWords),
    lettersMax: Math.max(...[...knownWords].map((word) => word.length)),
  };
}

function byShape(knownWords: ReadonlySet<string>): ReadonlyMap<number, string> {
  const words = new Map<number, string>();
  for (const word of knownWords) {
    const shape = isMaskable(word) ? shapeOf(word) : undefined;
    if (shape !== undefined) words.set(shape, word);
  }
  return words;
}

function collectMasks(knownWords: ReadonlySet<string>): ReadonlyMap<string, string> {
  const masks = new Map<string, string>();
  for (const word of knownWords) {
    if (!isMaskable(word)) continue;
    for (let at = 0; at < word.length; at += 1) masks.set(`${word.slice(0, at)}*${word.slice(at + 1)}`, word);
  }
  return masks;
}

function collectSizes(knownWords: ReadonlySet<string>): ReadonlyMap<string, readonly number[]> {
  const sizes = new Map<string, readonly number[]>();
  for (const word of [...knownWords].toSorted((a, b) => b.length - a.length)) {
    const start = word.slice(0, START_LETTERS);
    const known = sizes.get(start) ?? [];
    if (word.length >= START_LETTERS && known.at(-1) !== word.length) sizes.set(start, [...known, word.length]);
  }
  return sizes;
}

function turned(knownWords: ReadonlySet<string>, turn: (word: string) => string): ReadonlySet<string> {
  return new Set(
    [...knownWords]
      .filter(isMaskable)
      .map(turn)
      .filter((word) => !knownWords.has(word)),
  );
}

function isMaskable(word: string): boolean {
  return word.length >= DISGUISED_LETTERS_MIN && ONE_WORD.test(word);
}

function makeNode(): GrowingNode {
  return { next: NONE, nextByStart: NONE, startSizes: NONE, concepts: NO_CONCEPTS };
}

/** @returns every whole word of the lists */
function addPhrases(root: GrowingNode): ReadonlySet<string> {
  const words = new Set<string>();
  for (const lexicon of lexicons) {
    for (const [concept, list] of Object.entries(lexicon)) {
      for (const phrase of list.split('|')) mean(addPhrase(root, phrase.trim(), words), concept as Concept);
    }
  }
  if (root.concepts !== NO_CONCEPTS) throw new Error(`the word list of ${root.concepts.join()} holds an empty phrase`);
  return words;
}

function mean(node: GrowingNode, concept: Concept): void {
  if (!node.concepts.includes(concept)) node.concepts = [...node.concepts, concept];
}

/** @returns the last node of the phrase */
function addPhrase(root: GrowingNode, phrase: string, words: Set<string>): GrowingNode {
  let node = root;
  for (const part of phrase.split(/\s+/)) {
    const isOpen = part.endsWith(OPEN_END);
    for (const word of wordsOf(isOpen ? part.slice(0, -1) : part)) {
      if (isOpen) addStart(node, word);
      else words.add(word);
      node = step(node, isOpen ? 'nextByStart' : 'next', word);
    }
  }
  return node;
}

function wordsOf(part: string): readonly string[] {
  if (ONE_WORD.test(part)) return [part];
  return finished(cutChunks(part)).map(({ pieces }) => pieces.map((piece) => piece.letters).join(''));
}

function addStart(node: GrowingNode, start: string): void {
  const key = start.slice(0, START_LETTERS);
  const sizes = node.startSizes.get(key) ?? [];
  if (node.startSizes === NONE) node.startSizes = new Map();
  if (!sizes.includes(start.length)) node.startSizes.set(key, [...sizes, start.length]);
}

function step(from: GrowingNode, by: 'next' | 'nextByStart', word: string): GrowingNode {
  const known = from[by].get(word);
  if (known !== undefined) return known;
  const node = makeNode();
  if (from[by] === NONE) from[by] = new Map();
  from[by].set(word, node);
  return node;
}

/** The word with look-alike letters replaced by Latin ones. */
export function latinised(word: string): string {
  return Array.from(word, (letter) => LETTER_LOOK_ALIKES.get(letter) ?? letter).join('');
}
