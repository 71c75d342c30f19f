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

const transition = () =>
  (conditions() as readonly Readonly<Record<string, string>>[]).find(({ type }) => type === 'AgentsTended')?.[
    'lastTransitionTime'
  ];
const sandboxPolicies = () =>
  world.server.list(resources.networkPolicies).filter(({ metadata }) => metadata.namespace !== 'team');

/** An operator for all namespaces gives ada what she needs. */
async function tended(): Promise<void> {
  world.server.put(resources.agents, agentObject('ada'));
  const before = new SandboxOperator(world, sandboxSettings);
  before.showAll();
  await before.passAgent('ada');
  await before.passTended();
}

/** A process without ada's namespace, which sees what is left in the namespace of sandboxes. */
function narrowOperator(): SandboxOperator {
  const operator = new SandboxOperator(world, narrow);
  for (const id of operator.watchIds.filter((watched) => watched.startsWith('sandbox/'))) operator.show(id);
  return operator;
}

async function narrowed(): Promise<SandboxOperator> {
  await tended();
  const after = narrowOperator();
  await after.passAgent('ada');
  await after.passTended();
  await after.passAgent('ada');
  return after;
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

  verifies('operator-sandbox:narrowed', 'is written before its evidence goes, whenever a process dies', async () => {
    await tended();
    const evidence = sandboxPolicies();
    expect(evidence.length).toBeGreaterThan(0);
    expect(await narrowOperator().passAgent('ada')).toMatchObject({ type: 'Wait', reason: 'NotYetTold' });
    expect(sandboxPolicies()).toEqual(evidence);
    const next = narrowOperator();
    await next.passAgent('ada');
    await next.passTended();
    expect(conditions()).toEqual([rolledOut, expect.objectContaining(told)]);
    expect(await next.passAgent('ada')).toEqual({ type: 'Gone' });
    expect(sandboxPolicies()).toEqual([]);
  });

  it('stays away where a person removed it', async () => {
    const operator = await narrowed();
    world.server.put(resources.deployments, { ...own, status: { conditions: [rolledOut] } });
    await operator.passTended();
    await narrowOperator().passTended();
    expect(conditions()).toEqual([rolledOut]);
  });

  it('keeps the time of its status when it names another namespace', async () => {
    await narrowed();
    const since = transition();
    world.clock.advance(60_000);
    world.server.put(resources.agents, { ...agentObject('bob'), metadata: { name: 'bob', namespace: 'other' } });
    const key = { namespace: 'other', name: 'bob' };
    const before = new SandboxOperator(world, sandboxSettings);
    before.showAll();
    await before.controllers.agent.reconcile(key, new AbortController().signal);
    const after = narrowOperator();
    await after.controllers.agent.reconcile(key, new AbortController().signal);
    await after.passTended();
    expect(JSON.stringify(conditions())).toContain('given up by this release: other, team;');
    expect(transition()).toBe(since);
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
