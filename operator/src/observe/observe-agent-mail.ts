/** What an agent notes on its Lease of its mail. */
import { parseAgentMail, type AgentMail } from '@retainer/contract/api/agent-mail';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';

/** @returns undefined if the Lease was not read, or has no note that fits the status */
export function observeAgentMail(lease: KubeObject | undefined): AgentMail | undefined {
  return parseAgentMail(lease?.metadata.annotations?.[ANNOTATIONS.mail]);
}
