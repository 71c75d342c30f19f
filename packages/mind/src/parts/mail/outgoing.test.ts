import { invariant } from '@retainer/contract/std/invariant';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MailBook, OWN_ADDRESS } from '../../../../../test/support/mail-book.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { isOneLine } from './header-values.ts';
import type { Outgoing } from './mail-records.ts';
import { OUTGOING_KEPT } from './mail-state.ts';
import { isFirstContact, mailIdOf, outgoingOf, overLimit, type SendRequest, type SendSettings } from './outgoing.ts';

const HOUR_MS = 3_600_000;
const settings: SendSettings = {
  address: OWN_ADDRESS,
  allowedRecipients: ['ann@people.example', '*@firm.example'],
  sendsPerHour: 20,
  repliesPerThreadPerHour: 5,
  messagesPerCorrespondentPerDay: 20,
};
const answer: SendRequest = {
  kind: 'Reply',
  to: ['ann@people.example'],
  subject: 'whatever',
  text: 'It is done.',
  letterId: 'm-1',
  deliveryId: 'mail-m-1-d1',
};
const letter: SendRequest = { kind: 'Tool', to: ['bob@firm.example'], subject: 'Hello', text: 'Hi.', callId: 'c-1' };

function made(book: MailBook, request: SendRequest): Outgoing {
  const mail = outgoingOf(book.state, request, settings);
  invariant(mail.ok, mail.ok ? '' : mail.error);
  return mail.value;
}

function sent(book: MailBook, request: SendRequest): Outgoing {
  const mail = made(book, request);
  book.take([{ store: 'mail', kind: 'MailRequested', payload: { mail } }]);
  return mail;
}

describe('a mail of ours', () => {
  verifies('mail-out:threading', 'answers the letter, in its thread, with one Re:', () => {
    const book = new MailBook();
    book.letter('m-1', { subject: 'RE: Aw: re[2]:  The report' });
    const mail = made(book, answer);
    expect(mail).toMatchObject({
      subject: 'Re: The report',
      inReplyTo: 'm-1@people.example',
      references: ['m-1@people.example'],
      threadId: 't-m-1',
      to: ['ann@people.example'],
    });
    expect(mail.messageId).toMatch(/^o-[0-9a-f]{20}\.[0-9a-f]{16}@agents\.example$/);
  });

  verifies('mail-out:threading', 'names the first and the newest of a long thread, the answered letter last', () => {
    const book = new MailBook();
    for (let at = 0; at < 40; at += 1) book.letter(`m-${at}`, {}, { threadId: 't-1' });
    const { references, inReplyTo } = made(book, { ...answer, letterId: 'm-7' });
    expect(references).toHaveLength(20);
    expect([references[0], references.at(-1), inReplyTo]).toEqual([
      'm-0@people.example',
      'm-7@people.example',
      'm-7@people.example',
    ]);
  });

  verifies('mail-out:threading', 'takes nothing into a header that no header may have', () => {
    const book = new MailBook();
    book.letter('m-1', { messageId: 'a b\r\nBcc: eve@evil.example', subject: 'a\r\nBcc: eve@evil.example' });
    const mail = made(book, answer);
    expect(mail.references).toEqual([]);
    expect(mail).not.toHaveProperty('inReplyTo');
    expect(mail.subject).toBe('Re: a Bcc: eve@evil.example');
  });

  it('has a subject on one line, whatever the letter or the model says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.boolean(), (subject, isAnswer) => {
        const book = new MailBook();
        book.letter('m-1', { subject });
        expect(isOneLine(made(book, isAnswer ? answer : { ...letter, subject }).subject)).toBe(true);
      }),
    );
  });

  verifies('mail-out:same-reason-same-mail', 'is the same for the same reason, and another for another one', () => {
    const book = new MailBook();
    book.letter('m-1');
    expect(made(book, answer)).toEqual(made(book, answer));
    const other = [
      { ...answer, deliveryId: 'mail-m-1-given-up' },
      letter,
      { ...letter, callId: 'c-2' },
      { kind: 'Fixed', to: answer.to, letterId: 'm-1' },
      { kind: 'Question', to: answer.to, letterId: 'm-1', questionId: 'q1' },
      { kind: 'Question', to: answer.to, letterId: 'm-1', questionId: 'q2' },
    ] as const;
    const ids = [answer, ...other].map((it) => mailIdOf(it));
    expect(new Set(ids).size).toBe(ids.length);
  });

  verifies('mail-out:loop-headers', 'counts the programs that answered, by the header or by our own count', () => {
    const book = new MailBook();
    book.letter('m-1', { hops: 4 });
    expect(made(book, answer).hops).toBe(5);
    book.letter('m-2', { hops: 0 }, { threadId: 't-2', isOfProgram: true });
    book.letter('m-3', { hops: 0 }, { threadId: 't-2', isOfProgram: true });
    // Theirs, ours, theirs, and this one: as the next letter of that program is counted.
    expect(made(book, { ...answer, letterId: 'm-3' }).hops).toBe(4);
    // A tool of the run that the letter began does not begin the count anew.
    expect(made(book, { ...letter, runId: 'mail-m-1' }).hops).toBe(5);
    expect(made(book, letter).hops).toBe(1);
  });

  it.each([
    [{ to: [] }, 'to: name 1 to 10 receivers'],
    [{ to: Array.from({ length: 11 }, (_, at) => `a${at}@firm.example`) }, 'to: name 1 to 10 receivers'],
    [{ to: ['eve%evil.example@firm.example'] }, 'to: each receiver is a bare address, as ann@example.org'],
    [{ to: ['Bob <bob@firm.example>'] }, 'to: each receiver is a bare address, as ann@example.org'],
    [{ to: [OWN_ADDRESS.toUpperCase()] }, 'to: the agent does not write to itself; name another receiver'],
    [{ letterId: 'm-1' }, 'to: an answer to a letter goes to its sender alone'],
    [{ letterId: 'm-9' }, 'letterId: the agent knows no such letter that could be answered'],
  ])('is none for %j', (more, error) => {
    const book = new MailBook();
    book.letter('m-1');
    expect(outgoingOf(book.state, { ...letter, ...more }, settings)).toEqual({ ok: false, error });
  });
});

describe('the limits of sending', () => {
  const limitOf = (book: MailBook, request: SendRequest, more: Partial<SendSettings> = {}) =>
    overLimit(book.state, made(book, request), { ...settings, ...more }, book.nowMs);

  verifies('mail-out:limits', 'forbid a mail of an hour, and say until when', () => {
    const book = new MailBook();
    const since = book.nowMs;
    for (let at = 0; at < 20; at += 1) {
      expect(limitOf(book, { ...letter, callId: `c-${at}`, to: [`b${at}@firm.example`] })).toBeUndefined();
      sent(book, { ...letter, callId: `c-${at}`, to: [`b${at}@firm.example`] });
      book.nowMs += 1000;
    }
    const next = { ...letter, callId: 'c-next' };
    expect(limitOf(book, next)).toEqual({ limit: 'sendsPerHour', untilMs: since + HOUR_MS });
    book.nowMs = since + HOUR_MS;
    expect(limitOf(book, next)).toBeUndefined();
  });

  verifies('mail-out:limits', 'forbid a reply of a thread and a mail to one person', () => {
    const book = new MailBook();
    for (let at = 0; at < 6; at += 1) book.letter(`m-${at}`, {}, { threadId: 't-1' });
    for (let at = 0; at < 5; at += 1) sent(book, { ...answer, letterId: `m-${at}`, deliveryId: `d${at}` });
    const next = { ...answer, letterId: 'm-5', deliveryId: 'd5' };
    expect(limitOf(book, next)?.limit).toBe('repliesPerThreadPerHour');
    const person = limitOf(book, next, { repliesPerThreadPerHour: 100, messagesPerCorrespondentPerDay: 5 });
    expect(person).toEqual({ limit: 'messagesPerCorrespondentPerDay', untilMs: book.nowMs + 24 * HOUR_MS });
    expect(limitOf(book, letter, { sendsPerHour: 0 })).toEqual({ limit: 'sendsPerHour' });
  });

  verifies('mail-tools:recipients-hard', 'forbid a tool’s mail to whoever is not listed, whatever else holds', () => {
    const book = new MailBook();
    expect(limitOf(book, { ...letter, to: ['bob@firm.example', 'eve@evil.example'] })).toEqual({
      limit: 'allowedRecipients',
    });
    expect(limitOf(book, { ...letter, to: ['bob@sub.firm.example'] })?.limit).toBe('allowedRecipients');
    expect(limitOf(book, { ...letter, to: ['Bob@Firm.example'] })).toBeUndefined();
  });

  verifies('mail-out:limits', 'allow one result for each letter, and what was withheld counts nowhere', () => {
    const book = new MailBook();
    book.letter('m-1');
    const first = sent(book, answer);
    const given: SendRequest = { ...answer, deliveryId: 'mail-m-1-given-up' };
    expect(limitOf(book, given)?.limit).toBe('repliesPerLetter');
    expect(limitOf(book, { ...answer, kind: 'Question', questionId: 'q', deliveryId: 'd-q' })).toBeUndefined();
    const of = { mailId: first.mailId, limit: 'sendsPerHour' };
    book.take([{ store: 'mail', kind: 'MailWithheld', payload: of }]);
    expect(limitOf(book, given, { sendsPerHour: 1 })).toBeUndefined();
  });

  verifies('mail-tools:first-letter', 'know who was never written to', () => {
    const book = new MailBook();
    expect(isFirstContact(book.state, 'ann@people.example')).toBe(true);
    book.letter('m-1');
    expect(isFirstContact(book.state, 'Ann@people.example')).toBe(false);
    expect(isFirstContact(book.state, 'bob@firm.example')).toBe(true);
    sent(book, letter);
    expect(isFirstContact(book.state, 'bob@firm.example')).toBe(false);
  });
});

verifies('mail-out:no-blind-resend', 'A mail on its way is known, however many were sent since', () => {
  const book = new MailBook();
  sent(book, { ...letter, callId: 'first' });
  for (let at = 0; at < OUTGOING_KEPT; at += 1) {
    const { mailId } = sent(book, { ...letter, callId: `c-${at}` });
    book.take([{ store: 'mail', kind: 'MailSent', payload: { mailId } }]);
  }
  const { outgoing } = book.state;
  expect(outgoing.size).toBe(OUTGOING_KEPT);
  expect([...outgoing.values()].map(({ mail }) => mail.callId).slice(0, 2)).toEqual(['first', 'c-1']);
});
