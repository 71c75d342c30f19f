/** Finds the run that the person typed: by its id, the name of its Task, or a beginning of either. Pure. */
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { RunSummary } from '@retainer/agent-pod/review/run-records';

/** @param runs  oldest first; of several runs of a Task its name means the newest */
export function findRun(runs: readonly RunSummary[], typed: string): Result<RunSummary, string> {
  const exact = runs.find((run) => run.runId === typed) ?? runs.findLast((run) => run.task === typed);
  if (exact !== undefined) return ok(exact);
  const candidates = runs.filter((run) => run.runId.startsWith(typed));
  const [only] = candidates;
  if (only === undefined) return err(`no run ${JSON.stringify(typed)}; runs: ${idsOf(runs)}`);
  if (candidates.length > 1)
    return err(`${JSON.stringify(typed)} is the beginning of several run ids: ${idsOf(candidates)}`);
  return ok(only);
}

/** As many as one reads. */
const IDS_MAX = 20;

function idsOf(runs: readonly RunSummary[]): string {
  if (runs.length === 0) return 'none';
  const more = runs.length > IDS_MAX ? ` and ${runs.length - IDS_MAX} older` : '';
  return `${runs
    .slice(-IDS_MAX)
    .map((run) => run.runId)
    .join(', ')}${more}`;
}
