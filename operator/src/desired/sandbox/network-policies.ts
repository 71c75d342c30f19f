/**
 * Who reaches the sandboxes of one Agent, and what they reach. A policy of the namespace
 * denies all traffic both ways. These policies admit the agent's own pod and the operator, and let sandboxes reach only the egress proxy, which checks the run's
 * grant.
 *
 * Source: design 7 (sandbox transport, egress by host name); reliability-security 3.
 */
import type { AgentSandbox } from '@retainer/contract/api/agent-sandbox';
import { sandboxChildName } from '@retainer/contract/api/child-names';
import { DENY_ALL_NAME, LABELS, PORTS } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Settings } from '../../settings/settings.ts';
import { agentLabels, SANDBOX_ROLE, sandboxLabels, type SandboxOwner } from './sandbox-labels.ts';

/** Set by the API server on every namespace. */
const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';

export interface AgentPoliciesInput {
  readonly owner: SandboxOwner;
  readonly sandbox: AgentSandbox;
  readonly settings: Settings;
}

/** Empty if the Agent may not run code. */
export function agentSandboxPolicies({ owner, sandbox, settings }: AgentPoliciesInput): readonly KubeObject[] {
  if (!sandbox.enabled) return [];
  const root = sandbox.root && settings.hasUserNamespaces ? settings.sandboxRootNamespace : undefined;
  const namespaces = [settings.sandboxNamespace, ...(root === undefined ? [] : [root])];
  const hasEgress = sandbox.egress.length > 0 && settings.network.egressProxy !== undefined;
  return namespaces.flatMap((namespace) => {
    const place = { namespace, labels: { ...sandboxLabels('network', settings), ...agentLabels(owner) } };
    const pods = {
      [LABELS.networkRole]: SANDBOX_ROLE,
      [LABELS.agent]: owner.name,
      [LABELS.agentNamespace]: owner.namespace,
    };
    const ingress = ingressPolicy({ name: sandboxChildName('in', owner), ...place }, pods, [
      peer(owner.namespace, {
        [LABELS.networkRole]: 'agent',
        [LABELS.agent]: owner.name,
      }),
      peer(settings.namespace, { [LABELS.networkRole]: 'operator' }),
    ]);
    if (!hasEgress) return [ingress];
    return [ingress, egressPolicy({ name: sandboxChildName('out', owner), ...place }, pods, settings)];
  });
}

/**
 * Nothing in, nothing out, no DNS, IPv4 and IPv6. All other policies only add to it. It comes with the installation, so it has no label
 * but the one that both set alike.
 */
export function denyAllPolicy(namespace: string): KubeObject {
  return {
    metadata: { name: DENY_ALL_NAME, namespace, labels: { ...CANARY_MARK } },
    spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
  };
}

/** Name of the canary's policy, and of its controller's root. */
export const CANARY_NAME = 'retainer-canary';

/** Lets the operator connect to the canary, which proves that allowed traffic passes. */
export function canaryPolicy(settings: Settings, namespace: string): KubeObject {
  return ingressPolicy(
    {
      name: CANARY_NAME,
      namespace,
      labels: { ...sandboxLabels('canary', settings), ...CANARY_MARK },
    },
    { [LABELS.networkRole]: SANDBOX_ROLE, ...CANARY_MARK },
    [peer(settings.namespace, { [LABELS.networkRole]: 'operator' })],
  );
}

/** Our own label, by which the applier recognises objects without a root: the canary's, and the policy that denies everything. */
export const CANARY_MARK: Readonly<Record<string, string>> = { [LABELS.canary]: 'true' };

function ingressPolicy(
  metadata: KubeObject['metadata'],
  matchLabels: Readonly<Record<string, string>>,
  from: readonly object[],
): KubeObject {
  return {
    metadata,
    spec: {
      podSelector: { matchLabels },
      policyTypes: ['Ingress'],
      ingress: [{ from, ports: [{ protocol: 'TCP', port: PORTS.sandboxRunner }] }],
    },
  };
}

function egressPolicy(
  metadata: KubeObject['metadata'],
  matchLabels: Readonly<Record<string, string>>,
  settings: Settings,
): KubeObject {
  return {
    metadata,
    spec: {
      podSelector: { matchLabels },
      policyTypes: ['Egress'],
      egress: [
        {
          to: [peer(settings.namespace, { [LABELS.networkRole]: 'egress-proxy' })],
          ports: [{ protocol: 'TCP', port: PORTS.egressProxy }],
        },
      ],
    },
  };
}

function peer(namespace: string, matchLabels: Readonly<Record<string, string>>): object {
  return {
    namespaceSelector: { matchLabels: { [NAMESPACE_NAME_LABEL]: namespace } },
    podSelector: { matchLabels },
  };
}
