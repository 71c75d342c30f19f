/**
 * The port through which other processes receive the messages of a run. The auditor taps it. No role consumes yet: within a run
 * messages travel without a bus.
 *
 * The bus only signals. A message is in the journal before it is published, so the journal is the outbox: after a restart the
 * messages of unfinished runs are published again.
 *
 * I1  At least once: after `publish` resolved, the bus delivers the message until a handler of its role resolves, unless it
 *     reports `Lost`. Receivers are idempotent by the message's id.
 * I2  Messages of one run to one role arrive one at a time, usually in the order of publication. There is no guarantee: after
 *     the death of a process, or a second publication, messages arrive late.
 * I3  No message for a role is dropped because a receiver is slow. Only observers lose messages, with a report.
 * I4  An unreadable message is skipped with a report.
 *
 * Receivers check the route of a message against the table of routes and the journal.
 *
 * Source: artoo A.2, C. Differs: order is kept per run, so that a run that waits does not hold up another.
 */
import type { BusMessage } from '@retainer/contract/wire/bus/envelope';
import type { BusMessageType, BusRole } from '@retainer/contract/wire/bus/roles';
import type { Garbage } from './message-text.ts';

/** Resolved: acknowledged. Rejected: delivered again, after a growing pause. May receive one message twice. */
export type BusHandler = (message: BusMessage) => Promise<void>;

/** Receives every message once. A rejection is reported. */
export type BusObserver = (message: BusMessage) => void | Promise<void>;

export interface Publisher {
  /**
   * Resolves when the bus has the message; never waits for a handler.
   *
   * @throws BusUnavailableError: the bus may or may not have it. Publish it again later.
   * @throws RangeError: it is too long. Do not try again.
   */
  publish(message: BusMessage): Promise<void>;

  /** Stops deliveries, waits for running handlers, and frees all resources. Idempotent. */
  close(): Promise<void>;
}

export interface Bus extends Publisher {
  /**
   * Delivers messages to this role to `handler`, waiting ones first. Once per role and bus. Processes that consume one role on
   * one stream share its messages.
   */
  consume(role: BusRole, handler: BusHandler): void;

  /**
   * Shows every message to `observer`, one at a time: from now on or, if the bus keeps messages, from the last position of this
   * name. The observer may lag behind and lose messages: then a run's `seq` has a gap, and `Lost` is reported.
   *
   * @param name  unique per observer, and no role; `auditor` is the auditor's
   */
  tap(name: string, observer: BusObserver): void;
}

/** For metrics and logs. `receiver`: a role, or an observer's name. */
export type BusReport =
  | { readonly kind: 'Published'; readonly type: BusMessageType }
  /** `lagMs`: since the creation of the message, by the wall clocks of both ends; at least 0. */
  | { readonly kind: 'Delivered'; readonly receiver: string; readonly type: BusMessageType; readonly lagMs: number }
  /** By the handler; delivered again after a pause. `attempt` from 1. `error` may quote the message: log its name only. */
  | { readonly kind: 'Rejected'; readonly receiver: string; readonly attempt: number; readonly error: unknown }
  /** Taken over from a dead consumer. */
  | { readonly kind: 'Reclaimed'; readonly receiver: string; readonly messages: number }
  | { readonly kind: 'Garbage'; readonly receiver: string; readonly reason: Garbage }
  | { readonly kind: 'ObserverFailed'; readonly receiver: string; readonly error: unknown }
  /** Never delivered; the number is unknown if Redis lost its data. Roles: publish again. */
  | { readonly kind: 'Lost'; readonly receiver: string; readonly messages?: number }
  /** The bus accepts nothing now. `reason` contains no secret. */
  | { readonly kind: 'Away'; readonly reason: string }
  | { readonly kind: 'Back' };

/** Called synchronously within the bus: must neither throw nor wait. */
export type ReportBus = (report: BusReport) => void;

/** The bus did not confirm the message. The error's text contains neither secret nor content. */
export class BusUnavailableError extends Error {
  override readonly name = 'BusUnavailableError';

  constructor(messageId: string, reason: string) {
    super(`the bus did not accept message ${messageId}: ${reason}; publish it again`);
  }
}
