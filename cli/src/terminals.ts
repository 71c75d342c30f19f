/**
 * What the terminal of this process does to it: it can close, and it can belong to somebody else for a while.
 *
 * Source: POSIX.1-2017, 11.1.4 (access control of a terminal); proc(5), fields `pgrp` and `tpgid` of /proc/PID/stat.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isatty } from 'node:tty';

const STANDARD = [0, 1, 2] as const;
/** A person who types `fg` and then an answer does not notice it. */
const LOOK_MS = 300;

let isSurviving = false;

/** Node restores the modes of its terminals when it ends, and aborts if one has closed meanwhile. It leaves closed descriptors alone. */
export function surviveTerminal(): void {
  if (isSurviving) return;
  isSurviving = true;
  const terminals = STANDARD.filter((fd) => isatty(fd));
  if (terminals.length === 0) return;
  process.on('exit', () => {
    for (const fd of terminals) if (!isatty(fd)) closeSync(fd);
  });
}

/** Whether this process may read its terminal. The kernel stops a process that reads the terminal of another one. */
export function isInForeground(): boolean {
  try {
    // The name of the program, in brackets, may hold spaces.
    const [, , pgrp, , , tpgid] = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(tpgid) <= 0 || tpgid === pgrp;
  } catch {
    return isForegroundOfPs();
  }
}

/** Where there is no /proc. */
function isForegroundOfPs(): boolean {
  const { status, stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(process.pid)], { encoding: 'utf8' });
  return status !== 0 || stdout.includes('+');
}

/** Resolves when the person has brought this process to the front; rejects at the signal. */
export async function untilForeground(signal: AbortSignal): Promise<void> {
  while (!isInForeground()) await sleep(LOOK_MS, undefined, { signal });
}

/**
 * Whether `nohup` started this process. Node forgets that a signal was ignored before, so only the standard input is left to tell:
 * nohup opens /dev/null for it, so that it cannot be read. Source: GNU coreutils, nohup.c.
 */
export function isNohup(): boolean {
  const accessMode = 3;
  const writeOnly = 1;
  try {
    const [, flags = ''] = /^flags:\s*(\d+)/m.exec(readFileSync('/proc/self/fdinfo/0', 'utf8')) ?? [];
    return readlinkSync('/proc/self/fd/0') === '/dev/null' && (Number.parseInt(flags, 8) & accessMode) === writeOnly;
  } catch {
    return false;
  }
}
