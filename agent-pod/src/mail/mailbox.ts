/**
 * The agent's mailbox on its server for incoming mail.
 *
 * I1  Of a letter its size is asked first. One that is larger than `messageBytesMax` is never fetched: its head alone is read, up to
 *     {@link HEAD_BYTES_MAX}. What is fetched is cut at the limit, whatever size the server told.
 * I2  A place under an old UIDVALIDITY is no place: its number belongs to another letter.
 * I3  A letter is gone only where the server says so. One of which nothing can be read is read as nothing, and holds up no other.
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { Letter, LetterPlace } from '@retainer/mind/parts/mail/letter';
import type { MailboxPort, MailboxView, ServerHealth } from '../ports/mail.ts';
import type { ServerAccess } from './connect.ts';
import { ImapSession, SESSION_LIMITS, type SessionLimits } from './imap-session.ts';
import { faultOf, MailServerError, type ServerFault } from './server-fault.ts';
import { PAUSES, ServerState, type Pauses } from './server-state.ts';

/** Of the head of a letter, and one byte more, which shows that it is larger. Source: reliability-security 5 (64 KiB). */
export const HEAD_BYTES_MAX = 65_537;
/** Letters whose moments are asked in one command. */
const LOOK_LETTERS = 500;
/** Letters flagged in one command. */
const FLAG_LETTERS = 500;
/** A search counts days of the server's own time zone. */
const DAY_MS = 86_400_000;
/** A letter that the server has lost or damaged is refused each time. So many tries take some minutes, and a server that restarts less. */
const REFUSALS_MAX = 5;
/** A mailbox that is so full soon refuses letters: one of a few per cent of its room. */
const FULL_RATIO = 0.95;
/** Some servers show a session that is days old a mailbox that stands still; a new connection sees what came. */
const SESSION_MS_MAX = 6 * 3_600_000;
/** A server that is not asked for longer ends the connection: it may after half an hour. Source: RFC 9051, 5.4. */
const POLL_MS_MAX = 600_000;

/** What a reader of letters must know beside the bytes. */
export interface AboutLetter {
  readonly place: LetterPlace;
  readonly receivedAtMs: number;
  /** Of the whole letter, as the server tells it. */
  readonly sizeBytes: number;
}

export interface MailboxSettings extends ServerAccess {
  readonly mailbox: string;
  readonly pollIntervalMs: number;
  readonly messageBytesMax: number;
  readonly clock: Clock;
  /** 0 to 1; for pauses between tries. */
  readonly random: () => number;
  readonly readLetter: (source: Uint8Array, about: AboutLetter) => Promise<Letter>;
  /** Of a letter that is too large. @param head  its first bytes, up to the end of its head or {@link HEAD_BYTES_MAX} */
  readonly readHead: (head: Uint8Array, about: AboutLetter) => Promise<Letter>;
  readonly limits?: SessionLimits;
  readonly pauses?: Pauses;
}

export class ImapMailbox implements MailboxPort {
  readonly #settings: MailboxSettings;
  readonly #limits: SessionLimits;
  readonly #state: ServerState;
  #session: ImapSession | undefined;
  #openedAtMs = 0;
  /** Of the mailbox when it was opened before. */
  #uidValidity: string | undefined;
  #notice: ServerFault | undefined;
  #isFull = false;
  /** How often the server sent more than it was asked for, by letter. Twice: nothing of it is asked for any more. */
  readonly #exceeded = new Map<number, number>();
  /** How often the server refused to send a letter while the connection lived, by letter. */
  readonly #refused = new Map<number, number>();

  constructor(settings: MailboxSettings) {
    this.#settings = settings;
    this.#limits = settings.limits ?? SESSION_LIMITS;
    const { clock, random, pauses = PAUSES } = settings;
    this.#state = new ServerState({ server: settings, clock, random, pauses });
  }

  health(): ServerHealth {
    return this.#state.health;
  }

  /** After tries that failed it waits before it tries once more, longer each time. */
  async open(signal: AbortSignal): Promise<MailboxView> {
    await this.#session?.close();
    this.#session = undefined;
    await this.#state.untilDue(signal);
    this.#state.connecting();
    try {
      return await this.#opened(signal);
    } catch (error) {
      if (signal.aborted) throw error;
      throw this.#failed(error);
    }
  }

  async list(from: { readonly uid: number; readonly sinceMs: number; readonly max: number }): Promise<LetterPlace[]> {
    return this.#guarded(async (session) => {
      session.forgetNews();
      const since = from.sinceMs < DAY_MS ? {} : { since: new Date(from.sinceMs - DAY_MS) };
      const found = await session.run((client) => client.search({ uid: `${from.uid}:*`, ...since }, { uid: true }));
      // `n:*` names the last letter even where its number is smaller.
      const uids = found.filter((uid) => uid >= from.uid).toSorted((a, b) => a - b);
      // Servers tell a moment in whole seconds.
      const fromMs = from.sinceMs - (from.sinceMs % 1_000);
      const places: LetterPlace[] = [];
      for (let at = 0; at < uids.length && places.length < from.max; at += LOOK_LETTERS) {
        const taken = await takenAt(session, uids.slice(at, at + LOOK_LETTERS), this.#settings.clock.nowMs());
        const wanted = taken.filter(({ atMs }) => atMs >= fromMs).map(({ uid }) => this.#place(session, uid));
        places.push(...wanted.slice(0, from.max - places.length));
      }
      return places;
    });
  }

  async read(place: LetterPlace): Promise<Letter | undefined> {
    const { readLetter, readHead } = this.#settings;
    const fetched = await this.#guarded(async (session) => {
      if (!this.#isHere(session, place)) return undefined;
      try {
        return await this.#fetched(session, place);
      } catch (error) {
        // The connection is gone with it; the next try knows.
        const fault = faultOf(error, 'ConnectionLost');
        if (fault === 'AnswerTooLarge') count(this.#exceeded, place.uid);
        if (fault === 'UnexpectedAnswer') count(this.#refused, place.uid);
        throw error;
      }
    });
    if (fetched === undefined) return undefined;
    const { bytes, about, isWhole } = fetched;
    return isWhole ? readLetter(bytes, about) : readHead(bytes, about);
  }

  async #fetched(session: ImapSession, place: LetterPlace): Promise<Fetched | undefined> {
    const { messageBytesMax, clock } = this.#settings;
    const uid = String(place.uid);
    if ((this.#refused.get(place.uid) ?? 0) >= REFUSALS_MAX)
      return { bytes: NOTHING, about: { place, sizeBytes: 0, receivedAtMs: clock.nowMs() }, isWhole: false };
    const found = await session.ask((client) =>
      client.fetchOne(uid, { size: true, internalDate: true }, { uid: true }),
    );
    if (found === false) return undefined;
    const { size = 0, internalDate } = found;
    const about = { place, sizeBytes: size, receivedAtMs: momentOf(internalDate, clock.nowMs()) };
    const exceeded = this.#exceeded.get(place.uid) ?? 0;
    if (exceeded > 1) return { bytes: NOTHING, about, isWhole: false };
    if (size > messageBytesMax || exceeded > 0) return headOf(session, about);
    return wholeOf(session, about, messageBytesMax);
  }

  async flag(places: readonly LetterPlace[]): Promise<void> {
    await this.#guarded(async (session) => {
      const uids = places.filter((place) => this.#isHere(session, place)).map(({ uid }) => uid);
      for (let at = 0; at < uids.length; at += FLAG_LETTERS) {
        const some = uids.slice(at, at + FLAG_LETTERS).join(',');
        await session.ask((client) => client.messageFlagsAdd(some, ['\\Seen'], { uid: true, silent: true }));
      }
    });
  }

  async changed(signal: AbortSignal): Promise<void> {
    const { clock, pollIntervalMs } = this.#settings;
    const untilMs = clock.monotonicMs() + pollIntervalMs;
    await this.#guarded(async (session) => {
      const isIdle = session.hasIdle;
      const stepMs = isIdle ? this.#limits.livenessMs : POLL_MS_MAX;
      for (;;) {
        const leftMs = Math.max(0, untilMs - clock.monotonicMs());
        if (await session.news(Math.min(stepMs, leftMs), isIdle, signal)) break;
        // To a server without IDLE it is the question for news.
        await session.prove();
        if (clock.monotonicMs() >= untilMs) break;
      }
      this.#notice = undefined;
      if (clock.monotonicMs() - this.#openedAtMs > SESSION_MS_MAX) await this.#renew(session, signal);
      else if (session.uidValidity !== this.#uidValidity) throw new MailServerError('NumberedAnew', this.#settings);
      else if (!session.hasNews) await this.#observe(session);
      this.#tell();
    }, signal);
  }

  /** On a connection of its own: it may be asked while a letter is read, or before the mailbox was opened. */
  isInSent(messageId: string, signal: AbortSignal): Promise<boolean | undefined> {
    return this.#withSent(signal, async (session, path) => {
      await session.run((client) => client.mailboxOpen(path, { readOnly: true }));
      const header = { 'message-id': `<${messageId}>` };
      return (await session.run((client) => client.search({ header }, { uid: true }))).length > 0;
    });
  }

  async appendToSent(message: Uint8Array, signal: AbortSignal): Promise<void> {
    await this.#withSent(signal, (session, path) =>
      session.run((client) => client.append(path, Buffer.from(message), ['\\Seen'])),
    );
  }

  /** @returns undefined: there is no Sent */
  async #withSent<T>(
    signal: AbortSignal,
    use: (session: ImapSession, path: string) => Promise<T>,
  ): Promise<T | undefined> {
    const either = AbortSignal.any([signal, AbortSignal.timeout(this.#limits.silenceMs)]);
    const session = await ImapSession.open(this.#settings, this.#limits, HEAD_BYTES_MAX, either);
    const end = (): void => session.end('ConnectionLost');
    signal.addEventListener('abort', end, { once: true });
    try {
      signal.throwIfAborted();
      const mailboxes = await session.run((client) => client.list());
      const sent = mailboxes.find(({ specialUse }) => specialUse === '\\Sent');
      return sent === undefined ? undefined : await use(session, sent.path);
    } finally {
      signal.removeEventListener('abort', end);
      await session.close();
    }
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
    this.#state.off();
  }

  async #opened(signal: AbortSignal): Promise<MailboxView> {
    const { mailbox, messageBytesMax, clock } = this.#settings;
    // One byte more shows that a letter is larger than its server told.
    const session = await ImapSession.open(
      this.#state.access,
      this.#limits,
      Math.max(messageBytesMax, HEAD_BYTES_MAX) + 1,
      signal,
    );
    try {
      const view = await session.select(mailbox, signal);
      session.forgetNews();
      const isNumberedAnew = this.#uidValidity !== undefined && this.#uidValidity !== view.uidValidity;
      this.#notice = isNumberedAnew ? 'NumberedAnew' : undefined;
      if (isNumberedAnew) for (const counts of [this.#exceeded, this.#refused]) counts.clear();
      this.#uidValidity = view.uidValidity;
      this.#openedAtMs = clock.monotonicMs();
      this.#session = session;
      await this.#observe(session);
      this.#tell();
      return { mailbox, ...view };
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  async #renew(session: ImapSession, signal: AbortSignal): Promise<void> {
    const uidValidity = this.#uidValidity;
    await session.close();
    const view = await this.#opened(signal);
    if (view.uidValidity !== uidValidity) throw new MailServerError('NumberedAnew', this.#settings);
  }

  /** Whether it has room. */
  async #observe(session: ImapSession): Promise<void> {
    const quota = await session.ask((client) => client.getQuota(this.#settings.mailbox));
    const { usage = 0, limit = 0 } = (quota === false ? undefined : quota?.storage) ?? {};
    this.#isFull = limit > 0 && usage / limit >= FULL_RATIO;
  }

  #tell(): void {
    const hasIdle = this.#session?.hasIdle === true;
    const lacks = hasIdle ? undefined : 'NoIdle';
    this.#state.up(hasIdle ? 'Idle' : 'Poll', this.#isFull ? 'MailboxFull' : (this.#notice ?? lacks));
  }

  #isHere(session: ImapSession, { mailbox, uidValidity }: LetterPlace): boolean {
    return mailbox === this.#settings.mailbox && uidValidity === session.uidValidity;
  }

  #place(session: ImapSession, uid: number): LetterPlace {
    return { mailbox: this.#settings.mailbox, uidValidity: session.uidValidity ?? '', uid };
  }

  /** Whatever goes wrong ends the connection and is told in health: the next `open` makes another one. */
  async #guarded<T>(work: (session: ImapSession) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const session = this.#session;
    if (session === undefined) throw new MailServerError('ConnectionLost', this.#settings);
    try {
      return await work(session);
    } catch (error) {
      if (signal?.aborted === true) throw error;
      session.end(faultOf(error, 'ConnectionLost'));
      this.#session = undefined;
      throw this.#failed(error);
    }
  }

  #failed(error: unknown): MailServerError {
    const fault = faultOf(error, 'UnexpectedAnswer');
    this.#state.down(fault);
    return error instanceof MailServerError ? error : new MailServerError(fault, this.#settings);
  }
}

/** Of a letter that is there, and of which the server sends nothing: it is told as what cannot be read, and never as gone. */
const NOTHING = new Uint8Array();

function count(counts: Map<number, number>, uid: number): void {
  counts.set(uid, (counts.get(uid) ?? 0) + 1);
}

interface Fetched {
  readonly bytes: Uint8Array;
  readonly about: AboutLetter;
  readonly isWhole: boolean;
}

async function wholeOf(session: ImapSession, about: AboutLetter, bytesMax: number): Promise<Fetched | undefined> {
  const query = { source: { start: 0, maxLength: bytesMax + 1 } };
  const found = await session.ask((client) => client.fetchOne(String(about.place.uid), query, { uid: true }));
  if (found === false) return undefined;
  const { source = NOTHING } = found;
  const isWhole = found.source !== undefined && source.length <= bytesMax;
  const bytes = isWhole ? source : source.subarray(0, HEAD_BYTES_MAX);
  return { bytes, about: { ...about, sizeBytes: Math.max(about.sizeBytes, source.length) }, isWhole };
}

async function headOf(session: ImapSession, about: AboutLetter): Promise<Fetched | undefined> {
  const part = { key: 'HEADER', start: 0, maxLength: HEAD_BYTES_MAX };
  const query = { bodyParts: [part] };
  const found = await session.ask((client) => client.fetchOne(String(about.place.uid), query, { uid: true }));
  if (found === false) return undefined;
  return { bytes: found.headers ?? NOTHING, about, isWhole: false };
}

/** When the server took these letters, ascending by number. */
async function takenAt(
  session: ImapSession,
  uids: readonly number[],
  nowMs: number,
): Promise<readonly { readonly uid: number; readonly atMs: number }[]> {
  const found = await session.run((client) => client.fetchAll(uids.join(','), { internalDate: true }, { uid: true }));
  const wanted = new Set(uids);
  return found
    .filter(({ uid }) => wanted.has(uid))
    .map(({ uid, internalDate }) => ({ uid, atMs: momentOf(internalDate, nowMs) }))
    .toSorted((a, b) => a.uid - b.uid);
}

/** A server that tells no moment tells nothing by which a letter could be left out: it counts as new. */
function momentOf(date: Date | string | undefined, nowMs: number): number {
  const atMs = date === undefined ? Number.NaN : new Date(date).getTime();
  return Number.isNaN(atMs) ? nowMs : atMs;
}
