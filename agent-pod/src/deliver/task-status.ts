/**
 * Reports runs into the status of their Tasks, as the field manager that owns what agents say.
 *
 * I1  A Task gets at most one write when its run starts, one for each change of what waits for a person, one for
 *     each round that ends and does not end the run, and one at its end.
 * I2  Every write holds all fields of the manager: what it leaves out, the API server removes.
 * I3  Writes of one run follow each other, its end is the last; nothing is written over an outcome.
 * I4  A result that nobody takes (Task gone, or ended by somebody else) is dropped, and the record says so.
 *
 * Source: design 3, 7.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ConditionType } from '@retainer/contract/api/conditions';
import { API_VERSION, FIELD_MANAGERS } from '@retainer/contract/api/names';
import { TaskStatus } from '@retainer/contract/api/task-status';
import { ApiError, ConnectionError, isNotFound } from '@retainer/kube/api-error';
import type { KubeClient } from '@retainer/kube/kube-client';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import type { KnownTools } from '@retainer/mind/gate/tool-facts';
import type { Delivery, DeliveryPort } from '../ports/ports.ts';
import type { OutboxDelivery } from './outbox-delivery.ts';
import { finalStatus, resultOf, runningStatus, type RunProgress } from './task-status-body.ts';

export interface DroppedDelivery {
  readonly deliveryId: string;
  /** Namespace and name of the Task. */
  readonly target: string;
  readonly why: 'TaskGone' | 'TaskFinished';
}

export interface TaskStatusOptions {
  readonly client: KubeClient;
  readonly characterDigest: string;
  /** By whose words the calls are told that wait for a person. */
  readonly known: KnownTools;
  /** Keeps whole results on the volume. */
  readonly outbox: OutboxDelivery;
  /** The run that a Task becomes: another Task of its name becomes another one. */
  readonly runIdOf: (task: KubeObject) => string;
  /** What the run said at its end, whole; undefined where it is not known any more. */
  readonly wholeText: (runId: string) => string | undefined;
  /** Resolves when the API server answers again; rejects when aborted. */
  readonly untilReachable: (signal: AbortSignal) => Promise<void>;
  /** Durable when resolved. */
  readonly onDropped: (dropped: DroppedDelivery) => Promise<void>;
  readonly onDelivered: (task: KubeObject, outcome: string) => void;
  readonly onNotice: (notice: string) => void;
}

/** A Task as the watch sees it. */
export interface ReportedTask {
  readonly object: KubeObject;
  readonly status: TaskStatus | undefined;
}

export class TaskStatusDelivery implements DeliveryPort {
  readonly #options: TaskStatusOptions;
  /** By run: what was written last by this process, and the write that is under way. */
  readonly #reports = new Map<string, { readonly text: string; readonly write: Promise<void> }>();

  constructor(options: TaskStatusOptions) {
    this.#options = options;
  }

  /** Says how a run stands, if the Task does not say so yet. A report that fails comes again with the next call. */
  report({ object, status }: ReportedTask, progress: RunProgress): void {
    const next = runningStatus(progress, this.#options.known);
    const text = reportText(next);
    const { runId } = progress;
    const before = this.#reports.get(runId);
    if (before?.text === text || (before === undefined && status !== undefined && reportText(status) === text)) return;
    const write = (before?.write ?? Promise.resolve())
      .then(() => this.#apply(object, next, AbortSignal.timeout(REPORT_TIMEOUT_MS)))
      .catch((error: unknown) => {
        if (this.#reports.get(runId)?.text === text) this.#reports.delete(runId);
        if (!(error instanceof ConnectionError) && !isNotFound(error))
          this.#options.onNotice(`the status of a Task could not be written: ${errorText(error)}`);
      });
    this.#reports.set(runId, { text, write });
  }

  /** Waits while the API server is away. @throws when it refuses; the loop tries again */
  async deliver(delivery: Delivery, signal: AbortSignal): Promise<void> {
    await this.#reports.get(delivery.runId)?.write;
    const resultRef = await this.#keepResult(delivery);
    try {
      await this.#write(delivery, resultRef, signal).catch(async (error: unknown) => {
        if (!(error instanceof ConnectionError)) throw error;
        await this.#options.untilReachable(signal);
        await this.#write(delivery, resultRef, signal);
      });
    } catch (error) {
      throw new Error(errorText(error), { cause: error });
    }
    this.#reports.delete(delivery.runId);
  }

  /** `deliver` asks the API server itself, for it needs the Task's name: nothing is known here. */
  isDelivered(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async #write(
    delivery: Delivery,
    resultRef: NonNullable<TaskStatus['resultRef']>,
    signal: AbortSignal,
  ): Promise<void> {
    const { runId, target, deliveryId } = delivery;
    const result = resultOf(delivery);
    const live = await this.#liveTask(target, signal);
    const why = await this.#whyNot(live, delivery);
    if (why === 'Delivered') return;
    if (why !== undefined || live === undefined)
      return this.#options.onDropped({ deliveryId, target, why: why ?? 'TaskGone' });
    const { generation } = live.metadata;
    const { characterDigest } = this.#options;
    const status = finalStatus({ task: live.metadata.name, runId, characterDigest, generation, result, resultRef });
    await this.#apply(live, TaskStatus.safeParse(status).success ? status : leastStatus(status), signal);
    this.#options.onDelivered(live, result.outcome);
  }

  /** Why nothing is to be written; undefined where the Task waits for this result. */
  async #whyNot(
    live: KubeObject | undefined,
    { runId, body }: Delivery,
  ): Promise<DroppedDelivery['why'] | 'Delivered' | undefined> {
    if (live === undefined || this.#options.runIdOf(live) !== runId) return 'TaskGone';
    const { outcome, runId: reported } = statusOf(live);
    if (outcome === undefined) return undefined;
    return outcome === body.outcome && reported === runId ? 'Delivered' : 'TaskFinished';
  }

  #liveTask(target: string, signal: AbortSignal): Promise<KubeObject | undefined> {
    const [namespace = '', name = ''] = target.split('/');
    return this.#options.client.get(resources.tasks, { namespace, name }, { signal });
  }

  /** The uid makes it a write to this very Task: to another one of its name it is a conflict. */
  async #apply({ metadata }: KubeObject, status: TaskStatus, signal: AbortSignal): Promise<void> {
    const { name, namespace = '', uid = '' } = metadata;
    const object = { apiVersion: API_VERSION, kind: 'Task', metadata: { name, namespace, uid }, status };
    await this.#options.client.apply(resources.tasks, object, {
      fieldManager: FIELD_MANAGERS.agentTaskStatus,
      force: true,
      subresource: 'status',
      signal,
    });
  }

  async #keepResult(delivery: Delivery): Promise<NonNullable<TaskStatus['resultRef']>> {
    const { outbox, wholeText } = this.#options;
    const summary = wholeText(delivery.runId) ?? delivery.body.summary;
    await outbox.deliver({ ...delivery, body: { ...delivery.body, summary } });
    const path = outbox.pathOf(delivery.deliveryId);
    const bytes = await readFile(path);
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    return { path: `outbox/${basename(path)}`, digest, sizeBytes: bytes.length };
  }
}

/** A report is worth a write of its own only while the run goes on. */
const REPORT_TIMEOUT_MS = 30_000;

const WAITS: ReadonlySet<string> = new Set<ConditionType<'Task'>>(['AwaitingAnswer', 'AwaitingApproval']);

/** What a report says, without what differs between two writes of the same: moments and generations. */
function reportText(status: TaskStatus): string {
  const { outcome, runId, pendingApprovals = [], replans, directive, question, conditions = [] } = status;
  const waits = conditions.filter(({ type }) => WAITS.has(type)).map((it) => `${it.type} ${it.status}`);
  const waiting = [...pendingApprovals.map(({ id }) => id).toSorted(), question?.id ?? '', ...waits.toSorted()];
  return JSON.stringify([outcome ?? '', runId ?? '', waiting, replans ?? 0, directive ?? '']);
}

/** What must be told even where a result does not fit the schema. */
function leastStatus({
  conditions,
  outcome,
  runId,
  characterDigest,
  acceptedAt,
  startedAt,
  finishedAt,
}: TaskStatus): TaskStatus {
  return { conditions, outcome, runId, characterDigest, acceptedAt, startedAt, finishedAt };
}

function statusOf(task: KubeObject): { readonly outcome?: unknown; readonly runId?: unknown } {
  return task['status'] ?? {};
}

/** Of an answer its kind only: messages may quote what was sent. */
function errorText(error: unknown): string {
  return error instanceof ApiError
    ? `${error.status} ${error.reason}`
    : error instanceof Error
      ? error.name
      : 'unknown';
}
