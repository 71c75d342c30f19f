/** What the cases of the contract suite are made of. */
import { ApiError } from '@retainer/kube/api-error';
import type { KubeClient, WatchEvent } from '@retainer/kube/kube-client';
import type { KubeObject, ObjectKey } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';
import { resources } from '@retainer/kube/resources';
import { merged, sample, type Patch } from './cel-case.ts';

export interface ContractTarget {
  readonly client: KubeClient;
  /** Exists and holds nothing of the kinds used here. */
  readonly namespace: string;
  /** Within so long a watch is told once how far it came, even if nothing happens. */
  readonly bookmarkSeconds: number;
  /** A revision from which no watch can begin any more; undefined where the server is so young that it has all. */
  readonly expiredRevision: () => string | undefined;
  readonly stop: () => Promise<void>;
}

export interface ContractCase {
  readonly name: string;
  /** @param skip  ends the case: this server cannot show it */
  readonly run: (contract: Contract, skip: (reason: string) => never) => Promise<void>;
}

/** A uid that no object has. */
export const STRANGER = '00000000-0000-4000-8000-999999999999';
/** Longer than any watch of the suite. */
const READ_DEADLINE_MS = 120_000;

/** One case's view of the server: everything is about one name. */
export class Contract {
  readonly target: ContractTarget;
  readonly name: string;

  constructor(target: ContractTarget, name: string) {
    this.target = target;
    this.name = name;
  }

  get client(): KubeClient {
    return this.target.client;
  }

  get namespace(): string {
    return this.target.namespace;
  }

  key(): ObjectKey {
    return { namespace: this.namespace, name: this.name };
  }

  configMap(patch: Patch = {}): KubeObject {
    return merged({ metadata: this.key(), data: { a: '1' } }, patch) as unknown as KubeObject;
  }

  task(patch: Patch = {}): KubeObject {
    return merged(sample('Task'), merged({ metadata: this.key() }, patch)) as unknown as KubeObject;
  }

  apply(resource: Resource, object: KubeObject, manager: string, force = false): Promise<KubeObject> {
    return this.client.apply(resource, object, { fieldManager: manager, force });
  }

  /** Of the Task of this name. */
  applyStatus(status: Patch, manager: string, force = false): Promise<KubeObject> {
    const options = { fieldManager: manager, force, subresource: 'status' } as const;
    return this.client.apply(resources.tasks, { metadata: this.key(), status }, options);
  }

  async live(resource: Resource): Promise<KubeObject> {
    const object = await this.client.get(resource, this.key());
    if (object === undefined) throw new Error(`${this.name} is gone`);
    return object;
  }

  /** Events until `isDone`, or until the server ends the watch. */
  async watched(
    resource: Resource,
    options: { readonly from: string; readonly labelSelector?: string; readonly seconds?: number },
    isDone: (events: readonly WatchEvent[]) => boolean,
  ): Promise<readonly WatchEvent[]> {
    const events: WatchEvent[] = [];
    const stop = new AbortController();
    const { from, labelSelector, seconds = 20 } = options;
    const { namespace, client } = this;
    const watch = { namespace, labelSelector, resourceVersion: from, timeoutSeconds: seconds };
    const see = (event: WatchEvent): void => {
      events.push(event);
      if (isDone(events)) stop.abort(new Error('seen enough'));
    };
    try {
      await client.watch(resource, { ...watch, readDeadlineMs: READ_DEADLINE_MS, signal: stop.signal }, see);
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    }
    return events;
  }
}

export function condition(type: string, status = 'True'): Patch {
  return { type, status, reason: 'Admitted', message: '', lastTransitionTime: '2030-01-01T00:00:00Z' };
}

export function versionOf({ metadata }: KubeObject): string {
  return metadata.resourceVersion ?? '';
}

export function uidOf({ metadata }: KubeObject): string {
  return metadata.uid ?? '';
}

/** What the server said against a call. @throws where it said nothing against it */
export async function refusal(call: Promise<unknown>): Promise<{ readonly status: number; readonly reason: string }> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { status: error.status, reason: error.reason };
  }
  throw new Error('was not refused');
}

/** `Added NAME` and the like; bookmarks are left out. */
export function seen(events: readonly WatchEvent[]): readonly string[] {
  return events.flatMap((event) => ('object' in event ? [`${event.type} ${event.object.metadata.name}`] : []));
}
