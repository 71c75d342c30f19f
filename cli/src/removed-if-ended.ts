/** A directory that must not stay if a command is ended in the middle: what is begun there is of no use to anybody. */
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** What a shell shows of a process that a signal ended, with the number of the signal added. */
const SIGNAL_EXIT_CODE = 128;

/**
 * Ctrl-C, a hang-up and a polite end take `path` away first, and then end the process as they would have. Whoever waits for the event
 * `exit` of the process hears of it before: the key of a fetch is taken away so.
 */
export async function removedIfEnded<T>(path: string, work: () => Promise<T>): Promise<T> {
  const end = (signal: NodeJS.Signals): void => {
    stop();
    rmSync(path, { recursive: true, force: true });
    process.once('exit', () => process.kill(process.pid, signal));
    process.exit(SIGNAL_EXIT_CODE + constants.signals[signal]);
  };
  const stop = (): void => SIGNALS.forEach((signal) => process.off(signal, end));
  for (const signal of SIGNALS) process.on(signal, end);
  try {
    return await work();
  } finally {
    stop();
  }
}

/** @param use  gets a new directory of mode 700, which is gone afterwards */
export async function withTemporary<T>(prefix: string, use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), prefix));
  try {
    return await removedIfEnded(directory, () => use(directory));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
