/**
 * Sends the agent's mails: one at a time, each once.
 *
 * I1  `MailRequested` is on the disk before its server is asked for anything, and `MailHanded` before its text may go.
 * I2  A mail that was handed is handed again only after its server refused it. Any other without a result is looked for in Sent: it is
 *     found there, or its fate is unknown for good.
 * I3  A mail that was never handed is sent, also by a later process.
 * I4  What a limit forbids is recorded as withheld, and nothing tries it again. It is judged once more before it goes, as of when it
 *     was requested: a crash may have cut off what the first judgement was.
 *
 * Source: reliability-security 1 (intent before effect), 5 (sending).
 */
import { backoffMs, type BackoffPolicy } from '@retainer/contract/std/backoff';
import type { Clock } from '@retainer/contract/std/clock';
import { invariant } from '@retainer/contract/std/invariant';
import { recordIn } from '@retainer/mind/part/record-in';
import type { PartRecord } from '@retainer/mind/part/store';
import type { MailRecordOf, Outgoing } from '@retainer/mind/parts/mail/mail-records';
import { mailStore } from '@retainer/mind/parts/mail/mail-store';
import type { KeptOutgoing, OutgoingStatus } from '@retainer/mind/parts/mail/kept-mail';
import type { MailState } from '@retainer/mind/parts/mail/mail-state';
import {
  mailIdOf,
  outgoingOf,
  overLimit,
  wasOverLimit,
  type SendRequest,
  type SendSettings,
} from '@retainer/mind/parts/mail/outgoing';
import type { Component } from '../../ports/component.ts';
import type { MailboxPort, SenderPort, SendOutcome } from '../../ports/mail.ts';
import type { PartsPort } from '../../ports/tool.ts';
import { whileWorking } from '../jobs/while-working.ts';
import { SentFolder, type SentPauses } from './sent-folder.ts';

export interface OutboxParts {
  readonly clock: Clock;
  readonly parts: PartsPort;
  readonly sender: SenderPort;
  readonly mailbox: Pick<MailboxPort, 'isInSent' | 'appendToSent'>;
  readonly settings: SendSettings;
  /** The bytes of a mail. Rejects where something in it does not fit into its header. */
  readonly build: (mail: Outgoing, dateMs: number) => Promise<Uint8Array>;
  /** A mail as it leaves: an approval with its code. Absent: as it is recorded. */
  readonly complete?: (mail: Outgoing) => Promise<Outgoing>;
  /** False while nothing may be written or begun. */
  readonly isWorking: () => boolean;
  /** When the record was restored from a copy: mails from before may have been sent by a machine that is lost. */
  readonly restoredAtMs?: () => number | undefined;
  /** Absent: as a mail server wants it. */
  readonly pauses?: Partial<SentPauses>;
  readonly onNotice?: (notice: string) => void;
}

/** Pauses between tries: servers that refuse for a while want minutes (greylisting), and none wants to be asked every second. */
const RETRY: BackoffPolicy = { initialMs: 15_000, factor: 2, ceilingMs: 3_600_000, jitterRatio: 0 };
/** A mail that no server took within a day comes too late for most of what it says; a person is told. */
const GIVE_UP_MS = 86_400_000;
/** Longest single wait: the wall clock may step meanwhile. */
const WAIT_MS_MAX = 60_000;
/** How long a call of a tool waits for its mail: a server takes seconds, and tries go on without the call. */
const CALL_WAIT_MS = 45_000;

const OUTCOMES: Readonly<Record<OutgoingStatus, SendOutcome>> = {
  Open: 'Pending',
  Handed: 'Pending',
  Sent: 'Sent',
  // Its server had it.
  Bounced: 'Sent',
  Failed: 'Failed',
  Unknown: 'Unknown',
  Withheld: 'Withheld',
};

export class Outbox {
  readonly #parts: OutboxParts;
  readonly #sent: SentFolder;
  /** Called when something of a mail is recorded. */
  readonly #listeners = new Set<() => void>();
  /** Appends so far: whoever looks at the record and waits then misses none. */
  #appends = 0;
  /** What servers said and the record did not take, by mail: nobody could ask them again. */
  readonly #untold = new Map<string, PartRecord>();
  /** One request after the other: each is counted before the next is judged. */
  #requests: Promise<unknown> = Promise.resolve();

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#sent = new SentFolder({ ...parts, write: (record) => this.#write([record]) });
  }

  component(): Component {
    return { name: 'mail-outbox', restart: 'Permanent', run: (signal) => this.#run(signal) };
  }

  /** See `MailPort.send`. A request that makes no mail, such as one without a receiver, is `Failed` and leaves no record. */
  async send(request: SendRequest, signal: AbortSignal): Promise<SendOutcome> {
    const asked = this.#requests.then(() => this.#request(request));
    this.#requests = asked.catch(() => undefined);
    if (!(await asked)) return 'Failed';
    return this.#settled(mailIdOf(request), request.callId !== undefined, signal);
  }

  get #state(): MailState {
    return this.#parts.parts.known().mail;
  }

  /** @returns whether the record has the mail */
  async #request(request: SendRequest): Promise<boolean> {
    if (this.#state.outgoing.has(mailIdOf(request))) return true;
    const { settings, clock } = this.#parts;
    const made = outgoingOf(this.#state, request, settings);
    if (!made.ok) return false;
    const mail = made.value;
    const over = overLimit(this.#state, mail, settings, clock.nowMs());
    const of = runOf(request);
    const withheld = over && recordIn(mailStore, 'MailWithheld', { mailId: mail.mailId, limit: over.limit }, of);
    await this.#write([
      recordIn(mailStore, 'MailRequested', { mail }, of),
      ...(withheld === undefined ? [] : [withheld]),
    ]);
    return true;
  }

  /** @param isCall  a call of a tool hears of the first refusal that passes, and waits no longer than it may */
  async #settled(mailId: string, isCall: boolean, signal: AbortSignal): Promise<SendOutcome> {
    const { clock } = this.#parts;
    const failures = this.#failuresOf(mailId);
    const untilMs = isCall ? clock.monotonicMs() + CALL_WAIT_MS : Infinity;
    for (;;) {
      const outcome = OUTCOMES[this.#state.outgoing.get(mailId)?.status ?? 'Failed'];
      const leftMs = untilMs - clock.monotonicMs();
      const isOver = leftMs <= 0 || (isCall && this.#failuresOf(mailId) > failures);
      if (outcome !== 'Pending' || isOver || signal.aborted) return outcome;
      await this.#changed(Math.min(WAIT_MS_MAX, leftMs), signal);
    }
  }

  #failuresOf(mailId: string): number {
    return this.#state.outgoing.get(mailId)?.failures ?? 0;
  }

  #run(signal: AbortSignal): Promise<void> {
    this.#sent.begin(this.#state);
    const { clock, isWorking } = this.#parts;
    return whileWorking({ clock, jobs: { isWorking }, signal }, () => this.#pass(signal));
  }

  async #pass(signal: AbortSignal): Promise<void> {
    for (const [mailId, record] of this.#untold) await this.#tell(mailId, record);
    const nowMs = this.#parts.clock.nowMs();
    const appends = this.#appends;
    const open = [...this.#state.outgoing.values()].filter((it) => it.status === 'Open' && !this.#isOfLost(it));
    const due = open.find((it) => nextTryMs(it) <= nowMs);
    if (due !== undefined) return this.#hand(due, signal);
    const lookAtMs = await this.#sent.lookAtDue(this.#handed(), signal);
    const wakeAtMs = Math.min(...open.map(nextTryMs), lookAtMs ?? Infinity);
    const waitMs = Math.max(0, wakeAtMs - this.#parts.clock.nowMs());
    if (waitMs > 0 && appends === this.#appends) await this.#changed(Math.min(WAIT_MS_MAX, waitMs), signal);
  }

  /** Mails that a server may have, and of which nothing says so yet. */
  #handed(): readonly KeptOutgoing[] {
    return [...this.#state.outgoing.values()].filter((it) => it.status === 'Handed' || this.#isOfLost(it));
  }

  /** The record of a lost machine may have ended before it handed the mail. */
  #isOfLost({ status, requestedAtMs }: KeptOutgoing): boolean {
    const restoredMs = this.#parts.restoredAtMs?.() ?? -Infinity;
    return status === 'Open' && requestedAtMs < restoredMs;
  }

  async #hand(kept: KeptOutgoing, signal: AbortSignal): Promise<void> {
    const { sender, onNotice } = this.#parts;
    const { mailId } = kept.mail;
    const over = wasOverLimit(this.#state, kept, this.#parts.settings);
    if (over !== undefined)
      return this.#write([recordIn(mailStore, 'MailWithheld', { mailId, limit: over.limit }, runOf(kept))]);
    const message = await this.#built(kept);
    if (message === undefined) {
      onNotice?.(`the mail ${mailId} cannot be sent: something in it fits into no header`);
      return this.#write([failed({ mailId, reason: 'NoMail', isPermanent: true })]);
    }
    let isHanded = false;
    const beforeText = async (): Promise<void> => {
      await this.#write([recordIn(mailStore, 'MailHanded', { mailId })]);
      isHanded = true;
    };
    const handed = await sender.hand(kept.mail, { message, signal, beforeText });
    invariant(isHanded || handed.kind === 'Refused', 'a sender says that a mail goes before it goes');
    // Nothing has happened, and the next process begins it.
    if (signal.aborted && !isHanded) return;
    switch (handed.kind) {
      case 'Sent':
        await this.#tell(mailId, recordIn(mailStore, 'MailSent', { mailId }));
        // The code of an approval is in the letter alone.
        return kept.mail.kind === 'Approval' ? undefined : this.#sent.copy(kept, message);
      case 'Refused':
        return this.#refused(kept, handed);
      case 'Unknown':
        // It stays as it is, so it is looked for.
        return undefined;
    }
  }

  async #built({ mail, requestedAtMs }: KeptOutgoing): Promise<Uint8Array | undefined> {
    const { build, complete } = this.#parts;
    try {
      return await build(complete === undefined ? mail : await complete(mail), requestedAtMs);
    } catch {
      // What does not fit now never will: the mail is in the record as it is.
      return undefined;
    }
  }

  #refused(
    { mail: { mailId }, requestedAtMs }: KeptOutgoing,
    { reason, isPermanent }: { readonly reason: string; readonly isPermanent: boolean },
  ): Promise<void> {
    const isTooLate = this.#parts.clock.nowMs() - requestedAtMs >= GIVE_UP_MS;
    if (isPermanent || isTooLate) this.#parts.onNotice?.(`the mail ${mailId} was not sent, and is tried no more`);
    return this.#tell(mailId, failed({ mailId, reason, isPermanent: isPermanent || isTooLate }));
  }

  async #tell(mailId: string, record: PartRecord): Promise<void> {
    this.#untold.set(mailId, record);
    await this.#write([record]);
    this.#untold.delete(mailId);
  }

  async #write(records: readonly PartRecord[]): Promise<void> {
    await this.#parts.parts.write(records);
    this.#appends += 1;
    for (const told of [...this.#listeners]) told();
  }

  /** Resolves when something of a mail was recorded, after `waitMs`, or when the signal aborts. */
  async #changed(waitMs: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const end = (): void => over.abort();
    this.#listeners.add(end);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    // It rejects when it is not waited for any more.
    await this.#parts.clock.sleep(waitMs, over.signal).catch(() => undefined);
    this.#listeners.delete(end);
    signal.removeEventListener('abort', end);
  }
}

function runOf({ runId }: { readonly runId?: string }): { readonly runId?: string } {
  return runId === undefined ? {} : { runId };
}

/** When an open mail is tried, milliseconds since 1970. */
function nextTryMs({ failures, atMs }: KeptOutgoing): number {
  return failures === 0 ? -Infinity : atMs + backoffMs(RETRY, failures - 1, 0);
}

function failed(payload: MailRecordOf<'MailFailed'>): PartRecord {
  return recordIn(mailStore, 'MailFailed', payload);
}
