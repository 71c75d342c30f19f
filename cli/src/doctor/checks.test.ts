/** Each check by table: a healthy installation with one thing changed, and what is said of it. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROLLOUT_CONFIG_MAP, ROLLOUT_ENTRIES, type RolloutState } from '@retainer/contract/wire/rollout';
import type { KubeObject } from '@retainer/kube/kube-object';
import { fakeKubeClient } from '../../../test/support/fake-api-server/fake-kube-client.ts';
import { canaryPod, installedCluster, rolloutDone } from '../../../test/support/installed-cluster.ts';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { CHECKS, diagnose } from './checks.ts';
import { KUBERNETES_MINOR_MIN } from './cluster-checks.ts';
import type { Facts, SeenObject, SeenObjects } from './facts.ts';
import { forCluster } from './for-cluster.ts';
import { observeCluster } from './observe-cluster.ts';
import { untendedOf } from './tended-check.ts';

let well: Facts;
beforeAll(async () => {
  const clock = manualClock();
  const { server } = await installedCluster(clock);
  const client = fakeKubeClient(server);
  const scope = { systemNamespace: 'retainer-system', namespace: undefined, agent: undefined };
  well = await observeCluster({
    client,
    clock,
    scope,
    version: '0.1.0',
    address: 'https://here',
    depth: 'Everything',
  });
  client.close();
  await server.stop();
});

const seen = <T>(value: T) => ({ type: 'Seen', value }) as const;
const objects = (fact: SeenObjects): readonly KubeObject[] => (fact.type === 'Seen' ? fact.value : []);
const one = (fact: SeenObject): KubeObject => {
  if (fact.type !== 'Seen' || fact.value === undefined) throw new Error('it was not seen');
  return fact.value;
};
const secondsAgo = (facts: Facts, seconds: number) => new Date(facts.nowMs - seconds * 1000).toISOString();

/** Facts in which the objects of one list are others. */
const among = (fact: SeenObjects, change: (object: KubeObject) => KubeObject): SeenObjects =>
  seen(objects(fact).map(change));
const withEnv = (facts: Facts, name: string, value: string): Facts => {
  const text = JSON.stringify(one(facts.operator));
  const changed = text.replace(new RegExp(`("name":"${name}","value":")[^"]*`), `$1${value}`);
  if (changed === text) throw new Error(`no variable ${name}`);
  return { ...facts, operator: seen(JSON.parse(changed) as KubeObject) };
};
const agentsWith = (facts: Facts, change: object): Facts => ({
  ...facts,
  ofAgents: { ...facts.ofAgents, agents: among(facts.ofAgents.agents, (agent) => ({ ...agent, ...change })) },
});
const ready = (facts: Facts, reason: string, seconds: number) => ({
  status: {
    conditions: [
      { type: 'Ready', status: 'False', reason, message: 'why', lastTransitionTime: secondsAgo(facts, seconds) },
    ],
  },
});
const mailIs = (facts: Facts, status: string) => ({
  spec: { channels: { email: { address: 'ada@agents.example' } } },
  status: {
    conditions: [
      { type: 'MailReady', status, reason: 'Why', message: 'why', lastTransitionTime: secondsAgo(facts, 60) },
    ],
  },
});
const trial = (status: 'ok' | 'fail') => ({ trial: 'incoming-login' as const, status, seen: 'it says so' });
const triedAs = (facts: Facts, tried: Omit<NonNullable<Facts['triedMail']>[number], 'agent'>): Facts => {
  const [agent] = objects(facts.ofAgents.agents);
  const place = `${agent?.metadata.namespace}/${agent?.metadata.name}`;
  return { ...facts, triedMail: [{ agent: place, ...tried }] };
};
const jobsAre = (change: object) => ({
  status: {
    jobs: {
      ...{ active: 2, paused: 1, failed: 0, skipped: 0, stalled: 0 },
      last: { job: 'look', moment: '2030-01-01T08:00:00Z', outcome: 'Failed' },
      ...change,
    },
  },
});
const backupIs = (facts: Facts, status: string, reason: string) => ({
  status: {
    conditions: [
      { type: 'BackupCurrent', status, reason, message: 'why and what', lastTransitionTime: secondsAgo(facts, 7200) },
    ],
  },
});
const taskWith = (facts: Facts, reason: string): Facts => {
  const task = { kind: 'Task', metadata: { name: 'asks', namespace: 'weather' }, ...ready(facts, reason, 90_000) };
  return { ...facts, ofAgents: { ...facts.ofAgents, tasks: seen([task]) } };
};
/** The operator of another release, in a namespace of its own. */
const neighbour = (facts: Facts, namespace: string, places: string): KubeObject => {
  const object = one(withEnv(facts, 'RETAINER_WATCH_NAMESPACES', places).operator);
  return { ...object, metadata: { ...object.metadata, namespace } };
};
/** As helm leaves it; what it only rendered for others has no annotation. */
const ofHelm = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { 'meta.helm.sh/release-name': 'retainer' } },
});
const allOfHelm = (facts: Facts): Facts => ({
  ...facts,
  operator: seen(ofHelm(one(facts.operator))),
  operators: among(facts.operators, ofHelm),
});
const givenUp = (facts: Facts): Facts => ({
  ...facts,
  operator: seen({
    ...one(facts.operator),
    status: { conditions: [{ type: 'AgentsTended', status: 'Unknown', reason: 'NotTended', message: 'weather' }] },
  }),
});
const narrowed = (facts: Facts, own: string, others: readonly string[]): Facts => {
  const neighbours = others.map((places, index) => neighbour(facts, `team-${index}`, places));
  const { operator } = withEnv(facts, 'RETAINER_WATCH_NAMESPACES', own);
  return { ...facts, operator, everyAgent: facts.ofAgents.agents, operators: seen([one(operator), ...neighbours]) };
};
const inVain = (facts: Facts, message: string): Facts => {
  const conditions = [{ type: 'FieldsInEffect', status: 'False', reason: 'NoEffectYet', message }];
  const characters = among(facts.ofAgents.characters, (one) => ({ ...one, status: { conditions } }));
  return { ...facts, ofAgents: { ...facts.ofAgents, characters } };
};
const personaOf = (facts: Facts, spec: object): Facts => {
  const characters = among(facts.ofAgents.characters, (one) => ({ ...one, spec }));
  return { ...facts, ofAgents: { ...facts.ofAgents, characters } };
};
const canary = (facts: Facts, end: Parameters<typeof canaryPod>[0] | undefined): Facts => ({
  ...facts,
  sandboxes: facts.sandboxes.map((place) => ({ ...place, pods: seen(end === undefined ? [] : [canaryPod(end)]) })),
});
const podOf = (facts: Facts, status: object, seconds: number, metadata: object = {}): Facts => {
  const pod = {
    kind: 'Pod',
    metadata: {
      name: 'run-x',
      namespace: 'retainer-sandboxes',
      creationTimestamp: secondsAgo(facts, seconds),
      ...metadata,
    },
    status,
  };
  return { ...facts, sandboxes: facts.sandboxes.map((place) => ({ ...place, pods: seen([pod]) })) };
};

const halt: RolloutState = {
  ...rolloutDone,
  phase: 'Halted',
  halted: { agent: 'weather/meteorologist', reason: 'PodCrashing', message: 'it crashes' },
};
const haltedRollout: KubeObject = {
  metadata: { name: ROLLOUT_CONFIG_MAP },
  data: { [ROLLOUT_ENTRIES.state]: JSON.stringify(halt) },
};

type Row = readonly [
  check: (typeof CHECKS)[number]['name'],
  name: string,
  change: (facts: Facts) => Facts,
  told: string,
];

const rows: readonly Row[] = [
  [
    'api-server',
    'an old cluster',
    (it) => ({ ...it, server: seen('v1.29.4') }),
    'fail: Kubernetes v1.29.4 at https://here is older than 1.30',
  ],
  [
    'api-server',
    'a vendor’s version',
    (it) => ({ ...it, server: seen('v1.31.2-eks-1') }),
    'ok: Kubernetes v1.31.2-eks-1 at https://here',
  ],
  [
    'definitions',
    'a missing kind',
    (it) => ({ ...it, definitions: seen(objects(it.definitions).slice(1)) }),
    'fail: 1 fault of the CustomResourceDefinitions',
  ],
  [
    'definitions',
    'objects of a version that is not served',
    (it) => ({
      ...it,
      definitions: among(it.definitions, (crd) => ({
        ...crd,
        status: { ...(crd['status'] as object), storedVersions: ['v1', 'v1alpha1'] },
      })),
    }),
    'fail: 5 faults of the CustomResourceDefinitions',
  ],
  [
    'definitions',
    'a field that this program does not know',
    (it) => ({
      ...it,
      definitions: among(
        it.definitions,
        (crd) => JSON.parse(JSON.stringify(crd).replace('"suspend":', '"suspended":')) as KubeObject,
      ),
    }),
    'warn: the CustomResourceDefinitions have another version than this program',
  ],
  [
    'operator',
    'one of two',
    (it) => ({ ...it, operator: seen({ ...one(it.operator), status: { readyReplicas: 1 } }) }),
    'warn: 1 of 2 pods of retainer-operator are Ready',
  ],
  [
    'operator',
    'nobody',
    (it) => ({
      ...it,
      operator: seen({ ...one(it.operator), spec: { ...(one(it.operator)['spec'] as object), replicas: 0 } }),
    }),
    'fail: retainer-operator is scaled to 0: no object is reconciled',
  ],
  [
    'version',
    'a newer operator',
    (it) => withEnv(it, 'RETAINER_VERSION', '0.2.0'),
    'warn: the operator has version 0.2.0, this program version 0.1.0',
  ],
  [
    'leader',
    'no Lease',
    (it) => ({ ...it, leader: { first: seen(undefined), second: undefined } }),
    'fail: no Lease retainer-operator: no operator has become leader yet',
  ],
  [
    'leader',
    'a Lease that was given back',
    (it) => ({
      ...it,
      leader: {
        ...it.leader,
        first: seen({ ...one(it.leader.first), spec: { leaseTransitions: 4, holderIdentity: '' } }),
      },
    }),
    'fail: no leader since epoch 4, never renewed',
  ],
  [
    'personas',
    'one with a secret',
    (it) => personaOf(it, { persona: 'I am Ada. The vault opens with kz81mQ0vbT4w1Lx93hRd22aa.' }),
    'warn: 1 persona with what looks like a secret, and not confidential',
  ],
  [
    'personas',
    'one with a secret that is confidential',
    (it) => personaOf(it, { persona: 'The code is 4711x.', confidential: true }),
    'ok: no persona holds what looks like a secret, or it is confidential',
  ],
  [
    'rollout',
    'an agent that did not come up with the newest release',
    (it) => ({ ...it, rollout: seen(haltedRollout) }),
    'fail: halted: Agent weather/meteorologist did not come up with docker.io/retainer/agent:0.1.0',
  ],
  [
    'rollout',
    'an operator that never led',
    (it) => ({ ...it, rollout: seen(undefined) }),
    'skip: no operator has told of a rollout yet; see the check leader',
  ],
  [
    'signing-key',
    'neither half',
    (it) => ({ ...it, signingKey: seen(undefined), publicKey: seen(undefined) }),
    'fail: no Secret retainer-signing-key yet: the first leader creates it',
  ],
  [
    'signing-key',
    'no public half',
    (it) => ({ ...it, publicKey: seen(undefined) }),
    'fail: ConfigMap retainer-signing-key-public holds no key: egress proxies cannot start',
  ],
  [
    'egress-proxy',
    'none wanted',
    (it) => withEnv(it, 'RETAINER_EGRESS_PROXY', ''),
    'ok: off (egressProxy.enabled): code reaches no host',
  ],
  [
    'egress-proxy',
    'one wanted and none there',
    (it) => ({ ...it, egressProxy: seen(undefined) }),
    'fail: no Deployment retainer-egress-proxy, but the operator is set to use it',
  ],
  [
    'egress-proxy',
    'no operator to ask, and a proxy that works',
    (it) => ({ ...it, operator: seen(undefined) }),
    'ok: 2 of 2 pods of retainer-egress-proxy are Ready',
  ],
  [
    'egress-proxy',
    'neither operator nor proxy',
    (it) => ({ ...it, operator: seen(undefined), egressProxy: seen(undefined) }),
    'skip: not installed; without an operator nobody knows whether it is needed; see the check operator',
  ],
  [
    'images',
    'an image of sandboxes that does not come',
    (it) =>
      podOf(
        it,
        {
          containerStatuses: [
            { name: 'sandbox', image: 'r/sandbox:9', state: { waiting: { reason: 'ErrImagePull' } } },
          ],
        },
        10,
      ),
    'fail: one container waits for r/sandbox:9 (ErrImagePull)',
  ],
  [
    'admission',
    'policies that are off',
    (it) => ({ ...it, policies: seen([]) }),
    'fail: missing: retainer-agent-writes, retainer-approvals, retainer-reserved-labels, retainer-sandbox-namespaces, retainer-sandbox-network and 2 more; only Roles limit the agents',
  ],
  [
    'admission',
    'a binding that only warns',
    (it) => ({
      ...it,
      bindings: among(it.bindings, (binding) => ({
        ...binding,
        spec: { ...(binding['spec'] as object), validationActions: ['Audit'] },
      })),
    }),
    'fail: policies without a binding that denies: retainer-agent-writes, retainer-approvals, retainer-reserved-labels, retainer-sandbox-namespaces, retainer-sandbox-network and 2 more',
  ],
  [
    'admission',
    'a rule that cannot be checked',
    (it) => ({
      ...it,
      policies: among(it.policies, (policy) => ({ ...policy, status: { typeChecking: { expressionWarnings: [{}] } } })),
    }),
    'warn: policies with rules that the API server cannot check: retainer-agent-writes, retainer-approvals, retainer-reserved-labels, retainer-sandbox-namespaces, retainer-sandbox-network and 2 more',
  ],
  [
    'sandbox-namespaces',
    'none',
    (it) => ({
      ...it,
      namespaces: seen(objects(it.namespaces).filter(({ metadata }) => metadata.name !== 'retainer-sandboxes')),
    }),
    'fail: 1 fault in the sandbox namespaces',
  ],
  [
    'sandbox-namespaces',
    'one that lets root in',
    (it) => ({
      ...it,
      namespaces: among(it.namespaces, (namespace) => ({
        ...namespace,
        metadata: { ...namespace.metadata, labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } },
      })),
    }),
    'fail: 1 fault in the sandbox namespaces',
  ],
  [
    'network-policy',
    'no canary yet',
    (it) => canary(it, undefined),
    'warn: no result yet: code waits until the canary finds every forbidden flow closed',
  ],
  [
    'network-policy',
    'a canary that nobody reached',
    (it) => canary(it, { open: [], tried: 21, reached: false }),
    'warn: no result yet: code waits until the canary finds every forbidden flow closed',
  ],
  [
    'network-policy',
    'an open flow',
    (it) => canary(it, { open: ['kubelet'], tried: 21, reached: false }),
    'fail: code does not run: a sandbox reaches kubelet',
  ],
  [
    'network-policy',
    'no Agent, so nothing to prove',
    (it) => canary({ ...it, ofAgents: { ...it.ofAgents, agents: seen([]) } }, undefined),
    'ok: no canary needed: no Agent may run code',
  ],
  [
    'network-policy',
    'namespaces of sandboxes that are closed to this person, told by an Agent',
    (it) => ({
      ...agentsWith(it, {
        status: {
          conditions: [{ type: 'NetworkPolicyEnforced', status: 'False', message: 'forbidden flows are open' }],
        },
      }),
      sandboxes: it.sandboxes.map((place) => ({ ...place, pods: { type: 'NotAllowed', right: 'list pods' } as const })),
    }),
    'fail: weather/meteorologist: forbidden flows are open',
  ],
  ['sandboxes', 'a pod that begins', (it) => podOf(it, { phase: 'Pending' }, 60), 'ok: 0 Jobs, 1 pod, none stuck'],
  ['sandboxes', 'a pod that waits', (it) => podOf(it, { phase: 'Pending' }, 200), 'warn: one is stuck'],
  [
    'sandboxes',
    'a pod that does not go',
    (it) => podOf(it, {}, 900, { deletionTimestamp: secondsAgo(it, 400) }),
    'warn: one is stuck',
  ],
  [
    'sandboxes',
    'a Job without a pod',
    (it) => ({
      ...it,
      sandboxes: it.sandboxes.map((place) => ({
        ...place,
        jobs: seen([
          { metadata: { name: 'run-y', namespace: 'retainer-sandboxes', creationTimestamp: secondsAgo(it, 600) } },
        ]),
      })),
    }),
    'warn: one is stuck',
  ],
  [
    'storage',
    'no default, and nobody needs one',
    (it) => ({
      ...agentsWith(it, { spec: { memory: { storageClassName: 'standard' } } }),
      storageClasses: seen([{ metadata: { name: 'standard' } }]),
    }),
    'warn: no StorageClass is the default',
  ],
  [
    'storage',
    'a class that is not there',
    (it) => agentsWith(it, { spec: { memory: { storageClassName: 'gold' } } }),
    'fail: an Agent names StorageClass gold in spec.memory.storageClassName, which does not exist',
  ],
  [
    'storage',
    'volumes that cannot grow',
    (it) => ({ ...it, storageClasses: among(it.storageClasses, ({ metadata }) => ({ metadata })) }),
    'ok: standard is the default; its volumes cannot grow: choose spec.memory.storage of an Agent with room',
  ],
  ['agents', 'one that starts', (it) => agentsWith(it, ready(it, 'Starting', 60)), 'warn: 1 of 1 Agent with a problem'],
  [
    'agents',
    'one that starts for ever',
    (it) => agentsWith(it, ready(it, 'Starting', 900)),
    'fail: 1 of 1 Agent with a problem',
  ],
  [
    'agents',
    'one that is suspended',
    (it) => agentsWith(it, ready(it, 'Suspended', 900)),
    'ok: 1 Agent, nothing to do',
  ],
  [
    'agents',
    'a reason of a later version',
    (it) => agentsWith(it, ready(it, 'SomethingNew', 10)),
    'fail: 1 of 1 Agent with a problem',
  ],
  [
    'agents',
    'one that no operator looked at',
    (it) => agentsWith(it, { status: {} }),
    'fail: 1 of 1 Agent with a problem',
  ],
  [
    'suspended',
    'one that a person stopped',
    (it) => agentsWith(it, { spec: { suspend: true } }),
    'ok: 1 Agent suspended',
  ],
  [
    'fields',
    'objects that no operator judged',
    (it) => agentsWith(it, { status: {} }),
    'ok: every field that is set has an effect',
  ],
  [
    'fields',
    'a character with an override that nobody plays',
    (it) => inVain(it, 'set without effect yet: spec.gatePolicies.agentOverrides[Writer]'),
    'warn: 1 object of 5 with fields that have no effect',
  ],
  [
    'models',
    'a model that nobody knows, and one that has gone',
    (it) =>
      agentsWith(it, { spec: { models: { provider: 'Anthropic', fast: 'house-7b', capable: 'claude-opus-4-1' } } }),
    'warn: 2 models of Agents unknown or about to be retired',
  ],
  [
    'models',
    'a script, whatever models are named',
    (it) => agentsWith(it, { spec: { models: { provider: 'Scripted', script: 's.yaml', fast: 'house-7b' } } }),
    'ok: every model that an Agent names is known and answers',
  ],
  [
    'volumes',
    'a volume that is lost',
    (it) => ({
      ...it,
      ofAgents: {
        ...it.ofAgents,
        claims: among(it.ofAgents.claims, (claim) => ({ ...claim, status: { phase: 'Lost' } })),
      },
    }),
    'fail: 2 of 2 claims without a volume',
  ],
  [
    'writers',
    'a Lease that is gone',
    (it) => ({ ...it, ofAgents: { ...it.ofAgents, leases: seen([]) } }),
    'warn: 1 of 1 working Agent do not renew their Lease: they do not reach the API server',
  ],
  [
    'backups',
    'a second copy that is late',
    (it) => agentsWith(it, backupIs(it, 'False', 'BackupStale')),
    'warn: the second copy of 1 of 1 Agent is not current',
  ],
  [
    'backups',
    'a remote with another history',
    (it) => agentsWith(it, backupIs(it, 'False', 'RemoteDiverged')),
    'warn: the second copy of 1 of 1 Agent is not current',
  ],
  [
    'backups',
    'no copy yet',
    (it) => agentsWith(it, backupIs(it, 'Unknown', 'NoBackupYet')),
    'ok: no second copy is late',
  ],
  ['mail', 'no mail at all', (it) => it, 'ok: no Agent has mail'],
  ['mail', 'mail that is well', (it) => agentsWith(it, mailIs(it, 'True')), 'ok: mail of 1 Agent has no fault'],
  ['mail', 'mail that is down', (it) => agentsWith(it, mailIs(it, 'False')), 'warn: mail of 1 of 1 Agent has a fault'],
  [
    'mail',
    'servers that were tried and are well, whatever the status says',
    (it) => triedAs(agentsWith(it, mailIs(it, 'False')), { results: [trial('ok')] }),
    'ok: mail of 1 Agent has no fault',
  ],
  [
    'mail',
    'servers that were tried and refuse',
    (it) => triedAs(agentsWith(it, mailIs(it, 'True')), { results: [trial('fail')] }),
    'fail: mail of 1 of 1 Agent has a fault',
  ],
  [
    'mail',
    'servers that could not be tried',
    (it) => triedAs(agentsWith(it, mailIs(it, 'True')), { results: [], why: 'ann lacks the right' }),
    'ok: mail of 1 Agent has no fault',
  ],
  ['jobs', 'no job at all', (it) => it, 'ok: no Agent has a job'],
  [
    'jobs',
    'jobs that are well',
    (it) => agentsWith(it, jobsAre({})),
    'ok: 3 jobs, none stands still, none failed last',
  ],
  [
    'jobs',
    'a job that stands still',
    (it) => agentsWith(it, jobsAre({ stalled: 1 })),
    'warn: jobs of 1 of 1 Agent stand still or failed',
  ],
  [
    'jobs',
    'a job that failed',
    (it) => agentsWith(it, jobsAre({ failed: 2 })),
    'warn: jobs of 1 of 1 Agent stand still or failed',
  ],
  ['tended', 'an operator for everybody', (it) => it, 'ok: every Agent has an operator'],
  [
    'tended',
    'an operator that was narrowed',
    (it) => narrowed(it, 'other', []),
    'fail: 1 Agent without an operator: no installation has weather in its watchNamespaces',
  ],
  [
    'tended',
    'two operators that share the cluster',
    (it) => narrowed(it, 'other', ['weather,climate']),
    'ok: every Agent has an operator',
  ],
  [
    'tended',
    'namespaces that another release took over',
    (it) => givenUp(narrowed(it, 'other', ['weather,climate'])),
    'warn: every Agent has an operator, but condition AgentsTended of the operator still names namespaces that this release gave up',
  ],
  [
    'tended',
    'one namespace of those that were given up',
    (it) => ({
      ...givenUp(narrowed(it, 'other', ['weather,climate'])),
      scope: { ...it.scope, namespace: 'weather' },
    }),
    'ok: every Agent has an operator',
  ],
  [
    'tended',
    'an operator of all that may not see whether there is another',
    (it) => ({ ...it, operators: { type: 'NotAllowed', right: 'list deployments.apps --all-namespaces' } }),
    'skip: not checked: you have no permission to list deployments.apps --all-namespaces',
  ],
  [
    'tended',
    'an operator of some that may not see who tends the others',
    (it) => ({
      ...narrowed(it, 'other', []),
      operators: { type: 'NotAllowed', right: 'list deployments.apps --all-namespaces' },
    }),
    'skip: not checked: you have no permission to list deployments.apps --all-namespaces',
  ],
  [
    'tended',
    'two operators of one namespace',
    (it) => narrowed(it, 'weather,other', ['climate', 'weather,climate']),
    'fail: namespace weather tended by two operators: release retainer in retainer-system and release retainer in team-1',
  ],
  [
    'tended',
    'an operator of some namespaces beside one of all',
    (it) => ({ ...it, operators: seen([neighbour(it, 'team-system', 'weather,climate')]) }),
    'fail: namespaces weather, climate tended by two operators: release retainer in retainer-system and release retainer in team-system',
  ],
  [
    'tasks',
    'a question that waits for a person',
    (it) => taskWith(it, 'QuestionAsked'),
    'warn: 1 of 1 Task with a problem',
  ],
  [
    'tasks',
    'a call that waits for a person',
    (it) => taskWith(it, 'ApprovalRequested'),
    'warn: 1 of 1 Task with a problem',
  ],
  [
    'tasks',
    'no kinds at all',
    (it) => ({ ...it, ofAgents: { ...it.ofAgents, tasks: { type: 'NoSuchKind', kind: 'Task' } } }),
    'skip: the cluster has no kind Task; see the check definitions',
  ],
  [
    'tasks',
    'a server that fails',
    (it) => ({ ...it, ofAgents: { ...it.ofAgents, tasks: { type: 'Unreadable', message: 'etcd is gone' } } }),
    'fail: could not be read: etcd is gone',
  ],
];

describe('the doctor', () => {
  it.each(rows)('on %s, %s', (check, _, change, told) => {
    const finding = diagnose(change(well)).findings.find((it) => it.check === check);
    expect(`${finding?.status ?? ''}: ${finding?.seen ?? ''}`).toBe(told);
    if (finding?.status === 'fail' || finding?.status === 'warn') expect(finding.fix?.length).toBeGreaterThan(0);
  });

  it('has a row for every check but those that only rest on another', () => {
    const tried = new Set<string>(rows.map(([check]) => check));
    expect(CHECKS.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([
      'pod-security',
      'characters',
      'skills',
    ]);
  });

  it('supports what the chart supports', () => {
    const chart = readFileSync(new URL('../../../charts/retainer/Chart.yaml', import.meta.url), 'utf8');
    expect(chart).toContain(`kubeVersion: '>=1.${KUBERNETES_MINOR_MIN}.0-0'`);
  });

  it.each([
    [
      'some are left to each',
      (it: Facts) => allOfHelm(narrowed(it, 'weather,other', ['weather,climate'])),
      [
        "retainer install --context prod --namespace retainer-system --set 'watchNamespaces={other}'   # leaves weather to release retainer in team-0",
      ],
      ['release retainer in team-0 may give up weather instead'],
    ],
    [
      'one has no other namespace',
      (it: Facts) => allOfHelm(narrowed(it, 'weather', ['weather,climate'])),
      [
        "retainer install --context prod --namespace team-0 --set 'watchNamespaces={climate}'   # leaves weather to release retainer in retainer-system",
      ],
      [],
    ],
    [
      'manifests that helm only rendered',
      (it: Facts) => narrowed(it, 'weather', ['weather,climate']),
      [
        'set watchNamespaces of release retainer in team-0 to [climate]   # leaves weather to release retainer in retainer-system',
      ],
      [
        'release retainer in retainer-system is unknown to helm: its values are where its manifests come from (Git)',
        'release retainer in team-0 is unknown to helm: its values are where its manifests come from (Git)',
      ],
    ],
    [
      'a chart that Flux installs',
      (it: Facts) => {
        const facts = allOfHelm(narrowed(it, 'weather,other', ['weather']));
        const ofFlux = ({ metadata, ...object }: KubeObject): KubeObject => ({
          ...object,
          metadata: { ...metadata, labels: { ...metadata.labels, 'helm.toolkit.fluxcd.io/name': 'retainer' } },
        });
        const [own, ...others] = objects(facts.operators);
        return own === undefined ? facts : { ...facts, operators: seen([ofFlux(own), ...others]) };
      },
      [
        'set watchNamespaces of release retainer in retainer-system to [other]   # leaves weather to release retainer in team-0',
      ],
      ['release retainer in retainer-system is of Flux: its values are where its manifests come from (Git)'],
    ],
    [
      'one has all',
      (it: Facts) => allOfHelm({ ...it, operators: seen([neighbour(it, 'team-system', 'weather')]) }),
      [
        'give release retainer in retainer-system watchNamespaces without weather, or uninstall release retainer in team-system',
      ],
      [],
    ],
    [
      'both have the same',
      (it: Facts) => allOfHelm(narrowed(it, 'weather', ['weather'])),
      [
        'give release retainer in retainer-system or release retainer in team-0 other watchNamespaces, or uninstall one of them',
      ],
      [],
    ],
    [
      'both have all',
      (it: Facts) => {
        const own = one(it.operator);
        const other = { ...own, metadata: { ...own.metadata, namespace: 'team-system' } };
        return allOfHelm({ ...it, operators: seen([own, other]) });
      },
      [
        'give release retainer in retainer-system or release retainer in team-system other watchNamespaces, or uninstall one of them',
      ],
      [],
    ],
  ])('says one way to end the work of two operators on one namespace: %s', (_, change, fix, details) => {
    const told = forCluster(diagnose(change(well)), { context: 'prod' });
    expect(told.findings.find(({ check }) => check === 'tended')).toMatchObject({ fix, details });
  });

  it('tells install of no Agent without an operator where the operators may not be read', () => {
    const facts = narrowed(well, 'other', []);
    expect(untendedOf(facts)).toHaveLength(1);
    expect(untendedOf({ ...facts, operators: { type: 'NotAllowed', right: 'list deployments.apps' } })).toEqual([]);
  });

  it('says how to end a condition that is out of date', () => {
    const told = forCluster(diagnose(givenUp(narrowed(well, 'other', ['weather']))), { context: 'prod' });
    expect(told.findings.find(({ check }) => check === 'tended')?.fix).toEqual([
      'kubectl --context prod -n retainer-system patch deployment retainer-operator --subresource=status -p \'{"status":{"conditions":[{"type":"AgentsTended","$patch":"delete"}]}}\'',
    ]);
  });

  it.each([
    ['helm', allOfHelm, "retainer install --namespace retainer-system --set 'watchNamespaces={other,weather}'"],
    ['Git', (it: Facts) => it, 'set watchNamespaces of release retainer in retainer-system to [other, weather]'],
  ])('says how to tend Agents without an operator where the values are of %s', (_, change, command) => {
    const { findings } = diagnose(change(narrowed(well, 'other', [])));
    expect(findings.find(({ check }) => check === 'tended')?.fix).toEqual([
      `${command}   # or install another release there: docs/operations.md`,
    ]);
  });

  it('names the cluster in its commands where it was named to it', () => {
    const bad = diagnose({ ...well, egressProxy: seen(undefined), server: seen('v1.20.0') });
    const fixes = forCluster(bad, { context: 'prod' }).findings.flatMap(({ fix = [] }) => fix);
    expect(fixes).toEqual(['upgrade the cluster', 'retainer install --context prod --namespace retainer-system']);
    expect(forCluster(bad, {})).toBe(bad);
  });
});

describe('a second copy that is not current', () => {
  verifies(
    'cli-cluster:doctor-backups',
    'is told with its agent, its reason, its age, its remedy, and where to look',
    () => {
      const told = (reason: string) =>
        diagnose(agentsWith(well, backupIs(well, 'False', reason))).findings.find(({ check }) => check === 'backups');
      expect(told('BackupStale')).toMatchObject({
        details: ['weather/meteorologist: BackupStale (2 h): why and what'],
        fix: ['kubectl logs retainer-meteorologist-0 -c agent -n weather'],
      });
      expect(told('RemoteDiverged')).toMatchObject({
        details: ['weather/meteorologist: RemoteDiverged (2 h): why and what'],
        fix: ['kubectl describe agent meteorologist -n weather'],
      });
    },
  );
});

verifies(
  'cli-cluster:doctor-jobs',
  'jobs that stand still or failed are told with their agent and where to look',
  () => {
    const told = diagnose(agentsWith(well, jobsAre({ stalled: 1, failed: 2 }))).findings.find(
      ({ check }) => check === 'jobs',
    );
    expect(told).toMatchObject({
      details: [
        'weather/meteorologist: 1 job stands still; 2 jobs failed at the last firing; the last of all was look: Failed (2030-01-01T08:00:00Z)',
      ],
      fix: ['retainer jobs list -n weather --agent meteorologist'],
    });
  },
);
