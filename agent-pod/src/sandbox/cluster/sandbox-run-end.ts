/** Ends of a run that its runner did not live to tell. Pure. */
import type { SandboxResult } from '../../ports/sandbox-run.ts';
import type { Over } from './sandbox-run-object.ts';

/** As a process killed by signal 9 ends. */
const KILLED_EXIT_CODE = 137;

/** A SandboxRun that is not there any more. */
export const gone: Over = { type: 'Over', reason: 'Cancelled', message: 'its SandboxRun is gone', exitCode: undefined };

/** Of a run that its caller gave up. */
export const cancelled: SandboxResult = {
  ...{ end: 'Killed', exitCode: KILLED_EXIT_CODE, reason: 'the run was cancelled' },
  ...{ stdout: '', stderr: '', droppedBytes: 0, durationMs: 0 },
};

/** Of a run whose sandbox has not answered until after its deadline. */
export const lost = {
  ...{ end: 'Killed', exitCode: KILLED_EXIT_CODE, reason: 'the sandbox could not be reached any more' },
} as const satisfies Partial<SandboxResult>;

/** Reasons of the operator that are a limit's or the platform's doing, in words. */
const reasonTexts: Readonly<Record<string, string>> = {
  OutOfMemory: 'the memory limit',
  TimedOut: 'the time limit',
  Evicted: 'its node needed the room',
};

/** What became of a run whose sandbox ended before it said so itself. */
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
