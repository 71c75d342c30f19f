import { LABELS } from '@retainer/contract/api/names';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import {
  agentObject,
  runObject,
  SandboxOperator,
  sandboxSettings,
  SandboxWorld,
} from '../../../test/support/sandbox-world.ts';
import { verifies } from '../../../test/verifies.ts';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';

let world: SandboxWorld;
let operator: SandboxOperator;

beforeEach(async () => {
  world = await SandboxWorld.open();
  operator = new SandboxOperator(world, sandboxSettings);
});
afterEach(() => world.close());

async function pass(): Promise<string> {
  operator.showAll();
  const outcome = await operator.passCanary();
  return outcome.type === 'Failed' ? outcome.error.message : outcome.type;
}

function isComplete({ status }: KubeObject): boolean {
  return JSON.stringify(status ?? {}).includes('Complete');
}

/** Made, ready and reached; then it ends with this. */
async function canaryEnds(open: readonly string[]): Promise<void> {
  await pass();
  world.makePods();
  world.readyPods();
  await pass();
  const job = world.jobs.find((one) => one.metadata.name.startsWith('canary-') && !isComplete(one));
  const tried = Number(job?.metadata.annotations?.['retainer.dev/canary-targets']);
  const pod = world.pods.find(({ metadata }) => metadata.ownerReferences?.[0]?.uid === job?.metadata.uid);
  if (pod !== undefined) world.endPod(pod, { open, tried, reached: operator.reached.length > 0 });
  if (job !== undefined)
    world.server.putStatus(resources.jobs, { ...job, status: { conditions: [{ type: 'Complete', status: 'True' }] } });
}

describe('the canary', () => {
  verifies('operator-sandbox:network-proved', 'is made for an Agent, reached, and lets code start', async () => {
    expect(await pass()).toBe('Stalled');
    expect(world.jobs).toEqual([]);
    world.server.put(resources.agents, agentObject('ada'));
    world.server.put(resources.sandboxRuns, runObject('one'));
    operator.showAll();
    await operator.pass('one');
    expect(world.jobs).toEqual([]);
    await canaryEnds([]);
    expect(operator.reached).toEqual(['10.0.1.7:7070']);
    operator.showAll();
    await operator.pass('one');
    expect(world.jobs.map(({ metadata }) => metadata.name.split('-')[0])).toEqual(['canary', 'run']);
    // The next operator knows it at once.
    operator = new SandboxOperator(world, sandboxSettings);
    await pass();
    const writes = world.writes.length;
    for (let round = 0; round < 3; round += 1) await pass();
    expect(world.writes).toHaveLength(writes);
    expect(await operator.registry.getSingleMetricAsString('retainer_sandbox_canary_enforced')).toMatch(/ 1$/m);
  });

  verifies(
    'operator-sandbox:network-proved',
    'stops new code where a flow is open, tells it, and tries again',
    async () => {
      world.server.put(resources.agents, agentObject('ada'));
      world.server.put(resources.sandboxRuns, runObject('one'));
      await canaryEnds(['kubelet']);
      await pass();
      await operator.pass('one');
      expect(world.reason('one')).toBe('NetworkPolicyNotEnforced');
      expect(operator.events).toEqual(['NetworkPolicyNotEnforced']);
      world.clock.advance(61_000);
      await canaryEnds([]);
      await pass();
      await operator.pass('one');
      expect(world.jobs.some(({ metadata }) => metadata.name.startsWith('run-'))).toBe(true);
    },
  );

  verifies('operator-sandbox:network-proved', 'is made anew after a change of a policy that others wrote', async () => {
    const denyAll = { name: 'deny-all', namespace: 'retainer-sandboxes', labels: { [LABELS.managedBy]: 'Helm' } };
    const spec = { podSelector: {}, policyTypes: ['Ingress', 'Egress'] };
    world.server.put(resources.networkPolicies, { metadata: denyAll, spec });
    world.server.put(resources.agents, agentObject('ada'));
    // The first one knows nothing yet of its own policy.
    for (let proof = 0; proof < 2; proof += 1) {
      await canaryEnds([]);
      world.clock.advance(1_000_000);
    }
    await pass();
    const known = new Set(world.jobs.map(({ metadata }) => metadata.name));
    world.server.remove(resources.networkPolicies, { namespace: 'retainer-sandboxes', name: 'deny-all' });
    await pass();
    expect(world.jobs.filter(({ metadata }) => !known.has(metadata.name))).toHaveLength(1);
  });
});
