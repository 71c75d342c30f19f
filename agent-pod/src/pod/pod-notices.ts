/**
 * Tells people on a cluster that words for them lie in the outbox: an Event of the Agent. It names the job and the command that shows
 * it, and has none of the words.
 */
import { API_VERSION } from '@retainer/contract/api/names';
import type { EventText } from '@retainer/kube/events';
import type { KubeObject } from '@retainer/kube/kube-object';
import { isGoodEnd, type JobState } from '@retainer/mind/parts/jobs/jobs';
import type { PodConfig } from '../config.ts';
import type { DeliveredNotice } from '../deliver/notice-delivery.ts';
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

function agentObject({ namespace, name, uid }: PodConfig['agent']): KubeObject {
  return { apiVersion: API_VERSION, kind: 'Agent', metadata: { namespace, name, uid } };
}
