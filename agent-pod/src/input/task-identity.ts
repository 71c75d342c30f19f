/** The run id of a Task: equal for the same Task, another one for a Task created anew under its name. */
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { IMMUTABLE_TASK_FIELDS, type Task } from '@retainer/contract/api/task';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { attemptRunId } from '@retainer/mind/parts/aside/tried-again';
import type { Scheduled } from '@retainer/mind/run/run-cause';
import { sha256Hex } from '@retainer/contract/std/hash';

/** Hexadecimal digits of the origin's hash: two Tasks of one name collide once in a trillion. */
const RUN_ID_DIGITS = 10;

export interface TaskIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Identifies the work of a Task: by its uid or, without a cluster, by its immutable fields. */
export function taskOrigin({ metadata, spec }: Task): string {
  // A change of a mutable field does not make it another Task.
  const work = (): string =>
    sha256Hex(canonicalJson(Object.fromEntries(IMMUTABLE_TASK_FIELDS.map((field) => [field, spec[field]]))));
  return originOf({ ...metadata, uid: metadata.uid ?? work() });
}

/** Readable, and equal for equal origins. @param attempt  at the same work, from 1 */
export function runIdOfTask(task: Task, attempt = 1): string {
  return attemptRunId(runIdOfOrigin(task.metadata.name, taskOrigin(task)), attempt);
}

/** As {@link taskOrigin}, of one of several attempts at the same work. */
export function attemptOrigin(task: Task, attempt: number): string {
  return attemptRunId(taskOrigin(task), attempt);
}

/** As {@link runIdOfTask}, for an object with a uid. */
export function runIdOfIdentity(identity: TaskIdentity): string {
  return runIdOfOrigin(identity.name, originOf(identity));
}

function originOf({ namespace, name, uid }: TaskIdentity): string {
  return `task:${namespace}/${name}:${uid}`;
}

function runIdOfOrigin(taskName: string, originId: string): string {
  return `${taskName.slice(0, 40)}-${sha256Hex(originId).slice(0, RUN_ID_DIGITS)}`;
}

/** What the operator wrote on the Task of a schedule; undefined: anything else is no schedule's. */
export function scheduledOf({ metadata: { annotations = {} } }: Task): Scheduled | undefined {
  const forMs = Date.parse(annotations[ANNOTATIONS.scheduledFor] ?? '');
  const run = Number(annotations[ANNOTATIONS.scheduleRun] ?? '');
  return Number.isFinite(forMs) && Number.isSafeInteger(run) && run > 0 ? { forMs, run } : undefined;
}
