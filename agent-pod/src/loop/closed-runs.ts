/** Runs that this process closed, and who waits for one. */
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import type { RunState } from '@retainer/mind/run/state';

/** Finished runs that are answered at once. The record holds all of them. */
const CLOSED_RUNS_KEPT = 200;

interface Waiter {
  readonly resolve: (state: RunState) => void;
  readonly reject: (error: Error) => void;
}

export class ClosedRuns {
  readonly #closed = new Map<string, RunState>();
  readonly #waiters = new Map<string, Set<Waiter>>();

  /** Resolves when the run is closed; at once when it was closed recently. */
  wait(runId: string): Promise<RunState> {
    const known = this.#closed.get(runId);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      const waiters = this.#waiters.get(runId) ?? new Set();
      this.#waiters.set(runId, waiters.add({ resolve, reject }));
    });
  }

  close(state: RunState): void {
    const { runId } = state.spec;
    this.#closed.set(runId, state);
    forgetOldest(this.#closed, CLOSED_RUNS_KEPT);
    for (const { resolve } of this.#take(runId)) resolve(state);
  }

  /** Nobody goes on with the run. */
  fail(runId: string, error: Error): void {
    for (const { reject } of this.#take(runId)) reject(error);
  }

  #take(runId: string): ReadonlySet<Waiter> {
    const waiters = this.#waiters.get(runId) ?? new Set();
    this.#waiters.delete(runId);
    return waiters;
  }
}
