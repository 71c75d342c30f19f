/** A run that nobody is there to decide for: told apart from one that works, so that the command ends instead of waiting. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { approvalQuestions, type ApprovalQuestion, type CycleState } from '@retainer/mind/cycle/state';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import { decideCommand, effectLines } from './render-approval.ts';

/** A person who reads the end of the command does not notice it. */
const LOOK_MS = 200;

export interface LeftOptions {
  readonly agent: OpenedAgent;
  readonly dataDirectory: string;
  /** The decisions in the manifests, as far as they are read. */
  readonly decided: () => Promise<void>;
}

/** @returns what to do; never, if the signal comes first */
export async function leftRun(options: LeftOptions, runId: string, signal: AbortSignal): Promise<string> {
  const { agent, dataDirectory, decided } = options;
  for (;;) {
    // A command that ends otherwise must not be held by this look.
    await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return new Promise(() => undefined);
    if (waitingCalls(agent.runtime.openCycles(), runId).length === 0) continue;
    // A decision that was left earlier is on its way to the call.
    await decided();
    if (agent.runtime.inboxLength > 0 || (await holdsCommands(join(dataDirectory, 'spool')))) continue;
    const calls = waitingCalls(agent.runtime.openCycles(), runId);
    if (calls.length > 0) return tellWaiting(calls, dataDirectory);
  }
}

/** Calls of a run of which everything waits for people's leave; empty while any of it works. */
export function waitingCalls(states: readonly CycleState[], runId: string): readonly ApprovalQuestion[] {
  const cycles = states.filter(({ spec }) => spec.runId === runId);
  const isStill = cycles.every(
    ({ pendingModelCall, pendingTools, pendingAsks, pendingApprovals }) =>
      pendingModelCall === undefined &&
      pendingTools.length === 0 &&
      pendingAsks.length === 0 &&
      pendingApprovals.length > 0,
  );
  return isStill ? cycles.flatMap(approvalQuestions) : [];
}

async function holdsCommands(spool: string): Promise<boolean> {
  const names = await readdir(spool).catch(() => []);
  return names.some((name) => name.endsWith('.json'));
}

function tellWaiting(calls: readonly ApprovalQuestion[], dataDirectory: string): string {
  const lines = calls.flatMap((call) => [...effectLines(call), decideCommand(call.requestId, dataDirectory)]);
  return ['Nobody is at a terminal to decide on a call. Type the command, then run this one again.', ...lines].join(
    '\n',
  );
}
