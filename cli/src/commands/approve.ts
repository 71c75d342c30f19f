/** `retainer approve`, `retainer retry` and `retainer cancel`: leave a person's decision for the agent, which need not run. */
import { renderEffect } from '@retainer/agent-pod/review/tell-records';
import type { Json } from '@retainer/contract/std/canonical-json';
import { leaveCommand } from '@retainer/agent-pod/input/spool';
import { openRecords, pendingApprovals, type PendingApproval } from '@retainer/agent-pod/review/run-records';
import { renderDuration } from '@retainer/mind/explain/figures';
import { readEnvironment } from '../config.ts';
import { findDataDirectory } from '../data-directory.ts';
import { exitCodes } from '../exit-codes.ts';
import { openRun } from '../open-run.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { decideCommand, effectLines } from '../render-approval.ts';
import { refuse } from '../refuse.ts';

export interface ApproveFlags {
  readonly data?: string;
  readonly deny?: true;
  readonly reason?: string;
  readonly output: OutputFormat;
}

export async function approveCommand(request: string | undefined, flags: ApproveFlags): Promise<number> {
  const { colour, userName } = readEnvironment();
  const output = createOutput(flags.output, colour);
  const directory = await findDataDirectory(flags.data);
  if (!directory.ok) return refuse(output, directory.error);
  const pending = await pendingApprovals(await openRecords(directory.value));
  if (request === undefined) return tellPending(output, pending, directory.value);
  const found = pending.find((it) => it.requestId === request);
  if (found === undefined) {
    return refuse(
      output,
      `no request ${request} waits for a decision; waiting: ${pending.map((it) => it.requestId).join(', ') || 'none'}`,
    );
  }
  if (flags.reason === undefined) return refuse(output, '--reason TEXT is missing: it is recorded with the decision');
  const command = {
    type: 'DecideApproval',
    requestId: request,
    argumentsDigest: found.argumentsDigest,
    decision: flags.deny === true ? 'Deny' : 'Approve',
    by: userName,
    reason: flags.reason,
  } as const;
  const originId = await leaveCommand(directory.value, command);
  output.data({ ...command, originId });
  output.line(
    `${flags.deny === true ? 'denied' : 'approved'}, for exactly these arguments; the agent reads the decision when it runs`,
    'Good',
  );
  return exitCodes.done;
}

function tellPending(output: Output, pending: readonly PendingApproval[], dataDirectory: string): number {
  output.data(pending.map((it) => ({ ...it, effect: renderEffect(it.tool, it.input as Json, it) })));
  if (pending.length === 0) output.line('no call waits for a person');
  for (const request of pending) {
    const { requestId, tool, reason, effectClass, expiresAtMs } = request;
    const left = expiresAtMs - Date.now();
    output.line(
      `${requestId}  ${tool} (effect class ${effectClass}), ${left > 0 ? `${renderDuration(left)} left` : 'expired'}`,
      'Warning',
    );
    for (const line of effectLines(request)) output.line(`  ${line}`);
    output.line(`  asked because: ${reason}`);
    output.line(`  ${decideCommand(requestId, dataDirectory)}`, 'Quiet');
  }
  return exitCodes.done;
}

export interface CancelFlags {
  readonly data?: string;
  readonly reason: string;
  readonly output: OutputFormat;
}

/** Tries a run again that was set aside. */
export function retryCommand(run: string, flags: CancelFlags): Promise<number> {
  return leaveForRun('RetryRun', run, flags, 'is tried again when the agent runs, if it is set aside');
}

export function cancelCommand(run: string, flags: CancelFlags): Promise<number> {
  return leaveForRun('CancelRun', run, flags, 'will be cancelled when the agent runs');
}

/** @param follows  what becomes of the run */
async function leaveForRun(
  type: 'RetryRun' | 'CancelRun',
  run: string,
  flags: CancelFlags,
  follows: string,
): Promise<number> {
  const { colour, userName } = readEnvironment();
  const output = createOutput(flags.output, colour);
  const opened = await openRun(flags.data, run);
  if (!opened.ok) return refuse(output, opened.error);
  const { runId, outcome } = opened.value.run;
  if (outcome !== undefined) return refuse(output, `run ${runId} has ended already: ${outcome}`);
  const command = { type, runId, by: userName, reason: flags.reason } as const;
  const originId = await leaveCommand(opened.value.dataDirectory, command);
  output.data({ ...command, originId });
  output.line(`run ${runId} ${follows}`, 'Good');
  return exitCodes.done;
}
