import { describe, expect } from 'vitest';
import { MailBook, headOf } from '../../../../../test/support/mail-book.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { decideLetter, LETTERS_PER_SENDER_PER_DAY_MAX, type LetterAround, type MailSettings } from './decide-letter.ts';
import type { LetterHead, LetterTexts } from './letter.ts';
import { outgoingOf, type SendRequest } from './outgoing.ts';

const settings: MailSettings = {
  address: 'ada@agents.example',
  allowedSenders: ['ann@people.example', 'kim@x.example', '*@team.example', 'peer@agents.example'],
  agentPeers: ['peer@agents.example'],
  hopsMax: 10,
  pairExchangesMax: 3,
};
const SINCE_MS = 1_000_000;
const around = (book: MailBook, more: Partial<LetterAround> = {}): LetterAround => ({
  ...{ nowMs: book.nowMs, approvers: [], agentPeers: settings.agentPeers, open: [], questions: [] },
  ...more,
});

function bookOf(): MailBook {
  const book = new MailBook();
  const opened = { mailbox: 'INBOX', uidValidity: '1', fromUid: 1, sinceMs: SINCE_MS };
  book.take([{ store: 'mail', kind: 'MailboxOpened', payload: opened }]);
  return book;
}

function taken(
  book: MailBook,
  head: Partial<LetterHead>,
  more: { readonly around?: Partial<LetterAround>; readonly texts?: Partial<LetterTexts> } = {},
): string {
  const { words = 'Please report.', enclosed = [] } = more.texts ?? {};
  const { from, ...made } = headOf(head.letterId ?? 'm-1', { receivedAtMs: SINCE_MS, ...head });
  // Empty: there is not exactly one.
  const letter = { head: from === '' ? made : { ...made, ...(from && { from }) }, words, enclosed };
  const records = decideLetter(book.state, letter, settings, around(book, more.around));
  book.take(records);
  return `${records.map(({ kind }) => kind).join(' ')} ${whatOf(records.at(-1)?.payload)}`.trim();
}

function whatOf(payload: unknown): string {
  const { rule, as } = (payload ?? {}) as { readonly rule?: string; readonly as?: { readonly kind: string } };
  return rule ?? as?.kind ?? '';
}

const none = { method: 'None', isAligned: false, evidence: 'Nothing shows who wrote it.' } as const;

/** Each row breaks what the rows above it leave whole. */
const rows: readonly (readonly [what: string, head: Partial<LetterHead>, becomes: string])[] = [
  ['a person who is listed', {}, 'MailSeen MailAdmitted Run'],
  ['somebody of a listed domain', { from: 'bo@team.example' }, 'MailSeen MailAdmitted Run'],
  ['a subdomain of a listed domain', { from: 'bo@x.team.example' }, 'MailSeen MailHeld sender/not-allowed'],
  ['a name that ends like a listed one', { from: 'joann@people.example' }, 'MailSeen MailHeld sender/not-allowed'],
  ['a sign that lower case makes a listed k', { from: '\u212aim@x.example' }, 'MailSeen MailHeld sender/not-allowed'],
  ['a stranger', { from: 'eve@evil.example' }, 'MailSeen MailHeld sender/not-allowed'],
  ['a listed name that nothing authenticates', { authentication: none }, 'MailSeen MailHeld sender/not-aligned'],
  ['two authors', { from: '', faults: ['SeveralSenders'] }, 'MailSeen MailHeld sender/not-one'],
  ['one that is too large', { faults: ['TooLarge'] }, 'MailSeen MailHeld limits/exceeded'],
  ['one with too many parts', { faults: ['TooManyParts'] }, 'MailSeen MailHeld limits/exceeded'],
  ['a program that is no peer', { automatic: ['AutoSubmitted'] }, 'MailSeen MailDropped automatic/stranger'],
  ['a list', { automatic: ['List'] }, 'MailSeen MailDropped automatic/list'],
  ['bulk mail', { automatic: ['Bulk'] }, 'MailSeen MailDropped automatic/list'],
  ['a mail server', { automatic: ['NullReturnPath'] }, 'MailSeen MailDropped automatic/bounce'],
  ['a report', { automatic: ['Report', 'NullReturnPath'] }, 'MailSeen MailDropped automatic/bounce'],
  ['a no-reply address', { automatic: ['Daemon'] }, 'MailSeen MailDropped automatic/bounce'],
  ['itself', { automatic: ['Own', 'AutoSubmitted'] }, 'MailSeen MailDropped automatic/own'],
  ['a peer', { from: 'peer@agents.example', automatic: ['AutoSubmitted'] }, 'MailSeen MailAdmitted Run'],
  ['a peer without the mark', { from: 'peer@agents.example' }, 'MailSeen MailAdmitted Run'],
  ['before the agent', { receivedAtMs: SINCE_MS - 1 }, 'MailSeen MailDropped mailbox/before-agent'],
];

describe('a letter', () => {
  verifies('mail:table', 'is admitted, held or dropped by the first row that holds', () => {
    for (const [what, head, becomes] of rows) expect([what, taken(bookOf(), head)]).toEqual([what, becomes]);
  });

  verifies('mail:once', 'that comes a hundred times is decided once, at whatever place', () => {
    const book = bookOf();
    const [first, ...others] = Array.from({ length: 100 }, (_, at) =>
      taken(book, { place: { mailbox: 'INBOX', uidValidity: '1', uid: at + 1 } }),
    );
    expect(first).toBe('MailSeen MailAdmitted Run');
    expect(new Set(others)).toEqual(new Set(['MailRepeated']));
    expect(book.state.mailboxes.get('INBOX')?.uid).toBe(100);
  });

  verifies(
    'mail:once',
    'of which a forged copy came first is decided when its author is known, and then no more',
    () => {
      for (const forged of [{ authentication: none }, { authentication: none, automatic: ['List' as const] }]) {
        const book = bookOf();
        expect(taken(book, forged)).toMatch(/^MailSeen Mail(Held|Dropped) /);
        expect(taken(book, forged)).toBe('MailRepeated');
        expect(taken(book, {})).toBe('MailSeen MailAdmitted Run');
        expect(taken(book, {})).toBe('MailRepeated');
        expect(taken(book, forged)).toBe('MailRepeated');
      }
    },
  );
  verifies('mail:once', 'whose decision a crash cut off is read again, and decided as it was', () => {
    const [book, place] = [bookOf(), { mailbox: 'INBOX', uidValidity: '1', uid: 7 }];
    const head = headOf('m-1', { receivedAtMs: SINCE_MS, place });
    book.take([{ store: 'mail', kind: 'MailSeen', payload: { head } }]);
    // The place that is read next is its own.
    expect(book.state.mailboxes.get('INBOX')?.uid).toBe(0);
    expect(taken(book, { place })).toBe('MailSeen MailAdmitted Run');
    expect(book.state.mailboxes.get('INBOX')?.uid).toBe(7);
    expect(taken(book, { place })).toBe('MailRepeated');
    expect(book.state.letters.size).toBe(1);
  });

  verifies('mail:restored', 'from before a restoring waits, whoever wrote it', () => {
    const book = bookOf();
    const restored = { around: { restoredAtMs: SINCE_MS + 10 } };
    expect(taken(book, {}, restored)).toBe('MailSeen MailHeld mailbox/restored');
    expect(taken(book, { letterId: 'm-2', receivedAtMs: SINCE_MS + 10 }, restored)).toBe('MailSeen MailAdmitted Run');
  });

  verifies('mail:table', 'of one sender too often in a day waits', () => {
    const book = bookOf();
    for (let at = 0; at < LETTERS_PER_SENDER_PER_DAY_MAX; at += 1) taken(book, { letterId: `m-${at}` });
    expect(taken(book, { letterId: 'm-more' })).toBe('MailSeen MailHeld sender/too-many');
    expect(taken(book, { letterId: 'm-bo', from: 'bo@team.example' })).toBe('MailSeen MailAdmitted Run');
    book.nowMs += 86_400_001;
    expect(taken(book, { letterId: 'm-next' })).toBe('MailSeen MailAdmitted Run');
  });

  verifies('mail:table', 'of a peer that repeats itself trips, and waits until a person releases one', () => {
    const book = bookOf();
    const peer = (letterId: string) => taken(book, { letterId, from: 'peer@agents.example' });
    expect([peer('m-1'), peer('m-2')]).toEqual(['MailSeen MailAdmitted Run', 'MailSeen MailAdmitted Run']);
    expect(peer('m-3')).toBe('MailSeen MailTripped MailHeld pair/tripped');
    expect(peer('m-4')).toBe('MailSeen MailHeld pair/tripped');
    const release = { letterId: 'm-4', runId: 'mail-4', reason: 'they may', by: 'ops' };
    book.take([{ store: 'mail', kind: 'MailReleased', payload: release }]);
    expect(peer('m-5')).toBe('MailSeen MailAdmitted Run');
  });

  verifies('mail:released', 'of a peer begins the count of answers anew, in the header and in the thread', () => {
    const book = bookOf();
    const from = 'peer@agents.example';
    const words = (at: number): Partial<LetterTexts> => ({
      words: `${'abcdefghijklmnop'.slice(at, at + 9)} ${at * 7919}`,
    });
    const answered = (letterId: string): string => {
      const of = { letterId, deliveryId: letterId, to: [from] };
      const request: SendRequest = { ...of, kind: 'Reply', subject: '', text: 'So it is.' };
      const mail = outgoingOf(book.state, request, settings);
      if (!mail.ok) throw new Error(mail.error);
      book.take([{ store: 'mail', kind: 'MailRequested', payload: { mail: mail.value } }]);
      return mail.value.messageId;
    };
    const heads = (at: number, hops: number, inReplyTo: readonly string[]): Partial<LetterHead> => ({
      ...{ letterId: `m-${at}`, from, hops, inReplyTo: [...inReplyTo] },
    });
    let ours: readonly string[] = [];
    for (let at = 0; at < 4; at += 1) {
      expect(taken(book, heads(at, 0, ours), { texts: words(at) })).toBe('MailSeen MailAdmitted Run');
      ours = [answered(`m-${at}`)];
    }
    expect(taken(book, heads(5, 99, ours), { texts: words(5) })).toBe('MailSeen MailTripped MailHeld pair/tripped');
    const release = { letterId: 'm-5', runId: 'mail-5', reason: 'they may', by: 'ops' };
    book.take([{ store: 'mail', kind: 'MailReleased', payload: release }]);
    ours = [answered('m-5')];
    expect([...book.state.outgoing.values()].at(-1)?.mail.hops).toBe(1);
    expect([...book.state.threads.values()].map(({ automatic }) => automatic)).toEqual([0]);
    expect(taken(book, heads(6, 2, ours), { texts: words(6) })).toBe('MailSeen MailAdmitted Run');
  });
});

verifies('mail:threads', 'An answer finds the thread of our Message-ID for its correspondent alone', () => {
  const book = bookOf();
  taken(book, { letterId: 'm-1' });
  const threadId = book.state.letters.get('m-1')?.threadId ?? '';
  const mail = {
    ...{ mailId: 'o-1', messageId: 'o-1.x@agents.example', kind: 'Reply', to: ['ann@people.example'] },
    ...{ subject: 'Re: The report', text: 'Here.', references: [], threadId, letterId: 'm-1', hops: 1 },
  };
  book.take([{ store: 'mail', kind: 'MailRequested', payload: { mail } }]);
  const answer = { inReplyTo: ['o-1.x@agents.example'], subject: 'Something else' };
  taken(book, { letterId: 'm-2', ...answer });
  taken(book, { letterId: 'm-3', from: 'bo@team.example', ...answer });
  taken(book, { letterId: 'm-4', subject: 'Re: The report', inReplyTo: ['m-1@people.example'] });
  const threads = ['m-2', 'm-3', 'm-4'].map((id) => book.state.letters.get(id)?.threadId === threadId);
  expect(threads).toEqual([true, false, false]);
});
