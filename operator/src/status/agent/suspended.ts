/** Suspended: whether a person stopped the agent. Pure. */
import type { AgentCondition } from './agent-condition.ts';

export function suspended(isSuspended: boolean): AgentCondition {
  return isSuspended
    ? {
        type: 'Suspended',
        status: 'True',
        reason: 'Suspended',
        message: 'spec.suspend is true: the agent has no pod and keeps its record; set it to false to continue',
      }
    : { type: 'Suspended', status: 'False', reason: 'NotSuspended', message: 'spec.suspend is false' };
}
