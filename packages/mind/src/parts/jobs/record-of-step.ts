/** A step of the plan as the record that a program writes for it. Pure. */
import { recordIn } from '../../part/record-in.ts';
import type { PartRecord } from '../../part/store.ts';
import type { Firing } from './firing.ts';
import { isForAgent } from './job.ts';
import type { JobState } from './jobs.ts';
import { jobStore } from './part.ts';
import type { JobStep } from './plan-jobs.ts';

/**
 * @param state  of the job of the step; undefined: nobody knows it
 * @param runIdOf  the run that a firing becomes
 */
export function recordOfStep(
  step: JobStep,
  state: JobState | undefined,
  runIdOf: (firing: Firing) => string,
): PartRecord {
  switch (step.type) {
    case 'Fire':
      return firedRecord(step, state, runIdOf);
    case 'Skip':
      return recordIn(jobStore, 'JobSkipped', payloadOf(step));
    case 'Defer':
      return recordIn(jobStore, 'JobDeferred', payloadOf(step));
    case 'Over':
      return recordIn(jobStore, 'JobOver', payloadOf(step));
  }
}

function payloadOf<S extends JobStep>({ type: _type, ...payload }: S): Omit<S, 'type'> {
  return payload;
}

function firedRecord(
  { jobId, momentMs, isWanted }: Extract<JobStep, { type: 'Fire' }>,
  state: JobState | undefined,
  runIdOf: (firing: Firing) => string,
): PartRecord {
  const wanted = isWanted ? { isWanted: true as const } : {};
  if (state === undefined || !isForAgent(state.job))
    return recordIn(jobStore, 'JobFired', { jobId, momentMs, ...wanted });
  const runId = runIdOf({ state, momentMs });
  return recordIn(jobStore, 'JobFired', { jobId, momentMs, runId, ...wanted }, { runId });
}
