/** The agent's ways to the mail server of the tests, with short pauses, and letters as their bytes. */
import { systemClock } from '@retainer/contract/std/system-clock';
import { ImapMailbox, type AboutLetter, type MailboxSettings } from '@retainer/agent-pod/mail/mailbox';
import { SmtpSender, type SenderSettings } from '@retainer/agent-pod/mail/sender';
import type { Pauses } from '@retainer/agent-pod/mail/server-state';
import type { Letter } from '@retainer/mind/parts/mail/letter';
import type { Handed } from '@retainer/agent-pod/ports/mail';
import type { Outgoing } from '@retainer/mind/parts/mail/mail-records';
import MailComposer from 'nodemailer/lib/mail-composer';
import { ADA, AGENT, type MailServer } from './mail-server.ts';

const soon = { initialMs: 20, factor: 2, ceilingMs: 200, jitterRatio: 0 };
export const SHORT_PAUSES: Pauses = { again: soon, loginAgain: soon, steadyMs: 1_000 };

/** What was read of a letter. */
export interface Read {
  readonly text: string;
  readonly about: AboutLetter;
  readonly isWhole: boolean;
}

export interface TestedMailbox {
  readonly mailbox: ImapMailbox;
  /** What was read so far, oldest first. */
  readonly read: readonly Read[];
}

/** @param more  instead of what a test of something else would take */
export function mailboxOf(server: MailServer, more: Partial<MailboxSettings> = {}): TestedMailbox {
  const read: Read[] = [];
  const keeping =
    (isWhole: boolean) =>
    (source: Uint8Array, about: AboutLetter): Promise<Letter> => {
      read.push({ text: Buffer.from(source).toString('latin1'), about, isWhole });
      return Promise.resolve({ head: { place: about.place } } as Letter);
    };
  const mailbox = new ImapMailbox({
    host: server.host,
    port: server.imapPort,
    mailbox: 'INBOX',
    credentials: () => Promise.resolve({ user: AGENT.address, password: AGENT.password }),
    authorities: () => Promise.resolve([server.ca]),
    pollIntervalMs: 60_000,
    messageBytesMax: 1_048_576,
    clock: systemClock,
    random: () => 0,
    readLetter: keeping(true),
    readHead: keeping(false),
    pauses: SHORT_PAUSES,
    ...more,
  });
  return { mailbox, read };
}

export function senderOf(server: MailServer, more: Partial<SenderSettings> = {}): SmtpSender {
  return new SmtpSender({
    host: server.host,
    port: server.smtpPort,
    tls: 'Implicit',
    address: AGENT.address,
    credentials: () => Promise.resolve({ user: AGENT.address, password: AGENT.password }),
    authorities: () => Promise.resolve([server.ca]),
    clock: systemClock,
    random: () => 0,
    pauses: SHORT_PAUSES,
    ...more,
  });
}

/** Hands a mail over, as the library would write it. */
export async function handed(sender: SmtpSender, mail: Outgoing, signal: AbortSignal): Promise<Handed> {
  const { to, subject, text, messageId } = mail;
  const from = AGENT.address;
  const composer = new MailComposer({ from, to: [...to], subject, text, messageId: `<${messageId}>` });
  const message = await composer.compile().build();
  return sender.hand(mail, { message, signal, beforeText: () => Promise.resolve() });
}

/** A letter of the agent to Ada. */
export function outgoing(more: Partial<Outgoing> = {}): Outgoing {
  return {
    mailId: 'o-00000000000000000001',
    messageId: 'o-00000000000000000001@retainer.example',
    kind: 'Tool',
    to: [ADA.address],
    subject: 'The report',
    text: 'Here it is.',
    references: [],
    threadId: 't-1',
    hops: 0,
    ...more,
  };
}
