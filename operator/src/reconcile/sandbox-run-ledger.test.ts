/** The promises of the ledger, on the whole controller, under every order of passes, lags and restarts that a seed can draw. */
import fc from 'fast-check';
import { afterEach, describe, expect } from 'vitest';
import { LABELS } from '@retainer/contract/api/names';
import {
  agentObject,
  isEnded,
  runObject,
  SandboxOperator,
  sandboxSettings,
  SandboxWorld,
  TEAM,
} from '../../../test/support/sandbox-world.ts';
import { bySize } from '../../../test/support/test-size.ts';
import { verifies } from '../../../test/verifies.ts';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import type { CanaryPort } from './sandbox-run-parts.ts';

const closed: CanaryPort = { state: () => ({ type: 'Enforced' }), ground: () => 'g' };
const MAX_CONCURRENT = 2;
const RUNS = 5;
const WATCHES = 6;

type Step =
  | { readonly type: 'Create' | 'Delete' | 'Pass'; readonly run: number }
  /** Two passes whose calls mix. */
  | { readonly type: 'PassBoth'; readonly run: number; readonly other: number }
  | { readonly type: 'PassAgent' | 'MakePods' | 'ReadyPods' | 'Restart' | 'ChangeAgent' }
  | { readonly type: 'EndPod'; readonly pod: number }
  | { readonly type: 'Show'; readonly watched: number; readonly count: number }
  | { readonly type: 'LosePass'; readonly run: number };

const run = fc.nat(RUNS - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom('Create', 'Delete'), run }) },
  { weight: 8, arbitrary: fc.record({ type: fc.constant('Pass'), run }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('PassBoth'), run, other: run }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('LosePass'), run }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom('PassAgent', 'MakePods', 'ReadyPods', 'MakePods', 'ReadyPods', 'Restart'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('ChangeAgent') }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('EndPod'), pod: fc.nat(5) }) },
  {
    weight: 10,
    arbitrary: fc.record({
      type: fc.constant('Show'),
      watched: fc.nat(WATCHES - 1),
      count: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constant(100)),
    }),
  },
) as fc.Arbitrary<Step>;

class LedgerWorld {
  readonly world: SandboxWorld;
  operator: SandboxOperator;
  #restarts = 0;
  #agentVersion = 0;
  /** By pod: the runs whose status ever named it by a claim, and after how many restarts. */
  readonly claims = new Map<string, Map<string, { readonly restarts: number; isDeleted: boolean }>>();
  readonly jobsOfRun = new Map<string, Set<string>>();
  readonly podsOfRun = new Map<string, Set<string>>();
  inUseMax = 0;
  #seen = 0;

  constructor(world: SandboxWorld) {
    this.world = world;
    this.operator = new SandboxOperator(world, sandboxSettings, closed);
    this.#putAgent();
  }

  #putAgent(): void {
    const scratch = `${64 + this.#agentVersion}Mi`;
    this.world.server.put(
      resources.agents,
      agentObject('ada', { scratch, pool: { size: 1, maxConcurrent: MAX_CONCURRENT } }),
    );
  }

  async take(one: Step): Promise<void> {
    const { world, operator } = this;
    switch (one.type) {
      case 'Create':
        if (world.run(`r${one.run}`) === undefined) world.server.put(resources.sandboxRuns, runObject(`r${one.run}`));
        break;
      case 'Delete':
        world.server.remove(resources.sandboxRuns, { namespace: TEAM, name: `r${one.run}` });
        break;
      case 'Pass':
        await operator.pass(`r${one.run}`).catch(() => undefined);
        break;
      case 'PassBoth':
        // One key is never in two passes at once: that is the queue's promise.
        await Promise.all(
          [...new Set([one.run, one.other])].map((index) => operator.pass(`r${index}`).catch(() => undefined)),
        );
        break;
      case 'LosePass': {
        const heal = world.server.faults.onRequest(({ verb }) =>
          verb === 'apply' ? { type: 'LoseReply' } : undefined,
        );
        await operator.pass(`r${one.run}`).catch(() => undefined);
        heal();
        break;
      }
      case 'PassAgent':
        await operator.passAgent().catch(() => undefined);
        break;
      case 'ChangeAgent':
        this.#agentVersion += 1;
        this.#putAgent();
        break;
      case 'Restart':
        this.#restarts += 1;
        this.operator = new SandboxOperator(world, sandboxSettings, closed);
        this.operator.showAll();
        break;
      default:
        this.#moveCluster(one);
    }
    this.#look();
  }

  #moveCluster(one: Step): void {
    const { world, operator } = this;
    if (one.type === 'MakePods') world.makePods();
    if (one.type === 'ReadyPods') world.readyPods();
    if (one.type === 'EndPod') {
      const pod = world.pods[one.pod];
      if (pod !== undefined && !isEnded(pod)) world.endPod(pod);
    }
    if (one.type === 'Show') operator.show(operator.watchIds[one.watched] ?? '', one.count);
  }

  #look(): void {
    const { history } = this.world.server.store;
    for (const { object, type } of history.slice(this.#seen)) {
      if (object.kind === 'SandboxRun') this.#lookAtRun(object, type === 'DELETED');
      const runUid = object.metadata.labels?.[LABELS.sandboxRunUid];
      if (object.kind === 'Job' && runUid !== undefined) add(this.jobsOfRun, runUid, object.metadata.uid ?? '');
    }
    this.#seen = history.length;
    this.inUseMax = Math.max(this.inUseMax, this.#inUse().size);
  }

  #lookAtRun(object: KubeObject, isDeleted: boolean): void {
    const uid = object.metadata.uid ?? '';
    const { podUid, claim } = (object['status'] ?? {}) as { readonly podUid?: string; readonly claim?: object };
    if (podUid !== undefined) add(this.podsOfRun, uid, podUid);
    if (podUid === undefined || claim === undefined) return;
    const claimants = this.claims.get(podUid) ?? new Map();
    this.claims.set(podUid, claimants);
    const known = claimants.get(uid);
    claimants.set(uid, { restarts: known?.restarts ?? this.#restarts, isDeleted });
  }

  /** Runs that have a pod that could run their code. */
  #inUse(): ReadonlySet<string> {
    const alive = this.world.pods.filter((pod) => !isEnded(pod));
    return new Set(
      alive.flatMap(({ metadata }) => {
        const own = metadata.labels?.[LABELS.sandboxRunUid];
        return own === undefined ? [...(this.claims.get(metadata.uid ?? '')?.keys() ?? [])] : [own];
      }),
    );
  }
}

function add(map: Map<string, Set<string>>, key: string, value: string): void {
  map.set(key, (map.get(key) ?? new Set()).add(value));
}

let world: SandboxWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

/** Begins where things get tight: a pool stands ready, there are more runs than places, and the caches know of them. */
const prelude: readonly Step[] = [
  { type: 'Show', watched: 1, count: 100 },
  { type: 'PassAgent' },
  { type: 'MakePods' },
  { type: 'ReadyPods' },
  ...Array.from({ length: RUNS }, (_, index): Step => ({ type: 'Create', run: index })),
  ...Array.from({ length: WATCHES }, (_, watched): Step => ({ type: 'Show', watched, count: 100 })),
];

async function follow(steps: readonly Step[]): Promise<LedgerWorld> {
  await world?.close();
  world = await SandboxWorld.open();
  const ledgerWorld = new LedgerWorld(world);
  for (const one of prelude) await ledgerWorld.take(one);
  for (const one of steps) await ledgerWorld.take(one);
  return ledgerWorld;
}

const sizes = { numRuns: bySize({ quick: 10, check: 25 }), endOnFailure: true } as const;
const withoutRestart = fc.array(
  step.filter(({ type }) => type !== 'Restart'),
  { minLength: 15, maxLength: 60 },
);
const withRestart = fc.array(step, { minLength: 15, maxLength: 60 });

describe('whatever comes in whatever order', () => {
  verifies(
    'operator-sandbox:one-sandbox-per-run',
    'no sandbox has two runs, no run two sandboxes',
    async () => {
      await fc.assert(
        fc.asyncProperty(withoutRestart, async (steps) => {
          const ledgerWorld = await follow(steps);
          for (const claimants of ledgerWorld.claims.values()) expect(claimants.size).toBe(1);
          for (const jobs of ledgerWorld.jobsOfRun.values()) expect(jobs.size).toBe(1);
          for (const pods of ledgerWorld.podsOfRun.values()) expect(pods.size).toBe(1);
        }),
        sizes,
      );
    },
    120_000,
  );

  verifies(
    'operator-sandbox:one-sandbox-per-run',
    'nor over restarts, as long as the first run is there',
    async () => {
      await fc.assert(
        fc.asyncProperty(withRestart, async (steps) => {
          const ledgerWorld = await follow(steps);
          for (const claimants of ledgerWorld.claims.values())
            expect([...claimants.values()].filter(({ isDeleted }) => !isDeleted).length).toBeLessThanOrEqual(1);
          for (const jobs of ledgerWorld.jobsOfRun.values()) expect(jobs.size).toBe(1);
          for (const pods of ledgerWorld.podsOfRun.values()) expect(pods.size).toBe(1);
        }),
        sizes,
      );
    },
    120_000,
  );

  verifies(
    'operator-sandbox:max-concurrent',
    'never more run than the Agent may have',
    async () => {
      await fc.assert(
        fc.asyncProperty(withoutRestart, async (steps) => {
          expect((await follow(steps)).inUseMax).toBeLessThanOrEqual(MAX_CONCURRENT);
        }),
        sizes,
      );
    },
    120_000,
  );

  verifies('operator-sandbox:max-concurrent', 'the first come get the places', async () => {
    const ledgerWorld = await follow([]);
    ledgerWorld.operator.showAll();
    for (const index of [4, 3, 2, 1, 0, 3, 2]) await ledgerWorld.take({ type: 'Pass', run: index });
    const held = ledgerWorld.operator.ledger.holders(`${TEAM}/ada`).map(({ run: { name } }) => name);
    expect(held.toSorted()).toEqual(['r0', 'r1']);
  });
});
