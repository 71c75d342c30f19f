/**
 * What a cycle is told of the agent where its run is for somebody else than the owner: figures, and the run itself. Names of other
 * work, of jobs and of threads are words that its correspondent may not read.
 *
 * Source: reliability-security 4 (labels on every value).
 */
import type { SelfView } from './view.ts';

export function correspondentView(whole: SelfView): SelfView {
  const { thread: _, calendar, ...view } = whole;
  const task = view.run?.task;
  const isOwn = (it: { readonly task: string }): boolean => it.task === task;
  return {
    ...view,
    runs: [],
    approvals: view.approvals.filter(isOwn),
    questions: view.questions.filter(isOwn),
    delegations: view.delegations.filter(isOwn),
    tasks: view.tasks.filter(({ name }) => name === task),
    events: [],
    calendar: { ...calendar, next: [], overdue: [] },
  };
}
