/** What the agent waits for people with, as mail needs it: approvals of calls, and questions of runs that letters began. */
import { approvalQuestions, workQuestions, type CycleState } from '@retainer/mind/cycle/state';
import type { OpenApproval } from '@retainer/mind/parts/mail/approval-letter';
import type { OpenMailQuestion } from '@retainer/mind/parts/mail/question-letter';
import type { RunState } from '@retainer/mind/run/state';

/** Of the runtime. */
export interface OpenWork {
  openRuns(): readonly RunState[];
  openCycles(): readonly CycleState[];
}

export function openApprovals(work: OpenWork): readonly OpenApproval[] {
  const runs = new Map(work.openRuns().map(({ spec }) => [spec.runId, spec]));
  return work.openCycles().flatMap((state) => {
    const { runId } = state.spec;
    const run = runs.get(runId);
    return run === undefined ? [] : approvalQuestions(state).map((it) => ({ ...it, runId, work: workText(run) }));
  });
}

function workText({ cause, task }: RunState['spec']): string {
  switch (cause.kind) {
    case 'Task':
      return `the Task ${task.namespace}/${task.name}`;
    case 'Job':
      return `its job ${cause.jobId}`;
    case 'Mail':
      return `a letter of ${cause.from}`;
  }
}

export function openMailQuestions(work: OpenWork): readonly OpenMailQuestion[] {
  const cycles = work.openCycles();
  return work.openRuns().flatMap((run): readonly OpenMailQuestion[] => {
    const { runId, replyTo } = run.spec;
    if (replyTo.channel !== 'Mail' || run.concluded !== undefined) return [];
    const asked = [
      ...(run.question === undefined ? [] : [run.question]),
      ...cycles.filter(({ spec }) => spec.runId === runId).flatMap(workQuestions),
    ];
    return asked.map(({ questionId, question, expiresAtMs }) => ({
      ...{ questionId, question, runId, letterId: replyTo.target },
      ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    }));
  });
}
