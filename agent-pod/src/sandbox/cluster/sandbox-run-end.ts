/** Ends of runs whose runner ended before it reported them. Pure. */
import type { SandboxResult } from '../../ports/sandbox-run.ts';
import type { Over } from './sandbox-run-object.ts';

/** 128 + SIGKILL. */
const KILLED_EXIT_CODE = 137;

export const gone: Over = { type: 'Over', reason: 'Cancelled', message: 'its SandboxRun is gone', exitCode: undefined };

export const cancelled: SandboxResult = {
  ...{ end: 'Killed', exitCode: KILLED_EXIT_CODE, reason: 'the run was cancelled' },
  ...{ stdout: '', stderr: '', droppedBytes: 0, durationMs: 0 },
};

/** The sandbox did not answer until after the deadline. */
export const lost = {
  ...{ end: 'Killed', exitCode: KILLED_EXIT_CODE, reason: 'the sandbox could not be reached any more' },
} as const satisfies Partial<SandboxResult>;

/** Words for the operator's reasons that stem from limits or the platform. */
const reasonTexts: Readonly<Record<string, string>> = {
  OutOfMemory: 'the memory limit',
  TimedOut: 'the time limit',
  Evicted: 'its node needed the room',
};

export function endOf(
  { reason, message, exitCode }: Over,
  durationMs: number,
): Pick<SandboxResult, 'end' | 'exitCode' | 'durationMs'> & { readonly reason: string } {
  const text = reasonTexts[reason] ?? `${reason}: ${message}`;
  if (reason === 'Exited')
    return {
      end: 'Exited',
      exitCode: exitCode ?? 0,
      durationMs,
      reason: 'its last output and files did not come back',
    };
  return { end: reason === 'TimedOut' ? 'TimedOut' : 'Killed', exitCode: KILLED_EXIT_CODE, durationMs, reason: text };
}
