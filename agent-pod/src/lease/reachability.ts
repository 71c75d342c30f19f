/** Whether the API server answers, learned from the requests that are made anyway. */

/** What the client says of a request without an answer, and answers that say that nobody is there who could answer. */
const AWAY_CODES: ReadonlySet<string> = new Set(['<error>', '502', '503', '504']);

export class Reachability {
  readonly #onChange: (isReachable: boolean) => void;
  readonly #waiters = new Set<() => void>();
  #isReachable: boolean | undefined;

  /** @param onChange  called when it becomes known, and on every change */
  constructor(onChange: (isReachable: boolean) => void) {
    this.#onChange = onChange;
  }

  get isReachable(): boolean {
    return this.#isReachable === true;
  }

  /** One request came to an end with this status. */
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
