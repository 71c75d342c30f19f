/**
 * Timers and workers around {@link WorkQueueSchedule}: starts work as keys become ready, as many at once as there are workers.
 *
 * I1  Work on a key is over only when its promise has settled: a pass that ignores its deadline keeps its key.
 * I2  Work never ends the queue: any thrown error counts as a failure of its key.
 * I3  Passes that wait for nothing hold the event loop for at most one slice of time, because renewing a Lease needs a timer
 *     and an answer that is read. The clock measures the slice, so where the clock stands still no slice ends.
 */
import { setMaxListeners } from 'node:events';
import type { Clock } from '@retainer/contract/std/clock';
import { withDeadline } from './deadline.ts';
import { keyText, parseKey, type ObjectKey } from './kube-object.ts';
import { priority, WorkQueueSchedule, type Next, type Priority } from './work-queue-schedule.ts';

export { priority, type Next, type Priority };

/** Observes the events that metrics count. */
export interface WorkQueueObserver {
  added(): void;
  started(waitedSeconds: number): void;
  finished(workedSeconds: number): void;
  /** Planned for later, after a failure or not. */
  retried(): void;
  timedOut(): void;
}

export interface WorkQueueOptions {
  readonly name: string;
  readonly clock: Clock;
  /** Number of keys processed at once. */
  readonly concurrency: number;
  /** Time after which the signal of one piece of work is aborted. */
  readonly deadlineMs: number;
  readonly work: (key: ObjectKey, signal: AbortSignal) => Promise<Next>;
  /** Called for work that threw instead of returning the next step. */
  readonly onPanic: (key: ObjectKey, error: unknown) => void;
  readonly observer?: WorkQueueObserver;
}

/** Time after the abort for work to release what it holds. */
const ABORT_GRACE_MS = 1_000;
/** Time of one turn of the event loop: a hundredth of the slack of a renewal, and hundreds of times the cost of a turn. */
const TURN_MS_MAX = 10;

const silent: WorkQueueObserver = {
  added: () => undefined,
  started: () => undefined,
  finished: () => undefined,
  retried: () => undefined,
  timedOut: () => undefined,
};

export class WorkQueue {
  readonly name: string;
  readonly #options: WorkQueueOptions;
  readonly #observer: WorkQueueObserver;
  readonly #schedule = new WorkQueueSchedule();
  readonly #running = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  #state: 'Filling' | 'Working' | 'Stopped' = 'Filling';
  #isPumpPlanned = false;
  /** End of this turn of the event loop; undefined until its first pass. */
  #turnEndsMs: number | undefined;
  #alarm: { readonly dueMs: number; readonly stop: AbortController } | undefined;

  constructor(options: WorkQueueOptions) {
    this.name = options.name;
    this.#options = options;
    this.#observer = options.observer ?? silent;
    // Each pass under way listens to this signal.
    setMaxListeners(0, this.#abort.signal);
  }

  /** Keys are kept before the start, and dropped after the stop. */
  add(key: ObjectKey, urgency: Priority = priority.live): void {
    if (this.#state === 'Stopped') return;
    this.#schedule.add(keyText(key), this.#nowMs(), urgency);
    this.#observer.added();
    this.#planPump();
  }

  start(): void {
    if (this.#state !== 'Filling') return;
    this.#state = 'Working';
    this.#planPump();
  }

  /**
   * Takes no more keys and waits for the work under way: for the given time, then a moment longer with its signal aborted.
   * Always resolves.
   */
  async stop(graceMs: number): Promise<void> {
    this.#state = 'Stopped';
    this.#alarm?.stop.abort();
    const finished = Promise.all(this.#running);
    await this.#atMost(graceMs, finished);
    this.#abort.abort(new Error('the queue is stopping'));
    await this.#atMost(ABORT_GRACE_MS, finished);
  }

  /** Ready keys that are not yet taken. */
  depth(urgency: Priority): number {
    return this.#schedule.depth(urgency);
  }

  get activeWorkers(): number {
    return this.#running.size;
  }

  /** Sum over the work under way. */
  get unfinishedSeconds(): number {
    const nowMs = this.#nowMs();
    return this.#schedule.processingSinceMs().reduce((sum, sinceMs) => sum + (nowMs - sinceMs) / 1000, 0);
  }

  get longestRunningSeconds(): number {
    const nowMs = this.#nowMs();
    return (nowMs - Math.min(nowMs, ...this.#schedule.processingSinceMs())) / 1000;
  }

  #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }

  /** Deferred: a caller that adds a thousand keys has added them all before work on the first begins. */
  #planPump(): void {
    if (this.#isPumpPlanned || this.#state !== 'Working') return;
    this.#isPumpPlanned = true;
    const pump = (): void => {
      this.#isPumpPlanned = false;
      this.#pump();
    };
    if (this.#isTurnOver()) setImmediate(pump);
    else queueMicrotask(pump);
  }

  /** I3. */
  #isTurnOver(): boolean {
    const nowMs = this.#nowMs();
    if (this.#turnEndsMs === undefined) {
      this.#turnEndsMs = nowMs + TURN_MS_MAX;
      setImmediate(() => (this.#turnEndsMs = undefined));
    }
    return nowMs >= this.#turnEndsMs;
  }

  #pump(): void {
    if (this.#state !== 'Working') return;
    while (this.#running.size < this.#options.concurrency) {
      if (this.#isTurnOver()) return this.#planPump();
      const taken = this.#schedule.take(this.#nowMs());
      if (taken === undefined) break;
      this.#observer.started(taken.waitedMs / 1000);
      const running = this.#work(taken.key).finally(() => {
        this.#running.delete(running);
        this.#planPump();
      });
      this.#running.add(running);
    }
    this.#setAlarm();
  }

  #setAlarm(): void {
    const dueMs = this.#schedule.nextDueMs();
    if (dueMs === this.#alarm?.dueMs) return;
    this.#alarm?.stop.abort();
    this.#alarm = dueMs === undefined ? undefined : { dueMs, stop: this.#pumpAt(dueMs) };
  }

  #pumpAt(dueMs: number): AbortController {
    const stop = new AbortController();
    const { clock } = this.#options;
    void clock.sleep(Math.max(0, dueMs - clock.monotonicMs()), stop.signal).then(
      () => {
        this.#alarm = undefined;
        this.#planPump();
      },
      () => undefined,
    );
    return stop;
  }

  async #work(text: string): Promise<void> {
    const key = parseKey(text);
    const next = await this.#next(key);
    const { workedMs, isDelayed } = this.#schedule.finish(text, next, this.#nowMs());
    this.#observer.finished(workedMs / 1000);
    if (isDelayed) this.#observer.retried();
  }

  async #next(key: ObjectKey): Promise<Next> {
    const { clock, deadlineMs, work, onPanic } = this.#options;
    const expired = (): Error => {
      this.#observer.timedOut();
      return new Error(`work on ${keyText(key)} took longer than ${deadlineMs} ms`);
    };
    // I2.
    try {
      return await withDeadline({ clock, deadlineMs, signal: this.#abort.signal, expired }, (signal) =>
        work(key, signal),
      );
    } catch (error) {
      onPanic(key, error);
      return { type: 'Retry' };
    }
  }

  async #atMost(durationMs: number, finished: Promise<unknown>): Promise<void> {
    const enough = new AbortController();
    const sleep = this.#options.clock.sleep(durationMs, enough.signal).catch(() => undefined);
    await Promise.race([finished, sleep]);
    enough.abort();
  }
}
