/**
 * Tells on an Agent that no operator tends it any more. An operator that was narrowed may not write there, so who narrows it says so,
 * under that person's own rights. The next operator that tends the Agent writes its own Ready over this.
 */
import { CONDITION_MESSAGE_LENGTH_MAX, type ConditionReason } from '@retainer/contract/api/conditions';
import { FIELD_MANAGERS } from '@retainer/contract/api/names';
import type { KubeClient } from '@retainer/kube/kube-client';
import { keyOf, type KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { secondTime } from '@retainer/kube/lease-record';
import { conditionOf, listAt } from '../doctor/fields.ts';

const REASON: ConditionReason<'Agent'> = 'NotTended';

export interface Untended {
  readonly agents: readonly KubeObject[];
  /** Namespace of the installation that was narrowed. */
  readonly systemNamespace: string;
  readonly nowMs: number;
}

/** @returns the Agents that now say so. Rejects where the API server refuses one */
export async function markUntended(client: KubeClient, untended: Untended): Promise<readonly KubeObject[]> {
  const news = untended.agents.filter((agent) => conditionOf(agent, 'Ready')?.reason !== REASON);
  for (const agent of news) {
    const { resourceVersion } = agent.metadata;
    const patch = { metadata: { resourceVersion }, status: { conditions: conditionsOf(agent, untended) } };
    // oxlint-disable-next-line no-await-in-loop -- one after another, as nobody waits for them
    await client.mergePatch(resources.agents, keyOf(agent), patch, {
      subresource: 'status',
      fieldManager: FIELD_MANAGERS.cli,
    });
  }
  return news;
}

/** A merge patch replaces a list, so the other conditions are in it as they are. */
function conditionsOf(agent: KubeObject, { systemNamespace, nowMs }: Untended): readonly unknown[] {
  const { namespace = '', generation } = agent.metadata;
  const message = `no operator tends namespace ${namespace}: add it to watchNamespaces of the release in ${systemNamespace}, or install another release for it`;
  const ready = {
    type: 'Ready',
    status: 'Unknown',
    reason: REASON,
    message: message.slice(0, CONDITION_MESSAGE_LENGTH_MAX),
    lastTransitionTime: secondTime(nowMs),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  const others = listAt(agent, 'status.conditions').filter((one) => (one as { type?: unknown }).type !== 'Ready');
  return [ready, ...others];
}
