/** The Tasks of one namespace, read and written under the name and with the rights of whoever types. */
import { Task, type TaskSpec } from '@retainer/contract/api/task';
import { isConflict } from '@retainer/kube/api-error';
import type { KubeClient } from '@retainer/kube/kube-client';
import { resources } from '@retainer/kube/resources';
import { z } from 'zod';
import { AccessError } from './agent-access.ts';
import { isForbidden, RIGHTS, tellMissing, type Right } from './missing-right.ts';
import { peopleRole } from './people-roles.ts';

/** Objects in one answer. */
const PAGE_OBJECTS = 100;
/** Agent and operator write a Task a few times in its life: more conflicts in a row mean a fight over it. */
const WRITES_MAX = 5;

const SELF_REVIEW = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const SelfReview = z.object({ status: z.object({ userInfo: z.object({ username: z.string().min(1) }) }) });

export interface ClusterTasksOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Only Tasks of this Agent. */
  readonly agent?: string | undefined;
}

export interface TaskChange {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: Partial<TaskSpec>;
}

export class ClusterTasks {
  readonly #options: ClusterTasksOptions;
  #user: string | undefined;

  constructor(options: ClusterTasksOptions) {
    this.#options = options;
  }

  /** The user name at the API server: no entry under another one is taken. */
  async user(): Promise<string> {
    if (this.#user !== undefined) return this.#user;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const review = SelfReview.safeParse(await this.#options.client.raw('POST', SELF_REVIEW, body));
    if (!review.success) throw new AccessError('the API server does not tell your user name (SelfSubjectReview)');
    this.#user = review.data.status.userInfo.username;
    return this.#user;
  }

  /** Oldest first. */
  async list(): Promise<readonly Task[]> {
    const { client, namespace, agent } = this.#options;
    const tasks: Task[] = [];
    let next: string | undefined;
    do {
      const page = await client
        .list(resources.tasks, { namespace, limit: PAGE_OBJECTS, continue: next })
        .catch((error: unknown) => this.refuse(error, RIGHTS.look));
      tasks.push(...page.items.flatMap((item) => parsed(item)));
      next = page.continue;
    } while (next !== undefined);
    const own = tasks.filter(({ spec }) => agent === undefined || spec.agentRef.name === agent);
    return own.toSorted((a, b) => createdMs(a) - createdMs(b));
  }

  /**
   * @param typed   name of a Task, run id, or the beginning of one
   * @param listed  what {@link list} answers, where several are looked for
   * @throws AccessError with what there is instead
   */
  async find(typed: string, listed = this.list()): Promise<Task> {
    const tasks = await listed;
    const found = matching(tasks, typed);
    const [only] = found;
    if (only !== undefined && found.length === 1) return only;
    const names = (only === undefined ? tasks : found).map(({ metadata }) => metadata.name);
    const where = `namespace ${this.#options.namespace}`;
    if (only !== undefined) throw new AccessError(`${typed} begins several run ids in ${where}: ${names.join(', ')}`);
    throw new AccessError(`no Task and no run ${typed} in ${where}; Tasks: ${names.join(', ') || 'none'}`);
  }

  /** Whose record has this Task or run; undefined for a Task that is gone, whose run the record still has. */
  async agentOf(typed: string): Promise<string | undefined> {
    return matching(await this.list(), typed)[0]?.spec.agentRef.name;
  }

  /**
   * Changes a Task as it stands now; again on the newest version when somebody else was faster.
   *
   * @param change  what to merge into the Task that it is given; throws if that has become impossible
   */
  async change(name: string, right: Right, change: (task: Task) => TaskChange): Promise<void> {
    const { client, namespace } = this.#options;
    for (let writes = 1; ; writes += 1) {
      const task = await this.#get(name);
      const { annotations, spec } = change(task);
      const { resourceVersion } = task.metadata;
      const patch = { metadata: { resourceVersion, ...(annotations === undefined ? {} : { annotations }) }, spec };
      try {
        await client.mergePatch(resources.tasks, { namespace, name }, patch);
        return;
      } catch (error) {
        if (!isConflict(error) || writes === WRITES_MAX) await this.refuse(error, right);
      }
    }
  }

  /** Throws: for lack of the right it tells the right, otherwise the error as it is. */
  async refuse(error: unknown, right: Right): Promise<never> {
    if (!isForbidden(error)) throw error;
    const { client, namespace } = this.#options;
    const role = await peopleRole(client, { namespace, part: right.role });
    return tellMissing(error, { user: await this.user(), namespace, right, role });
  }

  async #get(name: string): Promise<Task> {
    const { client, namespace } = this.#options;
    const object = await client
      .get(resources.tasks, { namespace, name })
      .catch((error: unknown) => this.refuse(error, RIGHTS.look));
    const [task] = object === undefined ? [] : parsed(object);
    if (task === undefined) throw new AccessError(`Task ${name} in namespace ${namespace} is gone`);
    return task;
  }
}

function matching(tasks: readonly Task[], typed: string): readonly Task[] {
  const named = tasks.find(({ metadata }) => metadata.name === typed);
  return named === undefined ? tasks.filter(({ status }) => status?.runId?.startsWith(typed)) : [named];
}

/** A Task of another version that does not fit this program is left out; `retainer doctor` compares the versions. */
function parsed(object: unknown): readonly Task[] {
  const task = Task.safeParse(object);
  return task.success ? [task.data] : [];
}

function createdMs({ metadata }: Task): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0;
}
