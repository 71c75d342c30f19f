/**
 * Status changes that wait, so that several become one write. The wait counts from the last write by this process: after a
 * quiet time, or a restart, it writes a change at once.
 */
import type { Clock } from '@retainer/contract/std/clock';

interface LastWrite<Status> {
  readonly atMs: number;
  readonly status: Status;
  /** Judged version of the object: a cache that still shows it has not seen the write. */
  readonly judged: string | undefined;
}

export class HeldChanges<Status> {
  readonly #clock: Clock;
  readonly #last = new Map<string, LastWrite<Status>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns the written status, while the cache still shows the version judged for it; then undefined */
  unseen(key: string, resourceVersion: string | undefined): Status | undefined {
    const last = this.#last.get(key);
    return last !== undefined && last.judged === resourceVersion ? last.status : undefined;
  }

  /** @returns milliseconds until `holdMs` after the last write; 0 if the change is due now */
  dueAfterMs(key: string, holdMs: number): number {
    const last = this.#last.get(key);
    return last === undefined ? 0 : Math.max(0, last.atMs + holdMs - this.#clock.monotonicMs());
  }

  /** @param judged  resource version of the judged object */
  written(key: string, status: Status, judged: string | undefined): void {
    this.#last.set(key, { atMs: this.#clock.monotonicMs(), status, judged });
  }

  forget(key: string): void {
    this.#last.delete(key);
  }
}
