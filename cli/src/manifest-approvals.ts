/** Decisions that stand in the manifests, as on a cluster: `approvals` of a Task. */
import type { Task } from '@retainer/contract/api/task';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import { pendingApprovals } from '@retainer/agent-pod/run-records';

/** Decides the calls that wait and that one of the Tasks has decided, for exactly the same arguments. Twice is once. */
export async function applyManifestApprovals(agent: OpenedAgent, tasks: readonly Task[]): Promise<void> {
  const decided = tasks.flatMap((task) => task.spec.approvals);
  if (decided.length === 0) return;
  for (const { requestId, argumentsDigest } of await pendingApprovals(agent.journal)) {
    const approval = decided.find(
      (it) => it.request === requestId && digestOf(it.argumentsDigest) === digestOf(argumentsDigest),
    );
    if (approval === undefined) continue;
    const decision = approval.decision === 'Approve' ? 'Approve' : 'Deny';
    const { reason } = approval;
    // The runtime adds the prefix; who wrote it into the manifest must not have it twice.
    const by = approval.by.replace(/^human:/, '');
    const command = { type: 'DecideApproval', requestId, argumentsDigest, decision, by, reason } as const;
    await agent.runtime.accept(`manifest-approval:${requestId}`, 'manifest', command);
  }
}

/** Manifests name the algorithm, the record does not. */
function digestOf(digest: string): string {
  return digest.replace(/^sha256:/, '');
}
