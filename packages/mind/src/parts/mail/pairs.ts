/**
 * Two programs that write to each other: when this one stops.
 *
 * I1  A letter of a peer begins work only as one of fewer than `hopsMax` that answer each other, counted by its header and by the letters
 *     of its thread: a header can be stripped.
 * I2  So it does only while fewer than `pairExchangesMax` letters of this peer within a day say the same as it, in whatever thread:
 *     references can be stripped, too.
 *
 * Source: reliability-security 4 (budget runaway: a hop count in every message; the same pair and similar text ten times trips), 7
 * (row 27).
 * Differs: letters that say the same count within a day, in a row or not, so that two texts in turn trip as well.
 */
import { lexicalEmbedding, likeness } from '../../meaning/intent-likeness.ts';
import type { LetterHead, LetterTexts } from './letter.ts';
import type { Pair } from './kept-mail.ts';
import type { MailState } from './mail-state.ts';
import { exchangedIn, knownThread } from './threads.ts';

/** Letters of a peer from before are not compared: a peer may report each day. It is the day of the limit of sending, too. */
export const PAIR_WINDOW_MS = 86_400_000;

/** From this cosine on two letters say the same; `pairs.test.ts` has the pairs that determined it. */
export const ALIKE_MIN = 0.6;

/** Of `budgets`. */
export interface PairLimits {
  readonly hopsMax: number;
  readonly pairExchangesMax: number;
}

export interface Circle {
  readonly why: 'Hops' | 'Alike';
  /** Letters that answer each other, or that say the same, with this one. */
  readonly count: number;
}

/** Whether a letter of a peer closes a circle; undefined: it does not. */
export function judgePeer(
  state: Pick<MailState, 'pairs' | 'threads' | 'threadOf'>,
  { head, words }: { readonly head: LetterHead } & Pick<LetterTexts, 'words'>,
  { hopsMax, pairExchangesMax }: PairLimits,
  nowMs: number,
): Circle | undefined {
  const hops = hopsOf(state, head);
  if (hops >= hopsMax) return { why: 'Hops', count: hops };
  const count = 1 + alikeBefore(state.pairs.get(head.from ?? ''), words, nowMs);
  return count >= pairExchangesMax ? { why: 'Alike', count } : undefined;
}

/** Letters of programs up to this one, each an answer to the last. */
export function hopsOf(state: Pick<MailState, 'threads' | 'threadOf'>, head: LetterHead): number {
  const thread = knownThread(state, head);
  return Math.max(head.hops, thread === undefined ? 0 : exchangedIn(state, thread) + 1);
}

function alikeBefore(pair: Pair | undefined, words: string, nowMs: number): number {
  const own = lexicalEmbedding.embed(words);
  const lately = (pair?.texts ?? []).filter(({ atMs }) => atMs > nowMs - PAIR_WINDOW_MS);
  return lately.filter((it) => {
    const other = lexicalEmbedding.embed(it.words);
    // Two texts without a word are alike: nothing tells them apart.
    return (own.size === 0 && other.size === 0) || likeness(own, other) >= ALIKE_MIN;
  }).length;
}
