/**
 * One operator: it waits until it holds the Lease, then fills the caches of all its resources and runs the controllers.
 * Composition root; `main.ts` gives it a process, tests give it a clock.
 *
 * I1  Nothing is written without the Lease, which is checked before every write (`fenced-client.ts`).
 * I2  An operator that loses the Lease ends and never leads again. Another process starts with caches of its own.
 * I3  On a stop the operator finishes the passes under way, within a bound, and releases the Lease, so that the next one leads
 *     at once.
 * I4  With the Lease ends every pass, also one that a stop would let finish: a request that waits for its answer is given up
 *     before another operator may lead.
 */
import { setMaxListeners } from 'node:events';
import type { Clock } from '@retainer/contract/std/clock';
import type { Log } from '@retainer/contract/std/log';
import { fencedClient } from './apply/fenced-client.ts';
import { KubeApplier } from './apply/kube-applier.ts';
import { loadSigningKey } from './apply/load-signing-key.ts';
import { controllers } from './controllers.ts';
import type { SigningKey } from './desired/signing-key.ts';
import { untilAborted } from '@retainer/kube/deadline';
import { EventRecorder } from '@retainer/kube/events';
import { WATCH_STALE_SECONDS } from '@retainer/kube/informer';
import type { KubeClient } from '@retainer/kube/kube-client';
import { keyText } from '@retainer/kube/kube-object';
import { Lease, type LeaseLoss, type LeaseTiming } from '@retainer/kube/lease';
import type { Metrics } from '@retainer/kube/metrics';
import { errorText } from './error-text.ts';
import { ControllerQueue } from './reconcile/controller-queue.ts';
import { watchConditions } from './reconcile/condition-metrics.ts';
import { rolloutMetrics } from './reconcile/rollout-metrics.ts';
import { sandboxMetrics } from './reconcile/sandbox-run-metrics.ts';
import type { Settings } from './settings/settings.ts';
import { LiveCaches } from './watch/live-caches.ts';
import { watchPlan } from './watch/watch-plan.ts';

/** One Lease for an installation, in its namespace. */
export const OPERATOR_LEASE_NAME = 'retainer-operator';

/** Time for open passes after a stop: below the pod's grace of 30 s, with time left to release the Lease. */
const DRAIN_MS = 20_000;

export interface OperatorParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** 0 to 1. */
  readonly random: () => number;
  readonly settings: Settings;
  /** Unique among live processes: the pod's name, and its uid or a random text. */
  readonly identity: string;
  readonly podName: string;
  readonly podIp: string;
  readonly dnsServers: readonly string[];
  /** Address of a host name. Rejects if there is none. */
  readonly lookup: (host: string) => Promise<string>;
  readonly leaseTiming: LeaseTiming;
  readonly metrics: Metrics;
  readonly log: Log;
}

export type OperatorEnd = 'Stopped' | 'LeaseLost';

export class Operator {
  readonly #parts: OperatorParts;
  readonly #lease: Lease;
  readonly #ended = new AbortController();
  readonly #leaseLost = new AbortController();
  #caches: LiveCaches | undefined;
  #leading: Promise<void> = Promise.resolve();
  #end: OperatorEnd = 'Stopped';
  #fault: Error | undefined;

  constructor(parts: OperatorParts) {
    this.#parts = parts;
    const { client, clock, random, settings, identity, leaseTiming } = parts;
    this.#lease = new Lease({
      client,
      clock,
      random,
      key: { namespace: settings.namespace, name: OPERATOR_LEASE_NAME },
      identity,
      timing: leaseTiming,
      onAcquired: (epoch) => this.#acquired(epoch),
      onLost: (loss) => this.#lost(loss),
      onError: (error) =>
        parts.log({ level: 'warn', message: 'the Lease could not be read or written', error: errorText(error) }),
    });
    parts.metrics.watchLeader(OPERATOR_LEASE_NAME, () => this.#lease.isHeld);
  }

  /** Resolves after it has released the Lease, unless that was lost. @throws what made leading impossible: a bug */
  async run(signal: AbortSignal): Promise<OperatorEnd> {
    const releasing = new AbortController();
    const leased = this.#lease.run(releasing.signal);
    signal.addEventListener('abort', () => this.#ended.abort(), { once: true });
    if (signal.aborted) this.#ended.abort();
    await untilAborted(this.#ended.signal);
    await this.#leading;
    releasing.abort();
    await leased;
    if (this.#fault !== undefined) throw this.#fault;
    return this.#end;
  }

  /** Why it is not ready; empty if it is. Ready are a standby, and a leader whose caches are complete and alive. */
  unready(): readonly string[] {
    if (!this.#lease.isHeld) return [];
    if (this.#caches === undefined) return ['this process has just become leader'];
    return [...this.#caches.informers].flatMap(([watched, { hasSynced, lastEventAgeSeconds }]) => {
      if (!hasSynced) return [`${watched} are not listed yet`];
      const isFrozen = lastEventAgeSeconds > WATCH_STALE_SECONDS;
      return isFrozen ? [`the watch of ${watched} has been silent for ${Math.round(lastEventAgeSeconds)} s`] : [];
    });
  }

  /** Why it needs a restart; empty if it does not. */
  unhealthy(): readonly string[] {
    return this.#lease.isOverdue ? ['the Lease expired, but this process still acts as leader'] : [];
  }

  #acquired(epoch: number): void {
    if (this.#ended.signal.aborted) return;
    this.#parts.log({ level: 'info', message: 'leading', epoch });
    this.#leading = this.#lead().catch((error: unknown) => {
      this.#fault = error instanceof Error ? error : new Error(String(error));
      this.#ended.abort();
    });
  }

  #lost(loss: LeaseLoss): void {
    this.#parts.log({ level: 'error', message: 'the Lease is lost', loss: loss.type });
    this.#end = 'LeaseLost';
    this.#ended.abort();
    this.#leaseLost.abort();
  }

  /** Resolves after a stop, when nothing runs any more. */
  async #lead(): Promise<void> {
    const { clock, random, settings, podName, podIp, dnsServers, lookup, metrics, log } = this.#parts;
    const client = fencedClient(this.#parts.client, () => this.#lease.isHeld);
    const recorder = new EventRecorder({
      client,
      clock,
      random,
      controller: 'retainer.dev/operator',
      instance: podName,
      onError: (error) => log({ level: 'debug', message: 'an event could not be written', error: errorText(error) }),
    });
    const signingKey = await this.#signingKey(client);
    if (signingKey === undefined) return;
    const caches = new LiveCaches({
      client,
      clock,
      random,
      settings,
      onError: (watched, error) => log({ level: 'warn', message: 'a watch failed', watched, error: errorText(error) }),
    });
    const applier = new KubeApplier({
      client,
      clock,
      record: (regarding, event) => recorder.record({ regarding, ...event }),
    });
    const all = controllers({
      settings,
      caches,
      client,
      applier,
      clock,
      signingKey,
      podIp,
      dnsServers,
      lookup,
      metrics: sandboxMetrics(metrics.registry),
      rolloutMetrics: rolloutMetrics(metrics.registry),
    });
    const queues = all.map(
      (controller) =>
        new ControllerQueue({
          controller,
          clock,
          random,
          metrics: metrics.controller(controller.name, controller.concurrency),
          observer: metrics.queueObserver(controller.name),
          onFailed: (name, key, error) =>
            log({
              level: 'warn',
              message: 'a pass failed',
              controller: name,
              object: keyText(key),
              error: errorText(error),
            }),
        }),
    );
    caches.plan(watchPlan(all.flatMap(({ watches }) => watches)), (watched, change) => {
      for (const queue of queues) queue.changed(watched, change);
    });
    this.#caches = caches;
    watchConditions(metrics.registry, caches);
    for (const { queue } of queues) metrics.watchQueue(queue);
    for (const [watched, informer] of caches.informers) metrics.watchInformer(watched, informer);
    const watching = new AbortController();
    // Every watch and each of its waits adds a listener.
    setMaxListeners(0, watching.signal, this.#ended.signal);
    const running = Promise.all([caches.run(watching.signal), recorder.run(watching.signal)]);
    await this.#work(caches, queues);
    watching.abort();
    await running;
  }

  async #work(caches: LiveCaches, queues: readonly ControllerQueue[]): Promise<void> {
    const stop = this.#ended.signal;
    const isSynced = await caches.untilSynced(stop).then(
      () => true,
      () => false,
    );
    if (isSynced && !stop.aborted) {
      this.#parts.log({ level: 'info', message: 'all caches are complete' });
      for (const { queue } of queues) queue.start();
      await untilAborted(stop);
    }
    const stopAll = async (graceMs: number): Promise<void> => {
      await Promise.all(queues.map(({ queue }) => queue.stop(graceMs)));
    };
    await Promise.race([stopAll(DRAIN_MS), untilAborted(this.#leaseLost.signal).then(() => stopAll(0))]);
  }

  /** Retries until the API server returns or accepts the key, because every signature needs it. Undefined after a stop. */
  async #signingKey(client: KubeClient): Promise<SigningKey | undefined> {
    const { clock, settings, log, leaseTiming } = this.#parts;
    const stop = this.#ended.signal;
    while (!stop.aborted) {
      try {
        return await loadSigningKey(client, settings.namespace, stop);
      } catch (error) {
        if (stop.aborted) break;
        log({ level: 'warn', message: 'the signing key could not be read or made', error: errorText(error) });
        await clock.sleep(leaseTiming.retryMs, stop).catch(() => undefined);
      }
    }
    return undefined;
  }
}
