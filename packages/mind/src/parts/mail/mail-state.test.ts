import { expect } from 'vitest';
import { MailBook } from '../../../../../test/support/mail-book.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { LETTERS_KEPT, OUTGOING_KEPT, TEXT_CHARACTERS_KEPT, THREADS_KEPT } from './mail-state.ts';

const LETTERS = 100_000;
/** Letters of one thread. */
const THREAD_LETTERS = 4;
const WORDS = 'Please report. '.repeat(20);

verifies(
  'mail:fold',
  'A hundred thousand letters are folded: every one is known, and what is at hand stays small',
  () => {
    const book = new MailBook();
    for (let at = 0; at < LETTERS; at += 1) {
      const threadId = `t-${Math.floor(at / THREAD_LETTERS)}`;
      const place = { mailbox: 'INBOX', uidValidity: '1', uid: at + 1 };
      book.letter(`m-${at}`, { place, from: `p${at % 50}@people.example` }, { threadId, words: WORDS });
    }
    const { seen, letters, threads, textCharacters, texts, outgoing } = book.state;
    expect(seen.size).toBe(LETTERS);
    expect(seen.has('m-0') && seen.has(`m-${LETTERS - 1}`)).toBe(true);
    expect([...letters.keys()][0]).toBe(`m-${LETTERS - LETTERS_KEPT}`);
    expect(letters.size).toBe(LETTERS_KEPT);
    expect(threads.size).toBe(THREADS_KEPT);
    expect(outgoing.size).toBeLessThanOrEqual(OUTGOING_KEPT);
    expect(textCharacters).toBeLessThanOrEqual(TEXT_CHARACTERS_KEPT);
    expect(texts.size).toBeLessThanOrEqual(LETTERS_KEPT);
  },
);
