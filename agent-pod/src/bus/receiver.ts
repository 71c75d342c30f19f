/**
 * Delivers messages to one role or observer: decodes them, keeps the order of each run, repeats a delivery until the handler
 * succeeds, and stops when the bus is closed.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { backoffMs, type BackoffPolicy } from '@retainer/contract/std/backoff';
import type { BusMessage } from '@retainer/contract/wire/bus/envelope';
import type { BusRole } from '@retainer/contract/wire/bus/roles';
import type { BusHandler, BusObserver, ReportBus } from './bus.ts';
import { decodeMessage } from './message-text.ts';

/** A handler fails if the journal refuses its record: retries are quick at first, and rare while a disk is full. */
const redelivery: BackoffPolicy = { initialMs: 100, factor: 2, ceilingMs: 30_000, jitterRatio: 0.2 };

export interface Surroundings {
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly report: ReportBus;
  /** Aborted when the bus is closed. */
  readonly signal: AbortSignal;
}

/** Resolves to true when the message is finished. */
type Hand = (message: BusMessage) => Promise<boolean>;

export class Receiver {
  readonly name: string;
  readonly #role: BusRole | undefined;
  readonly #hand: Hand;
  readonly #surroundings: Surroundings;
  /** The last work of each lane: a run, or everything that an observer sees. */
  readonly #lanes = new Map<string, Promise<boolean>>();

  private constructor(name: string, role: BusRole | undefined, hand: Hand, surroundings: Surroundings) {
    this.name = name;
    this.#role = role;
    this.#hand = hand;
    this.#surroundings = surroundings;
  }

  static ofRole(role: BusRole, handler: BusHandler, surroundings: Surroundings): Receiver {
    return new Receiver(role, role, (message) => untilHandled(role, handler, message, surroundings), surroundings);
  }

  static ofObserver(name: string, observer: BusObserver, surroundings: Surroundings): Receiver {
    return new Receiver(name, undefined, (message) => shown(name, observer, message, surroundings), surroundings);
  }

  /** @param text  as `encodeMessage` made it, or anything else. @returns false if the bus closed before. Never rejects */
  take(text: string | undefined): Promise<boolean> {
    const { clock, report } = this.#surroundings;
    const decoded = text === undefined ? { ok: false as const, error: 'NoText' as const } : decodeMessage(text);
    const isMine = !decoded.ok || this.#role === undefined || decoded.value.to === this.#role;
    if (!decoded.ok || !isMine) {
      report({ kind: 'Garbage', receiver: this.name, reason: decoded.ok ? 'Misaddressed' : decoded.error });
      return Promise.resolve(true);
    }
    const message = decoded.value;
    return this.#inLane(this.#role === undefined ? '' : message.runId, () => {
      const lagMs = Math.max(0, clock.nowMs() - message.atMs);
      report({ kind: 'Delivered', receiver: this.name, type: message.type, lagMs });
      return this.#hand(message);
    });
  }

  /** Resolves when no handler runs. Call it after the signal was aborted. */
  async settled(): Promise<void> {
    await Promise.all(this.#lanes.values());
  }

  #inLane(lane: string, work: () => Promise<boolean>): Promise<boolean> {
    const { signal } = this.#surroundings;
    const before = this.#lanes.get(lane) ?? Promise.resolve(true);
    const done = before.then(() => !signal.aborted && work());
    this.#lanes.set(lane, done);
    void done.then(() => this.#lanes.get(lane) === done && this.#lanes.delete(lane));
    return done;
  }
}

async function untilHandled(
  receiver: BusRole,
  handler: BusHandler,
  message: BusMessage,
  { clock, random, report, signal }: Surroundings,
): Promise<boolean> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      await handler(message);
      return true;
    } catch (error) {
      report({ kind: 'Rejected', receiver, attempt: failures + 1, error });
      // Rejects when the bus is closed, which ends the loop.
      await clock.sleep(backoffMs(redelivery, failures, random()), signal).catch(() => undefined);
    }
  }
  return false;
}

async function shown(
  receiver: string,
  observer: BusObserver,
  message: BusMessage,
  { report }: Surroundings,
): Promise<boolean> {
  try {
    await observer(message);
  } catch (error) {
    report({ kind: 'ObserverFailed', receiver, error });
  }
  return true;
}
