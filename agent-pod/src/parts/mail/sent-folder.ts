/**
 * What lies in Sent: the copy of each mail that was sent, and what shows that a mail was sent whose process died.
 *
 * I1  A copy is added only after a look that finds none: many servers keep one by themselves.
 * I2  A mail that is not found is unknown. Where no Sent can be looked into, it is unknown as well.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { recordIn } from '@retainer/mind/part/record-in';
import type { PartRecord } from '@retainer/mind/part/store';
import type { Outgoing } from '@retainer/mind/parts/mail/mail-records';
import { mailStore } from '@retainer/mind/parts/mail/mail-store';
import type { KeptOutgoing } from '@retainer/mind/parts/mail/kept-mail';
import type { MailState } from '@retainer/mind/parts/mail/mail-state';
import type { MailboxPort } from '../../ports/mail.ts';

export interface SentPauses {
  /** Looks for a mail of unknown fate, after the connection or its process ended, milliseconds, ascending. After the last it is unknown. */
  readonly looksAfterMs: readonly number[];
  /** So long a server that is away is asked again, from the first look on: until then nothing says that the mail is not there. */
  readonly awayMs: number;
  /** Before the look for a copy: servers that keep one take a moment. */
  readonly copyAfterMs: number;
}

const PAUSES: SentPauses = { looksAfterMs: [1_000, 10_000, 30_000], awayMs: 900_000, copyAfterMs: 5_000 };

/** Between looks at a server that is away. */
const AWAY_LOOK_MS = 10_000;

/** Tries of a copy, with a minute between: a server that is away for longer costs a copy and nothing else. */
const COPY_TRIES_MAX = 10;
const COPY_AGAIN_MS = 60_000;
/** Mails sent so long before a start may lack their copy; a person may have deleted those of older ones. */
const COPIES_OF_LAST_MS = 600_000;

export interface SentParts {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly mailbox: Pick<MailboxPort, 'isInSent' | 'appendToSent'>;
  readonly build: (mail: Outgoing, dateMs: number) => Promise<Uint8Array>;
  readonly write: (record: PartRecord) => Promise<void>;
  readonly pauses?: Partial<SentPauses>;
}

interface Copy {
  readonly mail: KeptOutgoing;
  /** By the steady clock. */
  readonly atMs: number;
  readonly tries: number;
  /** Absent: it is built anew. */
  readonly message?: Uint8Array;
}

/** By the steady clock. */
interface Looks {
  readonly sinceMs: number;
  readonly nextMs: number;
  /** Looks that found nothing. */
  readonly times: number;
}

/** Why nobody knows, in words of code. */
const REASONS = { Gone: 'NotInSent', None: 'NoSentFolder', Away: 'SentNotReached' } as const;

export class SentFolder {
  readonly #parts: SentParts;
  readonly #pauses: SentPauses;
  /** Copies to be added, by mail. */
  readonly #copies = new Map<string, Copy>();
  /** Mails that are looked for. */
  readonly #looks = new Map<string, Looks>();

  constructor(parts: SentParts) {
    this.#parts = parts;
    this.#pauses = { ...PAUSES, ...parts.pauses };
  }

  /** The process before may have ended before it added a copy. An approval lacks its code here, so it has none. */
  begin({ outgoing }: MailState): void {
    const sinceMs = this.#parts.clock.nowMs() - COPIES_OF_LAST_MS;
    for (const mail of outgoing.values())
      if (mail.status === 'Sent' && mail.atMs >= sinceMs && mail.mail.kind !== 'Approval') this.copy(mail);
  }

  /** Adds a copy soon. */
  copy(mail: KeptOutgoing, message?: Uint8Array): void {
    const atMs = this.#parts.clock.monotonicMs() + this.#pauses.copyAfterMs;
    this.#copies.set(mail.mail.mailId, { mail, atMs, tries: 0, ...(message === undefined ? {} : { message }) });
  }

  /**
   * Looks for what is due.
   *
   * @param handed  mails whose fate is not known
   * @returns when something is due next, milliseconds since 1970; undefined: nothing
   */
  async lookAtDue(handed: readonly KeptOutgoing[], signal: AbortSignal): Promise<number | undefined> {
    const known = new Set(handed.map(({ mail }) => mail.mailId));
    for (const mailId of this.#looks.keys()) if (!known.has(mailId)) this.#looks.delete(mailId);
    for (const kept of handed)
      if (!signal.aborted && this.#looksFor(kept).nextMs <= this.#nowMs()) await this.#look(kept, signal);
    for (const copy of this.#copies.values())
      if (!signal.aborted && copy.atMs <= this.#nowMs()) await this.#add(copy, signal);
    const moments = [...this.#looks.values()].map((it) => it.nextMs);
    const nextMs = Math.min(...moments, ...[...this.#copies.values()].map(({ atMs }) => atMs));
    return nextMs === Infinity ? undefined : this.#parts.clock.nowMs() + Math.max(0, nextMs - this.#nowMs());
  }

  #nowMs(): number {
    return this.#parts.clock.monotonicMs();
  }

  #looksFor({ mail: { mailId } }: KeptOutgoing): Looks {
    const sinceMs = this.#nowMs();
    const looks = this.#looks.get(mailId) ?? {
      sinceMs,
      nextMs: sinceMs + (this.#pauses.looksAfterMs[0] ?? 0),
      times: 0,
    };
    this.#looks.set(mailId, looks);
    return looks;
  }

  async #look(kept: KeptOutgoing, signal: AbortSignal): Promise<void> {
    const { mailId, messageId } = kept.mail;
    const { sinceMs, times: before } = this.#looksFor(kept);
    const found = await this.#find(messageId, signal);
    // The next process looks.
    if (signal.aborted && found === 'Away') return;
    if (found === 'There') return this.#tell(recordIn(mailStore, 'MailSent', { mailId, foundInSent: true }), mailId);
    const { looksAfterMs, awayMs } = this.#pauses;
    const times = found === 'Away' ? before : before + 1;
    const afterMs = looksAfterMs[times];
    if (found === 'Away' && this.#nowMs() - sinceMs < awayMs)
      this.#looks.set(mailId, { sinceMs, times, nextMs: this.#nowMs() + Math.min(AWAY_LOOK_MS, awayMs) });
    else if (found === 'Gone' && afterMs !== undefined)
      this.#looks.set(mailId, { sinceMs, times, nextMs: sinceMs + afterMs });
    else await this.#tell(recordIn(mailStore, 'MailUnknown', { mailId, reason: REASONS[found] }), mailId);
  }

  async #tell(record: PartRecord, mailId: string): Promise<void> {
    await this.#parts.write(record);
    this.#looks.delete(mailId);
  }

  async #find(messageId: string, signal: AbortSignal): Promise<'There' | 'Gone' | 'None' | 'Away'> {
    try {
      const isThere = await this.#parts.mailbox.isInSent(messageId, signal);
      if (isThere === undefined) return 'None';
      return isThere ? 'There' : 'Gone';
    } catch {
      return 'Away';
    }
  }

  async #add({ mail, tries, message }: Copy, signal: AbortSignal): Promise<void> {
    const { mailbox, build } = this.#parts;
    const { mailId, messageId } = mail.mail;
    try {
      if ((await mailbox.isInSent(messageId, signal)) === false)
        await mailbox.appendToSent(message ?? (await build(mail.mail, mail.requestedAtMs)), signal);
      this.#copies.delete(mailId);
    } catch {
      // The mail is sent: its copy may come later, or not at all.
      if (tries + 1 >= COPY_TRIES_MAX) this.#copies.delete(mailId);
      else this.#copies.set(mailId, { mail, tries: tries + 1, atMs: this.#nowMs() + COPY_AGAIN_MS });
    }
  }
}
