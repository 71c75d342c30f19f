/** The order of one letter: read, decided, on the disk, begun by others, marked; and what may go wrong between two of these. */
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { Letter, LetterPlace } from '@retainer/mind/parts/mail/letter';
import { describe, expect } from 'vitest';
import { headOf, MailBook, OWN_ADDRESS } from '../../../../test/support/mail-book.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { MailboxPort, MailRunsPort } from '../../ports/mail.ts';
import { mailboxReader } from './mailbox-reader.ts';

const clock = {
  ...systemClock,
  sleep: async () => {
    await setImmediate();
  },
  nowMs: () => 0,
};
const place = (uid: number): LetterPlace => ({ mailbox: 'INBOX', uidValidity: '1', uid });

/** A mailbox in memory: letters by number, and what was marked. */
class Mailbox implements MailboxPort {
  readonly marked: number[] = [];
  readonly letters = new Map<number, Letter | undefined>();
  readonly #done: () => void;
  opened = 0;

  constructor(uids: readonly number[], done: () => void) {
    for (const uid of uids)
      this.letters.set(uid, { head: headOf(`m-${uid}`, { place: place(uid) }), words: 'Report.', enclosed: [] });
    this.#done = done;
  }

  open() {
    this.opened += 1;
    return Promise.resolve({ mailbox: 'INBOX', uidValidity: '1', uidNext: 100 });
  }
  list({ uid, max }: { readonly uid: number; readonly max: number }) {
    return Promise.resolve(
      [...this.letters.keys()]
        .filter((it) => it >= uid)
        .slice(0, max)
        .map(place),
    );
  }
  read({ uid }: LetterPlace) {
    return Promise.resolve(this.letters.get(uid));
  }
  flag(places: readonly LetterPlace[]) {
    this.marked.push(...places.map(({ uid }) => uid));
    return Promise.resolve();
  }
  changed(signal: AbortSignal) {
    this.#done();
    signal.throwIfAborted();
    return Promise.resolve();
  }
  isInSent = () => Promise.resolve(undefined);
  appendToSent = () => Promise.resolve();
  health = () => ({ state: 'Up', sinceMs: 0 }) as const;
  close = () => Promise.resolve();
}

/** Ends when the mailbox is read to its end. */
async function living(
  uids: readonly number[],
  faults: { readonly standstillAtWrite?: number; readonly gone?: number } = {},
) {
  const end = new AbortController();
  const mailbox = new Mailbox(uids, () => end.abort());
  if (faults.gone !== undefined) mailbox.letters.set(faults.gone, undefined);
  const book = new MailBook();
  let writes = 0;
  let isStanding = false;
  const runs: MailRunsPort = {
    settings: {
      address: OWN_ADDRESS,
      allowedSenders: ['ann@people.example'],
      agentPeers: [],
      hopsMax: 10,
      pairExchangesMax: 10,
    },
    isWorking: () => {
      const isWorking = !isStanding;
      // Space was made.
      isStanding = false;
      return isWorking;
    },
    around: () => ({ nowMs: 0, approvers: [], agentPeers: [], open: [], questions: [] }),
    begin: () => Promise.resolve(),
    room: () => Infinity,
    isBegun: () => true,
    changed: () => Promise.resolve(),
  };
  const parts = {
    known: book.parts.known,
    write: (records: Parameters<MailBook['take']>[0]) => {
      writes += 1;
      if (writes !== faults.standstillAtWrite) return book.parts.write(records);
      isStanding = true;
      return Promise.reject(new Error('ENOSPC'));
    },
  };
  const isRejected = await mailboxReader({ clock, parts, mailbox, runs })
    .run(end.signal)
    .then(
      () => false,
      (error: unknown) => !end.signal.aborted && error !== undefined,
    );
  return { book, mailbox, isRejected };
}

describe('the reader of the mailbox', () => {
  for (const standstillAtWrite of [1, 2, 3])
    verifies(
      'mail:once',
      `reads again what a full volume did not take at write ${standstillAtWrite}, and ends nothing`,
      async () => {
        const { book, mailbox, isRejected } = await living([1, 2], { standstillAtWrite });
        expect(isRejected).toBe(false);
        expect(book.kinds()).toEqual(['MailboxOpened', 'MailSeen', 'MailAdmitted', 'MailSeen', 'MailAdmitted']);
        expect(new Set(mailbox.marked)).toEqual(new Set([1, 2]));
        expect(mailbox.opened).toBe(2);
      },
    );

  verifies('mail:once', 'leaves out a letter that is gone, and reads those behind it', async () => {
    const { book, mailbox } = await living([1, 2], { gone: 1 });
    expect(book.kinds()).toEqual(['MailboxOpened', 'MailSeen', 'MailAdmitted']);
    expect(mailbox.marked).toEqual([2]);
  });
});
