/**
 * Pods and Jobs of the namespace of sandboxes, narrowed to the fields that decisions use. Pure: the caller has read the
 * objects.
 */
import { LABELS, PORTS } from '@retainer/contract/api/names';
import type { KubeObject, ObjectKey } from '@retainer/kube/kube-object';

export interface SandboxPod {
  readonly object: KubeObject;
  readonly name: string;
  readonly uid: string;
  readonly createdAtMs: number;
  /** Uid of its run; undefined for a warm sandbox. */
  readonly runUid: string | undefined;
  readonly poolName: string | undefined;
  /** Its processes have ended. Never becomes false again. */
  readonly isEnded: boolean;
  readonly isBeingDeleted: boolean;
  readonly isReady: boolean;
  /** All its addresses, that of the endpoint first. */
  readonly addresses: readonly string[];
  /** `address:port` of the runner; present once the pod has an address. */
  readonly endpoint: string | undefined;
  /** The scheduler reports that there is no room. */
  readonly isUnschedulable: boolean;
  /** Why its container waits, in the kubelet's words: `ErrImagePull` … */
  readonly waiting: { readonly reason: string | undefined; readonly message: string | undefined };
  /** Kubernetes' own reason for its end: `Evicted`, `DeadlineExceeded` … */
  readonly endReason: string | undefined;
  /** It was evicted from a node. */
  readonly isDisrupted: boolean;
  readonly terminated: Terminated | undefined;
}

export interface Terminated {
  readonly reason: string | undefined;
  /** The runner's last message; at most 4,096 bytes by Kubernetes' own rule. */
  readonly message: string;
  readonly finishedAt: string | undefined;
}

export interface SandboxJob {
  readonly object: KubeObject;
  readonly name: string;
  readonly createdAtMs: number;
  readonly runUid: string | undefined;
  readonly agent: ObjectKey;
  readonly isEnded: boolean;
  /** Of a Job that failed: `DeadlineExceeded`, `BackoffLimitExceeded` … */
  readonly failure: string | undefined;
  readonly isBeingDeleted: boolean;
  /** Its pods that ended, in any way. */
  readonly endedPods: number;
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const countOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

export function createdAtMs({ metadata }: KubeObject): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0;
}

export function sandboxPod(object: KubeObject): SandboxPod {
  const status = fieldsOf(object['status']);
  const conditions = listOf(status['conditions']);
  const has = (type: string, value: string): boolean =>
    conditions.some((condition) => condition['type'] === type && condition['status'] === value);
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
  const [container = {}] = listOf(status['containerStatuses']);
  const state = fieldsOf(container['state']);
  const { reason, message } = fieldsOf(state['waiting']);
  const phase = textOf(status['phase']);
  const address = textOf(status['podIP']);
  const labels = object.metadata.labels ?? {};
  return {
    object,
    name: object.metadata.name,
    uid: object.metadata.uid ?? '',
    createdAtMs: createdAtMs(object),
    runUid: labels[LABELS.sandboxRunUid],
    poolName: labels[LABELS.sandboxPool],
    isEnded: phase === 'Succeeded' || phase === 'Failed',
    isBeingDeleted: object.metadata.deletionTimestamp !== undefined,
    isReady: phase === 'Running' && has('Ready', 'True'),
    addresses: addressesOf(address, status['podIPs']),
    endpoint: address === undefined ? undefined : endpointOf(address),
    isUnschedulable: scheduled?.['status'] === 'False' && scheduled['reason'] === 'Unschedulable',
    waiting: { reason: textOf(reason), message: textOf(message) },
    endReason: phase === 'Failed' ? textOf(status['reason']) : undefined,
    isDisrupted: has('DisruptionTarget', 'True'),
    terminated: terminatedOf(state['terminated']),
  };
}

function addressesOf(first: string | undefined, all: unknown): readonly string[] {
  const addresses = [first, ...listOf(all).map(({ ip }) => textOf(ip))];
  return [...new Set(addresses.filter((address) => address !== undefined))];
}

function endpointOf(address: string): string {
  return `${address.includes(':') ? `[${address}]` : address}:${PORTS.sandboxRunner}`;
}

function terminatedOf(value: unknown): Terminated | undefined {
  if (value === undefined || value === null) return undefined;
  const { reason, message, finishedAt } = fieldsOf(value);
  return { reason: textOf(reason), message: textOf(message) ?? '', finishedAt: textOf(finishedAt) };
}

export function sandboxJob(object: KubeObject): SandboxJob {
  const status = fieldsOf(object['status']);
  const labels = object.metadata.labels ?? {};
  const conditions = listOf(status['conditions']).filter((condition) => condition['status'] === 'True');
  const failed = conditions.find(({ type }) => type === 'Failed' || type === 'FailureTarget');
  return {
    object,
    name: object.metadata.name,
    createdAtMs: createdAtMs(object),
    runUid: labels[LABELS.sandboxRunUid],
    agent: { namespace: labels[LABELS.agentNamespace] ?? '', name: labels[LABELS.agent] ?? '' },
    isEnded: conditions.some(({ type }) => type === 'Complete' || type === 'Failed'),
    failure: failed === undefined ? undefined : (textOf(failed['reason']) ?? 'Failed'),
    isBeingDeleted: object.metadata.deletionTimestamp !== undefined,
    endedPods: countOf(status['succeeded']) + countOf(status['failed']),
  };
}

/** The run that a Job or pod was made for; undefined for all others. */
export function runKeyOf({ metadata }: KubeObject): ObjectKey | undefined {
  const { [LABELS.sandboxRun]: name, [LABELS.sandboxRunNamespace]: namespace } = metadata.labels ?? {};
  return name === undefined || namespace === undefined ? undefined : { namespace, name };
}

export function agentKeyOf({ metadata }: KubeObject): ObjectKey | undefined {
  const { [LABELS.agent]: name, [LABELS.agentNamespace]: namespace } = metadata.labels ?? {};
  return name === undefined || namespace === undefined ? undefined : { namespace, name };
}
