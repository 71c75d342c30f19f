/** Finds the job that a person typed: by its id, its name, or the beginning of its id. Pure. */
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { RecordedJob } from '@retainer/agent-pod/review/job-records';
import { isLasting } from '@retainer/mind/parts/jobs/jobs';
import { listedIds } from './listed-ids.ts';

/** @param jobs  oldest first; of several jobs of a name, the name means the newest that is not over, else the newest */
export function findJob(jobs: readonly RecordedJob[], typed: string): Result<RecordedJob, string> {
  const named = jobs.filter(({ job }) => job.name === typed);
  const exact = jobs.find(({ jobId }) => jobId === typed) ?? named.findLast(isLasting) ?? named.at(-1);
  if (exact !== undefined) return ok(exact);
  const candidates = jobs.filter(({ jobId }) => jobId.startsWith(typed));
  const [only] = candidates;
  if (only === undefined) return err(`no job ${JSON.stringify(typed)}; jobs: ${idsOf(jobs)}`);
  if (candidates.length > 1)
    return err(`${JSON.stringify(typed)} is the beginning of several ids: ${idsOf(candidates)}`);
  return ok(only);
}

/** Those that are not over come first. */
function idsOf(jobs: readonly RecordedJob[]): string {
  const sorted = [...jobs.filter(isLasting), ...jobs.filter((job) => !isLasting(job)).toReversed()];
  return listedIds(sorted.map(({ jobId }) => jobId));
}
