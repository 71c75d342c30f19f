/** The first Ctrl-C stops cleanly, the second at once. */

/** A sooner second signal is a copy: the terminal signals the whole process group, and npm forwards it as well. */
const SAME_SIGNAL_MS = 500;

export interface StopSignals {
  readonly signal: AbortSignal;
  dispose(): void;
}

/** @param onFirst  called once, at the first signal */
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
