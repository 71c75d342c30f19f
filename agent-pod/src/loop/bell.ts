/** Tells one listener that something happened since it last listened, however often. */
export class Bell {
  #isRung = false;
  #listener: (() => void) | undefined;

  ring(): void {
    this.#isRung = true;
    this.#listener?.();
  }

  /** Resolves when it was rung, at once if that was before; or when the signal is aborted. */
  async rung(signal: AbortSignal): Promise<void> {
    if (!this.#isRung && !signal.aborted)
      await new Promise<void>((resolve) => {
        this.#listener = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    this.#listener = undefined;
    if (!signal.aborted) this.#isRung = false;
  }
}
