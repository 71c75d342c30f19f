import fc from 'fast-check';
import { expect } from 'vitest';
import { AgentSandbox } from '@retainer/contract/api/agent-sandbox';
import { LABELS, PORTS } from '@retainer/contract/api/names';
import { sandboxSettings } from '../../../../test/support/sandbox-world.ts';
import { verifies } from '../../../../test/verifies.ts';
import { agentSandboxPolicies, denyAllPolicy } from './network-policies.ts';

interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports: readonly { readonly port: number }[];
}
interface Peer {
  readonly namespaceSelector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly podSelector: { readonly matchLabels: Readonly<Record<string, string>> };
}
interface Spec {
  readonly podSelector: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly ingress?: readonly Rule[];
  readonly egress?: readonly Rule[];
}

const name = fc.stringMatching(/^[a-z]([a-z0-9-]{0,20}[a-z0-9])?$/);
const sandbox = fc
  .record({ root: fc.boolean(), egress: fc.uniqueArray(fc.constantFrom('a.example', '*.b.example'), { maxLength: 2 }) })
  .map((fields) => AgentSandbox.parse(fields));

const settings = {
  ...sandboxSettings,
  hasUserNamespaces: true,
  sandboxRootNamespace: 'roots',
};

verifies('operator-sandbox:opened', 'the policies of an Agent add to its own sandboxes alone', () => {
  fc.assert(
    fc.property(name, name, sandbox, (namespace, agent, given) => {
      const owner = { namespace, name: agent, uid: 'u' };
      for (const policy of agentSandboxPolicies({ owner, sandbox: given, settings })) {
        const spec = policy['spec'] as Spec;
        expect(spec.podSelector.matchLabels).toEqual({
          [LABELS.networkRole]: 'sandbox',
          [LABELS.agent]: agent,
          [LABELS.agentNamespace]: namespace,
        });
        const rules = [...(spec.ingress ?? []), ...(spec.egress ?? [])];
        expect(rules).toHaveLength(1);
        for (const { from, to, ports } of rules) {
          expect(ports.map(({ port }) => port)).toEqual([from === undefined ? PORTS.egressProxy : PORTS.sandboxRunner]);
          const roles = [...(from ?? []), ...(to ?? [])].map(
            (peer) =>
              `${Object.values(peer.namespaceSelector.matchLabels)[0]}/${peer.podSelector.matchLabels[LABELS.networkRole]}`,
          );
          const home = settings.namespace;
          expect(roles).toEqual(
            from === undefined ? [`${home}/egress-proxy`] : [`${namespace}/agent`, `${home}/operator`],
          );
        }
      }
    }),
  );
});

verifies('operator-sandbox:opened', 'the denial selects everything and lets nothing pass', () => {
  expect(denyAllPolicy('roots')['spec']).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
});
