import { describe, expect } from 'vitest';
import { observedAgent, settings } from '../../../../test/support/observed-agent.ts';
import { verifies } from '../../../../test/verifies.ts';
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
