/**
 * One connection to a server for incoming mail, with one mailbox open.
 *
 * I1  No command deletes, moves or expunges: only `\Seen` is ever set, and bodies are read by PEEK.
 * I2  A half-open connection is noticed: whoever waits for news proves it each {@link SessionLimits.livenessMs}, and an answer that
 *     does not come within {@link SessionLimits.answerMs} ends it. A command that hears nothing for `silenceMs` ends it too.
 * I3  The library settles some commands with `false` or nothing when the connection dies under them. That is no answer here.
 * I4  What a server may make this program keep is limited by `bytesMax` for each answer.
 */
import type { ImapFlow, ImapFlowOptions } from 'imapflow';
import { connectTls, CONNECT_MS, credentialsOf, type ServerAccess } from './connect.ts';
import { faultOf, MailServerError, type ServerFault } from './server-fault.ts';

export interface SessionLimits {
  /** How often a connection that waits is asked whether it lives, milliseconds. */
  readonly livenessMs: number;
  /** For the answer to that. */
  readonly answerMs: number;
  /** Of a command: no byte for so long. */
  readonly silenceMs: number;
}

/**
 * A half-open connection is noticed within a minute. Routers forget a connection that says nothing after five minutes or more; asking
 * each 45 s costs some hundred bytes.
 */
export const SESSION_LIMITS: SessionLimits = { livenessMs: 45_000, answerMs: 15_000, silenceMs: 60_000 };

/** Between the command lines of an answer and its literal. */
const FRAMING_BYTES = 65_536;
/** A list of the numbers of half a million letters. */
const LINE_BYTES_MAX = 4 * 1024 * 1024;
/** Of one answer; those of a letter have some dozens. */
const TOKENS_MAX = 100_000;
/** A server that does not hear the farewell does not hold up the end. */
const FAREWELL_MS = 2_000;

export class ImapSession {
  readonly access: ServerAccess;
  readonly #client: ImapFlow;
  readonly #limits: SessionLimits;
  /** New letters, or new numbers, since `forgetNews`. */
  #hasNews = false;
  #ended: ServerFault | undefined;
  readonly #watchers = new Set<() => void>();

  private constructor(access: ServerAccess, client: ImapFlow, limits: SessionLimits) {
    this.access = access;
    this.#client = client;
    this.#limits = limits;
  }

  /** Connects and logs in. @param bytesMax  of one answer. @throws MailServerError */
  static async open(
    access: ServerAccess,
    limits: SessionLimits,
    bytesMax: number,
    signal: AbortSignal,
  ): Promise<ImapSession> {
    const { user, password: pass } = await credentialsOf(access);
    const [{ ImapFlow }, socket] = await Promise.all([import('imapflow'), connectTls(access, signal)]);
    const client = new ImapFlow({
      ...clientOptions(access, bytesMax, limits),
      auth: { user, pass },
      transport: {
        connect: (_options, onConnect) => {
          setImmediate(onConnect);
          return socket;
        },
      },
    });
    const session = new ImapSession(access, client, limits);
    session.#listen();
    await session.#within(signal, () => client.connect());
    return session;
  }

  /** Whether the server tells of news by itself. */
  get hasIdle(): boolean {
    return this.#client.capabilities.has('IDLE') || this.#client.enabled.has('IMAP4REV2');
  }

  /** Opens a mailbox. @throws MailServerError */
  async select(
    mailbox: string,
    signal: AbortSignal,
  ): Promise<{ readonly uidValidity: string; readonly uidNext: number }> {
    const { uidValidity, uidNext } = await this.#within(signal, () => this.#client.mailboxOpen(mailbox));
    return { uidValidity: String(uidValidity), uidNext };
  }

  /** Undefined: none is open. */
  get uidValidity(): string | undefined {
    const { mailbox } = this.#client;
    return mailbox === false ? undefined : String(mailbox.uidValidity);
  }

  /** Runs one command. @throws MailServerError if the connection ends under it, or the server refuses it */
  async run<T>(command: (client: ImapFlow) => Promise<T>): Promise<Exclude<T, false | undefined>> {
    if (this.#ended !== undefined) throw this.#error(this.#ended);
    let answer: T;
    try {
      answer = await command(this.#client);
    } catch (error) {
      throw this.#error(this.#ended ?? faultOf(error, 'UnexpectedAnswer'));
    }
    if (answer === false || answer === undefined) throw this.#error(this.#ended ?? 'UnexpectedAnswer');
    return answer as Exclude<T, false | undefined>;
  }

  /** As `run`, for commands to which `false` is an answer as long as the connection lives. */
  async ask<T>(command: (client: ImapFlow) => Promise<T>): Promise<T> {
    const answer = await this.run(async (client) => ({ it: await command(client) }));
    if (!this.#client.usable) throw this.#error(this.#ended ?? 'ConnectionLost');
    return answer.it;
  }

  /** Since `forgetNews`. */
  get hasNews(): boolean {
    return this.#hasNews;
  }

  /** What comes from now on is news. */
  forgetNews(): void {
    this.#hasNews = false;
  }

  /**
   * Resolves with whether there is news, after `forMs` at the latest.
   *
   * @param isIdle  whether the server is told to tell
   * @throws MailServerError if the connection ended
   */
  async news(forMs: number, isIdle: boolean, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    if (this.#ended !== undefined) throw this.#error(this.#ended);
    if (this.#hasNews) return true;
    if (isIdle && !this.#client.idling) this.#idle();
    await this.#change(forMs, signal);
    signal.throwIfAborted();
    if (this.#ended !== undefined) throw this.#error(this.#ended);
    return this.#hasNews;
  }

  /** Asks for a sign of life. @throws MailServerError, after the connection was ended, if none comes in time */
  async prove(): Promise<void> {
    const timer = setTimeout(() => this.end('NoAnswer'), this.#limits.answerMs);
    try {
      await this.ask((client) => client.noop());
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends it at once. */
  end(fault: ServerFault): void {
    this.#ended ??= fault;
    this.#client.close();
    this.#tell();
  }

  /** Says goodbye and ends it. Never rejects. */
  async close(): Promise<void> {
    if (this.#ended !== undefined) return this.end(this.#ended);
    const timer = setTimeout(() => this.end('ConnectionLost'), FAREWELL_MS);
    try {
      await this.#client.logout();
    } catch {
      // It was gone before.
    } finally {
      clearTimeout(timer);
      this.end('ConnectionLost');
    }
  }

  #listen(): void {
    const client = this.#client;
    client.on('error', (error) => {
      this.#ended ??= faultOf(error, 'ConnectionLost');
    });
    client.on('close', () => {
      // A server says in its farewell that there are too many.
      this.#ended ??= faultOf({ reason: client.byeReason }, 'ConnectionLost');
      this.#tell();
    });
    // Letters that somebody removed are no news.
    client.on('exists', ({ count, prevCount }) => {
      if (count > prevCount) this.#announce();
    });
    client.on('mailboxOpen', () => this.#announce());
  }

  #announce(): void {
    this.#hasNews = true;
    this.#tell();
  }

  #tell(): void {
    for (const look of this.#watchers) look();
  }

  /** It runs until the next command ends it. */
  #idle(): void {
    // Whoever waits hears of an end by its event.
    this.#client.idle().catch(() => undefined);
  }

  #change(forMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#watchers.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, forMs);
      this.#watchers.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  async #within<T>(signal: AbortSignal, command: () => Promise<T>): Promise<T> {
    const end = (): void => this.end('ConnectionLost');
    signal.addEventListener('abort', end, { once: true });
    try {
      signal.throwIfAborted();
      return await command();
    } catch (error) {
      this.end('ConnectionLost');
      if (signal.aborted) throw signal.reason;
      throw this.#error(faultOf(error, 'UnexpectedAnswer'));
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  #error(fault: ServerFault): MailServerError {
    return new MailServerError(fault, this.access);
  }
}

function clientOptions(access: ServerAccess, bytesMax: number, limits: SessionLimits): ImapFlowOptions {
  return {
    host: access.host,
    port: access.port,
    secure: true,
    // Subjects, addresses and texts of servers would be in it.
    logger: false,
    emitLogs: false,
    clientInfo: { name: 'Retainer' },
    disableAutoIdle: true,
    // An answer that is packed is as large as it likes when it is unpacked.
    disableCompression: true,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: limits.silenceMs,
    socketTimeout: limits.silenceMs,
    maxLineLength: LINE_BYTES_MAX,
    maxLiteralSize: bytesMax,
    maxResponseSize: bytesMax + FRAMING_BYTES + LINE_BYTES_MAX,
    maxResponseTokens: TOKENS_MAX,
  };
}
