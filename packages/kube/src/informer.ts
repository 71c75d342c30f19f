import type { Clock } from '@retainer/contract/std/clock';
import type { IndexFunction } from './cache.ts';
import { unlessAborted } from './deadline.ts';
import type { KubeClient } from './kube-client.ts';
import type { KubeObject } from './kube-object.ts';
import { ObjectCache, type Change } from './object-cache.ts';
import { defaultReflectorTiming, Reflector, type ReflectorOptions, type ReflectorTiming } from './reflector.ts';
import type { Resource } from './resource.ts';
import { SharedParts } from './shared-parts.ts';

/** Above this age a watch is frozen: one bookmark was missed, and a new connection brought nothing either. */
export const WATCH_STALE_SECONDS = 85;

/** Interval at which handlers get every object again, in case they missed one: from the cache, never from the server. */
const RESYNC_EVERY_MS = 10 * 60 * 60 * 1000;
const RESYNC_JITTER_RATIO = 0.1;

export interface InformerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** 0 to 1. */
  readonly random: () => number;
  readonly resource: Resource;
  /** Absent: the whole cluster. Of Namespaces themselves: those of these names. */
  readonly namespaces?: readonly string[] | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly indexes?: Readonly<Record<string, IndexFunction>> | undefined;
  /** Reduces an object to the part that is kept, where little of it is needed. Must keep the metadata. */
  readonly transform?: (object: KubeObject) => KubeObject;
  /** Shared by all informers of a process. */
  readonly parts?: SharedParts;
  readonly timing?: Partial<ReflectorTiming>;
  /** Must not wait. May throw only on a bug. */
  readonly onChange: (change: Change) => void;
  /** Called for each failed list and watch; the next try follows automatically. */
  readonly onError?: (error: Error) => void;
}

/** One resource in one cache, from one or several namespaces. */
export class Informer {
  readonly resource: Resource;
  readonly cache: ObjectCache;
  readonly #options: InformerOptions;
  readonly #reflectors: readonly Reflector[];
  #listing: Promise<unknown> = Promise.resolve();

  constructor(options: InformerOptions) {
    const { transform = (object) => object, onError = () => undefined, namespaces = [undefined] } = options;
    const { parts = new SharedParts() } = options;
    const timing = { ...defaultReflectorTiming, ...options.timing };
    const exclusively = <T>(work: () => Promise<T>): Promise<T> => this.#exclusively(work);
    this.resource = options.resource;
    this.cache = new ObjectCache(options.indexes);
    this.#options = options;
    this.#reflectors = namespaces.map(
      (namespace) =>
        new Reflector({
          ...options,
          ...selectionOf(options, namespace),
          cache: this.cache,
          transform,
          parts,
          timing,
          onError,
          exclusively,
        }),
    );
  }

  /** Whether the cache has ever been complete. */
  get hasSynced(): boolean {
    return this.#reflectors.every(({ hasSynced }) => hasSynced);
  }

  /** Age of the last event of the watch that has been silent longest. */
  get lastEventAgeSeconds(): number {
    return Math.max(0, ...this.#reflectors.map(({ lastEventAgeSeconds }) => lastEventAgeSeconds));
  }

  get lists(): number {
    return this.#reflectors.reduce((sum, { lists }) => sum + lists, 0);
  }

  /** Resolves when the signal is aborted. Rejects with an `InvariantError` only: a bug in a handler or an index. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#reflectors.map((reflector) => reflector.run(signal)), this.#resync(signal)]);
  }

  /** Rejects with the signal's reason. */
  async untilSynced(signal: AbortSignal): Promise<void> {
    await unlessAborted(Promise.all(this.#reflectors.map(({ synced }) => synced)), signal);
  }

  async #resync(signal: AbortSignal): Promise<void> {
    const { clock, random, onChange } = this.#options;
    while (!signal.aborted) {
      const factor = 1 + RESYNC_JITTER_RATIO * (2 * random() - 1);
      await clock.sleep(RESYNC_EVERY_MS * factor, signal).catch(() => undefined);
      if (signal.aborted) return;
      for (const object of this.cache.list()) onChange({ before: object, after: object, isInitial: true });
    }
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#listing.then(work);
    this.#listing = result.catch(() => undefined);
    return result;
  }
}

/** A Namespace lies in no namespace, so its name selects it; a right to read it may be a right to this name alone. */
function selectionOf(
  { resource, fieldSelector }: InformerOptions,
  namespace: string | undefined,
): Pick<ReflectorOptions, 'namespace' | 'fieldSelector'> {
  const isItself = namespace !== undefined && !resource.isNamespaced;
  return { namespace, fieldSelector: isItself ? `metadata.name=${namespace}` : fieldSelector };
}
