/**
 * One conversation with a server for outgoing mail: connect, log in, hand over at most one letter, leave.
 *
 * I1  Nothing of a login or a letter goes over a connection that is not encrypted: STARTTLS is required where TLS does not come first.
 * I2  A letter goes to all of its recipients or to none: where the server refuses one of them, the connection ends before the text.
 */
import { Readable } from 'node:stream';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { connectForStartTls, connectTls, CONNECT_MS, credentialsOf, tlsOptions, type ServerAccess } from './connect.ts';

/** Until the server says its first words. */
const GREETING_MS = 15_000;
/** Until the server asks for the text. */
const BEFORE_TEXT_MS = 60_000;
/** From then on: servers look for viruses first. Source: RFC 5321, 4.5.3.2.6. */
const TEXT_MS = 600_000;
const FAREWELL_MS = 2_000;
/** Of one answer. */
const ANSWER_BYTES_MAX = 65_536;

export interface SmtpAccess extends ServerAccess {
  readonly tls: 'Implicit' | 'StartTls';
  /** Of whom the letters are from; its domain is the name that the server is told. */
  readonly address: string;
}

export interface Letter {
  readonly to: readonly string[];
  readonly bytes: Uint8Array;
  /** Awaited once, before the first byte of the text goes out. Where it rejects, none does. */
  readonly begin: () => Promise<void>;
}

/** What a server or the library said, as far as code needs it. */
export interface SmtpError extends Error {
  readonly code?: string;
  /** Of the answer: 550 … */
  readonly responseCode?: number;
  /** `MAIL FROM`, `RCPT TO`, `DATA`, `AUTH PLAIN` … */
  readonly command?: string;
  readonly response?: string;
}

/** @param letter  absent: it only logs in. @throws MailServerError, SmtpError, or the reason of the signal */
export async function converse(access: SmtpAccess, letter: Letter | undefined, signal: AbortSignal): Promise<void> {
  const { user, password } = await credentialsOf(access);
  const connection = await openedConnection(access, signal);
  const limit = new AbortController();
  const either = AbortSignal.any([signal, limit.signal]);
  const ended = endOf(connection, either);
  const limitTo = (forMs: number): NodeJS.Timeout =>
    setTimeout(() => limit.abort(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })), forMs);
  let timer = limitTo(BEFORE_TEXT_MS);
  const step = <T>(begin: (done: (error?: Error | null, value?: T) => void) => void): Promise<T | undefined> =>
    Promise.race([called(begin), ended]);
  try {
    await step((done) => connection.connect(done));
    await step((done) => connection.login({ user, credentials: { user, pass: password } }, done));
    if (letter === undefined) return;
    const { to, bytes } = letter;
    const text = textOf(bytes, async () => {
      const refused = refusedRecipient(connection);
      if (refused !== undefined) {
        limit.abort(refused);
        return false;
      }
      await letter.begin();
      if (either.aborted) return false;
      clearTimeout(timer);
      timer = limitTo(TEXT_MS);
      return true;
    });
    // Whoever waits for the conversation hears of it.
    text.on('error', (error) => limit.abort(error));
    await step((done) => connection.send({ from: access.address, to: [...to], size: bytes.length }, text, done));
  } finally {
    clearTimeout(timer);
    leave(connection, either);
  }
}

async function openedConnection(access: SmtpAccess, signal: AbortSignal): Promise<SMTPConnection> {
  const isImplicit = access.tls === 'Implicit';
  const [{ default: Connection }, socket] = await Promise.all([
    import('nodemailer/lib/smtp-connection'),
    isImplicit ? connectTls(access, signal) : connectForStartTls(access, signal),
  ]);
  return new Connection({
    host: access.host,
    port: access.port,
    connection: socket,
    secure: isImplicit,
    secured: isImplicit,
    requireTLS: !isImplicit,
    tls: await tlsOptions(access),
    name: access.address.replace(/^.*@/, ''),
    // Addresses and texts of letters would be in it.
    logger: false,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: GREETING_MS,
    socketTimeout: TEXT_MS,
    maxResponseSize: ANSWER_BYTES_MAX,
  });
}

/** Rejects when the connection fails or the signal aborts. */
function endOf(connection: SMTPConnection, signal: AbortSignal): Promise<never> {
  const ended = new Promise<never>((_resolve, reject) => {
    connection.on('error', reject);
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    connection.once('end', () => reject(Object.assign(new Error('ended'), { code: 'ECONNECTION' })));
  });
  // Nobody may be waiting when it ends.
  ended.catch(() => undefined);
  return ended;
}

function called<T>(begin: (done: (error?: Error | null, value?: T) => void) => void): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    begin((error, value) => (error === null || error === undefined ? resolve(value) : reject(error)));
  });
}

/** The text, which the library first asks for when the server is ready to take it. @param isWanted  false: not a byte of it */
function textOf(bytes: Uint8Array, isWanted: () => Promise<boolean>): Readable {
  let isAsked = false;
  return new Readable({
    read() {
      if (isAsked) return;
      isAsked = true;
      void isWanted().then(
        (wanted) => {
          if (!wanted) return;
          this.push(bytes);
          this.push(null);
        },
        (error: unknown) => this.destroy(error as Error),
      );
    },
  });
}

/** The library goes on with those that were taken, and tells of the others when all is sent. */
function refusedRecipient(connection: SMTPConnection): Error | undefined {
  const { _envelope: envelope } = connection as unknown as { _envelope?: { rejectedErrors?: readonly Error[] } };
  return envelope?.rejectedErrors?.[0];
}

function leave(connection: SMTPConnection, { aborted }: AbortSignal): void {
  if (aborted) return connection.close();
  const timer = setTimeout(() => connection.close(), FAREWELL_MS);
  connection.once('end', () => clearTimeout(timer));
  connection.quit();
}
