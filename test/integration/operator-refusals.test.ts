/**
 * Row 15: every distinct write is refused twice, or carried out with its answer lost; then ten minutes of nothing. The state must
 * become that of the undisturbed course, and an operator with nothing to do writes nothing but its Lease.
 */
import { beforeAll, describe, expect } from 'vitest';
import { TEXT_HOLD_MS } from '../../operator/src/status/agent/change-hold.ts';
import { WRITE_VERBS } from '../support/fake-api-server/api-request.ts';
import type { AuditEntry } from '../support/fake-api-server/fake-api-server.ts';
import { refuseEachWrite } from '../support/fake-api-server/fault-rules.ts';
import type { RequestFault } from '../support/fake-api-server/faults.ts';
import { LIFE_CYCLE } from '../support/operator-world/life-cycle.ts';
import { disturbedStep, recordLifeCycle, stepWorld } from '../support/operator-world/life-cycle-run.ts';
import type { RecordedStep } from '../support/operator-world/life-cycle-run.ts';
import type { OperatorWorld } from '../support/operator-world/operator-world.ts';
import { verifies } from '../verifies.ts';

const conflict: RequestFault = { type: 'Refuse', status: 409, reason: 'Conflict' };
const failure: RequestFault = { type: 'Refuse', status: 500, reason: 'InternalError' };
const tooMany: RequestFault = { type: 'Refuse', status: 429, reason: 'TooManyRequests', retryAfterSeconds: 1 };
const lost: RequestFault = { type: 'LoseReply' };

const REFUSALS = [
  [conflict, conflict],
  [failure, failure],
  [tooMany, tooMany],
  [lost, lost],
  [conflict, failure],
] as const;
/** Two refusals of some ten writes in a row, with back-off. */
const CONVERGED_MS = 120_000;
const IDLE_MS = 600_000;
/** Until nothing of a status is held any more but counts. */
const HELD_MS = TEXT_HOLD_MS + 1000;
const STATUS_WRITES_MAX = 3;
/** Over which the rate of tries is taken. */
const RATE_MS = 60_000;

type Counts = ReadonlyMap<string, number>;

function isWrite({ verb, resource }: AuditEntry): boolean {
  return WRITE_VERBS.has(verb) && resource !== 'leases' && resource !== 'events';
}

describe('an operator that is refused', () => {
  let recordedStep: (index: number) => RecordedStep;

  beforeAll(async () => {
    recordedStep = await recordLifeCycle();
  });

  async function refuseEverything(index: number): Promise<void> {
    const faults: string[] = [];
    for (const refusals of REFUSALS) {
      const result = await disturbedStep(recordedStep(index), {
        withinMs: CONVERGED_MS,
        disturb: (world) => void world.server.faults.onRequest(refuseEachWrite(world.life?.user ?? '', refusals)),
      });
      const where = refusals.map((fault) => ('status' in fault ? fault.status : fault.type)).join(' and ');
      if (result.tookMs === undefined) faults.push(`${where}: ${result.left.slice(0, 3).join(' | ')}`);
      if (result.claimsDeleted > 0) faults.push(`${where}: ${result.claimsDeleted} claims deleted`);
      for (const blind of result.blindDeletes) faults.push(`${where}: ${blind} without preconditions`);
    }
    expect(faults).toEqual([]);
  }

  /** Status writes of a step by object, the operator's own alone. */
  async function statusWrites(index: number, afterwards: (world: OperatorWorld) => Promise<void>): Promise<Counts> {
    const { step, before } = recordedStep(index);
    const world = await stepWorld(before);
    const start = world.requests.length;
    step.act(world);
    await world.until(() => step.isDone(world), CONVERGED_MS);
    await world.pass(HELD_MS);
    const counts = new Map<string, number>();
    for (const { resource, name, subresource, verb } of world.requests.slice(start))
      if (subresource === 'status' && WRITE_VERBS.has(verb))
        counts.set(`${resource}/${name}`, (counts.get(`${resource}/${name}`) ?? 0) + 1);
    await afterwards(world);
    await world.close();
    return counts;
  }

  async function writeLittle(index: number): Promise<void> {
    const counts = await statusWrites(index, async (world) => {
      // What is counted late on purpose comes within a minute; after it there is silence.
      await world.pass(120_000);
      const settled = world.requests.length;
      await world.pass(IDLE_MS);
      const idle = world.requests.slice(settled).filter(isWrite);
      expect(idle.map(({ verb, resource, name }) => `${verb} ${resource} ${name}`)).toEqual([]);
    });
    const many = [...counts].filter(([, count]) => count > STATUS_WRITES_MAX);
    expect(many).toEqual([]);
  }

  for (const [index, { name }] of LIFE_CYCLE.entries()) {
    verifies('operator:refused-writes', name, () => refuseEverything(index));
    verifies('operator:quiet', name, () => writeLittle(index));
  }

  verifies('operator:quiet', 'an object that cannot be made is tried at most once a second', async () => {
    const world = await stepWorld(recordedStep(0).before);
    world.server.faults.onRequest(({ verb, served }) =>
      verb === 'apply' && served?.resource.plural === 'services' ? failure : undefined,
    );
    recordedStep(0).step.act(world);
    await world.pass(RATE_MS);
    await world.close();
    const tries = world.requests.filter(({ verb, resource }) => verb === 'apply' && resource === 'services');
    expect(tries.length).toBeGreaterThan(1);
    expect(tries.length).toBeLessThanOrEqual(RATE_MS / 1000);
  });
});
