/** The settings of an installation, read from the environment in the operator's Deployment, as the chart wrote it. Pure. */
import { LABELS } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';
import { listAt, textAt } from './fields.ts';

export const NAMES = {
  operator: 'retainer-operator',
  egressProxy: 'retainer-egress-proxy',
  leaderLease: 'retainer-operator',
  signingKey: 'retainer-signing-key',
  publicKey: 'retainer-signing-key-public',
  denyAll: 'retainer-deny-all',
  /** After the release's name and a hyphen. */
  policies: ['agent-writes', 'approvals', 'reserved-labels', 'sandbox-namespaces', 'sandbox-runs', 'sandboxes'],
} as const;

export interface Installation {
  readonly release: string;
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
  return {
    release: operator?.metadata.labels?.[LABELS.instance] ?? 'retainer',
    version: text('VERSION') ?? '',
    sandboxNamespaces: [text('SANDBOX_NAMESPACE') ?? 'retainer-sandboxes', ...(rootNamespace ? [rootNamespace] : [])],
    rootNamespace,
    watchNamespaces: (text('WATCH_NAMESPACES') ?? '').split(',').filter((name) => name !== ''),
    hasEgressProxy: operator === undefined ? undefined : text('EGRESS_PROXY') !== undefined,
    leaseSeconds: Number(text('LEASE_SECONDS') ?? 15),
  };
}
