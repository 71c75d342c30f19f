/** Wakes those who follow a store when something was appended. */
export class Growth {
  #waiting = new Set<() => void>();

  /** Something was appended, or will never be again. */
  wake(): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const resolve of waiting) resolve();
  }

  /** Resolves at the next wake after this call; rejects with the signal's reason when it is aborted first. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const abort = (): void => {
        this.#waiting.delete(wake);
        reject(signal.reason as Error);
      };
      const wake = (): void => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', abort, { once: true });
    });
  }
}
