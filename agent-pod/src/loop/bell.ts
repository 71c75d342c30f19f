import type { Clock } from '@retainer/contract/std/clock';

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
        const end = (): void => {
          signal.removeEventListener('abort', end);
          resolve();
        };
        this.#listener = end;
        signal.addEventListener('abort', end, { once: true });
      });
    this.#listener = undefined;
    if (!signal.aborted) this.#isRung = false;
  }
}

/** @returns false when the time has passed first */
export async function rungWithin(
  bell: Bell,
  durationMs: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<boolean> {
  const either = new AbortController();
  const abort = (): void => either.abort();
  // A signal that was aborted before tells nobody any more.
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([
      bell.rung(either.signal).then(() => true),
      clock.sleep(Math.max(0, durationMs), either.signal).then(
        () => false,
        () => true,
      ),
    ]);
  } finally {
    signal.removeEventListener('abort', abort);
    either.abort();
  }
}
