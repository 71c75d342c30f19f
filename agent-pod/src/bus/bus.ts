/**
 * The port through which other processes hear the messages of a run. The auditor taps; roles of other processes may consume,
 * and none does yet: inside of a run messages are passed on without a bus.
 *
 * The bus is a doorbell. A message is in the journal before it is published, so the journal is the outbox: what was said of a run
 * under way is published again after a restart.
 *
 * I1  At least once: a message whose `publish` resolved is handed to the handler of its role until one resolves, unless a
 *     `Lost` is reported. Receivers are idempotent by the message's id.
 * I2  Messages of one run to one role come in the order in which they were published, and one at a time. This is usual,
 *     not promised: what was handed over by a process that died, or was published again, comes late.
 * I3  No message for a role is dropped because somebody is slow. Only observers lose, and they are told.
 * I4  What cannot be read is passed over with a report. It stops nobody.
 *
 * Who may send what to whom is judged by whoever hears it, against the table of routes and the record.
 *
 * Source: artoo A.2, C. Differs: order is kept per run, so that a run that waits does not hold up another.
 */
import type { BusMessage } from '@retainer/contract/wire/bus/envelope';
import type { BusMessageType, BusRole } from '@retainer/contract/wire/bus/roles';
import type { Garbage } from './message-text.ts';

/** Resolved: acknowledged. Rejected: handed over again, after a pause that grows. May be called twice with one message. */
export type BusHandler = (message: BusMessage) => Promise<void>;

/** Sees every message. A rejection is reported, and the message is not shown again. */
export type BusObserver = (message: BusMessage) => void | Promise<void>;

/** What whoever only speaks has of a bus. */
export interface Publisher {
  /**
   * Resolves when the bus took the message; never waits for a handler.
   *
   * @throws BusUnavailableError: it is not known whether the bus has it. Publish it again later.
   * @throws RangeError: it is longer than any bus takes. Trying again is of no use.
   */
  publish(message: BusMessage): Promise<void>;

  /** Hands over nothing more, waits for handlers that are running, and lets go of everything. Idempotent. */
  close(): Promise<void>;
}

export interface Bus extends Publisher {
  /**
   * From now on messages to this role are handed to `handler`, those that wait for it first. Once per role and bus; several
   * processes that consume one role on one stream share its messages.
   */
  consume(role: BusRole, handler: BusHandler): void;

  /**
   * Shows every message to `observer`, one at a time, from now on or, where the bus keeps messages, from where the observer
   * of this name was. It may lag behind, and may lose: then a run's `seq` has a gap, and `Lost` is reported.
   *
   * @param name  one for each observer; `auditor` is the auditor's. Not a role's
   */
  tap(name: string, observer: BusObserver): void;
}

/** What a bus tells whoever counts and logs. `receiver`: a role, or an observer's name. */
export type BusReport =
  | { readonly kind: 'Published'; readonly type: BusMessageType }
  /** `lagMs`: by the wall clocks of both ends, from the making of the message; at least 0. */
  | { readonly kind: 'Delivered'; readonly receiver: string; readonly type: BusMessageType; readonly lagMs: number }
  /** The handler did, so it comes again after a pause. `attempt` from 1. `error` may quote the message: log its name only. */
  | { readonly kind: 'Rejected'; readonly receiver: string; readonly attempt: number; readonly error: unknown }
  /** Taken over from a consumer that was silent for too long. */
  | { readonly kind: 'Reclaimed'; readonly receiver: string; readonly messages: number }
  | { readonly kind: 'Garbage'; readonly receiver: string; readonly reason: Garbage }
  | { readonly kind: 'ObserverFailed'; readonly receiver: string; readonly error: unknown }
  /** The receiver will never see them; how many is not known where the whole bus was lost. Roles: publish again. */
  | { readonly kind: 'Lost'; readonly receiver: string; readonly messages?: number }
  /** From now on nothing is taken. `reason` names no secret. */
  | { readonly kind: 'Away'; readonly reason: string }
  | { readonly kind: 'Back' };

/** Called at once, from inside of the bus: must neither throw nor wait. */
export type ReportBus = (report: BusReport) => void;

/** The bus did not say that it has the message. Its text says why and holds neither secret nor content. */
export class BusUnavailableError extends Error {
  override readonly name = 'BusUnavailableError';

  constructor(messageId: string, reason: string) {
    super(`the bus did not take message ${messageId}: ${reason}; it can be published again`);
  }
}
