/** What the agent needs of its mail servers, and what its parts need of mail. Adapters know the libraries; nobody else does. */
import type { Component } from './component.ts';
import type { Letter, LetterPlace } from '@retainer/mind/parts/mail/letter';
import type { LetterAround, MailSettings } from '@retainer/mind/parts/mail/decide-letter';
import type { KeptLetter } from '@retainer/mind/parts/mail/kept-mail';
import type { MailState } from '@retainer/mind/parts/mail/mail-state';
import type { Outgoing } from '@retainer/mind/parts/mail/mail-records';
import type { SendRequest } from '@retainer/mind/parts/mail/outgoing';

/** Where the agent stands with one of its two servers, for status, metrics and the sensorium. */
export interface ServerHealth {
  /** `Down`: tries go on by themselves, with growing pauses. */
  readonly state: 'Off' | 'Connecting' | 'Up' | 'Down';
  /** Since when, milliseconds since 1970. */
  readonly sinceMs: number;
  /** A word of code for what is wrong, such as `LoginRefused`; absent: nothing is. */
  readonly reason?: string;
  /** One sentence: what is wrong and what to do. It quotes no letter, no password and nothing that a server wrote. */
  readonly message?: string;
  /** Of the server for incoming mail: whether it tells of new mail, or is asked each `pollInterval`. */
  readonly way?: 'Idle' | 'Poll';
}

export interface MailHealth {
  readonly incoming: ServerHealth;
  readonly outgoing: ServerHealth;
}

/** What an open mailbox says of itself. */
export interface MailboxView {
  readonly mailbox: string;
  readonly uidValidity: string;
  /** The next letter gets this number. */
  readonly uidNext: number;
}

/** A mailbox, read. Each call may reject when the connection breaks: whoever calls it begins anew with `open`. */
export interface MailboxPort {
  /** Connects, logs in, opens the mailbox. @throws MailServerError */
  open(signal: AbortSignal): Promise<MailboxView>;
  /** Places of letters from this number on, ascending, at most `max`. @param sinceMs  those that the server took earlier are left out */
  list(from: { readonly uid: number; readonly sinceMs: number; readonly max: number }): Promise<readonly LetterPlace[]>;
  /** Reads one letter within the limits; of one that is too large, its head alone. Undefined: it is gone. */
  read(place: LetterPlace): Promise<Letter | undefined>;
  /** Marks letters as seen. Nothing is moved or deleted. */
  flag(places: readonly LetterPlace[]): Promise<void>;
  /** Resolves when there may be new letters, at the latest after `pollInterval`; rejects when the connection is dead. */
  changed(signal: AbortSignal): Promise<void>;
  /** Whether Sent has a letter with this Message-ID; undefined: there is no Sent to look in. Rejects where nobody can tell now. */
  isInSent(messageId: string, signal: AbortSignal): Promise<boolean | undefined>;
  /** Keeps a copy in Sent, marked as seen. Nothing where there is no Sent. */
  appendToSent(message: Uint8Array, signal: AbortSignal): Promise<void>;
  health(): ServerHealth;
  /** Ends the connection, whatever waits for an answer over it: that rejects within seconds. */
  close(): Promise<void>;
}

/** `Refused`: the server said no, so nothing was sent. `Unknown`: the connection broke after the text was on its way. */
export type Handed =
  | { readonly kind: 'Sent' }
  | { readonly kind: 'Refused'; readonly reason: string; readonly isPermanent: boolean }
  | { readonly kind: 'Unknown'; readonly reason: string };

export interface Handing {
  /** The mail as bytes. */
  readonly message: Uint8Array;
  readonly signal: AbortSignal;
  /**
   * To be awaited once, when the server has taken the login and before anything of the mail may go to it: whoever calls notes in the
   * record that nobody knows its fate from here on. Where it rejects, nothing may be sent.
   */
  readonly beforeText: () => Promise<void>;
}

export interface SenderPort {
  /** Logs in once, so that health tells what is wrong before anything is sent; and tries again while that fails. */
  start(): void;
  /** Hands one mail to the server, once. @param mail  its Message-ID is in the record. Never rejects for what a server did */
  hand(mail: Pick<Outgoing, 'to'>, handing: Handing): Promise<Handed>;
  health(): ServerHealth;
  close(): Promise<void>;
}

/** What came of a letter that a tool or a delivery wanted to send. `Pending`: tries go on; `Withheld`: a limit forbids it. */
export type SendOutcome = 'Sent' | 'Pending' | 'Failed' | 'Unknown' | 'Withheld';

/** For tools and deliveries. Absent where the Agent has no mail. */
export interface MailPort {
  /** The agent's own address. */
  readonly address: string;
  /** Addresses and domains (`*@example.org`) that the agent may write to. */
  readonly allowedRecipients: readonly string[];
  known(): MailState;
  /** Idempotent by `deliveryId` or `callId`. Resolves when it is known what came of it, or with `Pending` when the signal aborts. */
  send(request: SendRequest, signal: AbortSignal): Promise<SendOutcome>;
  health(): MailHealth;
}

/** Its two connections. Made by whoever knows the credentials; each is opened when it is needed. */
export interface MailServers {
  readonly mailbox: MailboxPort;
  readonly sender: SenderPort;
}

/** What the components of mail need of the agent. */
export interface MailRunsPort {
  readonly settings: MailSettings;
  /** False while the agent may begin nothing: it is starting or stopping, or its volume is full. */
  isWorking(): boolean;
  around(): LetterAround;
  /** Accepts what a letter sets off, once, however often it is called. */
  begin(letter: KeptLetter): Promise<void>;
  /** Whether that was accepted before. */
  isBegun(letter: KeptLetter): boolean;
  /** How many runs may begin now: as many as `limits.concurrentRuns`, without those that wait for a person or for their delivery. */
  room(): number;
  /** Resolves when the record of mail changed. */
  changed(signal: AbortSignal): Promise<void>;
}

/** What the components of mail need. */
export interface TendedMail {
  readonly servers: MailServers;
  readonly runs: MailRunsPort;
  readonly outbox: Component;
  readonly dialogue: Component;
}
