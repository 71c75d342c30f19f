/** One watch: events in the order of their revisions, as lines, until its time is up or a fault ends it. */
import type { Clock } from '@retainer/contract/std/clock';
import { apiVersionOf } from '@retainer/kube/resource';
import type { ApiRequest } from './api-request.ts';
import type { EventFault, Faults, SentEvent } from './faults.ts';
import type { StoredObject } from './json.ts';
import type { Change, ObjectStore } from './object-store.ts';
import { refusals, statusOf } from './refusal.ts';
import type { Selector } from './selectors.ts';
import type { ServedResource } from './served-resource.ts';

/** Where the lines go. */
export interface LineSink {
  write(text: string): void;
  end(): void;
  destroy(): void;
}

export interface WatchWorld {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly bookmarkPeriodMs: number;
  /** Place of the next event among all that are sent. */
  readonly nextEventIndex: () => number;
}

export interface WatchTarget {
  readonly request: ApiRequest;
  readonly served: ServedResource;
  readonly isSelected: Selector;
  /** Events after this revision; undefined: what there is now comes first. */
  readonly since: number | undefined;
}

/** What a server ends a watch after that names no time. */
const TIMEOUT_SECONDS_DEFAULT = 1800;

type EventType = Change['type'];

export class WatchStream {
  readonly #world: WatchWorld;
  readonly #target: WatchTarget;
  readonly #sink: LineSink;
  readonly #stop = new AbortController();
  #cursor: number;
  #isSending = false;

  constructor(world: WatchWorld, target: WatchTarget, sink: LineSink) {
    this.#world = world;
    this.#target = target;
    this.#sink = sink;
    this.#cursor = target.since ?? 0;
  }

  get request(): ApiRequest {
    return this.#target.request;
  }

  /** @returns at once; lines come as changes do */
  start(): void {
    const { store } = this.#world;
    if (this.#fault() === 'GoneInStream' || this.#cursor < store.compactedTo) return this.#gone();
    if (this.#target.since === undefined) this.#sendExisting();
    this.#after(this.#timeoutMs(), () => {
      this.#sink.end();
      this.close();
    });
    this.#scheduleBookmark();
    void this.pump();
  }

  /** Forgets the stream; the connection is left to whoever calls. */
  close(): void {
    this.#stop.abort(new Error('the watch has ended'));
  }

  get isClosed(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Sends what has become visible. Never rejects. */
  async pump(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    for (let change = this.#next(); change !== undefined; change = this.#next()) {
      this.#cursor = change.revision;
      const event = this.#eventOf(change);
      if (event !== undefined) await this.#send(event);
    }
    this.#isSending = false;
  }

  #next(): Change | undefined {
    if (this.isClosed) return undefined;
    const [change] = this.#world.store.changesSince(this.#target.served, this.#cursor);
    return change !== undefined && change.revision <= this.#visible() ? change : undefined;
  }

  /** Newest revision that this watch may see. */
  #visible(): number {
    const fault = this.#world.faults.ofRequest(this.#target.request);
    if (fault?.type === 'Hang') return 0;
    return this.#world.store.revisionsAgo(fault?.type === 'Stale' ? fault.revisions : 0);
  }

  #fault(): string | undefined {
    return this.#world.faults.ofRequest(this.#target.request)?.type;
  }

  #sendExisting(): void {
    this.#cursor = Math.max(0, this.#visible());
    for (const object of this.#world.store.list(this.#target.served, this.#cursor))
      if (this.#target.isSelected(object)) this.#line('ADDED', object);
  }

  /** What the change looks like through the selector; undefined where it cannot be seen. */
  #eventOf({ type, object, before, user }: Change): SentEvent | undefined {
    const { isSelected, request } = this.#target;
    const isIn = type !== 'DELETED' && isSelected(object);
    const wasIn = before !== undefined && isSelected(before);
    if (!isIn && !wasIn) return undefined;
    if (this.#fault() === 'BookmarksOnly') return undefined;
    const { resourceVersion } = object.metadata;
    const gone =
      type === 'DELETED' || before === undefined
        ? object
        : { ...before, metadata: { ...before.metadata, resourceVersion } };
    const seen: { readonly type: EventType; readonly object: StoredObject } = isIn
      ? { type: wasIn ? 'MODIFIED' : 'ADDED', object }
      : { type: 'DELETED', object: gone };
    return { ...seen, index: this.#world.nextEventIndex(), user, watch: request };
  }

  async #send(event: SentEvent): Promise<void> {
    const fault = this.#world.faults.ofEvent(event);
    if (fault?.type === 'Delay') {
      await this.#world.clock.sleep(fault.delayMs, this.#stop.signal).catch(() => undefined);
      if (!this.isClosed) this.#line(event.type, event.object);
    } else if (fault === undefined) this.#line(event.type, event.object);
    else this.#faulty(event, fault);
  }

  #faulty(event: SentEvent, fault: EventFault): void {
    const line = JSON.stringify({ type: event.type, object: event.object });
    const half = line.slice(0, line.length / 2);
    switch (fault.type) {
      case 'HalfLine':
        return this.#sink.write(`${half}\n`);
      case 'Garbage':
        return this.#sink.write('<html>502 bad gateway</html>\n');
      case 'Break':
        this.#sink.write(half);
        this.#sink.destroy();
        return this.close();
      case 'Gone':
        return this.#gone();
      case 'End':
        this.#sink.end();
        return this.close();
      case 'Drop':
      case 'Delay':
        return undefined;
    }
  }

  #line(type: string, object: unknown): void {
    this.#sink.write(`${JSON.stringify({ type, object })}\n`);
  }

  #gone(): void {
    this.#line('ERROR', statusOf(refusals.expired(`too old resource version: ${this.#cursor}`)));
    this.#sink.end();
    this.close();
  }

  /**
   * Tells how far this watch has come, where its client wants to know: once that is further than where it began.
   *
   * Source: Kubernetes, k8s.io/apiserver, `cacheWatcher.process`.
   */
  #bookmark(): void {
    const { request, served, since = 0 } = this.#target;
    if (request.query.get('allowWatchBookmarks') !== 'true' || this.#fault() === 'Hang') return;
    const isBehind = this.#next() !== undefined;
    const seen = Math.min(this.#visible(), this.#world.store.watchedTo(served));
    const revision = isBehind ? this.#cursor : Math.max(this.#cursor, seen);
    if (revision <= since) return;
    const { kind } = served.resource;
    const metadata = { resourceVersion: String(revision) };
    this.#line('BOOKMARK', { kind, apiVersion: apiVersionOf(served.resource), metadata });
  }

  #scheduleBookmark(): void {
    this.#after(this.#world.bookmarkPeriodMs, () => {
      this.#bookmark();
      this.#scheduleBookmark();
    });
  }

  #timeoutMs(): number {
    const seconds = Number(this.#target.request.query.get('timeoutSeconds') ?? '0');
    return (seconds > 0 ? seconds : TIMEOUT_SECONDS_DEFAULT) * 1000;
  }

  #after(durationMs: number, act: () => void): void {
    this.#world.clock.sleep(durationMs, this.#stop.signal).then(
      () => {
        if (!this.isClosed) act();
      },
      () => undefined,
    );
  }
}
