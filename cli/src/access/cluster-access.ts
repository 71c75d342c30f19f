/** An agent on a cluster: what it waits for stands in the status of its Tasks, and what a person says is written to their spec. */
import type { PendingApproval } from '@retainer/contract/api/task-status';
import type { Task } from '@retainer/contract/api/task';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { printable, printableLines } from '@retainer/contract/std/printable';
import {
  AccessError,
  type AgentAccess,
  type Decision,
  type OpenQuestion,
  type WaitingRequest,
} from './agent-access.ts';
import type { ClusterTasks } from './cluster-tasks.ts';
import { RIGHTS } from './missing-right.ts';

export interface ClusterAccessOptions {
  readonly tasks: ClusterTasks;
  readonly options: string;
  readonly close: () => void;
}

export function clusterAccess({ tasks, options, close }: ClusterAccessOptions): AgentAccess {
  return {
    options,
    close,
    waitingCalls: async () => (await tasks.list()).filter(isOpen).flatMap(callsOf),
    openQuestions: async () => (await tasks.list()).filter(isOpen).flatMap(questionOf),
    decide: async (request, decision) => decide(tasks, request, decision),
    answer: async (question, text) => answer(tasks, question, text),
    cancel: async (typed, reason) => cancel(tasks, typed, reason),
    goOn: async (typed, reason) => goOn(tasks, typed, reason),
  };
}

async function decide(tasks: ClusterTasks, request: WaitingRequest, decision: Decision): Promise<object> {
  const { requestId, task: name } = request;
  const argumentsDigest = `sha256:${request.argumentsDigest}`;
  const entry = { request: requestId, argumentsDigest, ...decision, by: await tasks.user() };
  await tasks.change(name, RIGHTS.decide, ({ spec: { approvals } }) => {
    const before = approvals.find((it) => it.request === requestId && it.argumentsDigest === argumentsDigest);
    if (before !== undefined)
      throw new AccessError(`${before.by} decided on ${requestId} before you: ${before.decision}, ${before.reason}`);
    // An entry with another digest decides nothing: the API server lets it be replaced.
    return { spec: { approvals: [...approvals.filter((it) => it.request !== requestId), entry] } };
  });
  return { task: name, ...entry };
}

async function answer(tasks: ClusterTasks, { task: name, questionId }: OpenQuestion, text: string): Promise<object> {
  const entry = { question: questionId, text, by: await tasks.user() };
  await tasks.change(name, RIGHTS.answer, ({ spec: { answers } }) => {
    const before = answers.find((it) => it.question === questionId);
    if (before !== undefined) throw new AccessError(`${before.by} answered before you: ${before.text}`);
    return { spec: { answers: [...answers, entry] } };
  });
  return { task: name, ...entry };
}

async function cancel(
  tasks: ClusterTasks,
  typed: string,
  reason: string,
): Promise<{ readonly told: string; readonly left: object }> {
  const { metadata, status } = await tasks.find(typed);
  const { name } = metadata;
  if (status?.outcome !== undefined) throw new AccessError(`Task ${name} has ended already: ${status.outcome}`);
  const by = await tasks.user();
  await tasks.change(name, RIGHTS.answer, () => ({
    annotations: { [ANNOTATIONS.cancelReason]: reason, [ANNOTATIONS.cancelledBy]: by },
    spec: { cancel: true },
  }));
  return { told: `Task ${name} will be cancelled`, left: { task: name, cancel: true, by, reason } };
}

/** Under exactly the character that the Task shows: if it changes once more, the Task waits again. */
async function goOn(tasks: ClusterTasks, typed: string, reason: string): ReturnType<AgentAccess['goOn']> {
  const { name } = (await tasks.find(typed)).metadata;
  const by = await tasks.user();
  let continueUnder = '';
  await tasks.change(name, RIGHTS.answer, ({ status }) => {
    if (status?.heldUnder === undefined)
      throw new AccessError(`Task ${name} is not held: its status names no heldUnder`);
    continueUnder = status.heldUnder;
    return {
      annotations: { [ANNOTATIONS.continueReason]: reason, [ANNOTATIONS.continuedBy]: by },
      spec: { continueUnder },
    };
  });
  return { told: `Task ${name} goes on under ${continueUnder}`, left: { task: name, continueUnder, by, reason } };
}

function isOpen({ status }: Task): boolean {
  return status?.outcome === undefined;
}

function callsOf({ metadata, status }: Task): readonly WaitingRequest[] {
  return (status?.pendingApprovals ?? []).map((json) => callOf(metadata.name, json));
}

function callOf(task: string, json: PendingApproval): WaitingRequest {
  const { id, tool, argumentsDigest, effectClass, effect, agentSays, expiresAt } = json;
  const [line = '', ...details] = printableLines(effect);
  return {
    requestId: id,
    task,
    tool,
    effectClass,
    argumentsDigest: argumentsDigest.replace(/^sha256:/, ''),
    expiresAtMs: Date.parse(expiresAt),
    effect: [
      `effect: ${line}`,
      ...details.map((it) => `  ${it}`),
      ...(agentSays === undefined ? [] : [`the agent says: ${JSON.stringify(printable(agentSays))}`]),
    ],
    json: { task, ...json },
  };
}

function questionOf({ metadata: { name }, status }: Task): readonly OpenQuestion[] {
  if (status?.question === undefined) return [];
  const { id, text, askedAt } = status.question;
  const question = { runId: status.runId ?? '', task: name, questionId: id, question: text };
  return [{ ...question, askedAtMs: Date.parse(askedAt), isLimitUnknown: true }];
}
