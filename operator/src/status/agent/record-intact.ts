/**
 * RecordIntact: whether the record on the volume is the one of this individual, and whether its auditor found it changed. It stands
 * beside Ready: to stop the agent is a person's decision. Pure.
 */
import { Conditions } from '@retainer/contract/api/conditions';
import { Uuid } from '@retainer/contract/api/fields';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';
import { z } from 'zod';
import type { ObservedAgent } from '../../observe/observe-agent.ts';
import type { ObservedPod } from '../../observe/observe-agent-pod.ts';
import type { AgentCondition } from './agent-condition.ts';
import { terminationReason } from './termination-reason.ts';

const Stored = z.object({ individual: Uuid.optional().catch(undefined), conditions: Conditions.optional() });

export interface JudgedRecord {
  /** The individual that this Agent is; undefined before its first start. */
  readonly individual: string | undefined;
  readonly condition: AgentCondition;
}

/** @param lease  the agent's Lease, on which the agent names the individual of its volume; undefined if it could not be read */
export function judgeRecord({ root, pod }: ObservedAgent, lease: KubeObject | undefined): JudgedRecord {
  const stored = Stored.safeParse(root['status'] ?? {}).data;
  const found = Uuid.safeParse(lease?.metadata.annotations?.[ANNOTATIONS.individual]).data;
  const isAccepted = found !== undefined && root.metadata.annotations?.[ANNOTATIONS.individual] === found;
  const individual = isAccepted ? found : (stored?.individual ?? found);
  const standing = (wanted: string) => stored?.conditions?.find(({ reason }) => reason === wanted);
  const alarm = auditorsWord(pod) ?? standing('RecordChanged');
  const unread = found === undefined ? standing('AnotherIndividual') : undefined;
  return { individual, condition: { type: 'RecordIntact', ...verdict({ root, alarm, unread, found, individual }) } };
}

interface Evidence {
  readonly root: KubeObject;
  readonly alarm: (Pick<AgentCondition, 'message'> & { readonly reason: string }) | undefined;
  /** That another individual was found, where the Lease cannot be read or names none now. */
  readonly unread: Pick<AgentCondition, 'message'> | undefined;
  readonly found: string | undefined;
  readonly individual: string | undefined;
}

function verdict({
  root,
  alarm,
  unread,
  found,
  individual,
}: Evidence): Pick<AgentCondition, 'status' | 'reason' | 'message'> {
  if (alarm?.reason === 'RecordChanged') return { status: 'False', reason: 'RecordChanged', message: alarm.message };
  if (individual === undefined)
    return { status: 'Unknown', reason: 'Starting', message: 'the agent has not opened its record yet' };
  if (unread !== undefined) return { status: 'False', reason: 'AnotherIndividual', message: unread.message };
  if (found !== undefined && found !== individual)
    return { status: 'False', reason: 'AnotherIndividual', message: otherText(root, found, individual) };
  return { status: 'True', reason: 'RecordIntact', message: 'the auditor has found no change of the record' };
}

function otherText({ metadata: { namespace, name } }: KubeObject, found: string, individual: string): string {
  return (
    `the volume holds the record of individual ${found}, but this Agent is individual ${individual}; if that is meant, run ` +
    `kubectl -n ${namespace} annotate agent ${name} --overwrite ${ANNOTATIONS.individual}=${found}; if not, suspend the agent and give it its own volume`
  );
}

/** The auditor ends to tell the operator, and starts again: it has no other way, and no right. Undefined: it said nothing new. */
export function auditorsWord(pod: ObservedPod | undefined): Evidence['alarm'] {
  const auditor = pod?.containers.find(({ name }) => name === 'auditor');
  const told = terminationReason((auditor?.state.terminated ?? auditor?.lastState.terminated)?.message);
  return told?.reason === 'RecordChanged' || told?.reason === 'RecordIntact' ? told : undefined;
}
