/** Learns from ordinary requests whether the API server is reachable. */

/** The client's code for a request without an answer, and statuses of proxies without a server behind them. */
const AWAY_CODES: ReadonlySet<string> = new Set(['<error>', '502', '503', '504']);

export class Reachability {
  readonly #onChange: (isReachable: boolean) => void;
  readonly #waiters = new Set<() => void>();
  #isReachable: boolean | undefined;

  /** @param onChange  called with the first state, and on every change */
  constructor(onChange: (isReachable: boolean) => void) {
    this.#onChange = onChange;
  }

  get isReachable(): boolean {
    return this.#isReachable === true;
  }

  /** To be called with the status of each finished request. */
  answered(code: string): void {
    const isReachable = !AWAY_CODES.has(code);
    if (this.#isReachable !== isReachable) this.#onChange(isReachable);
    this.#isReachable = isReachable;
    if (!isReachable) return;
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
  }

  /** Resolves when the API server answers. Rejects when aborted. */
  untilReachable(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    if (this.isReachable) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#waiters.delete(wake);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters.add(wake);
    });
  }
}
