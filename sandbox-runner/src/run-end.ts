/** Translates the end of a process for the claimant. Pure: a list of causes, the first match wins. */
import { constants } from 'node:os';

export type EndCause =
  | { readonly end: 'Exited'; readonly exitCode: number }
  | { readonly end: 'TimedOut' | 'Killed'; readonly exitCode: number; readonly reason: string };

/** Why the runner, and not the code, ended the run. */
export interface Stop {
  readonly end: 'TimedOut' | 'Killed';
  readonly reason: string;
}

export interface ProcessEnd {
  /** Undefined if a signal ended the process, or if it never ended. */
  readonly exitCode: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  readonly stop: Stop | undefined;
  /** Since the run began. */
  readonly memoryKills: number;
  readonly scratchBytes: number;
}

/** The kernel enforces the limit for one file, the runner's count for all files together; both give this reason. */
export function filesReason(scratchBytes: number): string {
  return `more than ${scratchBytes} bytes of files`;
}

/** Shells report 128 plus the signal's number. */
const SIGNAL_BASE = 128;
const KILLED = SIGNAL_BASE + constants.signals.SIGKILL;
const FILE_TOO_LARGE = SIGNAL_BASE + constants.signals.SIGXFSZ;

export function endCause(end: ProcessEnd): EndCause {
  if (end.stop !== undefined) return { ...end.stop, exitCode: KILLED };
  const exitCode = end.exitCode ?? signalCode(end.signal);
  if (end.memoryKills > 0 && exitCode !== 0) return { end: 'Killed', exitCode, reason: 'the memory limit' };
  if (exitCode === FILE_TOO_LARGE) return { end: 'Killed', exitCode, reason: filesReason(end.scratchBytes) };
  return { end: 'Exited', exitCode };
}

function signalCode(signal: NodeJS.Signals | undefined): number {
  return signal === undefined ? KILLED : SIGNAL_BASE + constants.signals[signal];
}
