import { expect } from 'vitest';
import { MailBook, OWN_ADDRESS } from '../../../../test/support/mail-book.ts';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { MailboxPort, MailRunsPort } from '../../ports/mail.ts';
import { mailboxReader } from './mailbox-reader.ts';

const runs: MailRunsPort = {
  settings: { address: OWN_ADDRESS, allowedSenders: [], agentPeers: [], hopsMax: 10, pairExchangesMax: 10 },
  isWorking: () => true,
  around: () => ({ nowMs: 0, approvers: [], agentPeers: [], open: [], questions: [] }),
  begin: () => Promise.resolve(),
  isBegun: () => true,
  changed: () => Promise.resolve(),
};

/** A mailbox whose server says nothing more once it is asked for a letter. */
function silentMailbox(onAsked: () => void): MailboxPort {
  let end = (): void => undefined;
  return {
    open: () => Promise.resolve({ mailbox: 'INBOX', uidValidity: '1', uidNext: 2 }),
    list: () => Promise.resolve([{ mailbox: 'INBOX', uidValidity: '1', uid: 1 }]),
    read: () =>
      new Promise((_resolve, reject) => {
        end = () => reject(Object.assign(new Error('the connection ended'), { name: 'MailServerError' }));
        onAsked();
      }),
    flag: () => Promise.resolve(),
    changed: () => Promise.resolve(),
    isInSent: () => Promise.resolve(false),
    appendToSent: () => Promise.resolve(),
    health: () => ({ state: 'Up', sinceMs: 0 }),
    close: () => Promise.resolve(end()),
  };
}

verifies(
  'mail-servers:closes',
  'Whoever reads a letter when the agent stops waits no longer for its server',
  async () => {
    const book = new MailBook();
    const stopping = new AbortController();
    const mailbox = silentMailbox(() => stopping.abort(new Error('stopped')));
    const reader = mailboxReader({ clock: manualClock(), parts: book.parts, mailbox, runs });
    await reader.run(stopping.signal);
    expect(book.kinds()).toEqual(['MailboxOpened']);
  },
);
