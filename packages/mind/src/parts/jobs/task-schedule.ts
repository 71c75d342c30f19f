/**
 * The schedule of a Task as a job of people, where no operator keeps it.
 *
 * I1  A job of this id that has another source is left alone: the schedule waits until it is over.
 */
import { Task } from '@retainer/contract/api/task';
import { readMomentText } from '@retainer/contract/schedule/moment-text';
import { scheduledTask } from '@retainer/contract/schedule/scheduled-task';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { recordIn } from '../../part/record-in.ts';
import type { PartRecord } from '../../part/store.ts';
import { ScheduleTask, type JobDefinition } from './job.ts';
import { isLasting, type JobState } from './jobs.ts';
import { manifestLabel } from './manifest-jobs.ts';
import { jobStore } from './part.ts';

export function scheduleJobId({ metadata: { name } }: Task): string {
  return `task-${name}`;
}

/** @param known  the job of this id. @returns what the record lacks of the schedule as it is now */
export function scheduleChanges(known: JobState | undefined, task: Task): readonly PartRecord[] {
  const jobId = scheduleJobId(task);
  const isThere = known !== undefined && isLasting(known);
  if (isThere && known.source !== 'Task') return [];
  const job = jobOf(task);
  if (job === undefined || task.spec.cancel) {
    const reason = job === undefined ? 'its Task has no schedule any more' : 'the Task says cancel';
    return isThere ? [recordIn(jobStore, 'JobCancelled', { jobId, reason })] : [];
  }
  if (known !== undefined && stands(known, { job, task })) return [];
  const given = { jobId, job, label: manifestLabel, task: ScheduleTask.parse(JSON.parse(JSON.stringify(task))) };
  return isThere
    ? [recordIn(jobStore, 'JobChanged', given)]
    : [recordIn(jobStore, 'JobCreated', { ...given, source: 'Task', maker: { kind: 'Person' } })];
}

function jobOf({ metadata, spec }: Task): JobDefinition | undefined {
  const { schedule, intent } = spec;
  if (schedule === undefined) return undefined;
  const { cron, timeZone, catchUp, until, maxRuns } = schedule;
  const end = until === undefined ? undefined : readMomentText(until, timeZone);
  return {
    ...{ kind: 'Recurring', for: 'Agent', name: metadata.name, words: intent },
    when: {
      ...{ type: 'Cron', cron, timeZone },
      ...(end?.ok === true ? { untilMs: end.value } : {}),
      ...(maxRuns === undefined ? {} : { runsMax: maxRuns }),
    },
    ...{ catchUp, requiredTools: [], onlyIfChanged: false, tags: [] },
  };
}

function stands(known: JobState, given: Parameters<typeof isSame>[1]): boolean {
  return known.source === 'Task' && isSame(known, given) && !hasLeft(known);
}

/** Its Task had no schedule, or said cancel; nobody ended the job by name. */
function hasLeft({ status, statusBy }: JobState): boolean {
  return status === 'Cancelled' && statusBy === undefined;
}

/** What people add to a schedule later, such as a decision, does not make it another one. */
function isSame(known: JobState, { job, task }: { readonly job: JobDefinition; readonly task: Task }): boolean {
  const before = Task.safeParse(known.task);
  return before.success && canonicalJson([known.job, workIn(before.data)]) === canonicalJson([job, workIn(task)]);
}

/** What the Tasks of a schedule have of it. */
function workIn(schedule: Task): object {
  const { spec } = scheduledTask(schedule, { momentMs: 0, moment: '', runNumber: 0, isCancelled: false });
  return JSON.parse(JSON.stringify(spec)) as object;
}
