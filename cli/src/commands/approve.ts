/** `retainer approve`, `retainer retry` and `retainer cancel`: a person's decision, which the agent reads when it runs. */
import { leaveCommand } from '@retainer/agent-pod/input/spool';
import { asideCommandsOf } from '@retainer/agent-pod/review/aside-commands';
import { renderDuration } from '@retainer/mind/explain/figures';
import type { AgentAccess, WaitingRequest } from '../access/agent-access.ts';
import { openAccess } from '../access/open-access.ts';
import type { PlaceFlags } from '../access/place.ts';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { findRun } from '../find-run.ts';
import { openRuns } from '../open-run.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { decideCommand } from '../render-approval.ts';
import { refuse } from '../refuse.ts';

export interface ApproveFlags extends PlaceFlags {
  readonly deny?: true;
  readonly reason?: string;
  readonly output: OutputFormat;
}

export async function approveCommand(request: string | undefined, flags: ApproveFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const access = await openAccess(flags, output);
  try {
    return await (request === undefined ? tellWaiting(output, access) : decide(request, flags, { output, access }));
  } finally {
    access.close();
  }
}

interface Opened {
  readonly output: Output;
  readonly access: AgentAccess;
}

async function decide(request: string, flags: ApproveFlags, { output, access }: Opened): Promise<number> {
  const { deny, reason } = flags;
  const waiting = await access.waitingCalls();
  const found = waiting.find((it) => it.requestId === request);
  if (found === undefined) {
    return refuse(
      output,
      `no request ${request} waits for a decision; waiting: ${waiting.map((it) => it.requestId).join(', ') || 'none'}`,
    );
  }
  if (reason === undefined) return refuse(output, '--reason TEXT is missing: it is recorded with the decision');
  output.data(await access.decide(found, { decision: deny === true ? 'Deny' : 'Approve', reason }));
  output.line(
    `${deny === true ? 'denied' : 'approved'}, for exactly these arguments; the agent reads the decision when it runs`,
    'Good',
  );
  return exitCodes.done;
}

async function tellWaiting(output: Output, access: AgentAccess): Promise<number> {
  const waiting = await access.waitingCalls();
  output.data(waiting.map(({ json }) => json));
  if (waiting.length === 0) output.line('no call waits for a person');
  for (const request of waiting) tellRequest(output, request, access.options);
  return exitCodes.done;
}

function tellRequest(output: Output, request: WaitingRequest, options: string): void {
  const { requestId, task, tool, reason, effectClass, effect, expiresAtMs } = request;
  const { program } = readEnvironment().caller;
  const left = expiresAtMs - Date.now();
  output.line(
    `${requestId}  ${tool} (effect class ${effectClass}), ${left > 0 ? `${renderDuration(left)} left` : 'expired'}`,
    'Warning',
  );
  if (task !== '') output.line(`  Task ${task}`);
  for (const line of effect) output.line(`  ${line}`);
  if (reason !== undefined) output.line(`  asked because: ${reason}`);
  output.line(`  ${decideCommand(requestId, { program, options })}`, 'Quiet');
}

export interface CancelFlags extends PlaceFlags {
  readonly reason: string;
  readonly output: OutputFormat;
}

export function cancelCommand(run: string, flags: CancelFlags): Promise<number> {
  return tell(flags, (access) => access.cancel(run, flags.reason));
}

/** Lets a run go on that waits under a changed character. */
export function continueCommand(run: string, flags: CancelFlags): Promise<number> {
  return tell(flags, (access) => access.goOn(run, flags.reason));
}

async function tell(flags: CancelFlags, say: (access: AgentAccess) => ReturnType<AgentAccess['cancel']>) {
  const output = createOutput(flags.output, readEnvironment().colour);
  const access = await openAccess(flags, output);
  try {
    const { told, left } = await say(access);
    output.data(left);
    output.line(told, 'Good');
    return exitCodes.done;
  } finally {
    access.close();
  }
}

export interface RetryFlags {
  readonly data?: string;
  readonly reason: string;
  readonly output: OutputFormat;
}

/** Ends with which there is nothing to do once more. */
const REACHED: ReadonlySet<string> = new Set(['Accepted', 'Succeeded', 'Refused']);

/**
 * Tries a run or a command again that was set aside, or lets the work of an ended run begin anew. On a cluster a new version of the
 * agent tries again at its start, and a new Task begins anew.
 */
export async function retryCommand(typed: string, flags: RetryFlags): Promise<number> {
  const { colour, userName: by } = readEnvironment();
  const { reason } = flags;
  const output = createOutput(flags.output, colour);
  const opened = await openRuns(flags.data);
  if (!opened.ok) return refuse(output, opened.error);
  const { dataDirectory, reader, runs } = opened.value;
  const leave = async (command: Parameters<typeof leaveCommand>[1], told: string): Promise<number> => {
    output.data({ ...command, originId: await leaveCommand(dataDirectory, command) });
    output.line(told, 'Good');
    return exitCodes.done;
  };
  const aside = (await asideCommandsOf(reader)).map(({ originId }) => originId);
  if (aside.includes(typed))
    return leave(
      { type: 'DecideCommand', originId: typed, decision: 'Retry', by, reason },
      `command ${typed} is tried again when the agent runs`,
    );
  const run = findRun(runs, typed);
  if (!run.ok)
    return refuse(output, `${dataDirectory}: ${run.error}; commands set aside: ${aside.join(', ') || 'none'}`);
  const { runId, outcome } = run.value;
  if (outcome !== undefined && REACHED.has(outcome))
    return refuse(
      output,
      `run ${runId} has ended ${outcome}: change the Task, or give it another name, to have more done`,
    );
  const told =
    outcome === undefined
      ? `run ${runId} is tried again when the agent runs, if it is set aside`
      : `run ${runId} has ended ${outcome}: its work begins anew when the agent runs and is asked for the Task`;
  return leave({ type: 'RetryRun', runId, by, reason }, told);
}
