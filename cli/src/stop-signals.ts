/** The first Ctrl-C stops cleanly, the second at once. */
import { isNohup } from './terminals.ts';

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
  let hasHungUp = false;
  const listen = (name: NodeJS.Signals): void => {
    if (name === 'SIGHUP' && isNohup()) return;
    hasHungUp ||= name === 'SIGHUP';
    if (firstAtMs === undefined) {
      firstAtMs = performance.now();
      onFirst();
      stop.abort();
      return;
    }
    // A terminal that closes says so more than once: the shell does, and the kernel. Nobody means haste by it.
    if (name !== 'SIGHUP' && performance.now() - firstAtMs > SAME_SIGNAL_MS) exitAtOnce();
  };
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, listen);
  return {
    signal: stop.signal,
    dispose: () => {
      // The copies of a hang-up must not end what is left of the command.
      if (hasHungUp) process.on('SIGHUP', () => undefined);
      for (const name of names) process.off(name, listen);
    },
  };
}
