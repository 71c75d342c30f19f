/** What a job notes of the run that its firing became. */
import { matchesName } from '@retainer/contract/std/name-pattern';
import type { RunEnd } from '../../part/part.ts';
import type { PartRecord } from '../../part/store.ts';
import { jobOfRun, isGoodEnd, type Jobs, type JobState } from './jobs.ts';
import { resultDigest, saysUnchanged } from './result-digest.ts';

/** Nothing for a run of no open firing: the same end comes again after a crash. */
export function endOfRun(jobs: Jobs, end: RunEnd): readonly PartRecord[] {
  const job = jobOfRun(jobs, end.runId);
  if (job?.open === undefined) return [];
  const { jobId, open } = job;
  const payload = { jobId, momentMs: open.momentMs, runId: end.runId, ...judged(job, end) };
  return [{ store: 'job', kind: 'JobEnded', payload, runId: end.runId }];
}

function judged({ job, resultDigest: last }: JobState, { outcome, summary, calls }: RunEnd) {
  if (!isGoodEnd(outcome)) return { outcome, why: `its run ended ${outcome}` };
  const missing = missingTools(job.requiredTools, calls);
  if (missing.length > 0) return { outcome: 'Failed', why: `its run did not call ${missing.join(', ')} with success` };
  const digest = resultDigest(summary);
  const isUnchanged = job.onlyIfChanged && last !== undefined && (digest === last || saysUnchanged(summary));
  return { outcome, resultDigest: isUnchanged ? last : digest, ...(isUnchanged ? { isUnchanged: true as const } : {}) };
}

/** Of the tools that a job demands, those that no call ran with success. */
export function missingTools(required: readonly string[], calls: RunEnd['calls']): readonly string[] {
  return required.filter((pattern) => !calls.some(({ tool, isOk }) => isOk && matchesName(pattern, tool)));
}
