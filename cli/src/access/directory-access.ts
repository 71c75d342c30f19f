/** An agent of this machine: its record is read, and what a person says is left in its spool. It need not run. */
import { leaveCommand } from '@retainer/agent-pod/input/spool';
import { asideCommandsOf } from '@retainer/agent-pod/review/aside-commands';
import {
  listRuns,
  openQuestions,
  openRecords,
  pendingApprovals,
  type RunSummary,
} from '@retainer/agent-pod/review/run-records';
import { renderEffect } from '@retainer/agent-pod/review/tell-records';
import type { Json } from '@retainer/contract/std/canonical-json';
import type { JournalReader } from '@retainer/journal/journal';
import { findRun } from '../find-run.ts';
import { effectLines } from '../render-approval.ts';
import { AccessError, type AgentAccess, type WaitingRequest } from './agent-access.ts';

export interface DirectoryOptions {
  readonly directory: string;
  /** The user of the operating system, which is recorded with what was said. */
  readonly userName: string;
}

export async function directoryAccess({ directory, userName }: DirectoryOptions): Promise<AgentAccess> {
  const reader = await openRecords(directory);
  const find = async (typed: string): Promise<RunSummary> => {
    const run = findRun(await listRuns(reader), typed);
    if (!run.ok) throw new AccessError(`${directory}: ${run.error}`);
    return run.value;
  };
  const leave = async (command: Parameters<typeof leaveCommand>[1]): Promise<object> => ({
    ...command,
    originId: await leaveCommand(directory, command),
  });
  return {
    options: `--data ${directory}`,
    close: () => undefined,
    waitingCalls: () => waitingCalls(reader),
    openQuestions: () => openQuestions(reader),
    decide: ({ requestId, argumentsDigest }, decision) =>
      leave({ type: 'DecideApproval', requestId, argumentsDigest, by: userName, ...decision }),
    answer: ({ runId, questionId }, text) => leave({ type: 'AnswerQuestion', runId, questionId, text, by: userName }),
    cancel: async (typed, reason) => {
      if ((await asideCommandsOf(reader)).some(({ originId }) => originId === typed)) {
        const dropped = { type: 'DecideCommand', originId: typed, decision: 'Drop', by: userName, reason } as const;
        return { told: `command ${typed} will be dropped when the agent runs`, left: await leave(dropped) };
      }
      const { runId, outcome } = await find(typed);
      if (outcome !== undefined) throw new AccessError(`run ${runId} has ended already: ${outcome}`);
      const left = await leave({ type: 'CancelRun', runId, by: userName, reason });
      return { told: `run ${runId} will be cancelled when the agent runs`, left };
    },
    goOn: async (typed, reason) => {
      const { runId, outcome } = await find(typed);
      if (outcome !== undefined) throw new AccessError(`run ${runId} has ended already: ${outcome}`);
      const left = await leave({ type: 'RetryRun', runId, by: userName, reason });
      return { told: `run ${runId} goes on under the changed character when the agent runs`, left };
    },
  };
}

async function waitingCalls(reader: JournalReader): Promise<readonly WaitingRequest[]> {
  const tasks = new Map((await listRuns(reader)).map(({ runId, task }) => [runId, task]));
  return (await pendingApprovals(reader)).map((call) => ({
    ...call,
    task: tasks.get(call.runId) ?? '',
    effect: effectLines(call),
    json: { ...call, effect: renderEffect(call.tool, call.input as Json, call) },
  }));
}
