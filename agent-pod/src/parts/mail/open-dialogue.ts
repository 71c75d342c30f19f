/** What the agent waits for people with, as mail needs it: approvals of calls, and questions of runs that letters began. */
import { readSoFar } from '@retainer/mind/cycle/read-texts';
import { approvalQuestions, workQuestions, type CycleState } from '@retainer/mind/cycle/state';
import { mayRead, OWNER } from '@retainer/mind/gate/provenance/label';
import { unreadableSearch } from '@retainer/mind/gate/provenance/readers-policy';
import type { KnownTools } from '@retainer/mind/gate/tool-facts';
import type { OpenApproval } from '@retainer/mind/parts/mail/approval-letter';
import type { OpenMailQuestion } from '@retainer/mind/parts/mail/question-letter';
import type { OpenQuestion, RunState } from '@retainer/mind/run/state';

/** Of the runtime. */
export interface OpenWork {
  openRuns(): readonly Pick<RunState, 'spec' | 'concluded' | 'question'>[];
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

/** @param known  of all tools: what a cycle has read says whether its question is for others */
export function openMailQuestions(work: OpenWork, known: KnownTools): readonly OpenMailQuestion[] {
  const cycles = work.openCycles();
  return work.openRuns().flatMap((run): readonly OpenMailQuestion[] => {
    const { runId, replyTo } = run.spec;
    if (replyTo.channel !== 'Mail' || run.concluded !== undefined) return [];
    const inWork = cycles.filter(({ spec }) => spec.runId === runId).flatMap((state) => inCycle(state, known));
    return [...(run.question === undefined ? [] : [run.question]), ...inWork].map(({ expiresAtMs, ...asked }) => ({
      ...asked,
      runId,
      letterId: replyTo.target,
      ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    }));
  });
}

type Asked = OpenQuestion & Pick<OpenMailQuestion, 'isForOthers'>;

/** A run is shown nothing that its principal may not read, but a cycle reads what it likes. */
function inCycle(state: CycleState, known: KnownTools): readonly Asked[] {
  const { principal = OWNER, readers } = state.spec;
  // What earlier cycles of the run have read is not at hand word for word.
  const hasReadOthers = readers !== undefined && !mayRead(readers, principal);
  const unreadable = unreadableSearch(readSoFar(state, known));
  return workQuestions(state).map((it) => ({
    ...it,
    ...(hasReadOthers || unreadable(it.question) !== undefined ? { isForOthers: true as const } : {}),
  }));
}
