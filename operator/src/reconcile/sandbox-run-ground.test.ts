/** Runs that an earlier leader gave their sandboxes, under another leader. */
import { afterEach, beforeEach, describe, expect } from 'vitest';
import {
  agentObject,
  runObject,
  SandboxOperator,
  sandboxSettings,
  SandboxWorld,
} from '../../../test/support/sandbox-world.ts';
import { verifies } from '../../../test/verifies.ts';
import { resources } from '@retainer/kube/resources';
import type { CanaryPort } from './sandbox-run-parts.ts';

const over = (ground: string): CanaryPort => ({ state: () => ({ type: 'Enforced' }), ground: () => ground });

let world: SandboxWorld;

beforeEach(async () => {
  world = await SandboxWorld.open();
});
afterEach(() => world.close());

/** The next process of the operator, which knows only what the API server has. */
function leader(ground: string): SandboxOperator {
  const operator = new SandboxOperator(world, sandboxSettings, over(ground));
  operator.showAll();
  return operator;
}

async function pass(operator: SandboxOperator, times = 3): Promise<void> {
  for (let round = 0; round < times; round += 1) {
    operator.showAll();
    await operator.pass('one');
  }
}

describe.each([
  { name: 'cold, whose sandbox starts', pool: { size: 0, maxConcurrent: 2 }, isReady: false },
  { name: 'cold', pool: { size: 0, maxConcurrent: 2 }, isReady: true },
  { name: 'warm', pool: { size: 1, maxConcurrent: 2 }, isReady: true },
])('a run that is $name', ({ pool, isReady }) => {
  beforeEach(async () => {
    world.server.put(resources.agents, agentObject('ada', { pool }));
    const first = leader('as it was');
    await first.passAgent();
    world.makePods();
    world.readyPods();
    first.showAll();
    await first.passAgent();
    world.server.put(resources.sandboxRuns, runObject('one'));
    await pass(first);
    world.makePods();
    if (isReady) world.readyPods();
    await pass(first);
    expect(world.run('one')?.status?.podUid !== undefined).toBe(isReady);
  });

  verifies('operator-sandbox:opened', 'goes on under the next leader where nobody changed anything', async () => {
    await pass(leader('as it was'));
    expect(world.run('one')?.status?.reason).toBeUndefined();
  });

  verifies('operator-sandbox:opened', 'is ended by the next leader after a change that was taken back', async () => {
    await pass(leader('closed anew'));
    expect(world.reason('one')).toBe('NetworkOpened');
  });
});
