import type { PartRecord } from '@retainer/mind/part/store';
import type { LetterPlace } from '@retainer/mind/parts/mail/letter';
import { describe, expect } from 'vitest';
import { headOf, MailBook, OWN_ADDRESS } from '../../../../test/support/mail-book.ts';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { MailboxPort, MailRunsPort } from '../../ports/mail.ts';
import type { PartsPort } from '../../ports/tool.ts';
import { mailboxReader } from './mailbox-reader.ts';

const runs: MailRunsPort = {
  settings: {
    ...{ address: OWN_ADDRESS, allowedSenders: ['ann@people.example'], agentPeers: [] },
    ...{ hopsMax: 10, pairExchangesMax: 10 },
  },
  isWorking: () => true,
  around: () => ({ nowMs: 0, approvers: [], agentPeers: [], open: [], questions: [] }),
  begin: () => Promise.resolve(),
  isBegun: () => true,
  room: () => 1,
  changed: () => Promise.resolve(),
};

const IDS = ['m-1', 'm-2'];

/** A mailbox with two letters of Ann, its agent, and the record. */
class Followed {
  readonly book = new MailBook();
  readonly #clock = manualClock();
  /** What record and server have done, in order. */
  readonly log: string[] = [];
  uidValidity = '1';
  /** What the server does when it is asked for a letter. */
  does: 'Answer' | 'SayNothing' = 'Answer';
  isFull = false;

  /** Until there is no news. */
  async read(): Promise<void> {
    const stopping = new AbortController();
    const reader = mailboxReader({
      clock: manualClock(),
      parts: this.#parts(),
      mailbox: this.#mailbox(stopping),
      runs,
    });
    await reader.run(stopping.signal);
  }

  #parts(): PartsPort {
    return {
      known: this.book.parts.known,
      write: async (records: readonly PartRecord[]) => {
        // A disk takes its time.
        await new Promise((resolve) => setImmediate(resolve));
        if (this.isFull && records[0]?.kind === 'MailSeen') throw new Error('the volume is full');
        await this.book.parts.write(records);
        this.log.push(records.map(({ kind }) => kind).join(' '));
      },
    };
  }

  #mailbox(stopping: AbortController): MailboxPort {
    let end = (): void => undefined;
    const place = (uid: number): LetterPlace => ({ mailbox: 'INBOX', uidValidity: this.uidValidity, uid });
    return {
      open: () => Promise.resolve({ mailbox: 'INBOX', uidValidity: this.uidValidity, uidNext: 3 }),
      list: ({ uid }) => Promise.resolve(IDS.map((_, at) => place(at + 1)).filter((it) => it.uid >= uid)),
      read: async (at) => {
        if (this.does === 'Answer') {
          const head = headOf(IDS[at.uid - 1] ?? '', { place: at, receivedAtMs: this.#clock.nowMs() });
          return { head, words: 'Please report.', enclosed: [] };
        }
        return new Promise((_resolve, reject) => {
          end = () => reject(Object.assign(new Error('the connection ended'), { name: 'MailServerError' }));
          stopping.abort(new Error('stopped'));
        });
      },
      flag: (places) => Promise.resolve(places.forEach(({ uid }) => this.log.push(`flag ${uid}`))),
      changed: () => Promise.resolve(stopping.abort(new Error('no news'))),
      isInSent: () => Promise.resolve(false),
      appendToSent: () => Promise.resolve(),
      health: () => ({ state: 'Up', sinceMs: 0 }),
      close: () => Promise.resolve(end()),
    };
  }
}

describe('whoever reads letters', () => {
  verifies('mail:unseen-until-durable', 'marks each when the record has it', async () => {
    const followed = new Followed();
    await followed.read();
    const each = (uid: number) => ['MailSeen MailAdmitted', `flag ${uid}`];
    expect(followed.log).toEqual(['MailboxOpened', ...each(1), ...each(2)]);
  });

  verifies('mail:unseen-until-durable', 'marks none that the record did not take, and reads it again', async () => {
    const followed = new Followed();
    followed.isFull = true;
    await expect(followed.read()).rejects.toThrow('the volume is full');
    expect(followed.log).toEqual(['MailboxOpened']);
    followed.isFull = false;
    await followed.read();
    expect(followed.book.of('MailAdmitted')).toHaveLength(2);
  });

  verifies('mail:renumbered', 'reads all again where they have other numbers, and takes none twice', async () => {
    const followed = new Followed();
    await followed.read();
    followed.uidValidity = '2';
    await followed.read();
    expect(followed.log.slice(5)).toEqual(['MailboxOpened', 'MailRepeated', 'flag 1', 'MailRepeated', 'flag 2']);
    expect(followed.book.of('MailAdmitted')).toHaveLength(2);
  });

  verifies('mail-servers:closes', 'waits no longer for a server when the agent stops', async () => {
    const followed = new Followed();
    followed.does = 'SayNothing';
    await followed.read();
    expect(followed.book.kinds()).toEqual(['MailboxOpened']);
  });
});
