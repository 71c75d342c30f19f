/** The doctor against an API server over HTTP that holds a whole installation: well, broken, and seen with few rights. */
import { afterEach, describe, expect, it } from 'vitest';
import { fakeKubeClient } from '../../../test/support/fake-api-server/fake-kube-client.ts';
import { canaryPod, installedCluster, kindOf, type InstalledCluster } from '../../../test/support/installed-cluster.ts';
import { manualClock, type ManualClock } from '../../../test/support/manual-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { OPERATOR_LEASE_NAME } from '../../../operator/src/run-operator.ts';
import { SIGNING_KEY_CONFIG_MAP, SIGNING_KEY_SECRET } from '../../../operator/src/apply/load-signing-key.ts';
import { diagnose, type Diagnosis } from './checks.ts';
import type { Facts, Scope } from './facts.ts';
import { NAMES } from './installation.ts';
import { observeCluster } from './observe-cluster.ts';
import { renderDiagnosis } from './render-diagnosis.ts';

const WHOLE: Scope = { systemNamespace: 'retainer-system', namespace: undefined, agent: undefined };

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface World extends InstalledCluster {
  readonly clock: ManualClock;
  readonly observe: (scope?: Scope) => Promise<Facts>;
}

async function world(options: Parameters<typeof installedCluster>[1] = {}): Promise<World> {
  const clock = manualClock();
  const cluster = await installedCluster(clock, options);
  const client = fakeKubeClient(cluster.server, { user: 'engineer' });
  ends.push(async () => {
    client.close();
    await cluster.server.stop();
  });
  // A second look comes after a wait; nobody renews anything meanwhile.
  const impatient = { ...clock, sleep: async () => undefined };
  const address = 'https://cluster.example';
  return {
    ...cluster,
    clock,
    observe: (scope = WHOLE) =>
      observeCluster({ client, clock: impatient, scope, version: '0.1.0', address, depth: 'Everything' }),
  };
}

const textOf = (diagnosis: Diagnosis): string =>
  `${renderDiagnosis(diagnosis)
    .map(({ text }) => text)
    .join('\n')}\n`;

const waiting = (image: string, reason: string) => ({
  phase: 'Pending',
  conditions: [{ type: 'Ready', status: 'False' }],
  containerStatuses: [{ name: 'operator', image, ready: false, state: { waiting: { reason } } }],
});

const notReady = (reason: string, message: string, clock: ManualClock, agoMs: number) => ({
  conditions: [
    {
      type: 'Ready',
      status: 'False',
      reason,
      message,
      lastTransitionTime: new Date(clock.nowMs() - agoMs).toISOString(),
    },
  ],
});

/** What goes wrong together in a bad night: an image that is not there, an owner who changed labels, a typing mistake. */
function breakThings({ change, remove, put, clock }: World): void {
  change('Deployment', 'retainer-operator', (one) => ({ ...one, status: { readyReplicas: 0 } }));
  for (const pod of ['retainer-operator-a', 'retainer-operator-b'])
    change('Pod', pod, (one) => ({ ...one, status: waiting('docker.io/retainer/operator:0.2.0', 'ImagePullBackOff') }));
  clock.advance(3_600_000);
  change('Namespace', 'weather', (one) => ({ ...one, metadata: { ...one.metadata, labels: {} } }));
  remove('ValidatingAdmissionPolicyBinding', 'retainer-sandboxes');
  remove('NetworkPolicy', 'retainer-deny-all', 'retainer-sandboxes');
  put(canaryPod({ open: ['dns-udp-0', 'metadata-aws'], tried: 21, reached: true }));
  remove('Secret', 'retainer-signing-key', 'retainer-system');
  change('StorageClass', 'standard', (one) => ({ ...one, metadata: { ...one.metadata, annotations: {} } }));
  change('PersistentVolumeClaim', 'data-retainer-meteorologist-0', (one) => ({ ...one, status: { phase: 'Pending' } }));
  change('Agent', 'meteorologist', (one) => ({
    ...one,
    status: notReady('CharacterNotFound', 'CharacterSpec careful-analist does not exist; create it', clock, 900_000),
  }));
  change('Task', 'wettest-month', (one) => ({
    ...one,
    status: notReady('AgentNotReady', 'Agent meteorologist is not ready: CharacterNotFound', clock, 600_000),
  }));
}

describe('retainer doctor', () => {
  verifies('cli-cluster:doctor-well', 'finds nothing wrong with a healthy installation', async () => {
    const diagnosis = diagnose(await (await world()).observe());
    expect(diagnosis.status).toBe('ok');
    await expect(textOf(diagnosis)).toMatchFileSnapshot('../../../test/golden/doctor-well.txt');
  });

  verifies('cli-cluster:doctor-says-what-to-do', 'names everything that is wrong, each with what to do', async () => {
    const broken = await world();
    breakThings(broken);
    const diagnosis = diagnose(await broken.observe());
    expect(diagnosis.status).toBe('fail');
    for (const { status, fix } of diagnosis.findings) if (status === 'fail') expect(fix?.length).toBeGreaterThan(0);
    await expect(textOf(diagnosis)).toMatchFileSnapshot('../../../test/golden/doctor-broken.txt');
  });

  verifies('cli-cluster:doctor-reads-only', 'writes nothing, and takes no content of a Secret', async () => {
    const { server, observe } = await world();
    const facts = await observe();
    const mine = server.audit.filter(({ user }) => user === 'engineer');
    expect(new Set(mine.map(({ verb }) => verb))).toEqual(new Set(['get', 'list', 'other']));
    expect(mine.some(({ isChange }) => isChange)).toBe(false);
    expect(JSON.stringify(facts)).not.toContain('bm90IHRvIGJlIHNlZW4=');
  });

  verifies(
    'cli-cluster:doctor-names-missing-rights',
    'goes on where it may not look, and names the right',
    async () => {
      const closed = new Set(['secrets', 'namespaces', 'storageclasses', 'customresourcedefinitions']);
      const few = await world({
        authorize: ({ user, verb, resource }) =>
          user !== 'engineer' || !(closed.has(resource) || (verb === 'list' && resource === 'deployments')),
      });
      const diagnosis = diagnose(await few.observe());
      expect(diagnosis.status).toBe('ok');
      const skipped = diagnosis.findings.filter(({ status }) => status === 'skip');
      expect(skipped.map(({ check, seen }) => `${check}: ${seen}`)).toEqual([
        'definitions: not checked: you have no permission to list customresourcedefinitions.apiextensions.k8s.io',
        'signing-key: not checked: you have no permission to get secrets/retainer-signing-key -n retainer-system',
        'pod-security: not checked: you have no permission to list namespaces',
        'sandbox-namespaces: not checked: you have no permission to list namespaces',
        'storage: not checked: you have no permission to list storageclasses.storage.k8s.io',
        'tended: not checked: you have no permission to list deployments.apps --all-namespaces',
      ]);
    },
  );

  it('asks no more of a server that does not answer', async () => {
    const { server, observe } = await world();
    server.faults.onRequest(() => ({ type: 'Refuse', status: 401, reason: 'Unauthorized' }));
    const facts = await observe();
    expect(facts.server.type).toBe('Unreadable');
    expect(server.audit.filter(({ user }) => user === 'engineer')).toHaveLength(1);
    const { findings, status } = diagnose(facts);
    expect([status, findings.map(({ check }) => check)]).toEqual(['fail', ['api-server']]);
  });

  it('tells one Agent with all its conditions, and nothing of others', async () => {
    const { observe, put, server, clock } = await world();
    const [task] = server.list(kindOf('Task'));
    put({
      kind: 'Task',
      metadata: { name: 'of-somebody-else', namespace: 'weather' },
      spec: { ...(task?.['spec'] as object), agentRef: { name: 'somebody-else' } },
      status: notReady('ScheduleInvalid', 'not its own', clock, 0),
    });
    const { findings } = diagnose(await observe({ ...WHOLE, namespace: 'weather', agent: 'meteorologist' }));
    const of = (name: string) => findings.find(({ check }) => check === name);
    expect(of('agents')).toMatchObject({ status: 'ok', details: ['Ready True AgentReady (10 min): all is well'] });
    expect(of('tasks')).toMatchObject({ status: 'ok', seen: '6 Tasks, nothing to do' });
    expect(of('writers')?.seen).toBe('retainer-meteorologist-a writes, epoch 2, renewed 2 s ago');
    const nobody = diagnose(await observe({ ...WHOLE, namespace: 'weather', agent: 'ada' }));
    expect(nobody.findings.find(({ check }) => check === 'agents')).toMatchObject({
      status: 'fail',
      seen: 'no Agent ada in namespace weather',
    });
  });

  verifies('cli-cluster:tended-twice', 'names both releases whose operators tend one namespace', async () => {
    const { observe, put, server } = await world();
    const deployments = server.list(kindOf('Deployment'));
    const operator = deployments.find(({ metadata }) => metadata.name === NAMES.operator);
    const text = JSON.stringify(operator).replaceAll('"retainer-system"', '"team-system"');
    const watched = '"RETAINER_WATCH_NAMESPACES","value":"';
    expect(text).toContain(`${watched}"`);
    put(JSON.parse(text.replace(watched, `${watched}weather`)) as Parameters<typeof put>[0]);
    const { findings } = diagnose(await observe());
    expect(findings.find(({ check }) => check === 'tended')).toMatchObject({
      status: 'fail',
      seen: 'namespace weather tended by two operators: release retainer in retainer-system and release retainer in team-system',
    });
  });

  it('says where to install an operator that is nowhere', async () => {
    const { observe } = await world();
    const { findings } = diagnose(await observe({ ...WHOLE, systemNamespace: 'elsewhere' }));
    expect(findings.find(({ check }) => check === 'operator')).toMatchObject({
      status: 'fail',
      seen: 'no Deployment retainer-operator in namespace elsewhere',
    });
  });

  it('believes a Lease that was renewed between two looks, whatever the clocks say', async () => {
    const one = await world();
    one.clock.advance(7_200_000);
    const facts = await one.observe();
    const silent = diagnose(facts).findings.find(({ check }) => check === 'leader');
    expect(silent).toMatchObject({ status: 'fail' });
    expect(silent?.seen).toBe(
      'no leader: retainer-operator-a holds the Lease, renewed 2 h ago, and no longer renews it',
    );
    const lease = facts.leader.first.type === 'Seen' ? facts.leader.first.value : undefined;
    const spec = { ...(lease?.['spec'] as object), renewTime: '2030-01-01T00:10:09.000000Z' };
    const second = { type: 'Seen', value: { ...lease, metadata: { name: 'x' }, spec } } as const;
    const renewed = diagnose({ ...facts, leader: { ...facts.leader, second } });
    expect(renewed.findings.find(({ check }) => check === 'leader')).toMatchObject({ status: 'ok' });
  });
});

describe('names', () => {
  it('are those of the operator', () => {
    expect([NAMES.leaderLease, NAMES.signingKey, NAMES.publicKey]).toEqual([
      OPERATOR_LEASE_NAME,
      SIGNING_KEY_SECRET,
      SIGNING_KEY_CONFIG_MAP,
    ]);
  });
});
