/**
 * The alerts that `alerts.test.ts` leaves, of faults that take more: volumes that are full, processes that stop, an API server that
 * refuses. Each fires while its fault is really made, and rests once it is gone.
 */
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { RELEASE, type RenderedObject } from '../../scripts/render-chart.ts';
import { verifies } from '../verifies.ts';
import { AlertTrial, times, type Fault } from './alert-trial.ts';
import { execInside, mountSmall, unmountSmall } from './cluster.ts';
import { HELD, heldObjects, heldRoles, heldTask, journalOf, killAgent } from './held.ts';
import { installChart } from './installation.ts';
import { code, PUPPET, puppetAgent, puppetObjects, puppetTask } from './puppet.ts';
import { World, type ClusterObject } from './world.ts';

const world = new World();
const installation = inject('installation');
const operators = ['-n', RELEASE.namespace, '-l', 'app.kubernetes.io/name=operator'] as const;
const LEASE = 'retainer-operator';
/** Of ten agents side by side on two cores, and of the rules' own time. */
const TOGETHER_MS = 400_000;
const TEST_MS = 480_000;
let namespace = '';
let trial: AlertTrial;

beforeAll(async () => {
  namespace = await world.namespace('alerts-more');
  await world.apply(namespace, puppetObjects());
  await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
  trial = await AlertTrial.start(world, namespace);
});
afterAll(async () => {
  process.stdout.write(trial.table);
  await trial.stop();
  await Promise.all([unhook(), unthrottle()]);
  await installChart(installation);
  await world.close();
  await removeSmall();
});

const inContainer = (agent: string, container: 'agent' | 'auditor', command: string) =>
  world.kubectl.run(['exec', `retainer-${agent}-0`, '-n', namespace, '-c', container, '--', 'sh', '-c', command]);
/** The container's first process is tini, and its only child the program. */
const signalled = (agent: string, container: 'agent' | 'auditor', signal: string) =>
  inContainer(agent, container, `kill -${signal} $(cat /proc/1/task/1/children)`);

/** Twice the ballast and the first records of an agent. */
const SMALL_MEBIBYTES = 64;
const FULL = 'full';
let small = '';

/** An agent whose volume is so small that it can be filled. */
async function onSmallVolume(name: string): Promise<void> {
  const volume = `${namespace}-${name}`;
  small = await mountSmall(installation.cluster, volume, SMALL_MEBIBYTES);
  const storage = '1Gi';
  const common = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
  const [{ metadata: node } = { metadata: { name: '' } }] = await world.kubectl.list<ClusterObject>('nodes');
  const isHere = { key: 'kubernetes.io/hostname', operator: 'In', values: [node.name] };
  await world.kubectl.apply([
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: volume },
      spec: {
        ...{ ...common, capacity: { storage }, local: { path: small }, persistentVolumeReclaimPolicy: 'Retain' },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [isHere] }] } },
      },
    },
  ]);
  const claim = { ...common, volumeName: volume, resources: { requests: { storage } } };
  await world.apply(namespace, [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: `data-retainer-${name}-0` },
      spec: claim,
    },
  ]);
  await trial.ready(name);
}

async function removeSmall(): Promise<void> {
  if (small === '') return;
  await world.kubectl.run(['delete', 'persistentvolume', `${namespace}-${FULL}`, '--ignore-not-found']);
  await unmountSmall(small);
}

/** More than half of a node's memory: a second one waits until the first has ended. */
async function halfOfNode(): Promise<string> {
  const [node] = await world.kubectl.list<ClusterObject>('nodes');
  const allocatable = node?.status?.['allocatable'] as { readonly memory: string } | undefined;
  return `${Math.ceil((Number.parseInt(allocatable?.memory ?? '0', 10) * 0.55) / 1024)}Mi`;
}

const puppetModels = puppetAgent()['spec'] as { readonly models: object };
/** US dollars per million tokens. A Task of the puppet takes some ten thousand tokens. */
const DEAR = [{ model: 'scripted', input: 1000, output: 1000 }];

/** All at the same time, each on an agent of its own. */
const together = (): readonly Fault[] => [
  {
    alert: 'RetainerLeaseLost',
    agent: 'taken',
    what: 'somebody else holds the Lease of an agent',
    make: async () => {
      await trial.ready('taken');
      await trial.holdLease('retainer-taken', namespace, 'somebody-else', 3600);
    },
    mend: () => trial.holdLease('retainer-taken', namespace, '', 1),
  },
  {
    alert: 'RetainerSandboxSlow',
    what: 'the node has room for one sandbox at a time, and ten Tasks run code',
    make: async () => {
      const memory = await halfOfNode();
      const sandbox = {
        timeout: '300s',
        pool: { maxConcurrent: 10 },
        resources: { requests: { memory }, limits: { cpu: '1', memory, 'ephemeral-storage': '512Mi' } },
      };
      await trial.ready('crowded', { sandbox, limits: { concurrentRuns: 8 } });
      const tasks = times(10, code('bash', 'sleep 4'));
      await world.apply(
        namespace,
        tasks.map((intent, at) => puppetTask(`crowded-${at}`, intent, 'crowded')),
      );
    },
    mend: () => trial.remove('agent', 'crowded'),
  },
  trial.workFault({
    alert: 'RetainerSpendingFast',
    of: 'wasteful',
    what: 'the model of an agent costs a thousand dollars per million tokens',
    spec: {
      models: { ...puppetModels.models, prices: DEAR },
      budgets: { costUsdPerDay: 1000, costUsdPerTask: 0 },
    },
    intents: times(12, 'REMEMBER garden/color = teal'),
  }),
  trial.workFault({
    alert: 'RetainerProbesDegraded',
    of: 'unprobed',
    what: 'the model for canary probes refuses every request',
    character: { gatePolicies: { input: { canary: true } } },
    intents: times(4, 'REMEMBER garden/color = teal'),
  }),
  {
    alert: 'RetainerEffectsLost',
    agent: HELD,
    what: 'the process of an agent is killed while its model answers',
    make: async () => {
      await world.apply(namespace, heldObjects());
      await world.condition(namespace, ['agent', HELD], { type: 'Ready', status: 'True' });
      await world.apply(namespace, [heldTask('cut-off', 'executor')]);
      const isHeld = async () => {
        const runId = (await world.get('task', 'cut-off', namespace)).status?.['runId'];
        const roles = runId === undefined ? [] : heldRoles(await journalOf(world, namespace, HELD), String(runId));
        return roles.length > 0 ? true : undefined;
      };
      await world.until('a call of the model', isHeld, TOGETHER_MS, namespace);
      await killAgent(world, namespace, HELD);
    },
    mend: () => Promise.resolve(),
  },
  {
    alert: 'RetainerJournalFailing',
    also: ['RetainerVolumeFilling', 'RetainerVolumeFullSoon'],
    agent: FULL,
    what: 'the volume of an agent is full',
    make: async () => {
      await onSmallVolume(FULL);
      // From the node: in the container it would take the agent's own memory. It ends where the volume does.
      await execInside('sh', '-c', `cat /dev/zero > '${small}/fill' || true`);
      await world.apply(namespace, [puppetTask('unwritten', 'REMEMBER garden/color = teal', FULL)]);
    },
    mend: () => execInside('rm', `${small}/fill`),
  },
  {
    alert: 'RetainerAuditorStale',
    agent: 'unwatched',
    what: 'the process of an auditor stands still',
    make: async () => {
      await trial.ready('unwatched');
      await signalled('unwatched', 'auditor', 'STOP');
    },
    mend: () => signalled('unwatched', 'auditor', 'CONT'),
  },
];

const HOOK = 'retainer-e2e-never-answers';
const unhook = () => world.kubectl.run(['delete', 'validatingwebhookconfiguration', HOOK, '--ignore-not-found']);
/** Every status that the operator writes to a Task waits for somebody who never answers. No address of the cluster's network. */
const hook = (): RenderedObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: HOOK },
  webhooks: [
    {
      name: 'never.retainer.test',
      clientConfig: { url: 'https://192.0.2.1/' },
      rules: [{ apiGroups: ['retainer.dev'], apiVersions: ['*'], operations: ['UPDATE'], resources: ['tasks/status'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      failurePolicy: 'Ignore',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 10,
    },
  ],
});
/** Twice the depth, and those that the workers have. */
const WAITING = 240;

const THROTTLE = 'retainer-e2e-throttle';
const throttled = ['flowschema', 'prioritylevelconfiguration'] as const;
async function unthrottle(): Promise<void> {
  for (const kind of throttled) await world.kubectl.run(['delete', kind, THROTTLE, '--ignore-not-found']);
}
/** No watch of the operator is served: the API server answers 429. */
const throttle = (): readonly object[] => [
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name: THROTTLE },
    spec: {
      type: 'Limited',
      limited: {
        ...{ nominalConcurrencyShares: 0, lendablePercent: 0, borrowingLimitPercent: 0 },
        limitResponse: { type: 'Reject' },
      },
    },
  },
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name: THROTTLE },
    spec: {
      priorityLevelConfiguration: { name: THROTTLE },
      matchingPrecedence: 1,
      rules: [
        {
          subjects: [
            { kind: 'ServiceAccount', serviceAccount: { name: 'retainer-operator', namespace: RELEASE.namespace } },
          ],
          resourceRules: [
            { verbs: ['watch'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true },
          ],
        },
      ],
    },
  },
];

/** Takes the Lease of the operators away from whoever holds it, again and again. */
async function flap(isMended: () => boolean): Promise<void> {
  const other = 'somebody-else';
  while (!isMended()) {
    await trial.holdLease(LEASE, RELEASE.namespace, other, 1);
    const isLed = async () => {
      const holder = (await world.get('lease', LEASE, RELEASE.namespace)).spec?.['holderIdentity'];
      return isMended() || (holder !== other && holder !== '') ? true : undefined;
    };
    await world.until('another leader', isLed, 60_000);
  }
}

describe('more alerts', () => {
  verifies(
    'e2e:alerts',
    'fire on faults of agents, their volumes and their processes, and rest without them',
    async () => trial.shown(together(), TOGETHER_MS),
    TEST_MS,
  );

  verifies('e2e:alerts', 'fire when the API server is slow to write, and Tasks wait for the operator', async () => {
    await trial.shown([
      {
        alert: 'RetainerQueueDeep',
        what: 'a webhook never answers, and each status of 240 Tasks waits for it',
        make: async () => {
          await world.kubectl.apply([hook()]);
          const names = Array.from({ length: WAITING }, (_, at) => `waiting-${at}`);
          await world.apply(
            namespace,
            names.map((name) => puppetTask(name, 'RECALL nothing', 'nobody')),
          );
        },
        mend: unhook,
      },
    ]);
  });

  verifies('e2e:alerts', 'fire when the lead changes again and again', async () => {
    let isMended = false;
    await world.kubectl.run(['scale', 'deployment', LEASE, '-n', RELEASE.namespace, '--replicas=4']);
    await trial.shown([
      {
        alert: 'RetainerLeaderFlapping',
        what: 'somebody takes the Lease of the operators from each leader',
        make: () => flap(() => isMended),
        mend: async () => {
          isMended = true;
          await trial.holdLease(LEASE, RELEASE.namespace, '', 1);
          await world.kubectl.run(['scale', 'deployment', LEASE, '-n', RELEASE.namespace, '--replicas=2']);
        },
      },
    ]);
  });

  verifies(
    'e2e:alerts',
    'fire when the API server refuses the operator',
    async () => {
      await trial.shown(
        [
          {
            alert: 'RetainerApiThrottled',
            also: ['RetainerWatchStale'],
            what: 'the API server answers each watch of the operator with 429',
            make: async () => {
              await world.kubectl.apply(throttle());
              // A watch that is under way goes on: another operator begins all of them.
              await world.kubectl.run(['delete', 'pod', ...operators, '--wait=false']);
            },
            mend: unthrottle,
          },
        ],
        TOGETHER_MS,
      );
    },
    TEST_MS,
  );
});
