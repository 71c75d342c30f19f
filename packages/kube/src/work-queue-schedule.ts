/**
 * Which key to process next. Pure except for its own state: time is an argument, and nothing here waits.
 *
 * I1  A key is processed once at a time. A key added meanwhile is remembered, once, and comes up when the pass has finished.
 * I2  No added key is lost: it is ready, due later, in process, or no longer needed.
 * I3  Live changes go before the first list and resyncs; among keys of one priority, namespaces take turns.
 * I4  A key that fails is tried again with an exponential delay of its own, and all failing keys share one bucket.
 */
import { backoffMs, type BackoffPolicy } from '@retainer/contract/std/backoff';
import { invariant } from '@retainer/contract/std/invariant';

/** Numbered as in controller-runtime: a metric shows them. */
export const priority = { live: 0, low: -100 } as const;
export type Priority = (typeof priority)[keyof typeof priority];

/** The schedule of a key after one pass over it. */
export type Next =
  /** Not again until it is added. Forgets earlier failures. */
  | { readonly type: 'Idle' }
  /** Again after this time, jitter included. Forgets earlier failures. */
  | { readonly type: 'Again'; readonly afterMs: number; readonly priority?: Priority }
  /** It failed: again after a time that doubles with each failure, and no earlier than `atLeastMs`. */
  | { readonly type: 'Retry'; readonly atLeastMs?: number | undefined };

/** From 5 ms to 1,000 s, as in controller-runtime, which dashboards and people's habits expect. */
export const retryBackoff: BackoffPolicy = { initialMs: 5, factor: 2, ceilingMs: 1_000_000, jitterRatio: 0 };
/** All retries together: this many at once, then this many a second. */
const RETRY_BURST = 100;
const RETRIES_PER_SECOND = 10;
/** The list of due times is rebuilt when this many of its entries, and at least half of them, are out of date. */
const OUTDATED_MAX = 64;

interface Item {
  readonly key: string;
  readonly namespace: string;
  state: 'Resting' | 'Ready' | 'Processing';
  priority: Priority;
  /** When the key became ready, or when its processing began. */
  sinceMs: number;
  /** Due then, unless it is ready before. */
  dueMs: number | undefined;
  /** Added while it was processed. */
  dirty: Priority | undefined;
  failures: number;
}

export interface Taken {
  readonly key: string;
  /** How long it had been ready. */
  readonly waitedMs: number;
}

export class WorkQueueSchedule {
  readonly #items = new Map<string, Item>();
  readonly #ready = new Map<Priority, Lane>([
    [priority.live, new Lane()],
    [priority.low, new Lane()],
  ]);
  readonly #processing = new Set<Item>();
  readonly #due = new DueTimes();
  #dueItems = 0;
  #bucketFullMs = 0;

  /** @param key  `namespace/name` */
  add(key: string, nowMs: number, urgency: Priority = priority.live): void {
    const item = this.#items.get(key) ?? newItem(key);
    this.#items.set(key, item);
    if (item.state === 'Processing') item.dirty = higher(item.dirty, urgency);
    else this.#makeReady(item, nowMs, urgency);
  }

  /** Takes the next key for processing; undefined if none is ready. */
  take(nowMs: number): Taken | undefined {
    this.#wake(nowMs);
    const item = this.#lane(priority.live).shift() ?? this.#lane(priority.low).shift();
    if (item === undefined) return undefined;
    const waitedMs = nowMs - item.sinceMs;
    Object.assign(item, { state: 'Processing', sinceMs: nowMs });
    this.#processing.add(item);
    return { key: item.key, waitedMs };
  }

  /** @returns how long it was processed, and whether it comes up again by itself */
  finish(key: string, next: Next, nowMs: number): { readonly workedMs: number; readonly isDelayed: boolean } {
    const item = this.#items.get(key);
    invariant(item?.state === 'Processing', `${key} is finished and was not processed`);
    const workedMs = nowMs - item.sinceMs;
    const { dirty } = item;
    Object.assign(item, { state: 'Resting', dirty: undefined });
    this.#processing.delete(item);
    this.#plan(item, next, nowMs);
    if (dirty !== undefined) this.#makeReady(item, nowMs, dirty);
    else if (item.dueMs === undefined) this.#items.delete(key);
    return { workedMs, isDelayed: next.type !== 'Idle' };
  }

  /** When the next key becomes ready by itself; undefined if none waits. May lie in the past if a key is overdue. */
  nextDueMs(): number | undefined {
    for (let first = this.#due.first(); first !== undefined; first = this.#due.first()) {
      if (this.#items.get(first.key)?.dueMs === first.dueMs) return first.dueMs;
      this.#due.shift();
    }
    return undefined;
  }

  /** Keys that are ready. */
  depth(urgency: Priority): number {
    return this.#lane(urgency).size;
  }

  /** Start of the processing of each key in process, longest first. */
  processingSinceMs(): readonly number[] {
    return [...this.#processing].map(({ sinceMs }) => sinceMs);
  }

  #makeReady(item: Item, nowMs: number, urgency: Priority): void {
    if (item.state === 'Ready') {
      if (item.priority >= urgency) return;
      this.#lane(item.priority).remove(item);
    } else {
      item.sinceMs = nowMs;
    }
    if (item.dueMs !== undefined) this.#dueItems -= 1;
    Object.assign(item, { state: 'Ready', priority: urgency, dueMs: undefined });
    this.#lane(urgency).push(item);
  }

  /** I4. */
  #plan(item: Item, next: Next, nowMs: number): void {
    if (next.type !== 'Retry') item.failures = 0;
    if (next.type === 'Idle') return;
    const afterMs = next.type === 'Again' ? next.afterMs : this.#retryAfterMs(item, next.atLeastMs ?? 0, nowMs);
    item.priority = (next.type === 'Again' ? next.priority : item.priority) ?? priority.live;
    item.dueMs = nowMs + Math.max(0, afterMs);
    this.#dueItems += 1;
    this.#due.push({ key: item.key, dueMs: item.dueMs });
    const outdated = this.#due.size - this.#dueItems;
    if (outdated > Math.max(OUTDATED_MAX, this.#dueItems)) this.#rebuildDueTimes();
  }

  #retryAfterMs(item: Item, atLeastMs: number, nowMs: number): number {
    const tokenMs = 1000 / RETRIES_PER_SECOND;
    this.#bucketFullMs = Math.max(this.#bucketFullMs, nowMs) + tokenMs;
    const bucketMs = this.#bucketFullMs - nowMs - RETRY_BURST * tokenMs;
    const ownMs = backoffMs(retryBackoff, item.failures, 0);
    item.failures += 1;
    return Math.max(ownMs, bucketMs, atLeastMs);
  }

  #wake(nowMs: number): void {
    for (let dueMs = this.nextDueMs(); dueMs !== undefined && dueMs <= nowMs; dueMs = this.nextDueMs()) {
      const item = this.#items.get(this.#due.shift()?.key ?? '');
      // Ready since its due time, however late the queue looks.
      if (item !== undefined) this.#makeReady(item, dueMs, item.priority);
    }
  }

  #rebuildDueTimes(): void {
    this.#due.clear();
    for (const { key, dueMs } of this.#items.values()) if (dueMs !== undefined) this.#due.push({ key, dueMs });
  }

  #lane(urgency: Priority): Lane {
    const lane = this.#ready.get(urgency);
    invariant(lane !== undefined, `no lane of priority ${urgency}`);
    return lane;
  }
}

function newItem(key: string): Item {
  const namespace = key.slice(0, key.indexOf('/'));
  const rest = { priority: priority.live, sinceMs: 0, dueMs: undefined, dirty: undefined, failures: 0 };
  return { key, namespace, state: 'Resting', ...rest };
}

function higher(a: Priority | undefined, b: Priority): Priority {
  return a === undefined || b > a ? b : a;
}

/** Ready keys of one priority: each namespace in turn, in each the oldest first. */
class Lane {
  readonly #namespaces = new Map<string, Set<Item>>();
  size = 0;

  push(item: Item): void {
    const items = this.#namespaces.get(item.namespace) ?? new Set();
    this.#namespaces.set(item.namespace, items.add(item));
    this.size += 1;
  }

  shift(): Item | undefined {
    for (const [namespace, items] of this.#namespaces)
      for (const item of items) {
        this.remove(item);
        // To the end of the round.
        this.#namespaces.delete(namespace);
        if (items.size > 0) this.#namespaces.set(namespace, items);
        return item;
      }
    return undefined;
  }

  remove(item: Item): void {
    const items = this.#namespaces.get(item.namespace);
    if (items?.delete(item) !== true) return;
    this.size -= 1;
    if (items.size === 0) this.#namespaces.delete(item.namespace);
  }
}

interface DueTime {
  readonly key: string;
  readonly dueMs: number;
}

/** A binary heap, earliest first. */
class DueTimes {
  #heap: DueTime[] = [];

  get size(): number {
    return this.#heap.length;
  }

  first(): DueTime | undefined {
    return this.#heap[0];
  }

  push(time: DueTime): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(time);
    for (let parent = (at - 1) >> 1; at > 0 && dueAt(heap, at) < dueAt(heap, parent); parent = (at - 1) >> 1) {
      swap(heap, at, parent);
      at = parent;
    }
  }

  shift(): DueTime | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const child = dueAt(heap, right) < dueAt(heap, left) ? right : left;
      if (dueAt(heap, child) >= dueAt(heap, at)) return first;
      swap(heap, at, child);
      at = child;
    }
  }

  clear(): void {
    this.#heap = [];
  }
}

function dueAt(heap: readonly DueTime[], at: number): number {
  return heap[at]?.dueMs ?? Number.POSITIVE_INFINITY;
}

function swap(heap: DueTime[], a: number, b: number): void {
  const [first, second] = [heap[a], heap[b]];
  if (first !== undefined && second !== undefined) [heap[a], heap[b]] = [second, first];
}
