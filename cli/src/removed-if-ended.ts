/** A directory that must not stay if a command is ended in the middle: what is begun there is of no use to anybody. */
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ctrl-C, a hang-up and a polite end take `path` away first, and then end the process as they would have. */
export async function removedIfEnded<T>(path: string, work: () => Promise<T>): Promise<T> {
  const end = (signal: NodeJS.Signals): void => {
    stop();
    rmSync(path, { recursive: true, force: true });
    process.kill(process.pid, signal);
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
