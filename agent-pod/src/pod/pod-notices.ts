/**
 * Tells people on a cluster what a job comes to, in Events of the Agent: that words for them lie in the outbox, and that a call waits
 * for what nobody can give. An Event names the job and the command that shows more, and has none of the words.
 */
import { API_VERSION } from '@retainer/contract/api/names';
import type { EventText } from '@retainer/kube/events';
import type { Recorded } from '@retainer/mind/part/projection';
import type { KubeObject } from '@retainer/kube/kube-object';
import { isGoodEnd, type JobState } from '@retainer/mind/parts/jobs/jobs';
import type { PodConfig } from '../config.ts';
import type { DeliveredNotice } from '../deliver/notice-delivery.ts';
import type { AgentRuntime } from '../loop/agent-runtime.ts';
import { toldName } from './pod-jobs.ts';

/** Of words that reach a person without a model. Any other outcome is that of a run. */
const REMINDER = 'Reminder';

/** @param job  undefined: nobody knows it, so that its id is told */
export function noticeEvent(
  agent: PodConfig['agent'],
  { deliveryId, target, outcome }: Pick<DeliveredNotice, 'deliveryId' | 'target' | 'outcome'>,
  job: JobState | undefined,
): EventText {
  const name = job === undefined ? target : toldName(job);
  const shows = `retainer jobs show ${name} -n ${agent.namespace} --agent ${agent.name}`;
  // Each is told by itself: an agent may create Events and may not change them.
  const of = { regarding: agentObject(agent), about: deliveryId };
  if (outcome === REMINDER)
    return {
      ...{ ...of, type: 'Normal', reason: 'ReminderDue', action: 'Remind' },
      note: `words of the job ${name} are due: ${shows}`,
    };
  const type = isGoodEnd(outcome) ? 'Normal' : 'Warning';
  return {
    ...{ ...of, type, reason: 'JobFinished', action: 'Finish' },
    note: `the job ${name} ended ${outcome}: ${shows}`,
  };
}

/**
 * A call of a job's run asks for leave. On a cluster a decision is a field of the Task of its run, with a right of its own, and such a
 * run has none: nobody can give leave, and the request counts as denied once it expires.
 *
 * @returns undefined for what waits in the run of a Task, and for any other record
 */
export function waitEvent(
  agent: PodConfig['agent'],
  { kind, runId }: Pick<Recorded, 'kind' | 'runId'>,
  runtime: Pick<AgentRuntime, 'openRuns' | 'parts'>,
): EventText | undefined {
  if (kind !== 'ApprovalRequested') return undefined;
  const cause = runtime.openRuns().find(({ spec }) => spec.runId === runId)?.spec.cause;
  if (cause?.kind !== 'Job' || runId === undefined) return undefined;
  const job = runtime.parts.known().jobs.byId.get(cause.jobId);
  const name = job === undefined ? cause.jobId : toldName(job);
  return {
    ...{ regarding: agentObject(agent), about: runId, type: 'Warning', reason: 'JobAwaitsApproval', action: 'Approve' },
    note:
      `a call of the job ${name} asks for leave, which only a Task can carry: it counts as denied after budgets.approvals.timeout; ` +
      `give this work as a Task, or let its character allow the call: retainer explain ${runId} -n ${agent.namespace} --agent ${agent.name}`,
  };
}

function agentObject({ namespace, name, uid }: PodConfig['agent']): KubeObject {
  return { apiVersion: API_VERSION, kind: 'Agent', metadata: { namespace, name, uid } };
}
