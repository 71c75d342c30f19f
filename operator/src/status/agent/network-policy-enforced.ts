/** NetworkPolicyEnforced: whether this cluster enforces policies, by the result of the canary. Pure. */
import type { CanaryState } from '../sandbox/canary-state.ts';
import type { AgentCondition } from './agent-condition.ts';

/** Longest list of open flows in a message. */
const NAMED_FLOWS_MAX = 5;

export function networkPolicyEnforced(canary: CanaryState): AgentCondition {
  const type = 'NetworkPolicyEnforced';
  switch (canary.type) {
    case 'Enforced':
      return {
        type,
        status: 'True',
        reason: 'NetworkPolicyEnforced',
        message: 'the canary found all forbidden network flows closed',
      };
    case 'NotEnforced': {
      const open = canary.open.slice(0, NAMED_FLOWS_MAX).join(', ');
      const message = `forbidden flows are open (${open}); no code starts until the cluster's network plugin enforces NetworkPolicies`;
      return { type, status: 'False', reason: 'NetworkPolicyNotEnforced', message };
    }
    case 'Opened': {
      const by = canary.by.slice(0, NAMED_FLOWS_MAX).join('; ');
      return { type, status: 'False', reason: 'NetworkPolicyNotEnforced', message: `no code runs: ${by}` };
    }
    case 'Unknown':
      return { type, status: 'Unknown', reason: 'NetworkPolicyUnknown', message: `code waits: ${canary.message}` };
  }
}
