import type { Requirements } from './requirement.ts';

export const e2eSandboxRequirements = {
  'design 7 (sandbox transport)': {
    'e2e:sandbox-ingress': 'A sandbox is reached by its own agent and by the operator only',
  },
  'reliability-security 3, 7': {
    'e2e:sandbox-flows-closed':
      'From a sandbox at least 40 flows with a listener are closed that are open beside its policies',
    'e2e:network-opened':
      'A NetworkPolicy that anybody but the operator adds, changes or deletes where code runs is refused; one that gets in ends the code within 5 s and is named, and so does a loosened standard.',
  },
  'design 7 (egress by host name)': {
    'e2e:sandbox-egress': 'A sandbox with egress gets out through the proxy, to named hosts at public addresses only',
  },
  'reliability-security 3': {
    'e2e:sandbox-not-entered': 'The namespace of sandboxes takes no pod but the operator’s, and nobody enters one',
  },
  'design 7 (rights); reliability-security 3': {
    'e2e:agent-rights':
      'From its own pod an agent is refused pods, Secrets, other namespaces, other agents and its own approvals',
  },
  'reliability-security 7': {
    'e2e:sandbox-abuse':
      'Hostile code in a sandbox Job ends within its deadline and 5 s; node, agents and neighbours stay well',
    'e2e:programs-beside':
      'A program that hangs holds up no other Task of its agent; where both change a file, the call says conflict.',
  },
} as const satisfies Requirements;
