import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { agentObject, SandboxOperator, sandboxSettings, SandboxWorld } from '../../../test/support/sandbox-world.ts';
import { verifies } from '../../../test/verifies.ts';
import { ownDeployment } from './own-deployment.ts';

const narrow = { ...sandboxSettings, watchNamespaces: ['elsewhere'] };
const rolledOut = { type: 'AgentsRolledOut', status: 'True', reason: 'RolloutDone', message: 'all have it' };
const own = ownDeployment(sandboxSettings);
let world: SandboxWorld;

beforeEach(async () => {
  world = await SandboxWorld.open();
  world.server.put(resources.deployments, { ...own, status: { conditions: [rolledOut] } });
});
afterEach(() => world.close());

const deployment = (): KubeObject | undefined =>
  world.server.get(resources.deployments, { namespace: sandboxSettings.namespace, name: own.metadata.name });
const conditions = () => (deployment()?.['status'] as { readonly conditions?: unknown } | undefined)?.conditions;

/** An operator for all namespaces gives ada what she needs; then one without hers finds that. */
async function narrowed(): Promise<void> {
  world.server.put(resources.agents, agentObject('ada'));
  const before = new SandboxOperator(world, sandboxSettings);
  before.showAll();
  await before.passAgent('ada');
  await before.passTended();
  const after = new SandboxOperator(world, narrow);
  for (const id of after.watchIds.filter((watched) => watched.startsWith('sandbox/'))) after.show(id);
  await after.passAgent('ada');
  await after.passTended();
}

const told = {
  type: 'AgentsTended',
  status: 'Unknown',
  reason: 'NotTended',
  message: expect.stringMatching(/^given up by this release: team; unless another release tends /) as string,
};

describe('the condition of an operator that was narrowed', () => {
  verifies('operator-sandbox:narrowed', 'names what it gave up beside other conditions', async () => {
    await narrowed();
    expect(conditions()).toEqual([rolledOut, expect.objectContaining(told)]);
  });

  verifies('operator-sandbox:narrowed', 'stays under the next leader, who finds nothing any more', async () => {
    await narrowed();
    const before = deployment();
    await new SandboxOperator(world, narrow).passTended();
    expect(deployment()).toEqual(before);
  });

  verifies('operator-sandbox:narrowed', 'goes when the release tends the namespace again', async () => {
    await narrowed();
    await new SandboxOperator(world, { ...narrow, watchNamespaces: ['elsewhere', 'team'] }).passTended();
    expect(conditions()).toEqual([rolledOut]);
  });

  it('is written by nobody who gave up nothing', async () => {
    const before = deployment();
    const outcome = await new SandboxOperator(world, narrow).passTended();
    expect(outcome.type).toBe('Done');
    expect(deployment()).toEqual(before);
  });

  it('is no fault of an operator outside the cluster, which has no Deployment', async () => {
    world.server.remove(resources.deployments, { namespace: sandboxSettings.namespace, name: own.metadata.name });
    await narrowed();
    expect(deployment()).toBeUndefined();
  });
});
