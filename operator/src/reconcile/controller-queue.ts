/**
 * Turns changes of watched objects into passes of one controller.
 *
 * I1  The queue holds keys, not changes: a pass reads the current objects when it runs.
 * I2  One pass per root at a time, each with a deadline. An error in one pass harms no other.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { ApiError } from '@retainer/kube/api-error';
import type { ControllerMetrics } from '@retainer/kube/metrics';
import { keyText, type KubeObject, type ObjectKey } from '@retainer/kube/kube-object';
import type { Change } from '@retainer/kube/object-cache';
import { priority, WorkQueue, type Next, type WorkQueueObserver } from '@retainer/kube/work-queue';
import { RootGoneError } from '../apply/applier.ts';
import { watchId } from '../watch/watch-plan.ts';
import type { Controller } from './controller.ts';
import type { Outcome } from './outcome.ts';
import { requeueOf, resultOf } from './requeue.ts';

/** A pass makes at most some thirty calls, each slow on a busy API server. */
const PASS_DEADLINE_MS = 120_000;
/** The event that a root is gone follows within milliseconds, or after a watch has been opened anew. */
const GONE_SHOWN_MS = 10_000;

export interface ControllerQueueParts {
  readonly controller: Controller;
  readonly clock: Clock;
  readonly random: () => number;
  readonly metrics: ControllerMetrics;
  readonly observer: WorkQueueObserver;
  readonly onFailed: (controller: string, key: ObjectKey, error: Error) => void;
}

export class ControllerQueue {
  readonly queue: WorkQueue;
  readonly #parts: ControllerQueueParts;
  /** By watched resource: the roots that a change concerns. */
  readonly #rootsOf: ReadonlyMap<string, readonly ((object: KubeObject) => readonly ObjectKey[])[]>;

  constructor(parts: ControllerQueueParts) {
    this.#parts = parts;
    this.#rootsOf = grouped(parts.controller);
    const { controller, clock, observer } = parts;
    this.queue = new WorkQueue({
      name: controller.name,
      clock,
      concurrency: controller.concurrency,
      deadlineMs: PASS_DEADLINE_MS,
      observer,
      work: (key, signal) => this.#pass(key, signal),
      onPanic: (key, error) => parts.onFailed(controller.name, key, asError(error)),
    });
    controller.onWake?.((key) => this.queue.add(key, priority.live));
    for (const key of controller.fixedKeys ?? []) this.queue.add(key, priority.low);
  }

  /** Enqueues every root that the state before or after the change concerns. */
  changed(watched: string, { before, after, isInitial }: Change): void {
    const roots = new Map<string, ObjectKey>();
    const states = [before, after].filter((state) => state !== undefined);
    for (const rootsOf of this.#rootsOf.get(watched) ?? [])
      for (const key of states.flatMap((state) => rootsOf(state))) roots.set(keyText(key), key);
    for (const key of roots.values()) this.queue.add(key, isInitial ? priority.low : priority.live);
  }

  async #pass(key: ObjectKey, signal: AbortSignal): Promise<Next> {
    const { controller, clock, random, metrics, onFailed } = this.#parts;
    metrics.started();
    const startedMs = clock.monotonicMs();
    const outcome = await controller.reconcile(key, signal).then(waitingIfGone, (thrown: unknown) => {
      const failed = waitingIfGone({ type: 'Failed', error: asError(thrown) });
      if (failed.type === 'Failed') metrics.panicked();
      return failed;
    });
    metrics.finished(resultOf(outcome), (clock.monotonicMs() - startedMs) / 1000);
    if (outcome.type === 'Stalled') metrics.stalled();
    if (outcome.type === 'Failed') onFailed(controller.name, key, outcome.error);
    return nextOf(outcome, random());
  }
}

function grouped({ watches }: Controller): ReadonlyMap<string, readonly Controller['watches'][number]['roots'][]> {
  const all = new Map<string, Controller['watches'][number]['roots'][]>();
  for (const watched of watches) all.set(watchId(watched), [...(all.get(watchId(watched)) ?? []), watched.roots]);
  return all;
}

function waitingIfGone(outcome: Outcome): Outcome {
  const causes = outcome.type === 'Failed' ? causesOf(outcome.error) : [];
  const gone = causes.find((it) => it instanceof RootGoneError);
  return gone === undefined ? outcome : { type: 'Wait', reason: gone.message, afterMs: GONE_SHOWN_MS };
}

function nextOf(outcome: Outcome, random: number): Next {
  const requeue = requeueOf(outcome, random);
  switch (requeue.type) {
    case 'Never':
      return { type: 'Idle' };
    case 'After':
      return {
        type: 'Again',
        afterMs: requeue.delayMs,
        priority: outcome.type === 'Done' ? priority.low : priority.live,
      };
    case 'BackOff':
      return { type: 'Retry', ...retryAfter(outcome) };
  }
}

/** The delay that the server asked for, if it caused the failure. */
function retryAfter(outcome: Outcome): { readonly atLeastMs?: number } {
  const causes = outcome.type === 'Failed' ? causesOf(outcome.error) : [];
  const asked = causes.flatMap((it) => (it instanceof ApiError ? (it.retryAfterMs ?? []) : []));
  return asked[0] === undefined ? {} : { atLeastMs: asked[0] };
}

/** An error and what caused it, the outermost first. */
function causesOf(error: Error): readonly Error[] {
  return [error, ...(error.cause instanceof Error ? causesOf(error.cause) : [])];
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
