import { describe, expect } from 'vitest';
import { observedAgent, settings } from '../../../../test/support/observed-agent.ts';
import { verifies } from '../../../../test/verifies.ts';
import { agentGrant, gitEgressFault } from './egress-needs.ts';
import { desiredNetworkPolicy } from './network-policy.ts';

/** Rules that name ranges, without ports. */
function namedRules(egressCidrs: readonly string[]): unknown {
  const { agent } = observedAgent({ pod: { egressCidrs } });
  if (agent === undefined) throw new Error('the example is no Agent');
  const { object } = desiredNetworkPolicy(agent, settings);
  const { egress } = object['spec'] as { readonly egress: readonly { readonly ports?: unknown }[] };
  return egress.filter(({ ports }) => ports === undefined);
}

describe('ranges that a person names', () => {
  const everyV4 = ['169.254.0.0/16', '168.63.129.16/32', '100.100.100.200/32'];
  const cases = [
    { name: 'private ones', cidrs: ['10.1.0.0/16'], rules: [{ to: [{ ipBlock: { cidr: '10.1.0.0/16' } }] }] },
    {
      name: 'everything',
      cidrs: ['0.0.0.0/0'],
      rules: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: everyV4 } }] }],
    },
    {
      name: 'everything of IPv6',
      cidrs: ['::/0'],
      rules: [{ to: [{ ipBlock: { cidr: '::/0', except: ['fe80::/10', 'fd00:ec2::/32'] } }] }],
    },
    {
      name: 'a part of it',
      cidrs: ['100.64.0.0/10'],
      rules: [{ to: [{ ipBlock: { cidr: '100.64.0.0/10', except: ['100.100.100.200/32'] } }] }],
    },
    { name: 'metadata alone', cidrs: ['169.254.169.254/32', '168.63.129.16/32', 'fd00:ec2::254/128'], rules: [] },
    { name: 'none at all', cidrs: ['1.2.3.4/99'], rules: [{ to: [{ ipBlock: { cidr: '1.2.3.4/99' } }] }] },
  ];
  for (const { name, cidrs, rules } of cases)
    verifies('operator-agent:pod-rules', `never hold metadata addresses: ${name}`, () => {
      expect(namedRules(cidrs)).toEqual(rules);
    });
});

describe('the remote of the second copy', () => {
  const rules = (gitRemote: object, pod: object = {}): readonly object[] => {
    const { agent } = observedAgent({ models: { provider: 'Anthropic' }, memory: { gitRemote }, pod });
    const { object } = desiredNetworkPolicy(agent, settings);
    return (object['spec'] as { readonly egress: readonly object[] }).egress;
  };
  /** Ports on which public addresses are open. */
  const publicPorts = (gitRemote: object, pod: object = {}): readonly unknown[] =>
    rules(gitRemote, pod)
      .filter((rule) => JSON.stringify(rule).includes('192.168.0.0/16'))
      .flatMap((rule) =>
        (rule as { readonly ports: readonly { readonly port: number }[] }).ports.map(({ port }) => port),
      );

  verifies('operator-agent:remote-reached', 'is reached at public addresses on its port', () => {
    expect(publicPorts({ url: 'https://git.example/ada.git' })).toEqual([443]);
    expect(publicPorts({ url: 'https://git.example:8443/ada.git' })).toEqual([443, 8443]);
    expect(publicPorts({ url: 'git@git.example:ada.git' })).toEqual([22, 443]);
    expect(publicPorts({ url: 'ssh://git@git.example:2222/ada.git' })).toEqual([443, 2222]);
  });

  verifies('operator-agent:remote-reached', 'is reached within the cluster by its range', () => {
    const url = 'https://git.tools.svc:8443/ada.git';
    expect(rules({ url }, { egressCidrs: ['10.1.2.3/32'] })).toContainEqual({
      to: [{ ipBlock: { cidr: '10.1.2.3/32' } }],
    });
  });

  verifies('operator-agent:remote-reached', 'is named to the egress proxy, which takes no ssh', () => {
    const { agent } = observedAgent({
      memory: { gitRemote: { url: 'https://git.example/ada.git' } },
      pod: { egressProxy: true },
    });
    expect(agentGrant(agent).hosts).toContain('git.example');
    expect(gitEgressFault(agent)).toBeUndefined();
    const ssh = { memory: { gitRemote: { url: 'ssh://git@git.example/ada.git' } } };
    expect(publicPorts(ssh.memory.gitRemote, { egressProxy: true })).toEqual([]);
    expect(gitEgressFault(observedAgent({ ...ssh, pod: { egressProxy: true } }).agent)).toMatch(/egressCidrs/);
    expect(gitEgressFault(observedAgent(ssh).agent)).toBeUndefined();
    const named = { ...ssh, pod: { egressProxy: true, egressCidrs: ['192.0.2.1/32'] } };
    expect(gitEgressFault(observedAgent(named).agent)).toBeUndefined();
  });
});

describe('mail servers', () => {
  const email = {
    address: 'ada@example.org',
    imap: { host: 'imap.example.org' },
    smtp: { host: 'smtp.example.org', port: 587, tls: 'StartTls' },
    credentialsSecretRef: { name: 'mail' },
  };
  const egress = (pod: object) =>
    JSON.stringify(
      desiredNetworkPolicy(observedAgent({ channels: { email }, pod }).agent, settings).object['spec'] ?? {},
    );

  verifies('mail-cluster:egress', 'are reached at public addresses on their ports', () => {
    const open = egress({});
    for (const port of [993, 587]) expect(open).toContain(`{"protocol":"TCP","port":${port}}`);
    expect(open).not.toContain('"port":465');
  });

  verifies('mail-cluster:egress', 'are named to the egress proxy, and no port of theirs is open beside it', () => {
    const { agent } = observedAgent({ channels: { email }, pod: { egressProxy: true } });
    expect(agentGrant(agent).hosts).toEqual(expect.arrayContaining(['imap.example.org', 'smtp.example.org']));
    expect(egress({ egressProxy: true })).not.toMatch(/"port":(993|587)/);
  });

  verifies(
    'mail-cluster:egress',
    'with private addresses are reached by their ranges, with and without the proxy',
    () => {
      for (const egressProxy of [false, true])
        expect(egress({ egressProxy, egressCidrs: ['10.1.2.3/32'] })).toContain(
          '{"to":[{"ipBlock":{"cidr":"10.1.2.3/32"}}]}',
        );
    },
  );
});
