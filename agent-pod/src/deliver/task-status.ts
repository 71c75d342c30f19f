/**
 * Writes the progress and the result of runs into the status of their Tasks, by server-side apply.
 *
 * I1  At most one write per event: start of the run, change of a pending question or approval, round that does not end the run,
 *     end of the run.
 * I2  Every write contains all fields of the field manager: the API server removes absent ones.
 * I3  The writes of one run are sequential, the result is the last. No write replaces an outcome.
 * I4  If the Task was deleted, or ended by somebody else, the result is dropped and the journal records this.
 * I5  With the end it writes Ready too, in the operator's words: from then on it writes the Task no more, so no later write of it,
 *     by an older version either, can leave half a condition.
 *
 * Source: design 3, 7.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Conditions, type ConditionType } from '@retainer/contract/api/conditions';
import { API_VERSION, FIELD_MANAGERS } from '@retainer/contract/api/names';
import { TaskStatus } from '@retainer/contract/api/task-status';
import { ApiError, ConnectionError, isNotFound } from '@retainer/kube/api-error';
import type { KubeClient } from '@retainer/kube/kube-client';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import type { KnownTools } from '@retainer/mind/gate/tool-facts';
import type { Delivery, DeliveryPort } from '../ports/ports.ts';
import type { OutboxDelivery } from './outbox-delivery.ts';
import { OPERATORS_CONDITIONS } from './ready-at-end.ts';
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
  readonly known: KnownTools;
  /** Keeps whole results on the volume. */
  readonly outbox: OutboxDelivery;
  /** A Task created anew under the same name has another run id. */
  readonly runIdOf: (task: KubeObject) => string;
  /** The run's whole result text; undefined if it is no longer in memory. */
  readonly wholeText: (runId: string) => string | undefined;
  /** Resolves when the API server answers again; rejects when aborted. */
  readonly untilReachable: (signal: AbortSignal) => Promise<void>;
  /** Durable when resolved. */
  readonly onDropped: (dropped: DroppedDelivery) => Promise<void>;
  readonly onDelivered: (task: KubeObject, outcome: string) => void;
  readonly onNotice: (notice: string) => void;
}

export interface ReportedTask {
  readonly object: KubeObject;
  readonly status: TaskStatus | undefined;
}

export class TaskStatusDelivery implements DeliveryPort {
  readonly #options: TaskStatusOptions;
  /** By run: the last report of this process, and its write. */
  readonly #reports = new Map<string, { readonly text: string; readonly write: Promise<void> }>();

  constructor(options: TaskStatusOptions) {
    this.#options = options;
  }

  /** Writes the progress of a run if the status differs. The next call repeats a failed write. */
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

  /** Waits while the API server is unreachable. @throws if it refuses; the delivery loop tries again */
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

  /** Unknown here: `deliver` asks the API server. */
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
    const { data: before = [] } = Conditions.safeParse(statusOf(live).conditions);
    const task = live.metadata.name;
    const status = finalStatus({ task, runId, characterDigest, generation, before, result, resultRef });
    await this.#applyEnd(live, TaskStatus.safeParse(status).success ? status : leastStatus(status), signal);
    this.#options.onDelivered(live, result.outcome);
  }

  /** Undefined if the Task waits for this result. */
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

  /** Admission policies of an older release let only the operator write Ready: it then does. */
  async #applyEnd(live: KubeObject, status: TaskStatus, signal: AbortSignal): Promise<void> {
    try {
      await this.#apply(live, status, signal);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== FORBIDDEN) throw error;
      const conditions = (status.conditions ?? []).filter(({ type }) => !OPERATORS_CONDITIONS.has(type));
      await this.#apply(live, { ...status, conditions }, signal);
    }
  }

  /** With the uid, a write to a new Task of the same name is a conflict. */
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

/** A later report, or the result, replaces this one. */
const REPORT_TIMEOUT_MS = 30_000;

const FORBIDDEN = 403;

const WAITS: ReadonlySet<string> = new Set<ConditionType<'Task'>>([
  'AwaitingAnswer',
  'AwaitingApproval',
  'AwaitingModel',
]);

/** Their messages change while their status does not. */
const TOLD: ReadonlySet<string> = new Set<ConditionType<'Task'>>([
  'AwaitingApproval',
  'AwaitingModel',
  'CharacterChanged',
]);

/** Key for comparing two reports: ignores times and generations. */
function reportText(status: TaskStatus): string {
  const { outcome, runId, pendingApprovals = [], replans, directive, question, conditions = [] } = status;
  const waits = conditions.filter(({ type }) => WAITS.has(type)).map((it) => `${it.type} ${it.status}`);
  const told = conditions.filter(({ type, reason }) => TOLD.has(type) || reason === 'Held');
  const waiting = [...pendingApprovals.map(({ id }) => id).toSorted(), question?.id ?? '', ...waits.toSorted()];
  return JSON.stringify([
    outcome ?? '',
    runId ?? '',
    waiting,
    replans ?? 0,
    directive ?? '',
    told.map(({ message }) => message),
  ]);
}

/** The fields to write if the whole status does not fit the schema. */
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

function statusOf(task: KubeObject): {
  readonly outcome?: unknown;
  readonly runId?: unknown;
  readonly conditions?: unknown;
} {
  return task['status'] ?? {};
}

/** Without the message, which may quote the request. */
function errorText(error: unknown): string {
  return error instanceof ApiError
    ? `${error.status} ${error.reason}`
    : error instanceof Error
      ? error.name
      : 'unknown';
}
