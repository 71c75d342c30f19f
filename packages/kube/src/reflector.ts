/**
 * Keeps one cache equal to the state of the API server: a paged list, then watches, each from the version at which the last
 * one ended.
 *
 * I1  Handlers run after the cache has changed, in the order of the server.
 * I2  A list replaces all objects in one step. Handlers get each unseen deletion with the last known state of the object.
 * I3  Silence ends: by the client's read deadline, and if that fails by a separate watchdog. Even a quiet resource brings one
 *     bookmark a minute, because the reflector asks the server for it; so silence means a dead connection.
 * I4  After an error the reflector continues from the last version it knows. It lists again only if that version is useless: too old for
 *     the server (410), or after garbage in the stream.
 * I5  A list twice an hour finds changes that the server itself lost. It only reads: a handler without a change does nothing.
 *
 * Differs: the client library's informer ends each watch after 30 s, asks for no bookmarks and pages, drops lines that it
 * cannot read, and stops on most errors.
 */
import { backoffMs, type BackoffPolicy } from '@retainer/contract/std/backoff';
import type { Clock } from '@retainer/contract/std/clock';
import { InvariantError } from '@retainer/contract/std/invariant';
import { ApiError, ConnectionError } from './api-error.ts';
import { unlessAborted, withDeadline } from './deadline.ts';
import type { KubeClient, WatchEvent } from './kube-client.ts';
import { keyOf, type KubeObject } from './kube-object.ts';
import type { Change, ObjectCache } from './object-cache.ts';
import type { Resource } from './resource.ts';
import type { SharedParts } from './shared-parts.ts';

export interface ReflectorTiming {
  /** The server ends a watch after a time between these two, so that not all watches of a cluster begin at once. */
  readonly watchSecondsMin: number;
  readonly watchSecondsMax: number;
  /** More than the minute between two bookmarks: 58 to 62 s, measured over 243 of Kubernetes 1.34 on two busy cores. */
  readonly readDeadlineMs: number;
  /** Interval of full lists, against events that the server itself lost. */
  readonly relistEveryMs: number;
}

export const defaultReflectorTiming: ReflectorTiming = {
  watchSecondsMin: 300,
  watchSecondsMax: 600,
  readDeadlineMs: 75_000,
  // Read-only and rarely needed: twice an hour costs nothing, and limits a loss to less than a day.
  relistEveryMs: 1_800_000,
};

/** Objects in one page: few enough to parse without blocking everything else. */
const PAGE_OBJECTS_MAX = 100;
/** A new watch that is silent for this long may stay so: half of the minute after which bookmarks come. */
const SILENT_MS_MAX = 30_000;
/** No object can have this name: a list of it is empty. */
const NOBODY = '-';
/** How much longer than the client's read deadline the watchdog waits. */
const WATCHDOG_GRACE_MS = 5_000;
/** Relists come earlier by up to this share of their interval, so that the caches of a process do not list all at once. */
const RELIST_JITTER_RATIO = 0.2;
/** A watch that lived this long was good: the next error counts as the first. */
const STEADY_MS = 10_000;
/** The ceiling keeps recovery from an outage below 10 s; the jitter keeps clients from coming back all at once. */
const backoff: BackoffPolicy = { initialMs: 500, factor: 2, ceilingMs: 8_000, jitterRatio: 0.5 };

export interface ReflectorOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** 0 to 1. */
  readonly random: () => number;
  readonly resource: Resource;
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly cache: ObjectCache;
  /** Reduces an object to the part that is kept; `managedFields` are always dropped. */
  readonly transform: (object: KubeObject) => KubeObject;
  readonly parts: SharedParts;
  readonly timing: ReflectorTiming;
  readonly onChange: (change: Change) => void;
  readonly onError: (error: Error) => void;
  /** Serialises lists if several reflectors feed one cache. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>;
}

export class Reflector {
  /** Resolves when the cache holds the first full list and the handlers got all of it. */
  readonly synced: Promise<void>;
  readonly #options: ReflectorOptions;
  #reportSynced: () => void = () => undefined;
  #hasSynced = false;
  /** Version from which the next watch continues; undefined: list first. */
  #version: string | undefined;
  #relistMs: number;
  #lastEventMs: number;
  #lists = 0;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#lastEventMs = options.clock.monotonicMs();
    this.#relistMs = this.#lastEventMs;
    this.synced = new Promise((resolve) => {
      this.#reportSynced = resolve;
    });
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Age of the server's last sign of life for this resource: an event, a bookmark, a page, an accepted watch. */
  get lastEventAgeSeconds(): number {
    return (this.#options.clock.monotonicMs() - this.#lastEventMs) / 1000;
  }

  /** Number of full lists so far. */
  get lists(): number {
    return this.#lists;
  }

  /** Resolves when the signal is aborted. Rejects with an `InvariantError` only: a bug in a handler or an index. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, onError } = this.#options;
    let attempt = 0;
    while (!signal.aborted) {
      const startedMs = clock.monotonicMs();
      const error = await this.#follow(signal).then(
        () => undefined,
        (reason: Error) => reason,
      );
      if (error instanceof InvariantError) throw error;
      if (signal.aborted) return;
      if (error !== undefined) onError(error);
      const isSteady = clock.monotonicMs() - startedMs >= STEADY_MS;
      attempt = isSteady ? 0 : attempt + 1;
      if (error === undefined && isSteady) continue;
      const leastMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
      await clock.sleep(Math.max(leastMs, backoffMs(backoff, attempt, random())), signal).catch(() => undefined);
    }
  }

  /** One watch, after a list if one is needed. */
  async #follow(signal: AbortSignal): Promise<void> {
    if (this.#relistLeftMs() <= 0) this.#version = undefined;
    try {
      this.#version ??= await this.#options.exclusively(() => this.#list(signal));
      await this.#watch(this.#version, signal);
    } catch (error) {
      if (error instanceof ApiError && error.status === 410) this.#version = undefined;
      throw error;
    }
  }

  /** I2. @returns the version from which to watch */
  async #list(signal: AbortSignal): Promise<string> {
    const { client, resource, namespace, labelSelector, fieldSelector, cache, onChange, timing, random } =
      this.#options;
    const objects: KubeObject[] = [];
    let next: string | undefined;
    let version: string;
    do {
      const selection = { namespace, labelSelector, fieldSelector, signal };
      const page = await client.list(resource, { ...selection, limit: PAGE_OBJECTS_MAX, continue: next });
      this.#lastEventMs = this.#options.clock.monotonicMs();
      for (const item of page.items) objects.push(this.#kept(item));
      version = page.resourceVersion;
      next = page.continue;
    } while (next !== undefined);
    this.#relistMs = this.#lastEventMs + timing.relistEveryMs * (1 - RELIST_JITTER_RATIO * random());
    this.#lists += 1;
    const isInitial = !this.#hasSynced;
    for (const change of cache.replace(objects, namespace)) onChange({ ...change, isInitial });
    this.#hasSynced = true;
    this.#reportSynced();
    return version;
  }

  /** I3. */
  #watch(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { client, clock, resource, namespace, labelSelector, fieldSelector, timing } = this.#options;
    const { readDeadlineMs } = timing;
    const heard = new AbortController();
    const expired = (): Error => new ConnectionError(`failed to watch ${resource.plural}: no event in due time`);
    const deadline = { clock, deadlineMs: readDeadlineMs + WATCHDOG_GRACE_MS, signal, expired };
    const watching = withDeadline(deadline, (stop, renew) => {
      const onEvent = (event: WatchEvent): void => {
        // An abandoned watch may still deliver events.
        if (stop.aborted) return;
        heard.abort();
        renew();
        this.#take(event);
      };
      const selection = { namespace, labelSelector, fieldSelector, signal: stop };
      const timeoutSeconds = this.#watchSeconds();
      const onOpen = (): void => this.#taken();
      const options = { ...selection, resourceVersion, timeoutSeconds, readDeadlineMs, onOpen };
      return unlessAborted(client.watch(resource, options, onEvent), stop);
    });
    // The watch itself shows whether the server answers.
    this.#askToGoOn(heard.signal).catch(() => undefined);
    return watching.finally(() => heard.abort());
  }

  /**
   * A watch gets no bookmark until the server's cache of the resource has passed the version at which the watch began. For a
   * quiet resource that takes ten minutes or more, unless etcd is set to report progress. A list at the current version, even
   * an empty one, advances the server's cache. After that bookmarks come each minute until the watch ends.
   *
   * Source: Kubernetes, k8s.io/apiserver 0.34, `cacheWatcher.process`, `CacheDelegator.GetList`; KEP-2340 (Kubernetes 1.31).
   */
  async #askToGoOn(heard: AbortSignal): Promise<void> {
    const { client, clock, resource, namespace, fieldSelector } = this.#options;
    await clock.sleep(SILENT_MS_MAX, heard);
    // A right to read one Namespace does not include another.
    const few = resource.isNamespaced ? `metadata.name=${NOBODY}` : fieldSelector;
    await client.list(resource, { namespace, fieldSelector: few, signal: heard });
  }

  /** A server that was silent until the deadline must send something: accepting connections proves nothing. */
  #taken(): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - this.#lastEventMs < this.#options.timing.readDeadlineMs) this.#lastEventMs = nowMs;
  }

  /** I1. */
  #take(event: WatchEvent): void {
    const { cache, clock, onChange } = this.#options;
    if (event.type === 'Garbage') {
      this.#version = undefined;
      throw new ConnectionError(`failed to watch ${this.#options.resource.plural}: ${event.reason}`);
    }
    this.#lastEventMs = clock.monotonicMs();
    if (event.type === 'Bookmark') {
      this.#version = event.resourceVersion;
      return;
    }
    const object = this.#kept(event.object);
    if (event.type !== 'Deleted') onChange({ before: cache.put(object), after: object, isInitial: false });
    else if (cache.remove(keyOf(object)) !== undefined)
      onChange({ before: object, after: undefined, isInitial: false });
    this.#version = object.metadata.resourceVersion;
  }

  #kept(object: KubeObject): KubeObject {
    const metadata: Record<string, unknown> = { ...object.metadata };
    delete metadata['managedFields'];
    const { parts, transform } = this.#options;
    return parts.share(transform({ ...object, metadata: metadata as unknown as KubeObject['metadata'] }));
  }

  #watchSeconds(): number {
    const { watchSecondsMin, watchSecondsMax } = this.#options.timing;
    const seconds = watchSecondsMin + this.#options.random() * (watchSecondsMax - watchSecondsMin);
    return Math.ceil(Math.min(seconds, this.#relistLeftMs() / 1000));
  }

  #relistLeftMs(): number {
    return this.#relistMs - this.#options.clock.monotonicMs();
  }
}
