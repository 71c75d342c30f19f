/** Contenders for one Lease, each with its own wall clock and its own way to the server, in virtual time. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock } from '@retainer/contract/std/clock';
import { startFakeApiServer } from '../../../test/support/fake-api-server/fake-api-server.ts';
import { fakeKubeClient } from '../../../test/support/fake-api-server/fake-kube-client.ts';
import { manualClock, type ManualClock } from '../../../test/support/manual-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { ApiError, ConnectionError } from './api-error.ts';
import type { KubeClient } from './kube-client.ts';
import type { KubeObject } from './kube-object.ts';
import { Lease, leaseResource, type LeaseLoss, type LeaseOptions } from './lease.ts';

const key = { namespace: 'one', name: 'leader' };
const settled = (): Promise<void> => new Promise(setImmediate);

/** What the server keeps: one Lease, under versions. */
class Store {
  object: KubeObject | undefined;
  #version = 0;

  write(object: KubeObject, expected: string | undefined): KubeObject {
    const live = this.object?.metadata.resourceVersion;
    if (live !== expected) throw new ApiError({ status: 409, reason: 'Conflict', message: 'another version' });
    this.#version += 1;
    this.object = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    return this.object;
  }

  get spec(): Readonly<Record<string, unknown>> {
    return (this.object?.['spec'] ?? {}) as Readonly<Record<string, unknown>>;
  }
}

/** One process: its way to the server, its pauses, its wall clock. */
class Contender {
  readonly lease: Lease;
  readonly told: (number | LeaseLoss)[] = [];
  isCut = false;
  isPaused = false;
  /** On the way there, and once more on the way back. */
  latencyMs = 0;
  /** Answers that get lost after the write was done. */
  repliesLost = 0;
  /** It has proof that the other holder has ended. */
  isOtherGone = false;
  readonly #clock: ManualClock;
  readonly #store: Store;
  readonly #skewMs: number;
  readonly #stop = new AbortController();
  running: Promise<void> | undefined;

  constructor(world: { readonly clock: ManualClock; readonly store: Store }, identity: string, skewMs = 0) {
    this.#clock = world.clock;
    this.#store = world.store;
    this.#skewMs = skewMs;
    const options: LeaseOptions = {
      client: this.#client() as KubeClient,
      clock: this.#ownClock(),
      random: () => 1,
      key,
      identity,
      annotations: () => ({ place: identity }),
      isHolderGone: ({ metadata }) => Promise.resolve(this.isOtherGone && metadata.annotations?.['place'] !== identity),
      onAcquired: (epoch) => this.told.push(epoch),
      onLost: (loss) => this.told.push(loss),
    };
    this.lease = new Lease(options);
  }

  start(): void {
    this.running ??= this.lease.run(this.#stop.signal);
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Stands still with the process: nothing returns while it is paused. */
  async #awake(): Promise<void> {
    while (this.isPaused) await this.#clock.sleep(50);
  }

  #ownClock(): Clock {
    return {
      nowMs: () => this.#clock.nowMs() + this.#skewMs,
      monotonicMs: () => this.#clock.monotonicMs(),
      sleep: async (durationMs, signal) => {
        try {
          await this.#clock.sleep(durationMs, signal);
        } finally {
          await this.#awake();
        }
      },
    };
  }

  #client(): Pick<KubeClient, 'get' | 'create' | 'replace'> {
    const call = async (deed: () => KubeObject | undefined, signal: AbortSignal | undefined): Promise<KubeObject> => {
      await this.#awake();
      const { isCut } = this;
      // What is on its way arrives, whether or not somebody still waits for the answer.
      const arrival = this.#travel().then(() => {
        if (isCut) throw new ConnectionError('cut off');
        return deed() as KubeObject;
      });
      const back = arrival.then(async (object) => {
        await this.#travel();
        if (this.repliesLost > 0) {
          this.repliesLost -= 1;
          throw new ConnectionError('the reply was lost');
        }
        return object;
      });
      const object = await Promise.race([back, rejection(signal)]);
      await this.#awake();
      return object;
    };
    return {
      get: (_, __, options) => call(() => this.#store.object, options?.signal),
      create: (_, object, options) => call(() => this.#store.write(object, undefined), options?.signal),
      replace: (_, object, options) =>
        call(() => this.#store.write(object, object.metadata.resourceVersion), options?.signal),
    };
  }

  async #travel(): Promise<void> {
    if (this.latencyMs > 0) await this.#clock.sleep(this.latencyMs);
  }
}

function rejection(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new ConnectionError('stopped')), { once: true });
  });
}

function world(
  count: number,
  skewsMs: readonly number[] = [],
): {
  readonly clock: ManualClock;
  readonly store: Store;
  readonly contenders: readonly Contender[];
  readonly until: (isSo: () => boolean, limitMs?: number) => Promise<number>;
} {
  const shared = { clock: manualClock(), store: new Store() };
  const contenders = Array.from({ length: count }, (_, index) => new Contender(shared, `c${index}`, skewsMs[index]));
  const until = async (isSo: () => boolean, limitMs = 60_000): Promise<number> => {
    const startedMs = shared.clock.monotonicMs();
    await settled();
    while (!isSo()) {
      expect(contenders.filter(({ lease }) => lease.isHeld).length).toBeLessThanOrEqual(1);
      if (shared.clock.monotonicMs() - startedMs >= limitMs) throw new Error(`not so after ${limitMs} ms`);
      shared.clock.advance(50);
      await settled();
    }
    return shared.clock.monotonicMs() - startedMs;
  };
  return { ...shared, contenders, until };
}

/** Two contenders of which the first holds it, some time into its tenure. */
async function held(
  phaseMs: number,
): Promise<ReturnType<typeof world> & { readonly first: Contender; readonly second: Contender }> {
  const made = world(2);
  const [first, second] = made.contenders as [Contender, Contender];
  first.start();
  await made.until(() => first.lease.isHeld);
  second.start();
  const endMs = made.clock.monotonicMs() + phaseMs;
  await made.until(() => made.clock.monotonicMs() >= endMs);
  return { ...made, first, second };
}

const phases = [5_000, 5_450, 6_300, 7_150];

describe('a Lease', () => {
  for (const phaseMs of phases) {
    verifies('kube:lease-fail-over', `passes from a crashed holder within 18 s (phase ${phaseMs})`, async () => {
      const { first, second, until } = await held(phaseMs);
      first.isPaused = true;
      const tookMs = await until(() => second.lease.isHeld);
      expect(tookMs).toBeGreaterThan(10_000);
      expect(tookMs).toBeLessThanOrEqual(18_000);
      expect([first.told, second.told]).toEqual([[1], [2]]);
    });

    verifies('kube:lease-fail-over', `passes from one that stops within 3 s (phase ${phaseMs})`, async () => {
      const { first, second, store, until } = await held(phaseMs);
      first.stop();
      await first.running;
      expect(store.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 1 });
      expect(await until(() => second.lease.isHeld)).toBeLessThanOrEqual(3_000);
      expect([first.told, second.told]).toEqual([[1], [2]]);
    });
  }

  verifies('kube:lease-fail-over', 'passes at once from a holder that has certainly ended', async () => {
    const { first, second, store, until } = await held(5_000);
    first.isPaused = true;
    second.isOtherGone = true;
    expect(await until(() => second.lease.isHeld)).toBeLessThanOrEqual(3_000);
    expect(store.object?.metadata.annotations).toEqual({ place: 'c1' });
    expect([first.told, second.told]).toEqual([[1], [2]]);
  });

  verifies('kube:lease-fail-over', 'is not held 10 s after the last renewal, and its owner is told', async () => {
    const { first, until } = await held(5_000);
    first.isCut = true;
    expect(await until(() => !first.lease.isHeld)).toBeLessThanOrEqual(10_000);
    await settled();
    expect(first.told).toEqual([1, { type: 'Expired' }]);
    expect(first.lease.isOverdue).toBe(false);
  });

  verifies(
    'kube:lease-one-holder',
    'is not held by a process that wakes up too late, before any timer ran',
    async () => {
      const { first, second, until } = await held(5_000);
      first.isPaused = true;
      await until(() => second.lease.isHeld);
      expect([first.lease.isHeld, first.lease.isOverdue]).toEqual([false, true]);
      first.isPaused = false;
      await until(() => first.told.length === 3);
      expect(first.told).toEqual([1, { type: 'Expired' }, { type: 'TakenOver', holder: 'c1' }]);
    },
  );

  verifies('kube:lease-epoch', 'keeps its epoch after an outage that nobody else outlived', async () => {
    const { first, second, until } = await held(5_000);
    first.isCut = true;
    second.isCut = true;
    await until(() => first.told.length === 2);
    first.isCut = false;
    await until(() => first.lease.isHeld);
    expect(first.told).toEqual([1, { type: 'Expired' }, 1]);
  });

  verifies(
    'kube:lease-epoch',
    'begins a new epoch with each process, though it has the name of the last one',
    async () => {
      const made = world(0);
      for (const epoch of [1, 2, 3]) {
        const contender = new Contender(made, 'same');
        contender.start();
        await made.until(() => contender.lease.isHeld);
        expect(contender.lease.epoch).toBe(epoch);
        contender.isPaused = true;
      }
    },
  );

  verifies('kube:lease-epoch', 'does not fall back where somebody deletes the Lease', async () => {
    const { first, second, store, until } = await held(5_000);
    store.object = undefined;
    await until(() => store.object !== undefined);
    expect(store.spec).toMatchObject({ holderIdentity: 'c0', leaseTransitions: 1 });
    await until(() => second.told.length > 0 || first.lease.isHeld);
    first.isPaused = true;
    store.object = undefined;
    expect(await until(() => second.lease.isHeld)).toBeGreaterThan(10_000);
    expect([first.told, second.told]).toEqual([[1], [2]]);
  });

  verifies('kube:lease-epoch', 'is lost to one that took it by force', async () => {
    const { first, second, store, until } = await held(5_000);
    second.stop();
    const live = store.object as KubeObject;
    const spec = { ...store.spec, holderIdentity: 'a person', leaseTransitions: 7 };
    store.write({ ...live, spec }, live.metadata.resourceVersion);
    await until(() => first.told.length === 2);
    expect(first.told).toEqual([1, { type: 'TakenOver', holder: 'a person' }]);
    await until(() => first.told.length === 3);
    expect(first.told[2]).toBe(8);
  });

  verifies('kube:lease-one-holder', 'survives a lost reply', async () => {
    const { first, until } = await held(5_000);
    first.repliesLost = 2;
    await until(() => first.repliesLost === 0);
    await until(() => first.lease.isHeld);
    expect(first.told).toEqual([1]);
  });

  it('is not created by one who may not', async () => {
    const clock = manualClock();
    const errors: Error[] = [];
    const client = { get: async () => undefined } as Partial<KubeClient> as KubeClient;
    const nobody = { onAcquired: () => undefined, onLost: () => undefined };
    const lease = new Lease({
      ...{ client, clock, random: () => 0, key, identity: 'a', createsMissing: false },
      ...nobody,
      onError: (error) => errors.push(error),
    });
    const stop = new AbortController();
    const running = lease.run(stop.signal);
    await clock.untilSleeping(2_000);
    expect(errors.map(({ message }) => message)).toEqual(['Lease one/leader does not exist: create it again']);
    stop.abort();
    await running;
  });

  const blows = {
    Cut: { isCut: true },
    Heal: { isCut: false },
    Pause: { isPaused: true },
    Resume: { isPaused: false },
    Slow: { latencyMs: 3_100 },
    Fast: { latencyMs: 0 },
    LoseReply: { repliesLost: 1 },
  } as const satisfies Readonly<Record<string, Partial<Contender>>>;
  const blow = fc.record({
    afterMs: fc.integer({ min: 0, max: 20_000 }),
    who: fc.nat(2),
    what: fc.constantFrom(...(Object.keys(blows) as (keyof typeof blows)[])),
  });
  verifies('kube:lease-one-holder', 'has at most one holder, and one in the end, whatever happens', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(blow, { maxLength: 12 }),
        fc.tuple(fc.integer(), fc.integer(), fc.integer()),
        async (struck, skewsMs) => {
          const { contenders, clock, until } = world(
            3,
            skewsMs.map((skew) => skew % 86_400_000),
          );
          for (const contender of contenders) contender.start();
          for (const { afterMs, who, what } of struck) {
            const endMs = clock.monotonicMs() + afterMs;
            await until(() => clock.monotonicMs() >= endMs);
            Object.assign(contenders[who] ?? {}, blows[what]);
          }
          for (const contender of contenders)
            Object.assign(contender, { isCut: false, isPaused: false, latencyMs: 0, repliesLost: 0 });
          await until(() => contenders.some(({ lease }) => lease.isHeld));
          const epochs = contenders.map(({ told }) => told.filter((one) => typeof one === 'number'));
          // No two processes ever had the same epoch.
          expect(new Set(epochs.flatMap((own) => [...new Set(own)])).size).toBe(
            epochs.flatMap((own) => [...new Set(own)]).length,
          );
          for (const own of epochs) expect(own).toEqual(own.toSorted((a, b) => a - b));
          for (const contender of contenders) contender.stop();
        },
      ),
      { numRuns: 40 },
    ),
  );
});

describe('a Lease on an API server', () => {
  verifies('kube:lease-epoch', 'is taken, renewed and given back as the server stores it', async () => {
    const server = await startFakeApiServer();
    const client = fakeKubeClient(server);
    const clock = manualClock();
    // As an operator makes it for an agent: without a spec.
    server.put(leaseResource, { metadata: key, spec: {} });
    const told: (number | LeaseLoss)[] = [];
    const lease = new Lease({
      ...{ client, clock, random: () => 0, key, identity: 'pod_uid', createsMissing: false },
      onAcquired: (epoch) => told.push(epoch),
      onLost: (loss) => told.push(loss),
    });
    const stop = new AbortController();
    const running = lease.run(stop.signal);
    await clock.untilSleeping(2_000);
    expect(server.get(leaseResource, key)?.['spec']).toEqual({
      holderIdentity: 'pod_uid',
      leaseDurationSeconds: 15,
      leaseTransitions: 1,
      acquireTime: '2030-01-01T00:00:00.000000Z',
      renewTime: '2030-01-01T00:00:00.000000Z',
    });
    clock.advance(2_000);
    await clock.untilSleeping(2_000);
    expect(server.get(leaseResource, key)?.['spec']).toMatchObject({ renewTime: '2030-01-01T00:00:02.000000Z' });
    // A renewal is one write, and no read.
    expect(server.audit.map(({ verb }) => verb)).toEqual(['get', 'update', 'update']);
    stop.abort();
    await running;
    expect(server.get(leaseResource, key)?.['spec']).toMatchObject({ holderIdentity: '', leaseTransitions: 1 });
    expect(told).toEqual([1]);
    client.close();
    await server.stop();
  });
});
