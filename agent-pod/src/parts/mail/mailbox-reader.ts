/**
 * Reads the mailbox: each letter is decided, its records are on the disk, and only then the server is told that it was seen.
 *
 * I1  A letter that is in the record begins what it begins, whatever the server does; one that is not is read again.
 * I2  A mailbox that its server numbers anew is read anew, and nothing in it is done twice: letters are known by what they are.
 *
 * Source: springdrift 10 (durable inbox), 15 (4).
 */
import { backoffMs, type BackoffPolicy } from '@retainer/contract/std/backoff';
import type { Clock } from '@retainer/contract/std/clock';
import { decideLetter } from '@retainer/mind/parts/mail/decide-letter';
import type { LetterPlace } from '@retainer/mind/parts/mail/letter';
import { mailStore } from '@retainer/mind/parts/mail/mail-store';
import type { Mailbox } from '@retainer/mind/parts/mail/kept-mail';
import type { MailState } from '@retainer/mind/parts/mail/mail-state';
import { recordIn } from '@retainer/mind/part/record-in';
import type { Component } from '../../ports/component.ts';
import type { MailboxPort, MailboxView, MailRunsPort } from '../../ports/mail.ts';
import type { PartsPort } from '../../ports/tool.ts';

export interface MailboxReaderParts {
  readonly clock: Clock;
  readonly parts: PartsPort;
  readonly mailbox: MailboxPort;
  readonly runs: MailRunsPort;
}

/** Letters of the day before the agent first looked are people's who have just been told of its address. */
const FIRST_LOOK_MS = 86_400_000;
/** Letters of one look; the next look begins at once. */
const LETTERS_PER_LOOK = 50;
/** Letters whose mark is set again when a mailbox is opened: as many as a process can have left unmarked. */
const MARKED_AGAIN_MAX = LETTERS_PER_LOOK;
/** While nothing can be written. */
const STANDSTILL_LOOK_MS = 1_000;
/** From a break of the connection to the next try, as long as tries fail. */
const retry: BackoffPolicy = { initialMs: 1_000, factor: 2, ceilingMs: 300_000, jitterRatio: 0 };

export function mailboxReader(parts: MailboxReaderParts): Component {
  return { name: 'mailbox-reader', restart: 'Permanent', run: (signal) => new MailboxReader(parts, signal).run() };
}

class MailboxReader {
  readonly #parts: MailboxReaderParts;
  readonly #signal: AbortSignal;
  /** Numbers that the server lists and no longer has. */
  #goneUpTo = 0;

  constructor(parts: MailboxReaderParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { mailbox, runs } = this.#parts;
    let failures = 0;
    let closing: Promise<void> | undefined;
    // Whatever waits for the server waits no longer: a server may say nothing for a minute.
    const close = (): Promise<void> => (closing ??= mailbox.close());
    const stop = (): void => void close();
    this.#signal.addEventListener('abort', stop, { once: true });
    try {
      while (!this.#signal.aborted) {
        if (!runs.isWorking()) {
          await this.#sleep(STANDSTILL_LOOK_MS);
          continue;
        }
        const view = await mailbox.open(this.#signal).catch(() => undefined);
        if (view !== undefined) {
          failures = 0;
          await this.#readUntilItBreaks(view);
        }
        failures += 1;
        if (!this.#signal.aborted) await this.#sleep(backoffMs(retry, failures - 1, 0));
      }
    } finally {
      this.#signal.removeEventListener('abort', stop);
      await close();
    }
  }

  #sleep(durationMs: number): Promise<void> {
    return this.#parts.clock.sleep(durationMs, this.#signal).catch(() => undefined);
  }

  async #readUntilItBreaks(view: MailboxView): Promise<void> {
    this.#goneUpTo = 0;
    const { mailbox } = this.#parts;
    try {
      await this.#openMailbox(view);
      await mailbox.flag(seenIn(this.#state(), view));
      while (!this.#signal.aborted && this.#parts.runs.isWorking()) {
        if (!(await this.#look(view))) await mailbox.changed(this.#signal);
      }
    } catch (error) {
      // The server tells the rest: its health has it, and the next try begins anew. A fault of the record is none of the server's; but a
      // standstill may have begun between the look and the write, and what was not written is read again.
      if (!isOfServer(error) && this.#parts.runs.isWorking()) throw error;
    }
  }

  #state(): MailState {
    return this.#parts.parts.known().mail;
  }

  /** @returns whether there were letters */
  async #look(view: MailboxView): Promise<boolean> {
    const { mailbox } = this.#parts;
    const known = this.#state().mailboxes.get(view.mailbox);
    const uid = Math.max((known?.uid ?? 0) + 1, this.#goneUpTo + 1);
    const places = await mailbox.list({ uid, sinceMs: sinceOf(known), max: LETTERS_PER_LOOK });
    for (const place of places) {
      if (this.#signal.aborted || !this.#parts.runs.isWorking()) return true;
      await this.#take(place);
    }
    return places.length > 0;
  }

  async #take(place: LetterPlace): Promise<void> {
    const { mailbox, parts, runs } = this.#parts;
    const letter = await mailbox.read(place);
    if (letter === undefined) {
      this.#goneUpTo = Math.max(this.#goneUpTo, place.uid);
      return;
    }
    await parts.write(decideLetter(this.#state(), letter, runs.settings, runs.around()));
    await mailbox.flag([place]);
  }

  async #openMailbox({ mailbox, uidValidity }: MailboxView): Promise<void> {
    const known = this.#state().mailboxes.get(mailbox);
    if (known?.uidValidity === uidValidity) return;
    const sinceMs = known?.sinceMs ?? this.#parts.clock.nowMs() - FIRST_LOOK_MS;
    await this.#parts.parts.write([
      recordIn(mailStore, 'MailboxOpened', { mailbox, uidValidity, fromUid: 1, sinceMs }),
    ]);
  }
}

const sinceOf = (known: Mailbox | undefined): number => known?.sinceMs ?? 0;

/** A process may have ended between the record and the mark. */
function seenIn({ letters }: MailState, { mailbox, uidValidity }: MailboxView): readonly LetterPlace[] {
  const places = [...letters.values()].slice(-MARKED_AGAIN_MAX).map(({ head }) => head.place);
  return places.filter((place) => place.mailbox === mailbox && place.uidValidity === uidValidity);
}

/** What a mailbox rejects with. */
function isOfServer(error: unknown): boolean {
  return error instanceof Error && error.name === 'MailServerError';
}
