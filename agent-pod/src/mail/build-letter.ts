/**
 * A mail of ours as bytes, and the only maker of them.
 *
 * I1  Each header is one of the list below and stands there once. Its value is made of the record: an address, an id, a number, a date,
 *     or a subject on one line. No model and no letter adds a header or a recipient.
 * I2  The body is one part of plain text.
 * I3  The same mail and date are the same bytes: what lies in Sent is what was sent.
 *
 * Source: reliability-security 5 (sending, loops); RFC 5322, RFC 3834 (Auto-Submitted).
 */
import { bodyText, HOPS_HEADER, isMailAddress, isMessageId, isOneLine } from '@retainer/mind/parts/mail/header-values';
import type { Outgoing } from '@retainer/mind/parts/mail/mail-records';

/** Octets of a line, RFC 5322 2.1.1. */
const LINE_OCTETS_MAX = 998;

/** Headers of every mail, lower case. */
const ALWAYS = [
  'auto-submitted',
  HOPS_HEADER.toLowerCase(),
  'from',
  'to',
  'subject',
  'message-id',
  'date',
  'content-type',
  'content-transfer-encoding',
  'mime-version',
];

/** A mail that must not leave as it is: a bug, or a record that was changed. It quotes nothing of the mail. */
export class UnfitMailError extends Error {
  override readonly name = 'UnfitMailError';
}

export interface LetterHeaders {
  /** The agent's own. */
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly dateMs: number;
}

/** @throws UnfitMailError  something in it does not fit into its header */
export async function buildLetter(mail: Outgoing, headers: LetterHeaders): Promise<Buffer> {
  expectFit(mail, headers);
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const { messageId, inReplyTo, references, subject, to, kind, hops } = mail;
  const composer = new MailComposer({
    from: headers.address,
    to: [...to],
    subject,
    messageId: `<${messageId}>`,
    date: new Date(headers.dateMs),
    headers: {
      'Auto-Submitted': kind === 'Tool' ? 'auto-generated' : 'auto-replied',
      [HOPS_HEADER]: String(hops),
    },
    text: withFinalLineFeed(bodyText(mail.text)),
    textEncoding: 'quoted-printable',
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(inReplyTo === undefined ? {} : { inReplyTo: `<${inReplyTo}>` }),
    ...(references.length === 0 ? {} : { references: references.map((id) => `<${id}>`) }),
  });
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    composer.compile().build((error, message) => (error === null ? resolve(message) : reject(error)));
  });
  expectBuilt(bytes, mail);
  return bytes;
}

function withFinalLineFeed(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

function expectFit(mail: Outgoing, { address, dateMs }: LetterHeaders): void {
  const { to, subject, messageId, inReplyTo, references, hops } = mail;
  const ids = [messageId, ...references, ...(inReplyTo === undefined ? [] : [inReplyTo])];
  expect(isMailAddress(address), 'the address of the agent is no bare address');
  expect(to.length > 0 && to.every(isMailAddress), 'a recipient is no bare address');
  expect(isOneLine(subject), 'its subject is longer than one line, or has control characters');
  expect(ids.every(isMessageId), 'a Message-ID has other characters than an id may have');
  expect(Number.isSafeInteger(hops) && hops >= 0, 'its number of hops is no number');
  expect(Number.isFinite(dateMs), 'its date is no date');
}

/** The library must have made exactly what was meant, whatever it makes of odd values. */
function expectBuilt(bytes: Buffer, { inReplyTo, references, to }: Outgoing): void {
  const end = bytes.indexOf('\r\n\r\n');
  const lines = bytes.subarray(0, Math.max(0, end)).toString('latin1').split('\r\n');
  expect(
    lines.every((line) => line.length <= LINE_OCTETS_MAX && /^[\x20-\x7e\t]+$/.test(line)),
    'a line of its head',
  );
  const headers = lines.filter((line) => !/^[ \t]/.test(line));
  const names = headers.map((line) => line.slice(0, Math.max(0, line.indexOf(':'))).toLowerCase());
  const wanted = [
    ...ALWAYS,
    ...(inReplyTo === undefined ? [] : ['in-reply-to']),
    ...(references.length === 0 ? [] : ['references']),
  ];
  expect(areSame(names, wanted), 'it has other headers than it should');
  const unfolded = lines
    .join('\r\n')
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .split('\r\n');
  const receivers = unfolded.find((line) => /^to:/i.test(line))?.slice('to:'.length) ?? '';
  const isTo = areSame(
    receivers.split(',').map((it) => it.trim()),
    to,
  );
  expect(isTo, 'its recipients changed');
}

/** In any order. */
function areSame(some: readonly string[], others: readonly string[]): boolean {
  const left = [...others];
  for (const it of some) {
    const at = left.indexOf(it);
    if (at === -1) return false;
    left.splice(at, 1);
  }
  return left.length === 0;
}

function expect(holds: boolean, what: string): asserts holds {
  if (!holds) throw new UnfitMailError(`The mail cannot be sent: ${what}.`);
}
