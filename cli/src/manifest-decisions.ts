/** People's decisions in the manifests about work under way, as on a cluster: `approvals` and `answers` of a Task. */
import type { Task } from '@retainer/contract/api/task';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import { isForTask } from '@retainer/mind/run/run-cause';
import { openQuestions, pendingApprovals } from '@retainer/agent-pod/review/run-records';

/** Passes a Task's decisions on to waiting calls and questions. Idempotent. */
export async function applyManifestDecisions(agent: OpenedAgent, tasks: readonly Task[]): Promise<void> {
  await applyApprovals(agent, tasks);
  await applyAnswers(agent, tasks);
}

/** A decision counts only for the same arguments, in the Task that asks. */
async function applyApprovals(agent: OpenedAgent, tasks: readonly Task[]): Promise<void> {
  if (tasks.every((task) => task.spec.approvals.length === 0)) return;
  const ofTasks = agent.runtime.openRuns().filter(({ spec }) => isForTask(spec));
  const runs = new Map(ofTasks.map(({ spec }) => [spec.runId, spec.task]));
  for (const { requestId, argumentsDigest, runId } of await pendingApprovals(agent.journal)) {
    const asking = runs.get(runId);
    const own = tasks.find(({ metadata }) => metadata.name === asking?.name && metadata.namespace === asking.namespace);
    const approval = own?.spec.approvals.find(
      (it) => it.request === requestId && digestOf(it.argumentsDigest) === digestOf(argumentsDigest),
    );
    if (approval === undefined) continue;
    const decision = approval.decision === 'Approve' ? 'Approve' : 'Deny';
    const by = withoutPrefix(approval.by);
    const command = {
      type: 'DecideApproval',
      requestId,
      argumentsDigest,
      decision,
      by,
      reason: approval.reason,
      knownBy: { how: 'Manifest' },
    } as const;
    await agent.runtime.accept(`manifest-approval:${requestId}`, 'manifest', command);
  }
}

async function applyAnswers(agent: OpenedAgent, tasks: readonly Task[]): Promise<void> {
  const answers = tasks.flatMap((task) => task.spec.answers);
  if (answers.length === 0) return;
  for (const { questionId, runId } of await openQuestions(agent.journal)) {
    const answer = answers.find((it) => it.question === questionId);
    if (answer === undefined) continue;
    const by = withoutPrefix(answer.by);
    const knownBy = { how: 'Manifest' } as const;
    const command = { type: 'AnswerQuestion', runId, questionId, text: answer.text, by, knownBy } as const;
    await agent.runtime.accept(`manifest-answer:${questionId}`, 'manifest', command);
  }
}

/** Manifests name the algorithm, the record does not. */
function digestOf(digest: string): string {
  return digest.replace(/^sha256:/, '');
}

/** The runtime adds the prefix, so this removes one from the manifest. */
function withoutPrefix(by: string): string {
  return by.replace(/^human:/, '');
}
