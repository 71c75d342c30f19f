/** The first Ctrl-C stops cleanly, the second at once. */

/**
 * A second signal sooner than this is the first one again: the terminal sends it to the whole process group, and a parent
 * such as npm passes it on as well.
 */
const SAME_SIGNAL_MS = 500;

export interface StopSignals {
  readonly signal: AbortSignal;
  dispose(): void;
}

/** @param onFirst  told at the first signal, once */
export function stopSignals(onFirst: () => void, exitAtOnce: () => void): StopSignals {
  const stop = new AbortController();
  let firstAtMs: number | undefined;
  const listen = (): void => {
    if (firstAtMs === undefined) {
      firstAtMs = performance.now();
      onFirst();
      stop.abort();
    } else if (performance.now() - firstAtMs > SAME_SIGNAL_MS) exitAtOnce();
  };
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, listen);
  return {
    signal: stop.signal,
    dispose: () => {
      for (const name of names) process.off(name, listen);
    },
  };
}
