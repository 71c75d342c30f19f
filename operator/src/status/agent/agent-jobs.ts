/** `status.jobs`: what the agent notes of its calendar. The last word stands while it is not at work, or its Lease was not read. Pure. */
import type { AgentJobs } from '@retainer/contract/api/agent-jobs';
import type { ObservedAgent } from '../../observe/observe-agent.ts';
import { isAtWork } from './backup-current.ts';

/** @param note  undefined if there is none, or this pass did not read the Lease */
export function judgeJobs(
  observed: Pick<ObservedAgent, 'root' | 'agent' | 'pod'>,
  note: AgentJobs | undefined,
): AgentJobs | undefined {
  const { jobs } = (observed.root['status'] ?? {}) as { readonly jobs?: AgentJobs };
  return (isAtWork(observed) ? note : undefined) ?? jobs;
}
