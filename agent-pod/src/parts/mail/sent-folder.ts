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
import type { KeptOutgoing, MailState } from '@retainer/mind/parts/mail/mail-state';
import type { MailboxPort } from '../../ports/mail.ts';

export interface SentPauses {
  /** Looks for a mail of unknown fate, after the connection or its process ended, milliseconds, ascending. After the last it is unknown. */
  readonly looksAfterMs: readonly number[];
  /** Before the look for a copy: servers that keep one take a moment. */
  readonly copyAfterMs: number;
}

const PAUSES: SentPauses = { looksAfterMs: [1_000, 10_000, 30_000], copyAfterMs: 5_000 };

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

export class SentFolder {
  readonly #parts: SentParts;
  readonly #pauses: SentPauses;
  /** Copies to be added, by mail. */
  readonly #copies = new Map<string, Copy>();
  /** Since when a mail is looked for, by the steady clock, and how often it was. */
  readonly #looks = new Map<string, { readonly sinceMs: number; readonly times: number }>();

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

  /** The connection broke in the midst of the mail. */
  lost({ mail: { mailId } }: KeptOutgoing): void {
    this.#looks.set(mailId, { sinceMs: this.#parts.clock.monotonicMs(), times: 0 });
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
    for (const kept of handed) if (!signal.aborted && this.#lookMs(kept) <= this.#nowMs()) await this.#look(kept);
    for (const copy of this.#copies.values()) if (!signal.aborted && copy.atMs <= this.#nowMs()) await this.#add(copy);
    const left = handed.filter(({ mail }) => this.#looks.has(mail.mailId)).map((it) => this.#lookMs(it));
    const nextMs = Math.min(...left, ...[...this.#copies.values()].map(({ atMs }) => atMs));
    return nextMs === Infinity ? undefined : this.#parts.clock.nowMs() + Math.max(0, nextMs - this.#nowMs());
  }

  #nowMs(): number {
    return this.#parts.clock.monotonicMs();
  }

  #lookMs({ mail: { mailId } }: KeptOutgoing): number {
    const looks = this.#looks.get(mailId) ?? { sinceMs: this.#nowMs(), times: 0 };
    this.#looks.set(mailId, looks);
    return looks.sinceMs + (this.#pauses.looksAfterMs[looks.times] ?? 0);
  }

  async #look({ mail: { mailId, messageId } }: KeptOutgoing): Promise<void> {
    const { mailbox, write } = this.#parts;
    // A server that is away says nothing of the mail: it is looked for again, and unknown in the end.
    const isThere = await mailbox.isInSent(messageId).catch(() => false);
    if (isThere === true) {
      this.#looks.delete(mailId);
      return write(recordIn(mailStore, 'MailSent', { mailId, foundInSent: true }));
    }
    const looks = this.#looks.get(mailId);
    const times = (looks?.times ?? 0) + 1;
    if (times < this.#pauses.looksAfterMs.length) {
      this.#looks.set(mailId, { sinceMs: looks?.sinceMs ?? this.#nowMs(), times });
      return;
    }
    this.#looks.delete(mailId);
    const reason = isThere === undefined ? 'NoSentFolder' : 'NotInSent';
    await write(recordIn(mailStore, 'MailUnknown', { mailId, reason }));
  }

  async #add({ mail, tries, message }: Copy): Promise<void> {
    const { mailbox, build } = this.#parts;
    const { mailId, messageId } = mail.mail;
    try {
      if ((await mailbox.isInSent(messageId)) === false)
        await mailbox.appendToSent(message ?? (await build(mail.mail, mail.requestedAtMs)));
      this.#copies.delete(mailId);
    } catch {
      // The mail is sent: its copy may come later, or not at all.
      if (tries + 1 >= COPY_TRIES_MAX) this.#copies.delete(mailId);
      else this.#copies.set(mailId, { mail, tries: tries + 1, atMs: this.#nowMs() + COPY_AGAIN_MS });
    }
  }
}
