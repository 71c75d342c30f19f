/**
 * A real mail server for tests: Dovecot for IMAP, and in front of its LMTP a server for SMTP that takes letters of those who log in.
 *
 * Both stand behind a {@link TcpGate}, which can cut and freeze what goes through. Letters to addresses that are not here are kept in
 * `sent` alone. Where Dovecot is not installed, tests skip with {@link noMailServer} as their reason.
 */
import { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { AddressInfo } from 'node:net';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { makeCertificates, type Certificates, type Certified } from './certificates.ts';
import { Dovecot, noDovecot, type DovecotOptions, type MailUser, type StoredLetter } from './dovecot.ts';
import { startTcpGate, type TcpGate } from './tcp-gate.ts';

export type { MailUser, StoredLetter } from './dovecot.ts';

/** Undefined: there can be a mail server. */
export const noMailServer = noDovecot;

export const AGENT: MailUser = { address: 'agent@retainer.example', password: 'agent-Passw0rd-of-tests' };
export const ADA: MailUser = { address: 'ada@people.example', password: 'ada-Passw0rd-of-tests' };
export const BOB: MailUser = { address: 'bob@people.example', password: 'bob-Passw0rd-of-tests' };

export interface MailServerOptions {
  /** Those who have a mailbox; absent: {@link AGENT}, {@link ADA}, {@link BOB}. */
  readonly users?: readonly MailUser[];
  readonly imap?: ImapOptions;
  /** A copy of what somebody sends goes to their Sent, as large providers do; absent: yes. */
  readonly isKeepingSent?: boolean;
  /** What becomes of a letter on its way from SMTP to a mailbox; absent: it stays as it is. */
  readonly onTheWay?: (raw: string, letter: Omit<SentLetter, 'raw'>) => string;
}

export interface ImapOptions extends Omit<Partial<DovecotOptions>, 'certificate' | 'capabilities'> {
  readonly certificate?: CertificateName;
  /** False: it neither offers IDLE nor what builds on it. */
  readonly hasIdle?: boolean;
}

/** All are signed by the one private authority but `selfSigned`. */
export type CertificateName = Exclude<keyof Certificates, 'ca'>;

/** A letter that the server for SMTP took. */
export interface SentLetter {
  /** Who was logged in. */
  readonly user: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
}

/**
 * What the server for SMTP does wrong from now on; nothing where it is absent.
 *
 * `LoseBeforeTaking`: the connection breaks when the whole text has come, and nobody gets it. `LoseAfterTaking`: they get it, and
 * the connection breaks before the server says so. `Hold`: it answers the text only after `release`.
 */
export interface SmtpFault {
  readonly at: 'Login' | 'Sender' | 'Recipient' | 'Text';
  readonly code?: number;
  readonly text?: string;
  readonly does?: 'LoseBeforeTaking' | 'LoseAfterTaking' | 'Hold';
}

export interface MailServer {
  /** Of both; the certificate names it. */
  readonly host: string;
  readonly imapPort: number;
  /** TLS from the first byte. */
  readonly smtpPort: number;
  /** TLS by STARTTLS. */
  readonly startTlsPort: number;
  /** No TLS, and no offer of it. */
  readonly plainPort: number;
  /** PEM of the private authority. */
  readonly ca: string;
  readonly imap: TcpGate;
  readonly smtp: TcpGate;
  readonly startTls: TcpGate;
  readonly dovecot: Dovecot;
  /** Taken for SMTP, oldest first. */
  readonly sent: readonly SentLetter[];
  /** How often each stage of SMTP was reached: a letter that is sent twice shows here even if it was refused. */
  readonly reached: Readonly<Record<SmtpFault['at'], number>>;
  /** Puts a letter into the INBOX of one of the users by LMTP, unchanged but for Return-Path, Delivered-To and Received. */
  deliver(raw: string | Buffer, to: string, from?: string): Promise<void>;
  /** Oldest first. @param mailbox  absent: INBOX */
  letters(address: string, mailbox?: string): Promise<readonly StoredLetter[]>;
  /** Restarts the server for IMAP with these options; the letters stay. */
  changeImap(options: ImapOptions): Promise<void>;
  /** Of the server for SMTP, from the next connection on. */
  changeSmtpCertificate(name: CertificateName): void;
  fail(fault: SmtpFault | undefined): void;
  /** One recipient alone; undefined: it is taken again. */
  refuseRecipient(address: string, code: number | undefined): void;
  /** Resolves when the server has the whole text of a letter that a fault holds. */
  held(): Promise<void>;
  release(): void;
  /** Whoever logs in from now on needs this password, for IMAP and SMTP. Ends all sessions of IMAP. */
  setPassword(address: string, password: string): Promise<void>;
  /** Ends the sessions of a user, as an administrator does. */
  kick(address: string): Promise<void>;
  /** Numbers a mailbox anew. */
  setUidValidity(address: string, uidValidity: number): Promise<void>;
  remove(): Promise<void>;
}

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const server = new RunningMailServer(options);
  await server.start(options.imap ?? {});
  return server;
}

const HOST = 'localhost';
/** What Dovecot offers without IDLE, and without extensions that tell of new mail in another way. */
const WITHOUT_IDLE = 'IMAP4rev1 SASL-IR LOGIN-REFERRALS ID ENABLE LITERAL+ UIDPLUS SPECIAL-USE LIST-EXTENDED';

class RunningMailServer implements MailServer {
  readonly host = HOST;
  readonly #certificates = makeCertificates();
  readonly ca = this.#certificates.ca;
  readonly sent: SentLetter[] = [];
  readonly reached = { Login: 0, Sender: 0, Recipient: 0, Text: 0 };
  readonly #passwords: Map<string, string>;
  readonly #isKeepingSent: boolean;
  readonly #onTheWay: NonNullable<MailServerOptions['onTheWay']>;
  readonly #servers: SMTPServer[] = [];
  dovecot!: Dovecot;
  imap!: TcpGate;
  smtp!: TcpGate;
  startTls!: TcpGate;
  plainPort = 0;
  #fault: SmtpFault | undefined;
  readonly #refusedRecipients = new Map<string, number>();
  #holding = deferred();
  #releasing = deferred();

  constructor({ users = [AGENT, ADA, BOB], isKeepingSent = true, onTheWay = (raw) => raw }: MailServerOptions) {
    this.#onTheWay = onTheWay;
    this.#passwords = new Map(users.map(({ address, password }) => [address, password]));
    this.#isKeepingSent = isKeepingSent;
  }

  get imapPort(): number {
    return this.imap.port;
  }

  get smtpPort(): number {
    return this.smtp.port;
  }

  get startTlsPort(): number {
    return this.startTls.port;
  }

  async start(imap: ImapOptions): Promise<void> {
    const certificate = this.#certificates.signed;
    this.dovecot = await Dovecot.start(this.#users(), { certificate, ...this.#dovecotOptions(imap) });
    this.imap = await startTcpGate(() => this.dovecot.imapPort);
    const smtp = await this.#listen({ secure: true });
    const startTls = await this.#listen({ secure: false });
    this.smtp = await startTcpGate(() => smtp);
    this.startTls = await startTcpGate(() => startTls);
    this.plainPort = await this.#listen({ secure: false, disabledCommands: ['STARTTLS'] });
  }

  async deliver(raw: string | Buffer, to: string, from = ADA.address): Promise<void> {
    const port = this.dovecot.lmtpPort;
    const connection = new SMTPConnection({ host: '127.0.0.1', port, lmtp: true, ignoreTLS: true });
    try {
      await new Promise<void>((resolve, reject) => {
        connection.once('error', reject);
        connection.connect(() => resolve());
      });
      await new Promise<void>((resolve, reject) => {
        connection.send({ from, to: [to] }, raw, (error, info) => {
          // By LMTP a recipient is refused after the text, and the library calls that sent.
          const refusal = error ?? info?.rejectedErrors?.[0];
          if (refusal === undefined) resolve();
          else reject(refusal);
        });
      });
    } finally {
      connection.quit();
    }
  }

  letters(address: string, mailbox = 'INBOX'): Promise<readonly StoredLetter[]> {
    return this.dovecot.letters(address, mailbox);
  }

  changeImap(options: ImapOptions): Promise<void> {
    return this.dovecot.change(this.#dovecotOptions(options));
  }

  changeSmtpCertificate(name: CertificateName): void {
    for (const server of this.#servers) server.updateSecureContext(this.#certificates[name]);
  }

  fail(fault: SmtpFault | undefined): void {
    this.#fault = fault;
    this.#holding = deferred();
    this.#releasing = deferred();
  }

  refuseRecipient(address: string, code: number | undefined): void {
    if (code === undefined) this.#refusedRecipients.delete(address);
    else this.#refusedRecipients.set(address, code);
  }

  held(): Promise<void> {
    return this.#holding.promise;
  }

  release(): void {
    this.#releasing.resolve();
  }

  async setPassword(address: string, password: string): Promise<void> {
    this.#passwords.set(address, password);
    this.dovecot.setUsers(this.#users());
    // It looks at the file each second at most.
    await this.dovecot.change({});
  }

  async kick(address: string): Promise<void> {
    await this.dovecot.doveadm('kick', address);
  }

  async setUidValidity(address: string, uidValidity: number): Promise<void> {
    await this.dovecot.doveadm('mailbox', 'update', '-u', address, '--uid-validity', String(uidValidity), 'INBOX');
  }

  async remove(): Promise<void> {
    this.release();
    await Promise.all([this.imap, this.smtp, this.startTls].map((gate) => gate.close()));
    await Promise.all(this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
    await this.dovecot.remove();
  }

  #users(): readonly MailUser[] {
    return [...this.#passwords].map(([address, password]) => ({ address, password }));
  }

  #dovecotOptions({ certificate, hasIdle, ...others }: ImapOptions): Partial<DovecotOptions> {
    return {
      ...others,
      ...(certificate === undefined ? {} : { certificate: this.#certificates[certificate] }),
      ...(hasIdle === undefined ? {} : { capabilities: hasIdle ? '' : WITHOUT_IDLE }),
    };
  }

  /** @returns its port */
  async #listen(options: SMTPServerOptions): Promise<number> {
    const server = new SMTPServer({ ...this.#smtpOptions(this.#certificates.signed), ...options });
    // A client that a test kills ends its connection with an error.
    server.on('error', () => undefined);
    this.#servers.push(server);
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    return port;
  }

  #smtpOptions(certificate: Certified): SMTPServerOptions {
    return {
      ...certificate,
      name: HOST,
      logger: false,
      disableReverseLookup: true,
      onAuth: ({ username, password }, _session, done) => {
        const isKnown = username !== undefined && this.#passwords.get(username) === password;
        const refusal = isKnown ? this.#refusal('Login') : Object.assign(new Error('no'), { responseCode: 535 });
        done(refusal, refusal === undefined ? { user: username } : undefined);
      },
      onMailFrom: (_address, _session, done) => done(this.#refusal('Sender')),
      onRcptTo: ({ address }, _session, done) => {
        const responseCode = this.#refusedRecipients.get(address);
        const refusal = responseCode === undefined ? undefined : Object.assign(new Error('no'), { responseCode });
        done(this.#refusal('Recipient') ?? refusal);
      },
      onData: (stream, { user, envelope }, done) => {
        const { mailFrom, rcptTo } = envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        const to = rcptTo.map(({ address }) => address);
        void this.#answer(this.#take(stream, { user: String(user), from, to }), done);
      },
    };
  }

  #refusal(at: SmtpFault['at']): Error | undefined {
    this.reached[at] += 1;
    if (this.#fault?.at !== at || this.#fault.code === undefined) return undefined;
    return Object.assign(new Error(this.#fault.text ?? 'SERVER-WORDS'), { responseCode: this.#fault.code });
  }

  async #answer(taken: Promise<Error | undefined>, done: (error?: Error | null) => void): Promise<void> {
    try {
      done(await taken);
    } catch (error) {
      done(error as Error);
    }
  }

  async #take(stream: Readable, letter: Omit<SentLetter, 'raw'>): Promise<Error | undefined> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const refusal = this.#refusal('Text');
    const does = this.#fault?.at === 'Text' ? this.#fault.does : undefined;
    if (does === 'Hold') {
      this.#holding.resolve();
      await this.#releasing.promise;
    }
    if (does === 'LoseBeforeTaking') this.#cutSmtp();
    if (refusal !== undefined || does === 'LoseBeforeTaking') return refusal;
    await this.#handOn(letter, Buffer.concat(chunks));
    if (does === 'LoseAfterTaking') this.#cutSmtp();
    return undefined;
  }

  async #handOn(letter: Omit<SentLetter, 'raw'>, raw: Buffer): Promise<void> {
    this.sent.push({ ...letter, raw: raw.toString('latin1') });
    const handed = Buffer.from(this.#onTheWay(raw.toString('latin1'), letter), 'latin1');
    for (const to of letter.to) if (this.#passwords.has(to)) await this.deliver(handed, to, letter.from);
    if (this.#isKeepingSent) await this.dovecot.save(letter.user, this.dovecot.sentName, raw);
  }

  #cutSmtp(): void {
    this.smtp.cut();
    this.startTls.cut();
  }
}

interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function deferred(): Deferred {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
