/** SandboxRuns and their Agents, parsed once at this boundary. */
import { Agent } from '@retainer/contract/api/agent';
import type { AgentSandbox } from '@retainer/contract/api/agent-sandbox';
import { SandboxRun } from '@retainer/contract/api/sandbox-run';
import { keyText, type KubeObject } from '@retainer/kube/kube-object';
import { createdAtMs } from './observe-sandbox-objects.ts';

export const SANDBOX_INDEXES = {
  /** SandboxRuns that are not over, by `namespace/name` of their Agent. */
  unfinishedByAgent: 'unfinishedSandboxRunsByAgent',
  /** SandboxRuns by uid of the pod that they were given. */
  runsByPod: 'sandboxRunsByPod',
  /** Jobs by `namespace/name` of the SandboxRun. */
  jobsByRun: 'sandboxJobsByRun',
  /** Jobs that are pools, by `namespace/name` of the Agent. */
  poolsByAgent: 'sandboxPoolsByAgent',
  /** Pods by uid of the SandboxRun. */
  podsByRun: 'sandboxPodsByRun',
  /** Pods by name of the pool. */
  podsByPool: 'sandboxPodsByPool',
  policiesByAgent: 'sandboxPoliciesByAgent',
} as const;

export interface ObservedRun {
  readonly object: KubeObject;
  readonly uid: string;
  readonly createdAtMs: number;
  readonly spec: SandboxRun['spec'];
  readonly status: NonNullable<SandboxRun['status']>;
}

export interface ObservedSandboxAgent {
  readonly object: KubeObject;
  readonly uid: string;
  readonly sandbox: AgentSandbox;
  readonly isSuspended: boolean;
}

/** @returns undefined for an object that an API server with another schema accepted and that this version cannot parse */
export function observedRun(object: KubeObject): ObservedRun | undefined {
  const parsed = SandboxRun.safeParse(object);
  if (!parsed.success) return undefined;
  const { metadata, spec, status = {} } = parsed.data;
  return { object, uid: metadata.uid ?? '', createdAtMs: createdAtMs(object), spec, status };
}

/** Number of misfitting fields that a message names. */
const FIELDS_NAMED_MAX = 5;

/** Paths that do not fit the schema; empty if all do. */
export function misfits(object: KubeObject): string {
  const fields = new Set(SandboxRun.safeParse(object).error?.issues.map(({ path }) => path.join('.')));
  return [...fields].slice(0, FIELDS_NAMED_MAX).join(', ');
}

export function observedSandboxAgent(object: KubeObject): ObservedSandboxAgent | undefined {
  const parsed = Agent.safeParse(object);
  if (!parsed.success) return undefined;
  const { metadata, spec } = parsed.data;
  return { object, uid: metadata.uid ?? '', sandbox: spec.sandbox, isSuspended: spec.suspend };
}

interface RunFields {
  readonly spec?: { readonly agentRef?: { readonly name?: string } };
  readonly status?: {
    readonly podUid?: string;
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
  };
}

/** `namespace/name` of the Agent that a SandboxRun names. */
export function agentOfRun(object: KubeObject): string {
  const name = (object as RunFields).spec?.agentRef?.name ?? '';
  return keyText({ namespace: object.metadata.namespace ?? '', name });
}

export function podOfRun(object: KubeObject): string | undefined {
  return (object as RunFields).status?.podUid;
}

/** Whether the run is over: its status says how it ended. */
export function isRunFinished(object: KubeObject): boolean {
  const conditions = (object as RunFields).status?.conditions ?? [];
  return conditions.some(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
}

/** Oldest first; of the same second, in the order of names. */
export function inOrderOfCreation(a: KubeObject, b: KubeObject): number {
  const byTime = createdAtMs(a) - createdAtMs(b);
  if (byTime !== 0) return byTime;
  return keyText({ namespace: a.metadata.namespace ?? '', name: a.metadata.name }) <
    keyText({ namespace: b.metadata.namespace ?? '', name: b.metadata.name })
    ? -1
    : 1;
}
