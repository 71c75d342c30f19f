/** Suspended: whether a person stopped the agent. Pure. */
import type { AgentCondition } from './agent-condition.ts';

export function suspended(isSuspended: boolean): AgentCondition {
  return isSuspended
    ? {
        type: 'Suspended',
        status: 'True',
        reason: 'Suspended',
        message: 'spec.suspend is true: no pod is started and the record stays; set it to false to go on',
      }
    : { type: 'Suspended', status: 'False', reason: 'NotSuspended', message: 'the agent may run' };
}
