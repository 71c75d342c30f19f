/**
 * A person's word about what the auditor found: whether it names a place that there is, and how it reaches an auditor at work.
 *
 * The record of an auditor has one writer. So where one is at work, the word is left in its own directory; it takes it up at its next
 * look and answers there.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@retainer/contract/std/clock';
import { z } from 'zod';
import type { SetAside } from './head-record.ts';
import { segmentsIn, storesIn } from './journal-directory.ts';
import { readJournalLine, type JournalLine } from './journal-line.ts';
import { BUS } from './message-paths.ts';
import { readSaved, replaceText } from './position-file.ts';
import { readLines } from './read-lines.ts';

/** Below the auditor's own directory. */
const WORDS = 'words';
const WORD = '.word.json';
const ANSWER = '.answer.json';
/** A look at a journal that changed as a whole takes as long as reading it. */
const ANSWER_MS_MAX = 120_000;
const LOOK_MS = 100;
/** Of a person's words. */
const TEXT_CHARACTERS_MAX = 4_096;

const text = z.string().max(TEXT_CHARACTERS_MAX);
const Word = z.object({ store: text, reason: text, by: text.optional() });
const Answer = z.object({ error: text.optional() });

/** Gaps that are named where a place is none. */
const GAPS_NAMED_MAX = 20;

/**
 * Why a word names nothing of this journal; undefined where it does.
 *
 * @param kept  stores with kept heads: one that is gone can be set aside, too
 */
export async function wrongPlace(
  journalDirectory: string,
  { store: place }: SetAside,
  kept: ReadonlyMap<string, unknown>,
): Promise<string | undefined> {
  const [store = '', seq] = place.split('/');
  const stores = [...new Set([...(await storesIn(journalDirectory)), ...kept.keys()])].toSorted();
  if (store !== BUS && !stores.includes(store)) return `no store ${store}; stores: ${stores.join(', ')}, ${BUS}`;
  if (seq === undefined) return undefined;
  const gaps = store === BUS ? [] : await gapsIn(journalDirectory, store);
  if (gaps.includes(Number(seq))) return undefined;
  const there = gaps.slice(-GAPS_NAMED_MAX).map((gap) => `${store}/${gap}`);
  return `${place} is no gap; ${there.length === 0 ? `store ${store} has none` : `gaps of the store: ${there.join(', ')}`}`;
}

/** Sequences of the records that tell of a gap. */
async function gapsIn(journalDirectory: string, store: string): Promise<readonly number[]> {
  const gaps: number[] = [];
  for (const segment of await segmentsIn(`${journalDirectory}/${store}`))
    for await (const lines of readLines(`${journalDirectory}/${store}/${segment}`, 0))
      gaps.push(...lines.flatMap(({ bytes }) => gapOn(readJournalLine(store, bytes))));
  return gaps;
}

function gapOn(line: JournalLine): readonly number[] {
  return line.type === 'Record' && line.gap !== undefined ? [line.seq] : [];
}

/**
 * Leaves a word for the auditor at work, and waits until it took it up.
 *
 * @returns why it did not, or undefined
 */
export async function leaveSetAside(own: string, word: SetAside, clock: Clock): Promise<string | undefined> {
  const directory = join(own, WORDS);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // The same word twice is one word.
  const id = createHash('sha256').update(JSON.stringify(word)).digest('hex').slice(0, 16);
  // Somebody who did not wait may have left an answer to an earlier one.
  await rm(join(directory, `${id}${ANSWER}`), { force: true });
  await replaceText(join(directory, `${id}${WORD}`), JSON.stringify(word));
  const endMs = clock.monotonicMs() + ANSWER_MS_MAX;
  while (clock.monotonicMs() < endMs) {
    const answer = await readSaved(join(directory, `${id}${ANSWER}`), Answer);
    if (answer !== undefined) {
      await rm(join(directory, `${id}${ANSWER}`), { force: true });
      return answer.error;
    }
    await clock.sleep(LOOK_MS);
  }
  return `the auditor at work has not taken it up for ${ANSWER_MS_MAX / 1000} s; it will at its next look`;
}

/** Whether a word waits. */
export async function hasWords(own: string): Promise<boolean> {
  return (await wordsIn(own)).length > 0;
}

/**
 * Takes up each word that waits, and answers it. A word is gone only after it was recorded.
 *
 * @param take  @returns why it takes none, or undefined
 */
export async function takeWords(own: string, take: (word: SetAside) => Promise<string | undefined>): Promise<void> {
  for (const name of await wordsIn(own)) {
    const path = join(own, WORDS, name);
    const word = await readSaved(path, Word);
    const error = word === undefined ? `${name} is no word` : await take(word);
    await replaceText(path.replace(WORD, ANSWER), JSON.stringify(error === undefined ? {} : { error }));
    await rm(path, { force: true });
  }
}

async function wordsIn(own: string): Promise<readonly string[]> {
  const names = await readdir(join(own, WORDS)).catch(() => []);
  return names.filter((name) => name.endsWith(WORD)).toSorted();
}
