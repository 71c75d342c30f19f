import { describe, expect } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { mailEvents, mailTellers } from './tell.ts';

const WORDS = 'words of a stranger';

/** Every member that a record of mail may have, each with words of others. */
const hostile = {
  ...{ letterId: 'm-1', mailId: 'o-1', rule: 'sender/not-allowed', by: 'eve', peer: WORDS, reason: WORDS },
  ...{ evidence: WORDS, limit: 'sendsPerHour', why: 'Alike', count: 10, isPermanent: true, status: WORDS },
  head: { letterId: 'm-1', from: WORDS, subject: WORDS },
  texts: { words: WORDS, enclosed: [] },
  as: { kind: 'Run', runId: 'r-1' },
  mail: { mailId: 'o-1', kind: 'Reply', to: [WORDS], subject: WORDS, text: WORDS },
};

describe('mail as an event', () => {
  verifies('cli-mail:state', 'is told by fixed words, one title for each name', () => {
    const told = Object.entries(mailEvents).map(([kind, happened]) => [kind, happened(hostile)]);
    expect(JSON.stringify(told)).not.toContain(WORDS);
    expect(Object.fromEntries(told)).toEqual({
      MailHeld: { name: 'letter-held', title: 'a letter that waits for a person' },
      MailTripped: { name: 'mail-tripped', title: 'letters of a peer are held' },
      MailUnknown: { name: 'mail-unknown', title: 'a mail that may have been sent' },
      MailBounced: { name: 'mail-bounced', title: 'a mail that came back' },
      MailWithheld: { name: 'mail-withheld', title: 'a mail that a limit forbade' },
      MailFailed: { name: 'mail-refused', title: 'a mail that the server refused' },
    });
    expect(mailEvents.MailFailed?.({ isPermanent: false })).toBeUndefined();
  });
});

describe('mail in a story', () => {
  verifies('cli-mail:explained', 'has no word of others in its lines', () => {
    for (const [kind, tell] of Object.entries(mailTellers)) {
      const { text, live } = tell(hostile, (id) => id);
      expect(`${text} ${String(live)}`, kind).not.toContain(WORDS);
      expect(text, kind).not.toMatch(/undefined|\[object/);
    }
  });
});
