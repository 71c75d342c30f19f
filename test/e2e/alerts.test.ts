/**
 * The chart's alerts under a real Prometheus while the faults are really made: each fires, and rests once its fault is gone.
 * Minutes of the rules are seconds here. Prints the table of docs/runbooks.md: alert, fault, seconds to firing, seconds to rest.
 */
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { RELEASE, type RenderedObject } from '../../scripts/render-chart.ts';
import { MEMORY_BALLOON } from '../support/abuse-scripts.ts';
import { isNightly } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';
import { AlertTrial, times, type Fault } from './alert-trial.ts';
import { connectScript } from './flow-connect.ts';
import { copiedTo, startGitRemote, type GitRemote } from './git-remote.ts';
import { installChart } from './installation.ts';
import { code, PUPPET, puppetObjects, puppetTask } from './puppet.ts';
import { SANDBOX_NAMESPACE, World } from './world.ts';

const world = new World();
const installation = inject('installation');
const system = ['-n', RELEASE.namespace] as const;
let namespace = '';
let trial: AlertTrial;
let remote: GitRemote;

beforeAll(async () => {
  namespace = await world.namespace('alerts');
  await world.apply(namespace, puppetObjects({ limits: { concurrentRuns: 4 } }));
  await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
  trial = await AlertTrial.start(world, namespace);
  remote = await startGitRemote(world, namespace);
});
afterAll(async () => {
  await trial.stop();
  await Promise.all([unhook(), labelSandboxes('restricted')]);
  await installChart(installation);
  await world.close();
});

const labelSandboxes = (level: string) =>
  world.kubectl.run([
    'label',
    '--overwrite',
    'namespace',
    SANDBOX_NAMESPACE,
    `pod-security.kubernetes.io/enforce=${level}`,
  ]);

/** A remote whose host has no address. */
const NOWHERE = { url: 'https://nowhere.example.svc:8443/copies.git', cidr: '192.0.2.1/32' };
/** No node of a test has so many processors. */
const TOO_MUCH = { requests: { cpu: '64' }, limits: { cpu: '64', memory: '192Mi', 'ephemeral-storage': '512Mi' } };
const POD_TOO_MUCH = { requests: { cpu: '64', memory: '192Mi' }, limits: { cpu: '64', memory: '192Mi' } };
const HOOK = 'retainer-e2e-nobody-answers';
const unhook = () => world.kubectl.run(['delete', 'validatingwebhookconfiguration', HOOK, '--ignore-not-found']);
/** So many that one of them is always tried again, though each waits longer each time. */
const UNSERVED = Array.from({ length: 6 }, (_, index) => `unserved-${index}`);
/** Every change of a Service of these agents asks somebody who is not there: the API server answers with 500. */
const hook = (): RenderedObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: HOOK },
  webhooks: [
    {
      name: 'nobody.retainer.test',
      clientConfig: { url: 'https://127.0.0.1:9/' },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['services'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      objectSelector: { matchExpressions: [{ key: 'retainer.dev/agent', operator: 'In', values: UNSERVED }] },
      failurePolicy: 'Fail',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 1,
    },
  ],
});

const needingLeave = (): RenderedObject => {
  const task = puppetTask('leave', 'REMEMBER garden/tree = ash');
  return { ...task, spec: { ...task.spec, approval: { mode: 'EveryEffect' } } };
};
/** One record of today, in place, as somebody in the container would: `sed` keeps nothing of the old file. */
const TAMPER = String.raw`f=$(find /data/journal -path '*cycle*' -name '*.jsonl' | sort | head -1); sed -i '2s/a/b/' "$f"`;

/** A policy of a gate of the agent that turns a word away. */
const refusing = (gate: 'input' | 'output', pattern: string) => {
  const rules = [{ id: 'word', pattern, verdict: 'Reject', description: 'Not this word.', reason: 'Not this.' }];
  return { gatePolicies: { [gate]: { rules } } };
};

/** All at the same time, each on an agent or a place of its own. */
const together = (): readonly Fault[] => [
  {
    alert: 'RetainerAgentNotReady',
    agent: 'lost',
    what: 'an Agent names a CharacterSpec that does not exist',
    make: () => world.apply(namespace, [trial.agent('lost', { characterRef: { name: 'nobody' } })]),
    mend: () => trial.remove('agent', 'lost'),
  },
  {
    alert: 'RetainerAgentNotReady',
    agent: 'heavy',
    what: 'no node has room for the pod of an agent',
    make: () => world.apply(namespace, [trial.agent('heavy', { pod: { resources: POD_TOO_MUCH } })]),
    mend: () => world.apply(namespace, [trial.agent('heavy')]),
  },
  {
    alert: 'RetainerAgentCrashLoop',
    agent: 'crashing',
    what: 'the image of an agent has no agent in it',
    make: () =>
      world.apply(namespace, [
        trial.agent('crashing', { pod: { image: `docker.io/retainer/sandbox:${installation.tag}` } }),
      ]),
    mend: () => trial.remove('agent', 'crashing'),
  },
  {
    alert: 'RetainerPoolEmpty',
    what: 'no node has room for the pool of an agent',
    make: () =>
      world.apply(namespace, [trial.agent('pooled', { sandbox: { pool: { size: 1 }, resources: TOO_MUCH } })]),
    mend: () => trial.remove('agent', 'pooled'),
  },
  {
    alert: 'RetainerApprovalsWaiting',
    agent: PUPPET,
    what: 'a Task waits for a person',
    make: () => world.apply(namespace, [needingLeave()]),
    mend: () =>
      world.kubectl.run(['patch', 'task', 'leave', '-n', namespace, '--type=merge', '-p', '{"spec":{"cancel":true}}']),
  },
  {
    alert: 'RetainerReconcileErrors',
    what: 'the API server answers the operator with 500',
    make: async () => {
      await world.kubectl.apply([hook()]);
      await world.apply(
        namespace,
        UNSERVED.map((name) => trial.agent(name)),
      );
    },
    mend: async () => {
      await unhook();
      for (const name of UNSERVED) await trial.remove('agent', name);
    },
  },
  {
    alert: 'RetainerNetworkNotEnforced',
    what: 'the namespace of code loses its standard',
    make: () => labelSandboxes('privileged'),
    mend: () => labelSandboxes('restricted'),
  },
  {
    alert: 'RetainerEgressDenied',
    what: 'code asks the egress proxy forty times for a host that its Agent does not name',
    make: async () => {
      await world.apply(namespace, [trial.agent('reaching', { sandbox: { timeout: '40s', egress: ['example.org'] } })]);
      const attempts = Array.from({ length: 40 }, (_, index) => ({
        id: `n${index}`,
        target: '8.8.8.8:443',
        answer: '403',
      }));
      await world.apply(namespace, [
        puppetTask('reach', code('javascript', connectScript(attempts, 'test')), 'reaching'),
      ]);
    },
    mend: () => Promise.resolve(),
  },
  {
    alert: 'RetainerBackupStale',
    agent: 'uncopied',
    what: 'the remote of the second copy of an agent is away',
    make: () => world.apply(namespace, [trial.agent('uncopied', copiedTo(NOWHERE))]),
    mend: () => trial.remove('agent', 'uncopied'),
  },
  {
    alert: 'RetainerBackupDiverged',
    agent: 'second-life',
    what: 'the remote of the second copy of an agent has another history',
    make: async () => {
      const { replaceHistory, secret, authority } = remote;
      await replaceHistory('main');
      await world.apply(namespace, [secret, authority, trial.agent('second-life', copiedTo(remote))]);
    },
    mend: () => world.apply(namespace, [trial.agent('second-life', copiedTo(remote, 'second'))]),
  },
  trial.workFault({
    alert: 'RetainerOutputsHeld',
    of: 'silenced',
    what: 'three answers in a row hold what the output gate turns away',
    character: refusing('output', 'came back'),
    intents: times(3, 'RECALL garden/color'),
  }),
  trial.workFault({
    alert: 'RetainerRefusalsUnusual',
    of: 'refusing',
    what: 'Task after Task holds what the input gate turns away, on the first day of the agent',
    character: refusing('input', 'sword'),
    intents: times(20, 'REMEMBER sword/color = grey'),
  }),
  trial.workFault({
    alert: 'RetainerGatesEscalated',
    of: 'hurried',
    what: 'refused Tasks come faster than the Agent says that it is used to',
    character: refusing('input', 'sword'),
    spec: { gates: { meta: { cyclesPerMinute: 1 } } },
    intents: times(5, 'REMEMBER sword/color = grey'),
  }),
  trial.workFault({
    alert: 'RetainerBudgetNearlyUsed',
    of: 'frugal',
    what: 'an agent calls as many tools as it may in a day',
    spec: { budgets: { toolCallsPerDay: 2 } },
    intents: times(2, 'REMEMBER garden/color = teal'),
  }),
  trial.workFault({
    alert: 'RetainerSandboxesKilled',
    of: 'balloon',
    what: 'code takes more memory than it has, again and again',
    intents: times(12, code('javascript', MEMORY_BALLOON)),
    isOfAll: true,
  }),
];

const operators = (replicas: number) =>
  world.kubectl.run(['scale', 'deployment', 'retainer-operator', ...system, `--replicas=${replicas}`]);

/** One after the other: each takes the operator away from the others. Three minutes, so a part of `npm run nightly` alone. */
const alone = (): readonly Fault[] => [
  {
    alert: 'RetainerRolloutHalted',
    what: 'the image of a release does not exist',
    make: () => installChart(installation, { 'image.agent.tag': 'no-such-tag', 'operator.replicas': 1 }),
    mend: () => installChart(installation),
  },
  {
    alert: 'RetainerOperatorDown',
    what: 'no operator runs',
    make: () => operators(0),
    mend: () => operators(2),
  },
  {
    alert: 'RetainerNoLeader',
    what: 'somebody else holds the Lease of the operators',
    make: () => trial.holdLease('retainer-operator', RELEASE.namespace, 'somebody-else', 3600),
    mend: () => trial.holdLease('retainer-operator', RELEASE.namespace, '', 1),
  },
];

describe('the alerts', () => {
  afterAll(() => {
    process.stdout.write(trial.table);
  });

  verifies('e2e:alerts', 'fire on faults that are really made, all at once, and rest without them', async () => {
    await trial.shown(together());
  });

  verifies('e2e:alerts', 'fire when the journal of an agent is tampered with', async () => {
    const pod = `retainer-${PUPPET}-0`;
    await trial.shown([
      {
        alert: 'RetainerJournalMismatch',
        agent: PUPPET,
        what: 'one record is rewritten in place',
        make: () => world.kubectl.run(['exec', pod, '-c', 'agent', '-n', namespace, '--', 'sh', '-c', TAMPER]),
        mend: () => trial.remove('agent', PUPPET),
      },
    ]);
  });

  describe.skipIf(!isNightly)('of the operator itself', () => {
    verifies('e2e:alerts', 'fire when it is away, without a leader, or halted', async () => {
      await world.apply(namespace, [trial.agent('second', {})]);
      await world.condition(namespace, ['agent', 'second'], { type: 'Ready', status: 'True' });
      for (const fault of alone()) await trial.shown([fault]);
    });
  });
});
