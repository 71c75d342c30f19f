/**
 * The hashed n-grams of a text, token by token: what the statistical layer has weights for.
 *
 * Each word gives itself, and its runs of three to five letters with its ends marked. Each token gives, with the tokens before it, the
 * pair, the triple, and the pair with one token left out.
 *
 * I1  Linear in the text; only the first letters of a word are cut into runs.
 */
import { Pace, type Sliced } from '../text/pace.ts';
import type { Token } from './tokens.ts';

const RUN_LETTERS_MIN = 3;
const RUN_LETTERS_MAX = 5;
/** Letters of a word that are cut into runs. Ordinary words have up to 30; digests and keys are longer. */
const WORD_LETTERS_MAX = 24;
/** Tokens after which a word counts again. Tables, lists and code repeat words; that makes them no more suspicious. */
const REPEATED_WITHIN_TOKENS = 20;

export interface Features {
  /** 32 bits each, in the order of the tokens. */
  readonly hashes: Int32Array;
  /** For each token, the number of hashes up to and with its own. */
  readonly ends: Int32Array;
}

interface Word {
  readonly hash: number;
  readonly hashes: readonly number[];
  lastAt: number;
}

export function* featuresOf(tokens: readonly Token[]): Sliced<Features> {
  const pace = new Pace();
  const known = new Map<string, Word>();
  const hashes: number[] = [];
  const ends = new Int32Array(tokens.length);
  let [before, earlier, wasRepeated] = [0, 0, false];
  for (const [index, { letters }] of tokens.entries()) {
    let word = known.get(letters);
    if (word === undefined) known.set(letters, (word = wordOf(letters)));
    const isRepeated = index - word.lastAt <= REPEATED_WITHIN_TOKENS;
    word.lastAt = index;
    if (!isRepeated) for (const hash of word.hashes) hashes.push(hash);
    if (!isRepeated || !wasRepeated) pushNeighbours(hashes, earlier, before, word.hash);
    ends[index] = hashes.length;
    [earlier, before, wasRepeated] = [before, word.hash, isRepeated];
    if (pace.isFull()) yield;
  }
  return { hashes: Int32Array.from(hashes), ends };
}

function pushNeighbours(hashes: number[], earlier: number, before: number, own: number): void {
  hashes.push(
    mixed(joined(PAIR, before, own)),
    mixed(joined(GAPPED_PAIR, earlier, own)),
    mixed(joined(joined(TRIPLE, earlier, before), own, 0)),
  );
}

/** First values that keep the kinds of n-grams apart. */
const [WORD, RUN, PAIR, GAPPED_PAIR, TRIPLE] = [1, 2, 3, 4, 5];
/** FNV-1a, a public-domain hash. */
const FIRST = 0x811c9dc5;
const PRIME = 0x01000193;

function step(hash: number, code: number): number {
  return Math.imul(hash ^ code, PRIME);
}

function joined(kind: number, first: number, second: number): number {
  return step(step(step(FIRST, kind), first), Math.imul(second, 0x9e3779b1));
}

/** The finaliser of MurmurHash 3 (public domain): the highest bits choose the weight, so they must depend on every letter. */
function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const whole = Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
  return whole ^ (whole >>> 16);
}

function wordOf(letters: string): Word {
  let hash = step(FIRST, WORD);
  for (let at = 0; at < letters.length; at += 1) hash = step(hash, letters.charCodeAt(at));
  const hashes = [mixed(hash)];
  if (letters.length > 1) pushRuns(hashes, `^${letters.slice(0, WORD_LETTERS_MAX)}$`);
  return { hash, hashes, lastAt: -Infinity };
}

function pushRuns(hashes: number[], marked: string): void {
  for (let start = 0; start < marked.length; start += 1) {
    let hash = step(FIRST, RUN);
    const last = Math.min(marked.length, start + RUN_LETTERS_MAX);
    for (let at = start; at < last; at += 1) {
      hash = step(hash, marked.charCodeAt(at));
      if (at - start + 1 >= RUN_LETTERS_MIN) hashes.push(mixed(hash));
    }
  }
}
