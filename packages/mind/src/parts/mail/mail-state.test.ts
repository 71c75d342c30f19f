import { expect } from 'vitest';
import { headOf, MailBook } from '../../../../../test/support/mail-book.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { CONTACTS_KEPT, LETTERS_KEPT, mail, OUTGOING_KEPT, TEXT_CHARACTERS_KEPT, THREADS_KEPT } from './mail-state.ts';

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

verifies('mail:fold', 'Of all addresses the newest are known', () => {
  const book = new MailBook();
  for (let at = 0; at < CONTACTS_KEPT; at += 1) book.letter(`m-${at}`, { from: `p${at}@people.example` });
  book.letter('m-again', { from: 'p0@people.example' });
  book.letter('m-new', { from: 'new@people.example' });
  const { contacts } = book.state;
  expect(contacts.size).toBe(CONTACTS_KEPT);
  expect(contacts.get('p0@people.example')?.received).toBe(2);
  expect(contacts.has('p1@people.example')).toBe(false);
});

const place = (uid: number) => ({ mailbox: 'INBOX', uidValidity: '1', uid });
const opened = { mailbox: 'INBOX', uidValidity: '1', fromUid: 1, sinceMs: 0 };

verifies('mail:once', 'A letter counts as seen by its decision: a record that ends before it loses nothing', () => {
  const book = new MailBook();
  book.take([
    { store: 'mail', kind: 'MailboxOpened', payload: opened },
    { store: 'mail', kind: 'MailSeen', payload: { head: headOf('m-1', { place: place(7) }) } },
  ]);
  expect(book.state.seen.has('m-1')).toBe(false);
  expect(book.state.mailboxes.get('INBOX')?.uid).toBe(0);
  book.letter('m-1', { place: place(7) });
  expect(book.state.seen.has('m-1')).toBe(true);
  expect(book.state.mailboxes.get('INBOX')?.uid).toBe(7);
  expect(book.state.letters.get('m-1')?.status).toBe('Admitted');
});

verifies(
  'mail:strangers',
  'However many letters of strangers come, those on which the agent works stay at hand',
  () => {
    const book = new MailBook();
    book.letter('m-work');
    for (let at = 0; at < 2 * LETTERS_KEPT; at += 1) {
      const letterId = `m-${at}`;
      const held = { letterId, threadId: 't', texts: { words: '', enclosed: [] }, rule: 'sender/not-allowed' };
      book.take([
        { store: 'mail', kind: 'MailSeen', payload: { head: headOf(letterId, { from: 'eve@evil.example' }) } },
        { store: 'mail', kind: 'MailHeld', payload: { ...held, evidence: 'Not listed.' } },
      ]);
    }
    const { letters } = book.state;
    expect(letters.get('m-work')?.status).toBe('Admitted');
    expect(letters.size).toBe(LETTERS_KEPT + 1);
    const last = `m-${2 * LETTERS_KEPT - 1}`;
    book.take([
      { store: 'mail', kind: 'MailReleased', payload: { letterId: last, runId: 'mail-last', reason: 'known' } },
    ]);
    expect(letters.get(last)?.status).toBe('Released');
    expect(letters.size).toBe(LETTERS_KEPT + 1);

    const restored = mail.start();
    expect(mail.restore(restored, JSON.parse(JSON.stringify(mail.keep(book.state))))).toBe(true);
    expect(restored).toEqual(book.state);
  },
);
