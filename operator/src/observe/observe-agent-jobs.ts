/** What an agent notes on its Lease of its jobs. */
import { parseAgentJobs, type AgentJobs } from '@retainer/contract/api/agent-jobs';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';

/** @returns undefined if the Lease was not read, or has no note that fits the status */
export function observeAgentJobs(lease: KubeObject | undefined): AgentJobs | undefined {
  return parseAgentJobs(lease?.metadata.annotations?.[ANNOTATIONS.jobs]);
}
