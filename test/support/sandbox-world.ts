/**
 * The controllers of sandboxes on the API server of the tests, with caches that are shown changes one by one: every lag and every
 * interleaving can be had. The rest of the cluster moves when a test says so.
 */
import { generateKeyPairSync } from 'node:crypto';
import { Registry } from 'prom-client';
import type { AgentSandbox } from '@retainer/contract/api/agent-sandbox';
import { LABELS } from '@retainer/contract/api/names';
import type { SandboxRun } from '@retainer/contract/api/sandbox-run';
import { KubeApplier } from '../../operator/src/apply/kube-applier.ts';
import { signingKeyOf } from '../../operator/src/apply/load-signing-key.ts';
import type { HttpsClient } from '@retainer/kube/https-client';
import { keyOf, type KubeObject } from '@retainer/kube/kube-object';
import type { Cache } from '@retainer/kube/cache';
import { ObjectCache } from '@retainer/kube/object-cache';
import type { Resource } from '@retainer/kube/resource';
import { canaryController } from '../../operator/src/reconcile/canary-controller.ts';
import { canaryPort } from '../../operator/src/reconcile/canary-port.ts';
import type { Controller } from '../../operator/src/reconcile/controller.ts';
import type { Outcome } from '../../operator/src/reconcile/outcome.ts';
import { sandboxAgentController } from '../../operator/src/reconcile/sandbox-agent-controller.ts';
import { sandboxRunController } from '../../operator/src/reconcile/sandbox-run-controller.ts';
import { SandboxRunLedger } from '../../operator/src/reconcile/sandbox-run-ledger.ts';
import { sandboxMetrics } from '../../operator/src/reconcile/sandbox-run-metrics.ts';
import { TendedBoard, tendedController } from '../../operator/src/reconcile/tended-controller.ts';
import type { CanaryPort } from '../../operator/src/reconcile/sandbox-run-parts.ts';
import { resources } from '@retainer/kube/resources';
import type { Settings } from '@retainer/operator/settings/settings';
import type { Caches } from '../../operator/src/watch/caches.ts';
import { keptOf } from '../../operator/src/watch/kept.ts';
import { watchId, watchPlan, type PlannedWatch } from '../../operator/src/watch/watch-plan.ts';
import { startFakeApiServer, type FakeApiServer } from './fake-api-server/fake-api-server.ts';
import { fakeKubeClient } from './fake-api-server/fake-kube-client.ts';
import { manualClock, type ManualClock } from './manual-clock.ts';
import { settings } from './operator-world/operator-world.ts';
import { heldNamespace } from './operator-world/world-objects.ts';

export const TEAM = 'team';
export const SANDBOXES = settings.sandboxNamespace;
/** 32 bytes in base64. */
export const PUBLIC_KEY = `${'A'.repeat(43)}=`;

export const sandboxSettings: Settings = {
  ...settings,
  images: { ...settings.images, agent: 'retainer/agent:1', sandbox: 'retainer/sandbox:1' },
};

export function agentObject(name: string, sandbox: Partial<AgentSandbox> = {}, suspend = false): KubeObject {
  return {
    metadata: { name, namespace: TEAM },
    spec: { characterRef: { name: 'calm' }, models: { provider: 'Scripted', script: 'script.yaml' }, sandbox, suspend },
  };
}

export function runObject(name: string, spec: Partial<SandboxRun['spec']> = {}, agent = 'ada'): KubeObject {
  return {
    metadata: { name, namespace: TEAM },
    spec: { agentRef: { name: agent }, command: ['true'], runnerPublicKey: PUBLIC_KEY, ...spec },
  };
}

/** One process of the operator. */
export class SandboxOperator {
  readonly told: { readonly regarding: string; readonly reason: string; readonly note: string }[] = [];
  readonly registry = new Registry();
  readonly controllers: {
    readonly run: Controller;
    readonly agent: Controller;
    readonly canary: Controller;
    readonly tended: Controller;
  };
  readonly ledger = new SandboxRunLedger();
  readonly signingKey = signingKeyOf(generateKeyPairSync('ed25519').privateKey);
  readonly reached: string[] = [];
  readonly #world: SandboxWorld;
  readonly #watches: readonly PlannedWatch[];
  readonly #caches = new Map<string, { readonly cache: ObjectCache; revision: number }>();

  constructor(world: SandboxWorld, settings: Settings, canary?: CanaryPort) {
    this.#world = world;
    const { client, clock } = world;
    const caches: Caches = {
      of: <T extends KubeObject>(resource: Resource) => this.#cache(watchId({ resource })) as unknown as Cache<T>,
      inSandboxes: <T extends KubeObject>(resource: Resource) =>
        this.#cache(watchId({ resource, isSandbox: true })) as unknown as Cache<T>,
    };
    const parts = {
      settings,
      caches,
      client,
      clock,
      applier: new KubeApplier({
        client,
        clock,
        record: ({ kind, metadata: { name } }, { reason, note }) =>
          this.told.push({ regarding: `${kind} ${name}`, reason, note }),
      }),
      signingKey: this.signingKey,
      canary: canary ?? canaryPort({ caches, settings, signingKey: this.signingKey }),
      ledger: this.ledger,
      metrics: sandboxMetrics(this.registry),
      lookup: async () => '10.96.0.9',
      podIp: '10.0.0.5',
      dnsServers: ['10.96.0.10'],
      reach: async (endpoint: string) => this.reached.push(endpoint) > 0,
    };
    const tended = new TendedBoard();
    this.controllers = {
      run: sandboxRunController(parts),
      agent: sandboxAgentController({ ...parts, tended }),
      canary: canaryController(parts),
      tended: tendedController({ ...parts, board: tended }),
    };
    this.#watches = watchPlan(Object.values(this.controllers).flatMap(({ watches }) => watches));
    for (const { id, indexes } of this.#watches) this.#caches.set(id, { cache: new ObjectCache(indexes), revision: 0 });
  }

  /** Reasons of its Events. */
  get events(): readonly string[] {
    return this.told.map(({ reason }) => reason);
  }

  get watchIds(): readonly string[] {
    return this.#watches.map(({ id }) => id);
  }

  /** What the API server has, for an operator of another version. */
  asRead: (object: KubeObject) => KubeObject = (object) => object;

  /** Shows the next changes of one watched resource; all of them where no count is given. */
  show(id: string, count = Number.POSITIVE_INFINITY): void {
    const watched = this.#watches.find((one) => one.id === id);
    const place = this.#caches.get(id);
    if (watched === undefined || place === undefined) return;
    const { revision } = place;
    const kept = keptOf(watched.resource);
    const next = this.#world.server.store.history
      .filter(({ object }) => object.kind === watched.resource.kind)
      .map((change) => ({ ...change, object: kept(change.object) }))
      .filter((change) => change.revision > revision && isWatched(watched, change.object));
    for (const change of next.slice(0, count)) {
      place.revision = change.revision;
      if (change.type === 'DELETED') place.cache.remove(keyOf(change.object));
      else place.cache.put(this.asRead(change.object));
    }
  }

  showAll(): void {
    for (const id of this.watchIds) this.show(id);
  }

  pass(name: string): Promise<Outcome> {
    return this.controllers.run.reconcile({ namespace: TEAM, name }, signal);
  }

  passAgent(name = 'ada'): Promise<Outcome> {
    return this.controllers.agent.reconcile({ namespace: TEAM, name }, signal);
  }

  passTended(): Promise<Outcome> {
    const { tended } = this.controllers;
    const [key = { namespace: '', name: '' }] = tended.fixedKeys ?? [];
    return tended.reconcile(key, signal);
  }

  passCanary(): Promise<Outcome> {
    return this.controllers.canary.reconcile({ namespace: SANDBOXES, name: 'retainer-canary' }, signal);
  }

  #cache(id: string): ObjectCache {
    const place = this.#caches.get(id);
    if (place === undefined) throw new Error(`nobody watches ${id}`);
    return place.cache;
  }
}

const signal = new AbortController().signal;

function isWatched({ isSandbox, labelSelector }: PlannedWatch, { metadata }: KubeObject): boolean {
  const [key = '', value] = labelSelector?.split('=') ?? [];
  const isSelected = labelSelector === undefined || metadata.labels?.[key] === value;
  return isSelected && isSandbox === (metadata.namespace === SANDBOXES);
}

export class SandboxWorld {
  readonly clock: ManualClock = manualClock();
  readonly server: FakeApiServer;
  readonly client: HttpsClient;
  #pods = 0;

  private constructor(server: FakeApiServer, clock: ManualClock) {
    this.server = server;
    this.clock = clock;
    this.client = fakeKubeClient(server, { user: 'operator', clock });
  }

  static async open(): Promise<SandboxWorld> {
    const clock = manualClock();
    const server = await startFakeApiServer({ clock });
    server.put(resources.namespaces, heldNamespace(SANDBOXES));
    return new SandboxWorld(server, clock);
  }

  async close(): Promise<void> {
    this.client.close();
    await this.server.stop();
  }

  run(name: string): SandboxRun | undefined {
    return this.server.get(resources.sandboxRuns, { namespace: TEAM, name }) as SandboxRun | undefined;
  }

  reason(name: string): string | undefined {
    return this.run(name)?.status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
  }

  get jobs(): readonly KubeObject[] {
    return this.server.list(resources.jobs, SANDBOXES);
  }

  get pods(): readonly KubeObject[] {
    return this.server.list(resources.pods, SANDBOXES);
  }

  /** The Job controller: a pod for each place that is free. */
  makePods(): void {
    for (const job of this.jobs) {
      const { parallelism } = job['spec'] as { readonly parallelism: number };
      const own = this.pods.filter((pod) => isPodOf(pod, job));
      const isOver = own.some(isEnded) && job.metadata.labels?.[LABELS.sandboxPool] === undefined;
      const missing = isOver ? 0 : parallelism - own.filter((pod) => !isEnded(pod)).length;
      for (let count = 0; count < missing; count += 1) this.#makePod(job);
    }
    // What the collector does with pods whose Job is gone.
    for (const pod of this.pods) {
      if (!this.jobs.some((job) => isPodOf(pod, job))) this.server.remove(resources.pods, keyOf(pod));
    }
  }

  #makePod(job: KubeObject): void {
    this.#pods += 1;
    const { template } = job['spec'] as { readonly template: { readonly metadata: object; readonly spec: object } };
    this.server.put(resources.pods, {
      metadata: {
        ...template.metadata,
        name: `${job.metadata.name}-${this.#pods}`,
        namespace: SANDBOXES,
        ownerReferences: [
          {
            apiVersion: 'batch/v1',
            kind: 'Job',
            name: job.metadata.name,
            uid: job.metadata.uid ?? '',
            controller: true,
          },
        ],
      },
      spec: template.spec,
      status: { phase: 'Pending' },
    });
  }

  /** All pods that wait are ready. */
  readyPods(): void {
    for (const pod of this.pods.filter(({ status }) => (status as { phase: string }).phase === 'Pending'))
      this.setPod(pod, {
        phase: 'Running',
        podIP: '10.0.1.7',
        conditions: [{ type: 'Ready', status: 'True' }],
      });
  }

  setPod(pod: KubeObject, status: object): void {
    const live = this.server.get(resources.pods, keyOf(pod));
    if (live !== undefined) this.server.putStatus(resources.pods, { ...live, status });
  }

  /** The runner ends, with this message. */
  endPod(
    pod: KubeObject,
    message: object | string = { end: 'Exited', exitCode: 0, truncated: false, durationMs: 1500 },
    reason = 'Completed',
  ): void {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    this.setPod(pod, {
      phase: reason === 'Completed' ? 'Succeeded' : 'Failed',
      podIP: '10.0.1.7',
      containerStatuses: [{ state: { terminated: { reason, message: text, finishedAt: '2030-01-01T00:00:09Z' } } }],
    });
  }

  /** All runners end so. */
  endPods(message: object): void {
    for (const pod of this.pods) this.endPod(pod, message);
  }

  /** Writes of all that Retainer writes, but canaries and events. */
  get writes(): readonly string[] {
    return this.server.audit
      .filter(({ verb, isChange }) => isChange && !['get', 'list', 'watch'].includes(verb))
      .map(({ verb, resource, subresource }) =>
        [verb, resource, subresource].filter((part) => part !== undefined).join(' '),
      );
  }
}

export function isEnded({ status }: KubeObject): boolean {
  const { phase } = (status ?? {}) as { readonly phase?: string };
  return phase === 'Succeeded' || phase === 'Failed';
}

export function isPodOf({ metadata }: KubeObject, job: KubeObject): boolean {
  return metadata.ownerReferences?.[0]?.uid === job.metadata.uid;
}
