/** One served moment of a job. */
import type { JobState } from './jobs.ts';

export interface Firing {
  readonly state: JobState;
  /** Milliseconds since 1970. */
  readonly momentMs: number;
}

/** Identifies a firing for ever: the inbox takes no second run of it, and no notice goes out twice. */
export function firingId({ state: { jobId }, momentMs }: Firing): string {
  return `job:${jobId}:${momentMs}`;
}
