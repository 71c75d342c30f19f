/** Why a pod is not Ready, in Kubernetes' own words. Pure. */
import type { KubeObject } from '@retainer/kube/kube-object';
import { conditionOf, countAt, listAt, textAt, valueAt } from './fields.ts';

/** Longest quoted text of Kubernetes. */
const QUOTE_LENGTH_MAX = 160;

/** One line for each obstacle; empty for a pod that is Ready or succeeded. */
export function containerTrouble(pod: KubeObject): readonly string[] {
  if (textAt(pod, 'status.phase') === 'Succeeded' || conditionOf(pod, 'Ready')?.status === 'True') return [];
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status === 'False') return [`no node accepts the pod: ${quote(scheduled.message)}`];
  return listAt(pod, 'status.containerStatuses').flatMap((status) => {
    const name = textAt(status, 'name');
    const waiting = textAt(status, 'state.waiting.reason');
    const last = valueAt(status, 'state.terminated') ?? valueAt(status, 'lastState.terminated');
    const end = last === undefined ? '' : `, ended with ${countAt(last, 'exitCode')} (${textAt(last, 'reason')})`;
    if (waiting !== '') return [`container ${name} waits: ${waiting} ${textAt(status, 'image')}${end}`];
    if (last !== undefined) return [`container ${name}${end}`];
    return valueAt(status, 'ready') === true ? [] : [`container ${name} runs and is not ready`];
  });
}

export function quote(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, QUOTE_LENGTH_MAX);
}
