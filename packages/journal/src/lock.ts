/**
 * One writer per journal: a kernel lock on the file `lock`, held for the life of this process.
 *
 * `flock` of util-linux takes the lock on a descriptor that it inherits. Such a lock belongs to the open file, which this
 * process keeps open after `flock` has ended; the kernel drops it with the process, however that ends.
 *
 * Source: reliability-security 1 (single writer, layer 3). Differs: no wrapper around Node, so `npm start` needs none;
 * network file systems are unsupported either way.
 */
import { spawn } from 'node:child_process';
import { open, type FileHandle } from 'node:fs/promises';
import { errorCode, LockHeldError, LockUnavailableError } from './journal-errors.ts';

export interface HeldLock {
  release(): Promise<void>;
}

export interface LockPort {
  /** @throws LockHeldError  when another process has it; LockUnavailableError when this machine cannot lock */
  acquire(path: string): Promise<HeldLock>;
}

/** An exit status that nothing else uses, so that "held" cannot be mistaken for a crash of the tool. */
const HELD_EXIT_CODE = 75;
/** Number of the descriptor in the child. */
const CHILD_FD = 3;

export const fileLock: LockPort = {
  async acquire(path) {
    const handle = await open(path, 'a+', 0o640);
    try {
      await lockDescriptor(path, handle);
      await handle.truncate(0);
      await handle.write(`${process.pid}\n`);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return { release: () => handle.close() };
  },
};

async function lockDescriptor(path: string, handle: FileHandle): Promise<void> {
  const { code, stderr } = await runFlock(handle.fd);
  if (code === 0) return;
  if (code === HELD_EXIT_CODE) throw new LockHeldError(path, await holderPid(handle));
  throw new LockUnavailableError(`cannot lock ${path}: flock ended with ${code}: ${stderr.trim()}`);
}

function runFlock(fd: number): Promise<{ code: number | null; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('flock', ['-n', '-E', String(HELD_EXIT_CODE), '-x', String(CHILD_FD)], {
      stdio: ['ignore', 'ignore', 'pipe', fd],
    });
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(0, 500);
    });
    child.on('error', (error) => {
      const missing = errorCode(error) === 'ENOENT';
      const hint = 'the program flock is missing: install the package util-linux';
      reject(new LockUnavailableError(missing ? hint : `cannot run flock: ${error.message}`, { cause: error }));
    });
    child.on('close', (code) => resolve({ code, stderr }));
  });
}

async function holderPid(handle: FileHandle): Promise<number | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(32), 0, 32, 0);
  const pid = Number.parseInt(buffer.toString('latin1', 0, bytesRead), 10);
  return Number.isNaN(pid) ? undefined : pid;
}
