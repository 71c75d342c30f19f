/** Turns a finished process into a result. Pure. First matching cause wins. */
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { SandboxLimits, SandboxResult } from '../../ports/sandbox-run.ts';
import { memoryReason } from './limit-watch.ts';
import type { ProcessEnd } from './sandbox-process.ts';

export interface EndContext {
  readonly limits: SandboxLimits;
  readonly memoryKills: number;
  /** How often the kernel refused another process. */
  readonly processRefusals: number;
}

type Cause = Pick<SandboxResult, 'end' | 'exitCode' | 'reason'>;

/** 128 + the signal's number. */
const exitCodes = { killed: 137, processorTime: 152, fileSize: 153 } as const;

/** Fails if the script never started, with the error text of bubblewrap or a program before it. */
export function sandboxResult(end: ProcessEnd, context: EndContext): Result<SandboxResult, string> {
  const cause = findCause(end, context);
  if (cause === undefined) return err(firstLine(end.stderr));
  const { stdout, stderr, droppedBytes, durationMs } = end;
  return ok({ ...withProcessRefusals(cause, context), stdout, stderr, droppedBytes, durationMs });
}

function findCause(end: ProcessEnd, { limits, memoryKills }: EndContext): Cause | undefined {
  if (end.stop !== undefined) return { ...end.stop, exitCode: exitCodes.killed };
  if (memoryKills > 0) return { end: 'Killed', exitCode: exitCodes.killed, reason: memoryReason(limits.memoryBytes) };
  if (end.exitCode === exitCodes.fileSize)
    return {
      end: 'Killed',
      exitCode: end.exitCode,
      reason: `the limit of ${String(limits.fileBytes)} bytes for one file`,
    };
  if (end.exitCode === exitCodes.processorTime)
    return {
      end: 'Killed',
      exitCode: end.exitCode,
      reason: `the limit of processor time for ${String(limits.timeoutMs)} ms`,
    };
  if (end.exitCode !== undefined) return { end: 'Exited', exitCode: end.exitCode };
  if (end.wasKilledOutside)
    return { end: 'Killed', exitCode: exitCodes.killed, reason: 'a signal from outside the sandbox' };
  return undefined;
}

/** A failed run that reached the process limit most likely failed because of it. */
function withProcessRefusals(cause: Cause, { limits, processRefusals }: EndContext): Cause {
  if (processRefusals === 0 || (cause.end === 'Exited' && cause.exitCode === 0)) return cause;
  const refusal = `the limit of ${String(limits.processes)} processes`;
  return { ...cause, reason: cause.reason === undefined ? refusal : `${cause.reason}, after reaching ${refusal}` };
}

function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? 'the sandbox could not be started';
}
