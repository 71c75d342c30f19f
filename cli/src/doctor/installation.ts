/** The settings of an installation, read from the environment in the operator's Deployment, as the chart wrote it. Pure. */
import { DENY_ALL_NAME, LABELS } from '@retainer/contract/api/names';
import { ROLLOUT_CONFIG_MAP } from '@retainer/contract/wire/rollout';
import type { KubeObject } from '@retainer/kube/kube-object';
import { listAt, textAt } from './fields.ts';

export const NAMES = {
  operator: 'retainer-operator',
  egressProxy: 'retainer-egress-proxy',
  leaderLease: 'retainer-operator',
  signingKey: 'retainer-signing-key',
  publicKey: 'retainer-signing-key-public',
  rollout: ROLLOUT_CONFIG_MAP,
  denyAll: DENY_ALL_NAME,
  /** After the name in the cluster and a hyphen. */
  policies: [
    'agent-writes',
    'approvals',
    'reserved-labels',
    'sandbox-namespaces',
    'sandbox-network',
    'sandbox-runs',
    'sandboxes',
  ],
} as const;

export interface Installation {
  readonly release: string;
  /** First part of the names of its objects that lie in no namespace. */
  readonly clusterName: string;
  /** Empty if unknown. */
  readonly version: string;
  readonly sandboxNamespaces: readonly string[];
  /** The one of them for root code. */
  readonly rootNamespace: string | undefined;
  /** Empty: all of the cluster. */
  readonly watchNamespaces: readonly string[];
  /** Undefined without an operator. */
  readonly hasEgressProxy: boolean | undefined;
  /** Seconds of silence after which another process replaces the leader. */
  readonly leaseSeconds: number;
}

/** @param operator  undefined: gives the chart's defaults */
export function installationOf(operator: KubeObject | undefined): Installation {
  const [container] = listAt(operator, 'spec.template.spec.containers');
  const variables = new Map(listAt(container, 'env').map((entry) => [textAt(entry, 'name'), textAt(entry, 'value')]));
  const text = (name: string): string | undefined => variables.get(`RETAINER_${name}`) || undefined;
  const rootNamespace = text('SANDBOX_ROOT_NAMESPACE');
  const release = operator?.metadata.labels?.[LABELS.instance] ?? 'retainer';
  const watchNamespaces = (text('WATCH_NAMESPACES') ?? '').split(',').filter((name) => name !== '');
  return {
    release,
    clusterName: [...(watchNamespaces.length === 0 ? [] : [operator?.metadata.namespace]), release].join('-'),
    version: text('VERSION') ?? '',
    sandboxNamespaces: [text('SANDBOX_NAMESPACE') ?? 'retainer-sandboxes', ...(rootNamespace ? [rootNamespace] : [])],
    rootNamespace,
    watchNamespaces,
    hasEgressProxy: operator === undefined ? undefined : text('EGRESS_PROXY') !== undefined,
    leaseSeconds: Number(text('LEASE_SECONDS') ?? 15),
  };
}
