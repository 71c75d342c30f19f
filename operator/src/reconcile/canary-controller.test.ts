import { afterEach, beforeEach, describe, expect } from 'vitest';
import {
  agentObject,
  runObject,
  SandboxOperator,
  SANDBOXES,
  sandboxSettings,
  SandboxWorld,
} from '../../../test/support/sandbox-world.ts';
import { ENFORCE_LABEL } from '@retainer/contract/api/sandbox-standard';
import { heldNamespace } from '../../../test/support/operator-world/world-objects.ts';
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
  // The first pass closes the namespace, and the second sees it closed.
  await pass();
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

const canaries = (): readonly string[] =>
  world.jobs.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('canary-'));

async function passRun(name: string): Promise<void> {
  operator.showAll();
  await operator.pass(name);
}

/** Code of the agent runs; the namespace must be proved. */
async function underWay(name: string): Promise<void> {
  world.server.put(resources.sandboxRuns, runObject(name));
  await passRun(name);
  world.makePods();
  world.readyPods();
  await passRun(name);
  expect(world.reason(name)).toBe('Running');
}

describe('the canary', () => {
  verifies('operator-sandbox:network-proved', 'is made for an Agent, reached, and lets code start', async () => {
    expect(await pass()).toBe('Stalled');
    expect(world.jobs).toEqual([]);
    expect(world.server.list(resources.networkPolicies, SANDBOXES).map(({ metadata }) => metadata.name)).toContain(
      'retainer-deny-all',
    );
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

  verifies(
    'operator-sandbox:network-proved',
    'is made anew a minute after the last one where the operator changed its own policies; code goes on',
    async () => {
      world.server.put(resources.agents, agentObject('ada'));
      await canaryEnds([]);
      await underWay('one');
      const known = new Set(canaries());
      await operator.passAgent();
      const made = async (): Promise<number> => {
        await pass();
        await operator.pass('one');
        expect(world.reason('one')).toBe('Running');
        return canaries().filter((name) => !known.has(name)).length;
      };
      expect(await made()).toBe(0);
      expect(await operator.passCanary()).toMatchObject({ type: 'Wait', afterMs: 60_000 });
      world.clock.advance(59_000);
      expect(await made()).toBe(0);
      world.clock.advance(2_000);
      expect(await made()).toBe(1);
    },
  );
});

describe('a namespace that somebody opens', () => {
  const allowAll = {
    metadata: { name: 'allow-all', namespace: SANDBOXES },
    spec: { podSelector: {}, policyTypes: ['Egress'], egress: [{}] },
  };
  const denyAll = { namespace: SANDBOXES, name: 'retainer-deny-all' };

  const runOne = (): Promise<void> => passRun('one');

  async function provedWithCode(): Promise<void> {
    world.server.put(resources.agents, agentObject('ada'));
    await pass();
    await canaryEnds([]);
    await underWay('one');
  }

  const opens: readonly (readonly [string, string, () => void])[] = [
    ['by a policy', 'allow-all', () => world.server.put(resources.networkPolicies, allowAll)],
    ['by taking away the denial', 'retainer-deny-all', () => world.server.remove(resources.networkPolicies, denyAll)],
    [
      'by changing the denial',
      'retainer-deny-all',
      () => {
        const live = world.server.get(resources.networkPolicies, denyAll);
        if (live === undefined) throw new Error('the operator made no denial');
        world.server.put(resources.networkPolicies, { ...live, spec: { podSelector: {}, policyTypes: ['Ingress'] } });
      },
    ],
    [
      'by a field that the operator does not set',
      'retainer-deny-all',
      () => {
        const own = world.server.get(resources.networkPolicies, denyAll);
        if (own === undefined) throw new Error('the operator made no denial');
        world.server.put(resources.networkPolicies, { ...own, spec: { ...(own['spec'] as object), egress: [{}] } });
      },
    ],
    [
      'by a choice of other pods in it',
      'retainer-deny-all',
      () => {
        const own = world.server.get(resources.networkPolicies, denyAll);
        if (own === undefined) throw new Error('the operator made no denial');
        const podSelector = { matchLabels: { none: 'such' } };
        world.server.put(resources.networkPolicies, { ...own, spec: { ...(own['spec'] as object), podSelector } });
      },
    ],
    [
      'by widening a policy of the operator',
      'in-ada',
      () => {
        const [own] = world.server
          .list(resources.networkPolicies, SANDBOXES)
          .filter(({ metadata }) => metadata.name.includes('in-'));
        if (own === undefined) throw new Error('the operator made no policy for the Agent');
        world.server.put(resources.networkPolicies, { ...own, spec: { podSelector: {}, ingress: [{}] } });
      },
    ],
  ];
  const labelled = (labels: Readonly<Record<string, string>>) => () =>
    world.server.put(resources.namespaces, { metadata: { name: SANDBOXES, labels } });
  const held = heldNamespace(SANDBOXES).metadata.labels ?? {};
  const opensByLabels: typeof opens = [
    ['by taking its standard away', 'enforces nothing, not restricted', labelled({})],
    ['by a looser standard', 'enforces privileged', labelled({ ...held, [ENFORCE_LABEL]: 'privileged' })],
    ['by an old standard', 'the standard of v1.7', labelled({ ...held, [`${ENFORCE_LABEL}-version`]: 'v1.7' })],
  ];
  for (const [name, named, open] of [...opens, ...opensByLabels])
    verifies('operator-sandbox:opened', `${name} ends what runs, and nothing starts before a new proof`, async () => {
      world.server.put(resources.agents, agentObject('ada'));
      operator.showAll();
      await operator.passAgent();
      await provedWithCode();
      open();
      await runOne();
      expect(world.run('one')?.status?.conditions?.find(({ type }) => type === 'Ready')?.message).toContain(named);
      expect(world.reason('one')).toBe('NetworkOpened');
      await runOne();
      expect(world.jobs.filter(({ metadata }) => metadata.name.startsWith('run-'))).toEqual([]);
      await pass();
      world.server.remove(resources.networkPolicies, { namespace: SANDBOXES, name: 'allow-all' });
      world.server.put(resources.namespaces, heldNamespace(SANDBOXES));
      operator.showAll();
      await operator.passAgent();
      world.server.put(resources.sandboxRuns, runObject('two'));
      operator.showAll();
      await operator.pass('two');
      expect(world.jobs.filter(({ metadata }) => metadata.name.startsWith('run-'))).toEqual([]);
      world.clock.advance(16_000);
      await pass();
      await canaryEnds([]);
      operator.showAll();
      await operator.pass('two');
      expect(world.jobs.filter(({ metadata }) => metadata.name.startsWith('run-'))).toHaveLength(1);
      expect(world.server.get(resources.networkPolicies, denyAll)?.['spec']).toMatchObject({
        podSelector: {},
        policyTypes: ['Ingress', 'Egress'],
      });
    });

  verifies('operator-sandbox:opened', 'and closes again in one moment keeps no proof and no code', async () => {
    await provedWithCode();
    world.server.remove(resources.networkPolicies, denyAll);
    const others = new SandboxOperator(world, sandboxSettings);
    others.showAll();
    await others.passCanary();
    await runOne();
    expect(world.reason('one')).toBe('NetworkOpened');
  });

  verifies('operator-sandbox:opened', 'or that gets a label by which others may choose it is proved anew', async () => {
    await provedWithCode();
    labelled({ ...held, 'helm.sh/chart': 'retainer-0.2.0' })();
    await runOne();
    expect(world.reason('one')).toBe('Running');
    labelled({ ...held, team: 'weather' })();
    await runOne();
    expect(world.reason('one')).toBe('NetworkOpened');
  });

  verifies('operator-sandbox:opened', 'is not one where a policy without a rule comes', async () => {
    await provedWithCode();
    world.server.put(resources.networkPolicies, { ...allowAll, spec: { podSelector: {}, policyTypes: ['Egress'] } });
    await runOne();
    expect(world.reason('one')).toBe('Running');
  });
});
