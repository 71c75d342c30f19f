/**
 * The operator, whole, on the API server of the tests, in time that stands still until nothing moves any more.
 *
 * One turn: everything that is under way comes to rest, then the rest of the cluster makes a step, and only when that has nothing
 * to do either, the clock goes to whatever comes next. So one course of events is like another, and ten minutes pass in a moment.
 */
import type { LogLine } from '../../../contract/src/std/log.ts';
import type { HttpsClient } from '@retainer/kube/https-client';
import type { KubeObject, ObjectKey } from '@retainer/kube/kube-object';
import { Metrics } from '@retainer/kube/metrics';
import type { Resource } from '@retainer/kube/resource';
import { Operator } from '../../../operator/src/run-operator.ts';
import { resources } from '@retainer/kube/resources';
import { sandboxNamespaces, type Settings } from '@retainer/operator/settings/settings';
import { FakeApiServer, type AuditEntry, type FakeApiServerOptions } from '../fake-api-server/fake-api-server.ts';
import type { SavedObjects } from '../fake-api-server/object-server.ts';
import { fakeKubeClient } from '../fake-api-server/fake-kube-client.ts';
import { manualClock, type ManualClock } from '../manual-clock.ts';
import { Seeded } from '../seeded.ts';
import { tickCluster } from './simulated-cluster.ts';
import { heldNamespace, OPERATOR_NAMESPACE, SANDBOX_NAMESPACE, signingKeySecret } from './world-objects.ts';

/** Turns of the event loop without any activity after which nothing is under way: a call over loopback takes four or five. */
const QUIET_TURNS = 25;
/** The clock goes no further at once, where nothing else is said. */
const STEP_MS_MAX = 1000;
/** Steps of the cluster without the clock; more means that it never comes to rest. */
const TICKS_MAX = 500;

/** A Lease of 15 s, and what comes after it. */
const LEADING_MS_MAX = 40_000;

export const SECRETS: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', isNamespaced: true };

export const settings: Settings = {
  namespace: OPERATOR_NAMESPACE,
  watchNamespaces: undefined,
  sandboxNamespace: SANDBOX_NAMESPACE,
  sandboxRootNamespace: undefined,
  images: {
    agent: 'example.org/agent:1',
    sandbox: 'example.org/sandbox:1',
    pullPolicy: 'IfNotPresent',
    pullSecrets: [],
  },
  network: {
    apiServerCidrs: [],
    apiServerPorts: [443, 6443],
    dns: { namespace: 'kube-system', podLabels: { 'k8s-app': 'kube-dns' } },
    metricsNamespace: undefined,
    egressProxy: 'retainer-egress-proxy.retainer-system.svc:3128',
  },
  sandboxRuntimeClassName: undefined,
  sandboxRuntimeClassesAllowed: [],
  rollingAgentsMax: 1,
  version: '0.1.0',
  hasUserNamespaces: false,
};

/** One life of an operator's process. */
export interface OperatorLife {
  readonly user: string;
  readonly operator: Operator;
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
}

export interface OperatorWorldOptions extends Omit<FakeApiServerOptions, 'clock'> {
  /** In the place of those of {@link settings}. */
  readonly settings?: Partial<Settings>;
}

export interface SavedWorld {
  readonly objects: SavedObjects;
  readonly nowMs: number;
}

export class OperatorWorld {
  readonly clock: ManualClock;
  readonly server: FakeApiServer;
  readonly log: LogLine[] = [];
  #settings: Settings;
  readonly #dead = new Set<string>();
  readonly #clients: HttpsClient[] = [];
  #lives: readonly OperatorLife[] = [];

  /** @param saved  where another world was; absent: at the beginning */
  constructor({ settings: changed, ...options }: OperatorWorldOptions = {}, saved?: SavedWorld) {
    this.#settings = { ...settings, ...changed };
    this.clock = saved === undefined ? manualClock() : manualClock(saved.nowMs);
    this.server = new FakeApiServer({ ...options, clock: this.clock });
    if (saved === undefined) {
      this.server.put(SECRETS, signingKeySecret());
      for (const name of sandboxNamespaces(this.#settings)) this.server.put(resources.namespaces, heldNamespace(name));
    } else this.server.load(saved.objects);
    this.mournTheDead();
  }

  async open(): Promise<void> {
    await this.server.start();
  }

  async close(): Promise<void> {
    for (const life of this.#lives) this.kill(life);
    for (const client of this.#clients) client.close();
    await this.server.stop();
  }

  /** What the dead sent arrives nowhere. Again after `faults.clear()`. */
  mournTheDead(): void {
    this.server.faults.onRequest(({ user }) => (this.#dead.has(user) ? { type: 'Drop' } : undefined));
  }

  /** The process that runs; undefined before the first and after a kill. */
  get life(): OperatorLife | undefined {
    return this.#lives.findLast(({ user }) => !this.#dead.has(user));
  }

  /** Requests of every operator there was. */
  get requests(): readonly AuditEntry[] {
    return this.server.audit.filter(({ user }) => user.startsWith('operator-'));
  }

  /** Where it is, the operator's Lease left out: whoever goes on from here leads at once. */
  save(): SavedWorld {
    const { rows, ...rest } = this.server.save();
    const lasting = rows.filter(
      ({ object }) => object.kind !== 'Lease' || object.metadata.namespace !== OPERATOR_NAMESPACE,
    );
    return { objects: { rows: lasting, ...rest }, nowMs: this.clock.nowMs() };
  }

  /** Until a new operator leads, knows everything and has nothing to do. */
  async untilLeading(): Promise<void> {
    const ledBefore = this.led;
    if ((await this.until(() => this.led > ledBefore, LEADING_MS_MAX)) === undefined)
      throw new Error('the operator does not come to lead');
    await this.rest();
  }

  /** How many processes came to lead, so far. */
  get led(): number {
    return this.log.filter(({ message }) => message === 'all caches are complete').length;
  }

  /** Another release of the installation: the operator is replaced by one with these settings. */
  async install(changed: Partial<Settings>): Promise<void> {
    this.kill();
    this.#settings = { ...this.#settings, ...changed };
    this.startOperator();
    await this.untilLeading();
  }

  /** Starts another process of the operator. */
  startOperator(seed = this.#lives.length + 1): OperatorLife {
    const user = `operator-${this.#lives.length + 1}`;
    const random = new Seeded(seed);
    const client = fakeKubeClient(this.server, { user, clock: this.clock });
    this.#clients.push(client);
    const operator = new Operator({
      client,
      clock: this.clock,
      random: () => random.below(1_000_000) / 1_000_000,
      settings: this.#settings,
      identity: `${user}_pod`,
      podName: user,
      podIp: '127.0.0.1',
      dnsServers: [],
      lookup: () => Promise.resolve('127.77.1.1'),
      leaseTiming: { leaseMs: 15_000, renewDeadlineMs: 10_000, renewEveryMs: 2000, retryMs: 2000 },
      metrics: new Metrics(),
      log: (line) => void this.log.push(line),
    });
    const stop = new AbortController();
    const ended = operator.run(stop.signal).catch((error: unknown) => error);
    const life = { user, operator, stop, ended };
    this.#lives = [...this.#lives, life];
    return life;
  }

  /** From now on nothing of it has an effect, in whatever it was. */
  kill(life: OperatorLife | undefined = this.life): void {
    if (life === undefined || this.#dead.has(life.user)) return;
    this.#dead.add(life.user);
    life.stop.abort();
    this.server.breakConnections(life.user);
  }

  /** Resolves when nothing is under way. */
  async settle(): Promise<void> {
    let seen = -1;
    for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      const { activity, inFlight } = this.server;
      if (activity !== seen || inFlight > 0) quiet = 0;
      seen = activity;
    }
  }

  /** Until nobody has anything to do at this moment. */
  async rest(): Promise<void> {
    await this.settle();
    for (let ticks = 0; tickCluster(this.server, this.clock); ticks += 1) {
      if (ticks > TICKS_MAX) throw new Error('the cluster never comes to rest');
      await this.settle();
    }
  }

  /** Lets time pass until `isDone`, looked at whenever everything rests. @returns how long it took; undefined where it never was */
  async until(isDone: () => boolean, withinMs: number, stepMs = STEP_MS_MAX): Promise<number | undefined> {
    const startMs = this.clock.monotonicMs();
    for (;;) {
      await this.rest();
      const passedMs = this.clock.monotonicMs() - startMs;
      if (isDone()) return passedMs;
      if (passedMs >= withinMs) return undefined;
      this.clock.advance(Math.max(1, Math.min(stepMs, this.clock.nextInMs() ?? stepMs, withinMs - passedMs)));
    }
  }

  /** @param stepMs  how far the clock goes at once, where nobody waits for less */
  async pass(durationMs: number, stepMs = STEP_MS_MAX): Promise<void> {
    await this.until(() => false, durationMs, stepMs);
  }

  put(resource: Resource, object: KubeObject): void {
    this.server.put(resource, object);
  }

  remove(resource: Resource, key: ObjectKey): void {
    this.server.remove(resource, key, { propagationPolicy: 'Background' });
  }
}
