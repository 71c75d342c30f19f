/**
 * Row 13: each event of the life cycle goes missing once, and watches break in every way that is known. An event that the server
 * itself lost is made up for by the next full list; everything else by the watch that follows.
 */
import { beforeAll, describe, expect } from 'vitest';
import type { EventFault, RequestFault } from '../support/fake-api-server/faults.ts';
import { LIFE_CYCLE } from '../support/operator-world/life-cycle.ts';
import { disturbedStep, recordLifeCycle, stepWorld } from '../support/operator-world/life-cycle-run.ts';
import type { RecordedStep, StepResult } from '../support/operator-world/life-cycle-run.ts';
import type { OperatorWorld } from '../support/operator-world/operator-world.ts';
import { differences, stateOf } from '../support/operator-world/world-state.ts';
import { bySize } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

/** Virtual time from the fault to the state of the undisturbed course. */
const CONVERGED_MS = 60_000;
/** When the full list comes that makes up for what the server lost. */
const RELIST_MS = 20_000;
/** Half-open: until the read deadline has passed and a watch was begun anew. */
const FROZEN_MS = 100_000;
/** Row 17: longer than a Lease. */
const OUTAGE_MS = 60_000;
/** What is left of the old Lease when it is seen for the first time: all of it, and one try. */
const LED_AGAIN_MS = 18_000;
/** A frozen operator says that it is not ready. Source: reliability-security 7. */
const UNREADY_MS = 90_000;

/** Only in a long run every event is lost once, and a stream breaks at each. Each kind of break still meets every step of some length. */
const LOSS_STRIDE = bySize({ check: 6, nightly: 1 });
const BREAK_STRIDE = bySize({ check: 4, nightly: 1 });

/** What becomes of an event and its stream, but for its loss. */
const BREAKS: readonly EventFault[] = [
  { type: 'HalfLine' },
  { type: 'Break' },
  { type: 'Garbage' },
  { type: 'Gone' },
  { type: 'End' },
  { type: 'Delay', delayMs: 5000 },
];

/** What becomes of every watch for a while, and how long the way back may take. */
const WATCH_FAULTS: readonly { readonly fault: RequestFault; readonly forMs: number; readonly withinMs: number }[] = [
  { fault: { type: 'Refuse', status: 410, reason: 'Expired' }, forMs: 10_000, withinMs: CONVERGED_MS },
  { fault: { type: 'GoneInStream' }, forMs: 10_000, withinMs: CONVERGED_MS },
  { fault: { type: 'Hang' }, forMs: 10_000, withinMs: FROZEN_MS },
  { fault: { type: 'Drop' }, forMs: 10_000, withinMs: CONVERGED_MS },
];

function isWatch({ verb, user }: { readonly verb: string; readonly user: string }): boolean {
  return verb === 'watch' && user.startsWith('operator-');
}

/** Every watch ends and every list is taken anew. */
function relist({ server }: OperatorWorld): void {
  server.compact();
  server.breakConnections();
}

describe('an operator that misses events', () => {
  let recordedStep: (index: number) => RecordedStep;

  beforeAll(async () => {
    recordedStep = await recordLifeCycle();
  });

  async function dropEach(index: number): Promise<void> {
    const step = recordedStep(index);
    const faults: string[] = [];
    for (let event = 1; event <= step.events; event += 1) {
      if (event % LOSS_STRIDE === 0) faults.push(...(await lose(step, event)));
      const fault = BREAKS[(event / BREAK_STRIDE) % BREAKS.length];
      if (fault === undefined) continue;
      const disturb = (world: OperatorWorld): void => faultAt(world, event, fault);
      const broken = await disturbedStep(step, { withinMs: CONVERGED_MS, disturb });
      faults.push(...faultsOf(`${fault.type} at event ${event}`, broken));
    }
    expect(faults).toEqual([]);
  }

  async function lose(step: RecordedStep, event: number): Promise<readonly string[]> {
    const result = await disturbedStep(step, {
      withinMs: RELIST_MS + CONVERGED_MS,
      disturb: (world) => {
        faultAt(world, event, { type: 'Drop' });
        void world.clock.sleep(RELIST_MS).then(() => relist(world));
      },
    });
    return faultsOf(`event ${event} lost`, result);
  }

  function faultAt({ server }: OperatorWorld, event: number, fault: EventFault): void {
    let seen = 0;
    server.faults.onEvent(() => {
      seen += 1;
      return seen === event ? fault : undefined;
    });
  }

  async function breakWatches(index: number): Promise<void> {
    const faults: string[] = [];
    for (const { fault, forMs, withinMs } of WATCH_FAULTS) {
      const result = await disturbedStep(recordedStep(index), {
        withinMs,
        disturb: (world) => {
          world.server.breakConnections();
          const heal = world.server.faults.onRequest((request) => (isWatch(request) ? fault : undefined));
          void world.clock.sleep(forMs).then(heal);
        },
      });
      faults.push(...faultsOf(fault.type, result));
    }
    expect(faults).toEqual([]);
  }

  function faultsOf(where: string, result: StepResult): readonly string[] {
    return [
      ...(result.tookMs === undefined ? [`${where}: ${result.left.slice(0, 3).join(' | ')}`] : []),
      ...(result.claimsDeleted > 0 ? [`${where}: ${result.claimsDeleted} claims deleted`] : []),
      ...result.blindDeletes.map((blind) => `${where}: ${blind} without preconditions`),
    ];
  }

  for (const [index, { name }] of LIFE_CYCLE.entries()) {
    verifies('operator:missed-events', `${name}, each event lost`, () => dropEach(index));
    verifies('operator:missed-events', `${name}, watches broken`, () => breakWatches(index));
  }

  verifies('operator:server-away', 'leads again soon after an outage, with one list of each resource', async () => {
    const [first, second] = [recordedStep(0), recordedStep(1)];
    const world = await stepWorld(second.before);
    const { port } = world.server;
    await world.server.stop();
    await world.pass(OUTAGE_MS);
    const seen = world.server.audit.length;
    await world.server.start(port);
    // Its Lease ran out, so the process has ended; kubelet starts another one.
    const ended = await Promise.race([world.life?.ended, Promise.resolve('still there')]);
    expect(ended).toBe('LeaseLost');
    world.kill();
    world.startOperator();
    const ledMs = await world.until(() => world.led > 1, LED_AGAIN_MS);
    await world.rest();
    await world.close();
    const requests = world.server.audit.slice(seen).filter(({ user }) => user.startsWith('operator-'));
    const lists = requests
      .filter(({ verb }) => verb === 'list')
      .map(({ resource, namespace }) => `${resource} ${namespace}`);
    expect(ledMs).toBeDefined();
    expect(new Set(lists).size).toBe(lists.length);
    const changes = requests.filter(({ verb, isChange }) => verb === 'delete' || (isChange && verb === 'apply'));
    // A canary soon follows the operator's last change of its policies, before the outage.
    expect(changes.filter(({ resource, name }) => resource !== 'jobs' || name?.startsWith('canary-') !== true)).toEqual(
      [],
    );
    expect(differences(first.after, stateOf(world.server))).toEqual([]);
  });

  verifies('operator:missed-events', 'says that it is not ready when its watches are frozen', async () => {
    const world = await stepWorld(recordedStep(0).before);
    expect(world.life?.operator.unready()).toEqual([]);
    world.server.faults.onRequest((request) => (isWatch(request) ? { type: 'Hang' } : undefined));
    const tookMs = await world.until(() => (world.life?.operator.unready() ?? []).length > 0, UNREADY_MS);
    await world.close();
    expect(tookMs).toBeDefined();
  });
});
