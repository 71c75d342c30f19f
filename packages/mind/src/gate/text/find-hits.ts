/** Finds the phrases of the word lists in the words of a text, in one pass. */
import type { Concept } from './concepts.ts';
import { Pace, type Sliced } from './pace.ts';
import type { Word } from './read-words.ts';
import { START_LETTERS, vocabulary, type PhraseNode } from './vocabulary.ts';

/** A phrase found at the words `first` to `last`, inclusive. */
export interface Hit {
  readonly concept: Concept;
  readonly first: number;
  readonly last: number;
}

/** By the index of the first word. */
export type Hits = readonly (readonly Hit[])[];

const NO_HITS: readonly Hit[] = [];
const NO_NODES: readonly PhraseNode[] = [];

export function* findHits(words: readonly Word[]): Sliced<Hits> {
  const { phrases } = vocabulary();
  const pace = new Pace();
  const found: (readonly Hit[])[] = [];
  for (const [first, { letters }] of words.entries()) {
    found.push(hitsAt(words, first, nextNodes(phrases, letters)));
    if (pace.isFull()) yield;
  }
  return found;
}

function hitsAt(words: readonly Word[], first: number, nodes: readonly PhraseNode[]): readonly Hit[] {
  if (nodes.length === 0) return NO_HITS;
  const hits: Hit[] = [];
  for (const node of nodes) follow(words, { first, last: first, node }, hits);
  return hits;
}

/** A partial phrase: its words so far, and its node in the tree. */
interface Begun {
  readonly first: number;
  readonly last: number;
  readonly node: PhraseNode;
}

/** Recurses at most as deep as the longest phrase. A phrase never crosses the end of a sentence. */
function follow(words: readonly Word[], { first, last, node }: Begun, hits: Hit[]): void {
  for (const concept of node.concepts) hits.push({ concept, first, last });
  const word = words[last + 1];
  if (word === undefined || word.before.isSentence) return;
  for (const next of nextNodes(node, word.letters)) follow(words, { first, last: last + 1, node: next }, hits);
}

function nextNodes(node: PhraseNode, letters: string): readonly PhraseNode[] {
  const whole = node.next.get(letters);
  const sizes = node.startSizes.size === 0 ? undefined : node.startSizes.get(letters.slice(0, START_LETTERS));
  if (sizes === undefined) return whole === undefined ? NO_NODES : [whole];
  const begun = sizes.map((size) => node.nextByStart.get(letters.slice(0, size)));
  return [whole, ...begun].filter((next) => next !== undefined);
}
