import { createPublicKey, verify } from 'node:crypto';
import { claimText } from '@retainer/contract/wire/runner';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import {
  agentObject,
  PUBLIC_KEY,
  runObject,
  SandboxOperator,
  sandboxSettings,
  SANDBOXES,
  SandboxWorld,
  TEAM,
} from '../../../test/support/sandbox-world.ts';
import { verifies } from '../../../test/verifies.ts';
import { resources } from '@retainer/kube/resources';
import { UNFINISHED_RUNS_MAX } from './sandbox-run-admission.ts';
import type { CanaryPort } from './sandbox-run-parts.ts';

const closed: CanaryPort = { state: () => ({ type: 'Enforced' }), ground: () => 'g' };

let world: SandboxWorld;
let operator: SandboxOperator;

beforeEach(async () => {
  world = await SandboxWorld.open();
  operator = new SandboxOperator(world, sandboxSettings, closed);
});
afterEach(() => world.close());

async function pass(name: string): Promise<void> {
  operator.showAll();
  await operator.pass(name);
}

/** The runner's last word. */
const exited = { end: 'Exited', exitCode: 0, truncated: false, durationMs: 1500 };

const status = (name: string): Readonly<Record<string, unknown>> => ({ ...world.run(name)?.status });

describe('a cold run', () => {
  async function whileRunning(): Promise<void> {
    world.server.put(resources.agents, agentObject('ada'));
    world.server.put(resources.sandboxRuns, runObject('one'));
    for (let round = 0; round < 3; round += 1) await pass('one');
    world.makePods();
    await pass('one');
    world.readyPods();
    for (let round = 0; round < 3; round += 1) await pass('one');
    expect(status('one')).toMatchObject({ endpoint: '10.0.1.7:7070', podUid: expect.any(String) });
    expect(world.reason('one')).toBe('Running');
  }

  verifies('operator-sandbox:few-writes', 'costs create, Job, ready and delete', async () => {
    await whileRunning();
    world.endPods({ ...exited, released: true });
    for (let round = 0; round < 3; round += 1) await pass('one');
    expect(world.run('one')).toBeUndefined();
    expect(operator.ledger.holders(`${TEAM}/ada`)).toEqual([]);
    expect(operator.events).toEqual([]);
    expect(await operator.registry.getSingleMetricAsString('retainer_sandbox_runs_total')).toContain('Exited');
    expect(world.writes).toEqual(['apply jobs', 'apply sandboxruns status', 'delete sandboxruns']);
  });

  verifies(
    'operator-sandbox:tells-the-end',
    'is gone once its agent has all of it, though the cache lags',
    async () => {
      await whileRunning();
      world.endPods({ ...exited, released: true });
      operator.showAll();
      for (let round = 0; round < 3; round += 1) await operator.pass('one');
      world.server.put(resources.sandboxRuns, runObject('one'));
      // Another run of the name, which the cache does not show yet.
      await operator.pass('one');
      expect(world.run('one')).toBeDefined();
      expect(world.writes.filter((write) => write === 'delete sandboxruns')).toHaveLength(1);
    },
  );

  for (const [name, end, events] of [
    ['that reached its time limit', { ...exited, end: 'TimedOut', exitCode: 137 }, ['TimedOut']],
    ['that its agent stopped', { end: 'Stopped', truncated: false, durationMs: 0 }, []],
  ] as const)
    verifies(
      'operator-sandbox:tells-the-end',
      `${name} is gone, and an Event tells what people should see`,
      async () => {
        await whileRunning();
        world.endPods({ ...end, released: true });
        for (let round = 0; round < 3; round += 1) await pass('one');
        expect(world.run('one')).toBeUndefined();
        expect(operator.events).toEqual(events);
      },
    );

  verifies('operator-sandbox:tells-the-end', 'is gone though somebody changed it meanwhile', async () => {
    await whileRunning();
    world.endPods({ ...exited, released: true });
    const labels = { 'example.org/seen': 'yes' };
    world.server.put(resources.sandboxRuns, {
      ...runObject('one'),
      metadata: { name: 'one', namespace: TEAM, labels },
    });
    for (const id of operator.watchIds.filter((watched) => watched.startsWith('sandbox/'))) operator.show(id);
    for (let round = 0; round < 2; round += 1) await operator.pass('one');
    expect(world.run('one')).toBeDefined();
    await pass('one');
    expect(world.run('one')).toBeUndefined();
  });

  verifies(
    'operator-sandbox:tells-the-end',
    'tells it where a broken sandbox only says that it was released',
    async () => {
      await whileRunning();
      for (const pod of world.pods) world.endPod(pod, { ...exited, released: true }, 'OOMKilled');
      await pass('one');
      expect(status('one')).toMatchObject({ reason: 'Exited' });
    },
  );

  verifies('operator-sandbox:tells-the-end', 'tells it where its agent did not end the sandbox', async () => {
    await whileRunning();
    world.endPods(exited);
    for (let round = 0; round < 3; round += 1) await pass('one');
    expect(status('one')).toMatchObject({ exitCode: 0, reason: 'Exited', durationSeconds: 1.5, truncated: false });
    world.server.remove(resources.sandboxRuns, { namespace: TEAM, name: 'one' });
    for (let round = 0; round < 3; round += 1) await pass('one');
    expect(world.writes).toEqual(['apply jobs', 'apply sandboxruns status', 'apply sandboxruns status']);
  });

  verifies(
    'operator-sandbox:waits-and-heals',
    'waits for its Agent, for its resumption and for the proof',
    async () => {
      let isProved = false;
      operator = new SandboxOperator(world, sandboxSettings, {
        ground: () => 'g',
        state: () => (isProved ? { type: 'Enforced' } : { type: 'NotEnforced', open: ['kubelet'] }),
      });
      world.server.put(resources.sandboxRuns, runObject('one'));
      await pass('one');
      expect(world.reason('one')).toBe('AgentNotFound');
      world.server.put(resources.agents, agentObject('ada', {}, true));
      await pass('one');
      expect(world.reason('one')).toBe('AgentSuspended');
      world.server.put(resources.agents, agentObject('ada'));
      await pass('one');
      expect(world.reason('one')).toBe('NetworkPolicyNotEnforced');
      expect(world.jobs).toEqual([]);
      isProved = true;
      await pass('one');
      expect(world.jobs).toHaveLength(1);
    },
  );

  verifies('operator-sandbox:run-within-agent', 'is over at once where its Agent does not allow it', async () => {
    world.server.put(resources.agents, agentObject('ada', { timeout: '30s' }));
    world.server.put(resources.sandboxRuns, runObject('one', { timeout: '31s' }));
    await pass('one');
    expect(status('one')['reason']).toBe('NotAllowed');
    expect(world.jobs).toEqual([]);
    await pass('one');
    expect(world.writes).toHaveLength(1);
  });

  verifies('operator-sandbox:other-version', 'is over, and says which field nobody understands', async () => {
    world.server.put(resources.agents, agentObject('ada', { pool: { size: 0, maxConcurrent: 1 } }));
    for (const name of ['one', 'two']) world.server.put(resources.sandboxRuns, runObject(name));
    operator.asRead = (object) =>
      object.metadata.name === 'one'
        ? { ...object, spec: { ...(object['spec'] as object), timeout: 'a while' } }
        : object;
    await pass('one');
    expect(world.reason('one')).toBe('SpecInvalid');
    expect(status('one')).toMatchObject({
      reason: 'SpecInvalid',
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Failed', status: 'True', message: expect.stringContaining('spec.timeout') }),
      ]),
    });
    expect(operator.events).toEqual(['SpecInvalid']);
    expect(await operator.pass('one')).toMatchObject({ type: 'Stalled', reason: 'SpecInvalid' });
    await pass('one');
    expect(world.writes).toEqual(['apply sandboxruns status']);
    await pass('two');
    expect(world.jobs).toHaveLength(1);
  });

  verifies('operator-sandbox:unfinished-bounded', 'is refused at once where its Agent has too many', async () => {
    world.server.put(resources.agents, agentObject('ada', { pool: { size: 0, maxConcurrent: 1 } }));
    const names = Array.from(
      { length: UNFINISHED_RUNS_MAX + 1 },
      (_, index) => `run-${String(index).padStart(3, '0')}`,
    );
    for (const name of names) world.server.put(resources.sandboxRuns, runObject(name));
    operator.showAll();
    await operator.pass('run-200');
    expect(world.reason('run-200')).toBe('QuotaExceeded');
    expect(await operator.pass('run-199')).toMatchObject({ reason: 'Scheduling', afterMs: 60_000 });
    await operator.pass('run-000');
    expect(await operator.pass('run-001')).toMatchObject({ reason: 'Scheduling', afterMs: 5000 });
    expect(world.jobs).toHaveLength(1);
  });

  verifies('operator-sandbox:cleans-up', 'is killed when it is gone, and a later one of its name is not', async () => {
    world.server.put(resources.agents, agentObject('ada'));
    world.server.put(resources.sandboxRuns, runObject('one'));
    await pass('one');
    world.makePods();
    world.readyPods();
    await pass('one');
    const [old] = world.jobs;
    world.server.remove(resources.sandboxRuns, { namespace: TEAM, name: 'one' });
    world.server.put(resources.sandboxRuns, runObject('one'));
    for (let round = 0; round < 3; round += 1) await pass('one');
    expect(world.jobs.map(({ metadata }) => metadata.name)).not.toContain(old?.metadata.name);
    expect(world.jobs).toHaveLength(1);
    world.makePods();
    for (let round = 0; round < 3; round += 1) await pass('one');
    expect(operator.ledger.holders(`${TEAM}/ada`)).toHaveLength(1);
  });

  verifies('operator-sandbox:cleans-up', 'of an operator before is killed when its run is gone', async () => {
    world.server.put(resources.agents, agentObject('ada'));
    world.server.put(resources.sandboxRuns, runObject('one'));
    await pass('one');
    world.makePods();
    world.server.remove(resources.sandboxRuns, { namespace: TEAM, name: 'one' });
    operator = new SandboxOperator(world, sandboxSettings, closed);
    await pass('one');
    expect(world.jobs).toEqual([]);
  });

  verifies(
    'operator-sandbox:cleans-up',
    'of a namespace that the operator no longer tends goes, and nobody asks there',
    async () => {
      world.server.put(resources.agents, agentObject('ada', { pool: { size: 1, maxConcurrent: 2 } }));
      operator.showAll();
      await operator.passAgent();
      world.server.put(resources.sandboxRuns, runObject('one'));
      await pass('one');
      expect(world.jobs).toHaveLength(2);
      operator = new SandboxOperator(world, { ...sandboxSettings, watchNamespaces: ['elsewhere'] }, closed);
      const asked = world.server.audit.length;
      for (const id of operator.watchIds.filter((watched) => watched.startsWith('sandbox/'))) operator.show(id);
      await operator.passAgent();
      await operator.passTended();
      expect(await operator.passAgent()).toEqual({ type: 'Gone' });
      await operator.pass('one');
      expect(world.jobs).toEqual([]);
      expect(world.server.list(resources.networkPolicies, SANDBOXES)).toEqual([]);
      const places = world.server.audit.slice(asked).map(({ namespace }) => namespace);
      expect(new Set(places)).toEqual(new Set([SANDBOXES, sandboxSettings.namespace]));
    },
  );

  verifies('operator-sandbox:cleans-up', 'goes an hour after its end', async () => {
    world.server.put(resources.agents, agentObject('ada'));
    world.server.put(resources.sandboxRuns, runObject('one', { timeout: '24h' }));
    await pass('one');
    world.clock.advance(3_599_000);
    await pass('one');
    expect(world.run('one')).toBeDefined();
    world.clock.advance(2000);
    await pass('one');
    expect(world.run('one')).toBeUndefined();
  });

  verifies('operator-sandbox:one-sandbox-per-run', 'is not made again when its Job was taken away', async () => {
    world.server.put(resources.agents, agentObject('ada'));
    world.server.put(resources.sandboxRuns, runObject('one'));
    await pass('one');
    const [job] = world.jobs;
    const key = { namespace: SANDBOXES, name: job?.metadata.name ?? '' };
    world.server.remove(resources.jobs, key, { propagationPolicy: 'Background' });
    for (let round = 0; round < 3; round += 1) await pass('one');
    expect(world.jobs).toEqual([]);
    expect(status('one')['reason']).toBe('InfrastructureFailed');
  });

  verifies('operator-sandbox:waits-and-heals', 'says that quota forbids it, without a hot loop', async () => {
    world.server.put(resources.agents, agentObject('ada'));
    world.server.put(resources.sandboxRuns, runObject('one'));
    const heal = world.server.faults.onRequest(({ verb, served }) =>
      verb === 'apply' && served?.resource.plural === 'jobs'
        ? { type: 'Refuse', status: 403, reason: 'Forbidden' }
        : undefined,
    );
    operator.showAll();
    expect((await operator.pass('one')).type).toBe('Failed');
    expect(world.reason('one')).toBe('InfrastructureFailed');
    heal();
    await pass('one');
    expect(world.jobs).toHaveLength(1);
  });

  verifies('operator-sandbox:one-sandbox-per-run', 'has one Job where the reply to its making was lost', async () => {
    world.server.put(resources.agents, agentObject('ada'));
    world.server.put(resources.sandboxRuns, runObject('one'));
    const heal = world.server.faults.onRequest(({ verb, served }) =>
      verb === 'apply' && served?.resource.plural === 'jobs' ? { type: 'LoseReply' } : undefined,
    );
    await pass('one');
    heal();
    world.server.put(resources.agents, agentObject('ada', { scratch: '64Mi' }));
    for (let round = 0; round < 3; round += 1) await pass('one');
    expect(world.jobs).toHaveLength(1);
    expect(world.run('one')?.status?.reason).toBeUndefined();
  });
});

function isSignedClaim(claim: {
  readonly podUid: string;
  readonly runUid: string;
  readonly signature: string;
}): boolean {
  const raw = Buffer.from(operator.signingKey.publicKeyBase64, 'base64');
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]);
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const text = claimText({ ...claim, publicKey: PUBLIC_KEY });
  return verify(null, Buffer.from(text), key, Buffer.from(claim.signature, 'base64'));
}

describe('a warm run', () => {
  async function warmPool(size = 1, maxConcurrent = 2): Promise<void> {
    world.server.put(resources.agents, agentObject('ada', { pool: { size, maxConcurrent } }));
    operator.showAll();
    await operator.passAgent();
    world.makePods();
    world.readyPods();
    operator.showAll();
    await operator.passAgent();
  }

  verifies('operator-sandbox:pool-follows', 'is counted as ready only where an Agent wants a pool', async () => {
    const told = async (): Promise<readonly string[]> => {
      const text = await operator.registry.getSingleMetricAsString('retainer_sandbox_pool_ready');
      return text.split('\n').filter((line) => line.startsWith('retainer_'));
    };
    await warmPool(0);
    expect(await told()).toEqual([]);
    await warmPool(1);
    expect(await told()).toEqual(['retainer_sandbox_pool_ready{agent="ada",agent_namespace="team"} 1']);
    await warmPool(0);
    expect(await told()).toEqual([]);
  });

  verifies('operator-sandbox:few-writes', 'costs create, claim and delete', async () => {
    await warmPool();
    const before = world.writes.length;
    world.server.put(resources.sandboxRuns, runObject('one'));
    for (let round = 0; round < 3; round += 1) await pass('one');
    const [pod] = world.pods;
    expect(status('one')['podUid']).toBe(pod?.metadata.uid);
    world.endPods({ ...exited, released: true });
    world.makePods();
    for (let round = 0; round < 3; round += 1) await pass('one');
    operator.showAll();
    await operator.passAgent();
    expect(world.run('one')).toBeUndefined();
    expect(world.writes.slice(before)).toEqual(['apply sandboxruns status', 'delete sandboxruns']);
  });

  verifies(
    'operator-sandbox:one-sandbox-per-run',
    'falls back to a sandbox of its own where none stands ready',
    async () => {
      await warmPool();
      world.server.put(resources.sandboxRuns, runObject('one'));
      world.server.put(resources.sandboxRuns, runObject('two'));
      await pass('one');
      await pass('two');
      expect(world.run('one')?.status?.claim).toBeDefined();
      expect(world.run('two')?.status?.claim).toBeUndefined();
      expect(world.jobs.filter(({ metadata }) => metadata.name.startsWith('run-'))).toHaveLength(1);
    },
  );

  verifies(
    'operator-sandbox:cleans-up',
    'that is deleted while it runs loses its pod, and the pool stays',
    async () => {
      await warmPool();
      world.server.put(resources.sandboxRuns, runObject('one'));
      await pass('one');
      const uid = world.pods[0]?.metadata.uid;
      world.server.remove(resources.sandboxRuns, { namespace: TEAM, name: 'one' });
      for (let round = 0; round < 2; round += 1) await pass('one');
      expect(world.pods.map(({ metadata }) => metadata.uid)).not.toContain(uid);
      expect(world.jobs).toHaveLength(1);
      expect(operator.ledger.holders(`${TEAM}/ada`)).toEqual([]);
    },
  );

  verifies('operator-sandbox:pool-follows', 'has no pool of a RuntimeClass that is not allowed', async () => {
    operator = new SandboxOperator(world, { ...sandboxSettings, sandboxRuntimeClassName: 'gvisor' }, closed);
    world.server.put(
      resources.agents,
      agentObject('ada', { runtimeClassName: 'runc', pool: { size: 1, maxConcurrent: 1 } }),
    );
    operator.showAll();
    await operator.passAgent();
    expect(world.jobs).toEqual([]);
  });

  verifies('operator-sandbox:pool-follows', 'keeps the pool that it came from until it ends', async () => {
    await warmPool();
    world.server.put(resources.sandboxRuns, runObject('one'));
    await pass('one');
    const [old] = world.jobs;
    world.server.put(resources.agents, agentObject('ada', { scratch: '64Mi', pool: { size: 1, maxConcurrent: 2 } }));
    for (let round = 0; round < 2; round += 1) {
      operator.showAll();
      await operator.passAgent();
    }
    expect(world.jobs).toHaveLength(2);
    const claimed = world.pods.find(({ metadata }) => metadata.uid === world.run('one')?.status?.podUid);
    if (claimed !== undefined) world.endPod(claimed);
    await pass('one');
    await operator.passAgent();
    expect(world.jobs.map(({ metadata }) => metadata.name)).not.toContain(old?.metadata.name);
    expect(world.run('one')?.status?.reason).toBe('Exited');
  });

  verifies('operator-sandbox:pool-follows', 'goes with its policies when the Agent is gone', async () => {
    await warmPool();
    expect(world.server.list(resources.networkPolicies, SANDBOXES)).toHaveLength(1);
    world.server.remove(resources.agents, { namespace: TEAM, name: 'ada' });
    for (let round = 0; round < 2; round += 1) {
      operator.showAll();
      await operator.passAgent();
    }
    expect([...world.jobs, ...world.server.list(resources.networkPolicies, SANDBOXES)]).toEqual([]);
  });
});

describe('a claim', () => {
  verifies('operator-sandbox:one-sandbox-per-run', 'is signed by the operator', async () => {
    world.server.put(resources.agents, agentObject('ada', { pool: { size: 1, maxConcurrent: 2 } }));
    operator.showAll();
    await operator.passAgent();
    world.makePods();
    world.readyPods();
    world.server.put(resources.sandboxRuns, runObject('one'));
    await pass('one');
    const { claim, podUid = '' } = world.run('one')?.status ?? {};
    expect(isSignedClaim({ podUid, runUid: claim?.runUid ?? '', signature: claim?.signature ?? '' })).toBe(true);
  });
});

describe('egress', () => {
  verifies('operator-sandbox:run-within-agent', 'is signed for the hosts that the run names, by address', async () => {
    world.server.put(resources.agents, agentObject('ada', { egress: ['*.example.org'] }));
    world.server.put(resources.sandboxRuns, runObject('one', { egress: ['a.example.org'] }));
    await pass('one');
    world.makePods();
    world.readyPods();
    for (const pod of world.pods)
      world.setPod(pod, { ...(pod['status'] as object), podIPs: [{ ip: '10.0.1.7' }, { ip: 'fd00::7' }] });
    await pass('one');
    const { proxy, grant = '' } = world.run('one')?.status?.egress ?? {};
    expect(proxy).toBe('10.96.0.9:3128');
    const [payload = ''] = grant.split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      subject: 'sandbox-run/team/one',
      hosts: ['a.example.org'],
      addresses: ['10.0.1.7', 'fd00::7'],
    });
  });
});
