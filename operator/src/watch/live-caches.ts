/** The caches of all watched resources, kept up to date from the API server. */
import { invariant } from '@retainer/contract/std/invariant';
import type { Clock } from '@retainer/contract/std/clock';
import type { Cache } from '@retainer/kube/cache';
import { Informer } from '@retainer/kube/informer';
import type { KubeClient } from '@retainer/kube/kube-client';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Change } from '@retainer/kube/object-cache';
import type { Resource } from '@retainer/kube/resource';
import { SharedParts } from '@retainer/kube/shared-parts';
import { sandboxNamespaces, type Settings } from '../settings/settings.ts';
import type { Caches } from './caches.ts';
import { keptOf } from './kept.ts';
import { watchId, type PlannedWatch } from './watch-plan.ts';

export interface LiveCachesParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly settings: Settings;
  readonly onError: (id: string, error: Error) => void;
}

export type OnChange = (watched: string, change: Change) => void;

export class LiveCaches implements Caches {
  readonly #parts: LiveCachesParts;
  readonly #sharedParts = new SharedParts();
  readonly #informers = new Map<string, Informer>();

  constructor(parts: LiveCachesParts) {
    this.#parts = parts;
  }

  /** Sets the watched resources. Call it once, before `run`. */
  plan(watches: readonly PlannedWatch[], onChange: OnChange): void {
    for (const watched of watches) this.#informers.set(watched.id, this.#informer(watched, onChange));
  }

  of<T extends KubeObject = KubeObject>(resource: Resource): Cache<T> {
    return this.#cache(watchId({ resource }));
  }

  inSandboxes<T extends KubeObject = KubeObject>(resource: Resource): Cache<T> {
    return this.#cache(watchId({ resource, isSandbox: true }));
  }

  /** By the id of the watch. */
  get informers(): ReadonlyMap<string, Informer> {
    return this.#informers;
  }

  /** Resolves after a stop. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.run(signal)));
  }

  /** Resolves after the first list of every resource. */
  async untilSynced(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.untilSynced(signal)));
  }

  #cache<T extends KubeObject>(id: string): Cache<T> {
    const informer = this.#informers.get(id);
    invariant(informer !== undefined, `no controller watches ${id}`);
    // Custom resources were checked by their schema when they were stored; built-in kinds by the API server.
    return informer.cache as unknown as Cache<T>;
  }

  #informer({ id, resource, isSandbox, labelSelector, indexes }: PlannedWatch, onChange: OnChange): Informer {
    const { client, clock, random, settings, onError } = this.#parts;
    const namespaces = isSandbox ? sandboxNamespaces(settings) : settings.watchNamespaces;
    return new Informer({
      client,
      clock,
      random,
      resource,
      indexes,
      transform: keptOf(resource),
      parts: this.#sharedParts,
      onChange: (change) => onChange(id, change),
      onError: (error) => onError(id, error),
      ...(namespaces === undefined ? {} : { namespaces }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
    });
  }
}
