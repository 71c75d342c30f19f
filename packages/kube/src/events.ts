/**
 * Events for people who run `kubectl describe`. Their loss harms nothing, so writing them must never delay other work.
 *
 * I1  `record` never waits and never throws. The queue of unwritten events is bounded; an event that does not fit is counted
 *     and dropped.
 * I2  The same event again within some minutes extends its series instead of making another object.
 * I3  Each object has a budget of writes, so that one that changes all the time does not drown the others.
 * I4  What finds no API server waits for it, where the caller can tell when it is back.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { ConnectionError, isConflict, isNotFound } from './api-error.ts';
import type { KubeClient } from './kube-client.ts';
import type { KubeObject } from './kube-object.ts';
import { microTime } from './lease-record.ts';
import type { Resource } from './resource.ts';

export interface EventText {
  readonly regarding: KubeObject;
  readonly related?: KubeObject | undefined;
  readonly type: 'Normal' | 'Warning';
  /** Why, in PascalCase: programs select by it. */
  readonly reason: string;
  /** The action that succeeded or failed, in PascalCase. */
  readonly action: string;
  /** For people; no secret, prompt or tool output. Cut at 1 KiB, the maximum of the API server. */
  readonly note: string;
  /** What it is about besides its objects: another one begins a series of its own. Absent: nothing. */
  readonly about?: string;
}

export interface EventRecorderOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** 0 to 1: makes names unique. */
  readonly random: () => number;
  /** `reportingController`: a qualified name. */
  readonly controller: string;
  /** `reportingInstance`: which process. */
  readonly instance: string;
  readonly onError?: (error: Error) => void;
  /** Resolves when the API server answers again; rejects when aborted. Absent: what finds no API server is dropped. */
  readonly untilReachable?: (signal: AbortSignal) => Promise<void>;
}

const eventResource: Resource = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  isNamespaced: true,
};

/** Series that wait to be written. More of them is a storm, and its first thousand tell enough. */
const WAITING_MAX = 1_000;
/** Series in memory: a forgotten one begins anew. */
const SERIES_MAX = 4_096;
/** A series ends after this much silence, as in client-go. */
const SERIES_QUIET_MS = 6 * 60_000;
/** Between two writes of any kind: ten a second. */
const WRITE_EVERY_MS = 100;
/** Writes for one object: this many at once, then one each five minutes, as in client-go. */
const OBJECT_BURST = 25;
const OBJECT_REFILL_MS = 5 * 60_000;
/** Objects whose budget is in memory. */
const OBJECTS_MAX = 4_096;
const NOTE_CHARACTERS_MAX = 1_000;
/** Leaves room for the suffix in the 253 characters of a name. */
const NAME_PART_CHARACTERS_MAX = 220;

/** Holds only references to objects: a series outlives the versions of its object, and there are thousands of series. */
interface Series {
  readonly text: Omit<EventText, 'regarding' | 'related' | 'about'>;
  readonly regarding: ObjectReference;
  readonly related: ObjectReference | undefined;
  readonly name: string;
  readonly startedMs: number;
  lastMs: number;
  count: number;
  isWritten: boolean;
}

export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #series = new Map<string, Series>();
  readonly #waiting = new Set<Series>();
  /** When each object's budget is full again. */
  readonly #budgets = new Map<string, number>();
  #dropped = 0;
  #wake: () => void = () => undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  /** Events not written: too many at once, too many about one object, or refused. */
  get dropped(): number {
    return this.#dropped;
  }

  /** I1, I2. */
  record(event: EventText): void {
    const nowMs = this.#options.clock.nowMs();
    const key = seriesKey(event);
    const known = this.#series.get(key);
    const series =
      known !== undefined && nowMs - known.lastMs < SERIES_QUIET_MS ? known : this.#newSeries(event, nowMs);
    series.lastMs = nowMs;
    series.count += 1;
    // Moves it to the end: the first entry of a map is the longest unused.
    remember(this.#series, key, series, SERIES_MAX);
    if (this.#waiting.has(series)) return;
    if (this.#waiting.size >= WAITING_MAX || !this.#hasBudget(event.regarding, nowMs)) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.add(series);
    this.#wake();
  }

  /** Writes what was recorded until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      const [series] = this.#waiting;
      if (series === undefined) {
        await this.#untilRecorded(signal);
        continue;
      }
      this.#waiting.delete(series);
      await this.#write(series, signal).catch((error: Error) => this.#failed(series, error, signal));
      await clock.sleep(WRITE_EVERY_MS, signal).catch(() => undefined);
    }
  }

  /** What found no API server waits for it, within the bounds of the queue. */
  async #failed(series: Series, error: Error, signal: AbortSignal): Promise<void> {
    const { untilReachable, onError = () => undefined } = this.#options;
    if (signal.aborted) return;
    if (untilReachable !== undefined && error instanceof ConnectionError) {
      this.#waiting.add(series);
      // An aborted wait rejects; the loop's condition ends it.
      return untilReachable(signal).catch(() => undefined);
    }
    this.#dropped += 1;
    onError(error);
  }

  #newSeries({ regarding, related, type, reason, action, note }: EventText, nowMs: number): Series {
    const suffix = `${nowMs.toString(16)}${Math.floor(this.#options.random() * 0x1_0000_0000).toString(16)}`;
    return {
      text: { type, reason, action, note: note.slice(0, NOTE_CHARACTERS_MAX) },
      regarding: referenceTo(regarding),
      related: related === undefined ? undefined : referenceTo(related),
      name: `${regarding.metadata.name.slice(0, NAME_PART_CHARACTERS_MAX)}.${suffix}`,
      startedMs: nowMs,
      lastMs: nowMs,
      count: 0,
      isWritten: false,
    };
  }

  /** I3: a bucket, stored as the time at which it is full. */
  #hasBudget({ metadata, kind }: KubeObject, nowMs: number): boolean {
    const key = `${kind}/${metadata.namespace}/${metadata.name}`;
    const fullMs = Math.max(this.#budgets.get(key) ?? 0, nowMs) + OBJECT_REFILL_MS;
    if (fullMs - nowMs > OBJECT_BURST * OBJECT_REFILL_MS) return false;
    remember(this.#budgets, key, fullMs, OBJECTS_MAX);
    return true;
  }

  #untilRecorded(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        signal.removeEventListener('abort', end);
        this.#wake = () => undefined;
        resolve();
      };
      this.#wake = end;
      signal.addEventListener('abort', end, { once: true });
    });
  }

  async #write(series: Series, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const namespace = series.regarding.namespace ?? 'default';
    if (series.isWritten) {
      const patch = { series: { count: series.count, lastObservedTime: microTime(series.lastMs) } };
      try {
        await client.mergePatch(eventResource, { namespace, name: series.name }, patch, { signal });
        return;
      } catch (error) {
        // The API server forgets events after an hour: then the event is created once more.
        if (!isNotFound(error)) throw error;
      }
    }
    await client.create(eventResource, this.#object(series, namespace), { signal }).catch((error: unknown) => {
      // An answer that was lost: the name is this series' own.
      if (!isConflict(error)) throw error;
    });
    series.isWritten = true;
  }

  #object({ text, regarding, related, name, startedMs, lastMs, count }: Series, namespace: string): KubeObject {
    const { controller, instance } = this.#options;
    return {
      metadata: { name, namespace },
      eventTime: microTime(startedMs),
      ...(count > 1 ? { series: { count, lastObservedTime: microTime(lastMs) } } : {}),
      reportingController: controller,
      reportingInstance: instance,
      regarding,
      ...(related === undefined ? {} : { related }),
      ...text,
    };
  }
}

function seriesKey({ regarding, related, type, reason, action, about }: EventText): string {
  const named = [regarding, related].map(
    (object) => object && [object.kind, object.metadata.uid, object.metadata.name],
  );
  return JSON.stringify([...named, regarding.metadata.namespace, type, reason, action, about]);
}

type ObjectReference = ReturnType<typeof referenceTo>;

function referenceTo({ apiVersion, kind, metadata }: KubeObject) {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, namespace, name, uid, resourceVersion };
}

/** Adds an entry as the youngest, and drops the eldest if there are too many. */
function remember<T>(map: Map<string, T>, key: string, value: T, max: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= max) return;
  const [eldest] = map.keys();
  if (eldest !== undefined) map.delete(eldest);
}
