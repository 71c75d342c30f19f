/**
 * All mail, as the record tells of it.
 *
 * I1  The id of every letter that was ever decided is known: no letter begins two runs, however often and wherever it lies.
 * I2  A Message-ID of ours leads to its thread for its correspondent alone.
 * I3  A mail that was handed to a server has a fate, or none is known: only one that the server refused for a while, or never got, is
 *     open.
 */
import { z } from 'zod';
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { defineProjection } from '../../part/projection.ts';
import { Admitted, Contact, KeptLetter, KeptOutgoing, Mailbox, Pair, Send, Thread } from './kept-mail.ts';
import type { LetterHead, LetterTexts } from './letter.ts';
import { mailKinds, type MailRecordOf, type Outgoing } from './mail-records.ts';

/** Letters that are listed, the newest that began something, and as many others: half a year of a busy mailbox. The record has all. */
export const LETTERS_KEPT = 2_000;
/** Mails that are listed, the newest and those of which nobody knows yet what becomes. */
export const OUTGOING_KEPT = 2_000;
/** Characters of the texts of listed letters, of the newest ones: some 8 MB. The record has all. */
export const TEXT_CHARACTERS_KEPT = 4_000_000;
/** Threads that an answer finds, the newest: years of them, some 20 MB. */
export const THREADS_KEPT = 20_000;
/** Message-IDs of ours that lead to their threads. */
const MESSAGE_IDS_KEPT = 100_000;
/** Message-IDs of one thread: as many as a letter may refer to. */
const THREAD_IDS_KEPT = 100;
/** Mails and admissions that limits count: the longest of these is a day, and an hour may have a thousand. */
const COUNTED_KEPT = 24_000;
/** Addresses that letters came from or went to, the newest: of a forgotten one a person is asked again. */
export const CONTACTS_KEPT = 10_000;
/** Texts of one peer that are compared, and characters of each. */
const PAIR_TEXTS_KEPT = 50;
const PAIR_CHARACTERS_KEPT = 2_000;

export interface MailState {
  /** Every letter that was ever decided. */
  readonly seen: Set<string>;
  /** Oldest first. */
  readonly letters: Map<string, KeptLetter>;
  /** Of them, those that began something, and all others: strangers push nothing out on which the agent works. Oldest first. */
  readonly working: Set<string>;
  readonly idle: Set<string>;
  /** Ids of listed letters whose texts are at hand, oldest first, with their characters. */
  readonly texts: Map<string, number>;
  /** Of all of them. */
  textCharacters: number;
  /** Oldest first. */
  readonly outgoing: Map<string, KeptOutgoing>;
  readonly threads: Map<string, Thread>;
  /** By our Message-ID. */
  readonly threadOf: Map<string, { readonly threadId: string; readonly mailId: string }>;
  /** By name. */
  readonly mailboxes: Map<string, Mailbox>;
  /** By address of the peer. */
  readonly pairs: Map<string, Pair>;
  /** Whoever wrote and was admitted, and whoever was written to, the newest last. */
  readonly contacts: Map<string, z.infer<typeof Contact>>;
  /** For the limits of sending, oldest first. */
  readonly sends: z.infer<typeof Send>[];
  /** For the limit of letters, oldest first. */
  readonly admitted: z.infer<typeof Admitted>[];
}

const start = (): MailState => ({
  ...{
    seen: new Set(),
    letters: new Map(),
    working: new Set(),
    idle: new Set(),
    texts: new Map(),
    textCharacters: 0,
    outgoing: new Map(),
    threads: new Map(),
  },
  ...{ threadOf: new Map(), mailboxes: new Map(), pairs: new Map(), contacts: new Map(), sends: [], admitted: [] },
});

function counted<Entry>(list: Entry[], entry: Entry): void {
  list.push(entry);
  if (list.length > COUNTED_KEPT) list.shift();
}

function noteContact({ contacts }: MailState, address: string, atMs: number, is: 'sent' | 'received'): void {
  const before = contacts.get(address) ?? { atMs, sent: 0, received: 0 };
  contacts.delete(address);
  contacts.set(address, { ...before, atMs, [is]: before[is] + 1 });
  forgetOldest(contacts, CONTACTS_KEPT);
}

function moveOn({ mailboxes }: MailState, { place }: Pick<LetterHead, 'place'>): void {
  const before = mailboxes.get(place.mailbox);
  if (before === undefined || before.uidValidity !== place.uidValidity || before.uid >= place.uid) return;
  mailboxes.set(place.mailbox, { ...before, uid: place.uid });
}

/** What a letter or a mail adds to its thread. */
interface InThread extends Pick<Thread, 'correspondent' | 'subject'> {
  readonly messageId: string | undefined;
  readonly automatic: (before: number) => number;
  readonly timeMs: number;
}

function noteThread({ threads }: MailState, threadId: string, added: InThread): void {
  const before = threads.get(threadId);
  const kept = before?.messageIds.slice(1 - THREAD_IDS_KEPT) ?? [];
  if (added.messageId !== undefined) kept.push(added.messageId);
  threads.delete(threadId);
  threads.set(threadId, {
    threadId,
    correspondent: before?.correspondent ?? added.correspondent,
    subject: before?.subject ?? added.subject,
    messageIds: kept,
    automatic: added.automatic(before?.automatic ?? 0),
    newestAtMs: added.timeMs,
  });
  forgetOldest(threads, THREADS_KEPT);
}

function keepTexts(state: MailState, letterId: string, { words, enclosed }: LetterTexts): void {
  const characters = words.length + enclosed.reduce((sum, { text }) => sum + text.length, 0);
  forgetTexts(state, letterId);
  state.texts.set(letterId, characters);
  state.textCharacters += characters;
  for (const [oldest] of state.texts) {
    if (state.textCharacters <= TEXT_CHARACTERS_KEPT || oldest === letterId) return;
    forgetTexts(state, oldest);
    changed(state, oldest, withoutTexts);
  }
}

function withoutTexts(letter: KeptLetter): KeptLetter {
  const { texts, ...rest } = letter;
  return texts === undefined ? letter : rest;
}

function forgetTexts(state: MailState, letterId: string): void {
  state.textCharacters -= state.texts.get(letterId) ?? 0;
  state.texts.delete(letterId);
}

function changed(state: MailState, letterId: string, to: (letter: KeptLetter) => KeptLetter): void {
  const letter = state.letters.get(letterId);
  if (letter !== undefined) state.letters.set(letterId, to(letter));
}

/** A letter counts as seen by its decision: a process that ends between the two records reads it again. */
function taken(state: MailState, letterId: string): void {
  state.seen.add(letterId);
  const letter = state.letters.get(letterId);
  if (letter !== undefined) moveOn(state, letter.head);
}

function atWork(state: MailState, letterId: string): void {
  const { idle, working } = state;
  if (idle.delete(letterId)) working.add(letterId);
  forgetLetters(state, working);
}

function forgetLetters(state: MailState, listed: Set<string>): void {
  if (listed.size <= LETTERS_KEPT) return;
  const [oldest = ''] = listed;
  listed.delete(oldest);
  state.letters.delete(oldest);
  forgetTexts(state, oldest);
}

/** A letter of a program lengthens the count of its thread; a person's begins it anew. */
function admit(state: MailState, record: MailRecordOf<'MailAdmitted'>, timeMs: number): void {
  const { letterId, threadId, texts, as, isOfProgram = false } = record;
  taken(state, letterId);
  atWork(state, letterId);
  changed(state, letterId, (letter) => ({ ...letter, status: 'Admitted', threadId, texts, as }));
  keepTexts(state, letterId, texts);
  const head = state.letters.get(letterId)?.head;
  if (head?.from === undefined) return;
  const { from, messageId, subject } = head;
  noteContact(state, from, timeMs, 'received');
  counted(state.admitted, { atMs: timeMs, from });
  const automatic = (before: number): number => (isOfProgram ? before + 1 : 0);
  noteThread(state, threadId, { correspondent: from, subject, messageId, automatic, timeMs });
  if (!isOfProgram) return;
  const words = texts.words.slice(0, PAIR_CHARACTERS_KEPT);
  const pair = state.pairs.get(from) ?? { texts: [] };
  state.pairs.set(from, { ...pair, texts: [...pair.texts, { atMs: timeMs, words }].slice(-PAIR_TEXTS_KEPT) });
}

function request(state: MailState, mail: Outgoing, at: { readonly timeMs: number; readonly runId?: string }): void {
  const { mailId, messageId, threadId, to, subject, letterId, kind } = mail;
  const { timeMs, runId } = at;
  const opened = { mail, status: 'Open', requestedAtMs: timeMs, atMs: timeMs, failures: 0 } as const;
  state.outgoing.set(mailId, runId === undefined ? opened : { ...opened, runId });
  forgetMail(state);
  state.threadOf.set(messageId, { threadId, mailId });
  forgetOldest(state.threadOf, MESSAGE_IDS_KEPT);
  const [correspondent = ''] = to;
  noteThread(state, threadId, { correspondent, subject, messageId, automatic: (before) => before, timeMs });
  for (const address of to) noteContact(state, address, timeMs, 'sent');
  counted(state.sends, { mailId, atMs: timeMs, to: [...to], threadId, isReply: kind !== 'Tool' });
  if (letterId !== undefined) changed(state, letterId, (letter) => ({ ...letter, isAnswered: true }));
}

/**
 * Forgets the oldest whose fate is known. One on its way is still to be sent, and its delivery is still to be told: within a day it is
 * over, so a day's mails are the most that are kept.
 */
function forgetMail({ outgoing }: MailState): void {
  if (outgoing.size <= OUTGOING_KEPT) return;
  for (const [mailId, { status }] of outgoing) {
    if (status === 'Open' || status === 'Handed') continue;
    outgoing.delete(mailId);
    return;
  }
}

/** A person has looked: two programs count from nothing. */
function beginAnew({ pairs, threads }: MailState, letter: KeptLetter | undefined): void {
  const from = letter?.head.from ?? '';
  if (pairs.has(from)) pairs.set(from, { texts: [] });
  const thread = threads.get(letter?.threadId ?? '');
  if (thread !== undefined) threads.set(thread.threadId, { ...thread, automatic: 0 });
}

type Fate = Partial<Pick<KeptOutgoing, 'reason' | 'failures'>> & Pick<KeptOutgoing, 'status'>;

function fate({ outgoing }: MailState, mailId: string, atMs: number, to: (mail: KeptOutgoing) => Fate): void {
  const before = outgoing.get(mailId);
  if (before !== undefined) outgoing.set(mailId, { ...before, ...to(before), atMs });
}

export const mail = defineProjection({
  store: 'mail',
  kinds: mailKinds,
  start,
  folds: {
    MailboxOpened: ({ mailboxes }, { mailbox, uidValidity, fromUid, sinceMs }) => {
      mailboxes.set(mailbox, { uidValidity, uid: fromUid - 1, sinceMs });
    },
    MailSeen: (state, { head }, { timeMs }) => {
      const { letters, idle } = state;
      letters.set(head.letterId, { head, status: 'Dropped', atMs: timeMs, isAnswered: false });
      idle.add(head.letterId);
      forgetLetters(state, idle);
    },
    MailRepeated: moveOn,
    MailAdmitted: (state, record, { timeMs }) => admit(state, record, timeMs),
    MailHeld: (state, { letterId, threadId, texts, rule, evidence }) => {
      taken(state, letterId);
      changed(state, letterId, (letter) => ({ ...letter, status: 'Held', threadId, texts, rule, evidence }));
      keepTexts(state, letterId, texts);
    },
    MailDropped: (state, { letterId, rule, evidence }) => {
      taken(state, letterId);
      changed(state, letterId, (letter) => ({ ...letter, status: 'Dropped', rule, evidence }));
    },
    MailReleased: (state, { letterId, runId, reason, by }) => {
      const release = { runId, reason, ...(by === undefined ? {} : { by }) };
      atWork(state, letterId);
      changed(state, letterId, (letter) => ({ ...letter, status: 'Released', release }));
      beginAnew(state, state.letters.get(letterId));
    },
    MailTripped: ({ pairs }, { peer, why, count }, { timeMs }) => {
      pairs.set(peer, { texts: pairs.get(peer)?.texts ?? [], tripped: { why, count, atMs: timeMs } });
    },
    MailRequested: (state, record, { timeMs, runId }) =>
      request(state, record.mail, { timeMs, ...(runId === undefined ? {} : { runId }) }),
    MailHanded: (state, { mailId }, { timeMs }) => fate(state, mailId, timeMs, () => ({ status: 'Handed' })),
    MailSent: (state, { mailId }, { timeMs }) => fate(state, mailId, timeMs, () => ({ status: 'Sent' })),
    MailFailed: (state, { mailId, reason, isPermanent }, { timeMs }) =>
      fate(state, mailId, timeMs, ({ failures }) => ({
        ...{ status: isPermanent ? 'Failed' : 'Open', reason, failures: failures + 1 },
      })),
    MailUnknown: (state, { mailId, reason }, { timeMs }) =>
      fate(state, mailId, timeMs, () => ({ status: 'Unknown', reason })),
    MailBounced: (state, { mailId, status: reason }, { timeMs }) =>
      fate(state, mailId, timeMs, () => ({ status: 'Bounced', reason })),
    MailWithheld: (state, { mailId, limit }, { timeMs }) => {
      fate(state, mailId, timeMs, () => ({ status: 'Withheld', reason: limit }));
      const at = state.sends.findLastIndex((it) => it.mailId === mailId);
      if (at !== -1) state.sends.splice(at, 1);
    },
  },
  window: 'WholeStore',
  cached: {
    version: 1,
    schema: z.object({
      seen: z.array(z.string()),
      letters: z.array(KeptLetter),
      working: z.array(z.string()),
      texts: z.array(z.tuple([z.string(), z.number()])),
      outgoing: z.array(KeptOutgoing),
      threads: z.array(Thread),
      threadOf: z.array(z.tuple([z.string(), z.object({ threadId: z.string(), mailId: z.string() })])),
      mailboxes: z.array(z.tuple([z.string(), Mailbox])),
      pairs: z.array(z.tuple([z.string(), Pair])),
      contacts: z.array(z.tuple([z.string(), Contact])),
      sends: z.array(Send),
      admitted: z.array(Admitted),
    }),
    keep: ({ seen, letters, working, outgoing, threads, ...state }) => ({
      ...{ seen: [...seen], letters: [...letters.values()], outgoing: [...outgoing.values()] },
      ...{
        working: [...working],
        threads: [...threads.values()],
        texts: [...state.texts],
        threadOf: [...state.threadOf],
      },
      ...{ mailboxes: [...state.mailboxes], pairs: [...state.pairs], contacts: [...state.contacts] },
      ...{ sends: [...state.sends], admitted: [...state.admitted] },
    }),
    restore: (state, kept) => {
      for (const letterId of kept.seen) state.seen.add(letterId);
      for (const letterId of kept.working) state.working.add(letterId);
      for (const letter of kept.letters) {
        const { letterId } = letter.head;
        state.letters.set(letterId, letter);
        if (!state.working.has(letterId)) state.idle.add(letterId);
      }
      for (const outgoing of kept.outgoing) state.outgoing.set(outgoing.mail.mailId, outgoing);
      for (const thread of kept.threads) state.threads.set(thread.threadId, thread);
      for (const [id, characters] of kept.texts) {
        state.texts.set(id, characters);
        state.textCharacters += characters;
      }
      for (const [id, of] of kept.threadOf) state.threadOf.set(id, of);
      for (const [name, mailbox] of kept.mailboxes) state.mailboxes.set(name, mailbox);
      for (const [peer, pair] of kept.pairs) state.pairs.set(peer, pair);
      for (const [address, contact] of kept.contacts) state.contacts.set(address, contact);
      state.sends.push(...kept.sends);
      state.admitted.push(...kept.admitted);
    },
  },
});
