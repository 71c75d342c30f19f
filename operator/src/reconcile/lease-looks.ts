/**
 * When the Lease of each agent was read last: nobody watches Leases. After a start of the operator the first looks are spread over their
 * pace, so that the Leases of all agents are not read at once.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { sha256Hex } from '@retainer/contract/std/hash';

const FRACTION_DIGITS = 8;

export class LeaseLooks {
  readonly #clock: Clock;
  readonly #readMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns milliseconds until the next look; 0 if it is due. @param paceMs  between two looks */
  dueAfterMs(key: string, paceMs: number): number {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#readMs.get(key);
    const readMs = known ?? nowMs - Math.round(paceMs * fractionOf(key));
    if (known === undefined) this.#readMs.set(key, readMs);
    return Math.max(0, readMs + paceMs - nowMs);
  }

  read(key: string): void {
    this.#readMs.set(key, this.#clock.monotonicMs());
  }

  forget(key: string): void {
    this.#readMs.delete(key);
  }
}

/** The same for the same key: 0 to 1. */
function fractionOf(key: string): number {
  return Number.parseInt(sha256Hex(key).slice(0, FRACTION_DIGITS), 16) / 16 ** FRACTION_DIGITS;
}
