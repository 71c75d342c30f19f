/**
 * The metrics of an operator, under the names and labels of controller-runtime, so that existing dashboards and alerts work.
 *
 * Every series that an alert may divide by exists from the start. Source: platforms 6.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { AnsweredRequest } from './https-client.ts';
import type { Informer } from './informer.ts';
import { priority } from './work-queue-schedule.ts';
import type { WorkQueue, WorkQueueObserver } from './work-queue.ts';

const results = ['success', 'error', 'requeue', 'requeue_after'] as const;
export type ReconcileResult = (typeof results)[number];

const reconcileSecondsBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
/** Each bucket ten times the one before, from 10 ns to 1,000 s. */
const queueSecondsBuckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000];

/** Counters of one controller. The runner of its passes calls them. */
export interface ControllerMetrics {
  /** A pass began; `finished` follows. */
  started(): void;
  finished(result: ReconcileResult, durationSeconds: number): void;
  /** The pass ended with a fault that a person must correct; called in addition to `finished`. */
  stalled(): void;
  /** The pass threw instead of returning an outcome; called in addition to `finished`. */
  panicked(): void;
}

export class Metrics {
  /** Holds these metrics, those of the process, and the caller's own. */
  readonly registry = new Registry();
  readonly #registers = [this.registry];
  readonly #controllers = this.#controllerSeries();
  readonly #queues = this.#queueSeries();
  readonly #requests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Requests to the API server by status code, method and host; <error> without an answer.',
    labelNames: ['code', 'method', 'host'],
    registers: this.#registers,
  });
  readonly #leader = new Gauge({
    name: 'leader_election_master_status',
    help: '1 while this process holds the Lease, else 0.',
    labelNames: ['name'],
    registers: this.#registers,
    collect: () => this.#collectLeaders(),
  });
  readonly #certificateReads = new Counter({
    name: 'certwatcher_read_certificate_total',
    help: 'Reads of the serving certificate.',
    registers: this.#registers,
  });
  readonly #certificateErrors = new Counter({
    name: 'certwatcher_read_certificate_errors_total',
    help: 'Failed reads of the serving certificate; the last valid one stays in use.',
    registers: this.#registers,
  });
  readonly #isLeading = new Map<string, () => boolean>();
  readonly #observedQueues: WorkQueue[] = [];
  readonly #observedInformers = new Map<string, Informer>();

  constructor() {
    this.#registerWatches();
  }

  /** Adds `process_*` and `nodejs_*`, event-loop lag among them. They observe the process from now on. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  requestAnswered({ code, method, host }: AnsweredRequest): void {
    this.#requests.inc({ code, method, host });
  }

  certificateRead(isRead: boolean): void {
    this.#certificateReads.inc();
    if (!isRead) this.#certificateErrors.inc();
  }

  /** @param isHeld  called at each scrape */
  watchLeader(name: string, isHeld: () => boolean): void {
    this.#isLeading.set(name, isHeld);
  }

  /** @param name  of the watch: one resource can be watched in several places */
  watchInformer(name: string, informer: Informer): void {
    this.#observedInformers.set(name, informer);
  }

  watchQueue(queue: WorkQueue): void {
    this.#observedQueues.push(queue);
  }

  controller(controller: string, concurrency: number): ControllerMetrics {
    const { total, errors, terminalErrors, panics, timeouts, seconds, concurrencyMax, active } = this.#controllers;
    const labels = { controller };
    for (const result of results) total.inc({ controller, result }, 0);
    for (const counter of [errors, terminalErrors, panics, timeouts]) counter.inc(labels, 0);
    seconds.zero(labels);
    active.set(labels, 0);
    concurrencyMax.set(labels, concurrency);
    return {
      started: () => active.inc(labels),
      finished: (result, durationSeconds) => {
        active.dec(labels);
        total.inc({ controller, result });
        if (result === 'error') errors.inc(labels);
        seconds.observe(labels, durationSeconds);
      },
      stalled: () => terminalErrors.inc(labels),
      panicked: () => panics.inc(labels),
    };
  }

  queueObserver(name: string): WorkQueueObserver {
    const { adds, retries, waited, worked } = this.#queues;
    const labels = { name, controller: name };
    for (const counter of [adds, retries]) counter.inc(labels, 0);
    for (const histogram of [waited, worked]) histogram.zero(labels);
    return {
      added: () => adds.inc(labels),
      started: (waitedSeconds) => waited.observe(labels, waitedSeconds),
      finished: (workedSeconds) => worked.observe(labels, workedSeconds),
      retried: () => retries.inc(labels),
      timedOut: () => this.#controllers.timeouts.inc({ controller: name }),
    };
  }

  #collectLeaders(): void {
    for (const [name, isHeld] of this.#isLeading) this.#leader.set({ name }, isHeld() ? 1 : 0);
  }

  #controllerSeries() {
    const registers = this.#registers;
    const counter = (name: string, help: string): Counter<'controller'> =>
      new Counter({ name: `controller_runtime_${name}`, help, labelNames: ['controller'], registers });
    const gauge = (name: string, help: string): Gauge<'controller'> =>
      new Gauge({ name: `controller_runtime_${name}`, help, labelNames: ['controller'], registers });
    return {
      total: new Counter({
        name: 'controller_runtime_reconcile_total',
        help: 'Passes by controller and result.',
        labelNames: ['controller', 'result'],
        registers,
      }),
      errors: counter('reconcile_errors_total', 'Failed passes that are retried.'),
      terminalErrors: counter('terminal_reconcile_errors_total', 'Passes that wait until a person changes something.'),
      panics: counter('reconcile_panics_total', 'Passes that threw an unexpected error.'),
      timeouts: counter('reconcile_timeouts_total', 'Passes stopped at their deadline.'),
      seconds: new Histogram({
        name: 'controller_runtime_reconcile_time_seconds',
        help: 'Duration of a pass.',
        labelNames: ['controller'],
        buckets: reconcileSecondsBuckets,
        registers,
      }),
      concurrencyMax: gauge('max_concurrent_reconciles', 'Maximum number of concurrent passes.'),
      active: gauge('active_workers', 'Running passes.'),
    };
  }

  #queueSeries() {
    const registers = this.#registers;
    const labelNames = ['name', 'controller'] as const;
    const rows = (collect: (labels: { name: string; controller: string }, queue: WorkQueue) => void) => () => {
      for (const queue of this.#observedQueues) collect({ name: queue.name, controller: queue.name }, queue);
    };
    const seconds = (name: string, help: string): Histogram<'name' | 'controller'> =>
      new Histogram({ name: `workqueue_${name}`, help, labelNames, buckets: queueSecondsBuckets, registers });
    const depth = new Gauge({
      name: 'workqueue_depth',
      help: 'Ready keys, by priority.',
      labelNames: [...labelNames, 'priority'],
      registers,
      collect: rows((labels, queue) => {
        for (const urgency of Object.values(priority))
          depth.set({ ...labels, priority: String(urgency) }, queue.depth(urgency));
      }),
    });
    const unfinished = new Gauge({
      name: 'workqueue_unfinished_work_seconds',
      help: 'Total time spent so far on current work.',
      labelNames,
      registers,
      collect: rows((labels, queue) => unfinished.set(labels, queue.unfinishedSeconds)),
    });
    const longest = new Gauge({
      name: 'workqueue_longest_running_processor_seconds',
      help: 'Time spent so far on the oldest current work.',
      labelNames,
      registers,
      collect: rows((labels, queue) => longest.set(labels, queue.longestRunningSeconds)),
    });
    return {
      adds: new Counter({ name: 'workqueue_adds_total', help: 'Added keys.', labelNames, registers }),
      retries: new Counter({
        name: 'workqueue_retries_total',
        help: 'Keys scheduled for later, after a failure or not.',
        labelNames,
        registers,
      }),
      waited: seconds('queue_duration_seconds', 'Wait of a ready key until its work starts.'),
      worked: seconds('work_duration_seconds', 'Duration of the work on a key.'),
    };
  }

  #registerWatches(): void {
    const common = { labelNames: ['watch'] as const, registers: this.#registers };
    const age = new Gauge({
      ...common,
      name: 'retainer_watch_last_event_age_seconds',
      help: 'Time since the last event or bookmark on this watch.',
      collect: () => this.#eachInformer((watch, { lastEventAgeSeconds }) => age.set({ watch }, lastEventAgeSeconds)),
    });
    const objects = new Gauge({
      ...common,
      name: 'retainer_cache_objects',
      help: 'Objects in the cache of this watch.',
      collect: () => this.#eachInformer((watch, { cache }) => objects.set({ watch }, cache.size)),
    });
    const lists = new Counter({
      ...common,
      name: 'retainer_watch_lists_total',
      help: 'Full lists requested for this watch.',
      collect: () => {
        lists.reset();
        this.#eachInformer((watch, informer) => lists.inc({ watch }, informer.lists));
      },
    });
  }

  #eachInformer(tell: (watch: string, informer: Informer) => void): void {
    for (const [watch, informer] of this.#observedInformers) tell(watch, informer);
  }
}
