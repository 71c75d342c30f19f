import { afterEach, beforeEach, describe, expect } from 'vitest';
import { resources } from '@retainer/kube/resources';
import { agentObject, SandboxOperator, sandboxSettings, SandboxWorld } from '../../../test/support/sandbox-world.ts';
import { verifies } from '../../../test/verifies.ts';

let world: SandboxWorld;

beforeEach(async () => {
  world = await SandboxWorld.open();
});
afterEach(() => world.close());

describe('an operator that was narrowed', () => {
  verifies('operator-sandbox:narrowed', 'tells once for each namespace that its Agents have no operator', async () => {
    const before = new SandboxOperator(world, sandboxSettings);
    for (const name of ['ada', 'bob']) world.server.put(resources.agents, agentObject(name));
    before.showAll();
    for (const name of ['ada', 'bob']) await before.passAgent(name);
    expect(before.events).toEqual([]);
    const narrowed = new SandboxOperator(world, { ...sandboxSettings, watchNamespaces: ['elsewhere'] });
    for (const id of narrowed.watchIds.filter((watched) => watched.startsWith('sandbox/'))) narrowed.show(id);
    for (const name of ['ada', 'bob', 'ada']) await narrowed.passAgent(name);
    expect(narrowed.told).toEqual([
      {
        regarding: 'Deployment retainer-operator',
        reason: 'NotTended',
        note: expect.stringContaining('namespace team is in watchNamespaces of this release no more'),
      },
    ]);
  });
});
