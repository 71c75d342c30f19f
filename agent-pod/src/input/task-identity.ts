/** Which run a Task becomes: the same for the same work, another one for a Task that was made again under its name. */
import { IMMUTABLE_TASK_FIELDS, type Task } from '@retainer/contract/api/task';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { sha256Hex } from '@retainer/contract/std/hash';

/** Of the origin's hash: a trillion to one that two pieces of work of one name meet. */
const RUN_ID_DIGITS = 10;

/** What names a Task on a cluster. */
export interface TaskIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Names the arrival of a Task. Without a cluster its work stands for its uid. */
export function taskOrigin({ metadata, spec }: Task): string {
  // What may change while a Task runs does not make it another Task.
  const work = (): string =>
    sha256Hex(canonicalJson(Object.fromEntries(IMMUTABLE_TASK_FIELDS.map((field) => [field, spec[field]]))));
  return originOf({ ...metadata, uid: metadata.uid ?? work() });
}

/** Readable, and the same for the same origin. */
export function runIdOfTask(task: Task): string {
  return runIdOfOrigin(task.metadata.name, taskOrigin(task));
}

/** As {@link runIdOfTask}, of an object that the API server gave a uid. */
export function runIdOfIdentity(identity: TaskIdentity): string {
  return runIdOfOrigin(identity.name, originOf(identity));
}

function originOf({ namespace, name, uid }: TaskIdentity): string {
  return `task:${namespace}/${name}:${uid}`;
}

function runIdOfOrigin(taskName: string, originId: string): string {
  return `${taskName.slice(0, 40)}-${sha256Hex(originId).slice(0, RUN_ID_DIGITS)}`;
}
