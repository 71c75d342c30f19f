/**
 * The chart's admission policies on a real API server: what they refuse, whoever asks, and that what the operator and the agents
 * do is taken. All callers are in the group system:masters where only the policies are to decide.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentSandbox } from '@retainer/contract/api/agent-sandbox';
import { runJob } from '../../operator/src/desired/sandbox/run-job.ts';
import type { Settings } from '@retainer/operator/settings/settings';
import { renderChart } from '../../scripts/render-chart.ts';
import { Kubectl, type Identity } from '../support/kubectl.ts';
import { verifies } from '../verifies.ts';
import { startApiServer, type ApiServer } from './api-server.ts';

const CRDS = fileURLToPath(new URL('../../crds', import.meta.url));
const CLUSTER = fileURLToPath(new URL('../cluster/cluster', import.meta.url));
const agents = 'retainer-admission-agents';
const sandboxes = 'retainer-admission-sandboxes';
const roots = 'retainer-admission-roots';
/** A new policy is in force within seconds. */
const IN_FORCE_MS = 30_000;

const masters = ['system:masters'];
const operator: Identity = { user: 'system:serviceaccount:retainer-system:retainer-operator', groups: masters };
const jobController: Identity = { user: 'system:serviceaccount:kube-system:job-controller', groups: masters };
const alice: Identity = { user: `system:serviceaccount:${agents}:retainer-alice`, groups: masters };
const admin: Identity = { user: 'admin', groups: masters };
const editor: Identity = { user: 'ed', groups: ['editors'] };
const approver: Identity = { user: 'ann', groups: ['approvers'] };

let api: ApiServer;
let kubectl: Kubectl;
let crdsWereThere = false;

const create = ['create', '-f', '-'];
const patchStatus = (task: string) => [
  'patch',
  'task',
  task,
  '-n',
  agents,
  '--type=merge',
  '--subresource=status',
  '-p',
];

beforeAll(async () => {
  const { KUBECONFIG } = process.env;
  api = await startApiServer(KUBECONFIG);
  kubectl = new Kubectl(
    KUBECONFIG ?? /KUBECONFIG=(.*)/.exec(execFileSync(CLUSTER, ['env'], { encoding: 'utf8' }))?.[1] ?? '',
  );
  crdsWereThere = (await kubectl.get('crd', 'tasks.retainer.dev')) !== undefined;
  await kubectl.run(['apply', '--server-side', '--force-conflicts', '-f', CRDS]);
  await kubectl.run(['wait', '--for=condition=Established', '--timeout=30s', '-f', CRDS]);
  const baseline = { 'pod-security.kubernetes.io/enforce': 'baseline' };
  await kubectl.apply([namespace(agents), namespace(sandboxes), namespace(roots, baseline)]);
  await kubectl.apply(await policies());
  await kubectl.apply([
    task('alices-task', 'alice'),
    task('ended-task', 'alice'),
    task('bobs-task', 'bob'),
    binding('editors', 'retainer-edit'),
    binding('approvers', 'retainer-approver'),
    lease('retainer-alice'),
    lease('retainer-bob'),
    sandboxAccount(sandboxes),
    sandboxAccount(roots),
  ]);
  await kubectl.run([...patchStatus('alices-task'), JSON.stringify({ status: admittedStatus })]);
  const endedStatus = { ...admittedStatus, outcome: 'Failed' };
  await kubectl.run([...patchStatus('ended-task'), JSON.stringify({ status: endedStatus })]);
  await kubectl.run([...patchStatus('bobs-task'), JSON.stringify({ status: waitingStatus })]);
  await inForce();
});

afterAll(async () => {
  const objects = await policies();
  for (const { kind, metadata } of objects) await kubectl.run(['delete', kind, metadata.name, '--ignore-not-found']);
  await kubectl.run(['delete', 'namespace', agents, sandboxes, roots, '--wait=false', '--ignore-not-found']);
  if (!crdsWereThere) await kubectl.run(['delete', '-f', CRDS, '--wait=false', '--ignore-not-found']);
  await api.stop();
});

/** Those of a chart of another release and of other namespaces, so that an installation beside it stays as it is. */
async function policies() {
  const objects = await renderChart({
    'sandbox.namespace.name': sandboxes,
    'sandbox.root': { enabled: true, namespace: roots },
    userNamespaces: true,
    watchNamespaces: [agents],
  });
  const kinds = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding', 'ClusterRole'];
  return objects
    .filter(({ kind }) => kinds.includes(kind))
    .map(
      (object) =>
        JSON.parse(
          JSON.stringify(object).replaceAll(
            /"(?:retainer-system-)?retainer-(?=(agent-w|sandbox-|sandboxes"|appro|reserved|edit|view))/g,
            '"retainer-test-',
          ),
        ) as typeof object,
    )
    .map((object) =>
      object.kind === 'ClusterRole' ? { ...object, metadata: { name: object.metadata.name } } : object,
    );
}

/** The last policies are the last to be in force. */
async function inForce(): Promise<void> {
  const deadline = Date.now() + IN_FORCE_MS;
  const forbidden = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x', namespace: sandboxes } };
  const run = sandboxRun('alice');
  for (;;) {
    const isRefused = (await kubectl.refusal(admin, create, forbidden)) !== undefined;
    if (isRefused && (await kubectl.refusal(admin, create, run)) !== undefined) return;
    if (Date.now() > deadline) throw new Error('the policies are not in force');
  }
}

const namespace = (name: string, labels = {}) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });

const sandboxAccount = (place: string) => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'retainer-sandbox', namespace: place },
});

const binding = (group: string, role: string) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: group, namespace: agents },
  roleRef: {
    apiGroup: 'rbac.authorization.k8s.io',
    kind: 'ClusterRole',
    name: role.replace('retainer', 'retainer-test'),
  },
  subjects: [{ kind: 'Group', name: group, apiGroup: 'rbac.authorization.k8s.io' }],
});

const lease = (name: string) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace: agents },
  spec: { holderIdentity: 'nobody' },
});

const task = (name: string, agent: string, spec: object = {}) => ({
  apiVersion: 'retainer.dev/v1alpha1',
  kind: 'Task',
  metadata: { name, namespace: agents },
  spec: { agentRef: { name: agent }, intent: 'count the rows', ...spec },
});

const sandboxRun = (agent: string) => ({
  apiVersion: 'retainer.dev/v1alpha1',
  kind: 'SandboxRun',
  metadata: { name: 'run-1', namespace: agents },
  spec: { agentRef: { name: agent }, command: ['true'], runnerPublicKey: `${'A'.repeat(43)}=` },
});

const condition = (type: string, status: string) => ({
  type,
  status,
  reason: 'Admitted',
  message: 'm',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const DIGEST = `sha256:${'0'.repeat(64)}`;
const SOME_TIME = '2030-01-01T00:00:00Z';
/** A call waits for leave, and a question for an answer. */
const waitingStatus = {
  pendingApprovals: [
    {
      ...{ id: 'request-1', tool: 'send', argumentsDigest: DIGEST, effectClass: 3, effect: 'sends a letter' },
      ...{ requestedAt: SOME_TIME, expiresAt: SOME_TIME },
    },
  ],
  question: { id: 'question-1', text: 'Which colour?', askedAt: SOME_TIME },
};
const admittedStatus = {
  observedGeneration: 1,
  conditions: [condition('Admitted', 'True'), condition('Ready', 'False')],
};

const eventOf = (reportingController: string, reportingInstance: string) => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { generateName: 'told-', namespace: agents },
  eventTime: '2030-01-01T00:00:00.000000Z',
  ...{ type: 'Normal', reason: 'Told', action: 'Tell', note: 'well', reportingController, reportingInstance },
  regarding: { apiVersion: 'retainer.dev/v1alpha1', kind: 'Task', name: 'alices-task', namespace: agents },
});

describe('the policy on what agents write', () => {
  const cases = [
    {
      name: 'reports progress on its own Task',
      args: [
        ...patchStatus('alices-task'),
        JSON.stringify({ status: { runId: 'run-1', acceptedAt: '2026-01-01T00:00:00Z' } }),
      ],
      refusal: undefined,
    },
    {
      name: 'adds a condition of its own',
      args: [
        ...patchStatus('alices-task'),
        JSON.stringify({ status: { conditions: [...admittedStatus.conditions, condition('Running', 'True')] } }),
      ],
      refusal: undefined,
    },
    {
      name: 'does not report on the Task of another agent',
      args: [...patchStatus('bobs-task'), JSON.stringify({ status: { runId: 'run-1' } })],
      refusal: 'names another agent',
    },
    {
      name: 'does not admit its own Task',
      args: [
        ...patchStatus('alices-task'),
        JSON.stringify({ status: { conditions: [condition('Admitted', 'False'), admittedStatus.conditions[1]] } }),
      ],
      refusal: 'only the operator may write',
    },
    {
      name: 'does not take a condition of the operator away',
      args: [...patchStatus('alices-task'), JSON.stringify({ status: { conditions: [condition('Running', 'True')] } })],
      refusal: 'only the operator may write',
    },
    {
      name: 'does not say that its Task is ready while it runs',
      args: [
        ...patchStatus('alices-task'),
        JSON.stringify({ status: { conditions: [admittedStatus.conditions[0], condition('Ready', 'True')] } }),
      ],
      refusal: 'only the operator may write',
    },
    {
      name: 'does not say something else of Ready than the outcome',
      args: [
        ...patchStatus('alices-task'),
        JSON.stringify({
          status: { outcome: 'Failed', conditions: [admittedStatus.conditions[0], condition('Ready', 'True')] },
        }),
      ],
      refusal: 'does not say what the outcome says',
    },
    {
      name: 'does not take Ready away with the outcome',
      args: [
        ...patchStatus('alices-task'),
        JSON.stringify({ status: { outcome: 'Failed', conditions: [admittedStatus.conditions[0]] } }),
      ],
      refusal: 'does not say what the outcome says',
    },
    {
      name: 'does not say which generation was observed',
      args: [...patchStatus('alices-task'), JSON.stringify({ status: { observedGeneration: 7 } })],
      refusal: 'only the operator may write',
    },
    {
      name: 'does not change the schedule',
      args: [...patchStatus('alices-task'), JSON.stringify({ status: { nextScheduledAt: '2026-01-01T00:00:00Z' } })],
      refusal: 'only the operator may write',
    },
    {
      name: 'does not change what its Task asks for',
      args: [
        'patch',
        'task',
        'alices-task',
        '-n',
        agents,
        '--type=merge',
        '-p',
        JSON.stringify({ spec: { cancel: true } }),
      ],
      refusal: 'an agent may not write tasks',
    },
    {
      name: 'does not delete its Task',
      args: ['delete', 'task', 'alices-task', '-n', agents],
      refusal: 'an agent may not write tasks',
    },
    { name: 'creates no Task', args: create, input: task('more', 'alice'), refusal: 'an agent may not write tasks' },
    { name: 'asks for a sandbox', args: create, input: sandboxRun('alice'), refusal: undefined },
    {
      name: 'asks for none in the name of another',
      args: create,
      input: sandboxRun('bob'),
      // Two policies are against it, and either may be heard.
      refusal: /names another agent|only the agent in agentRef/,
    },
    {
      name: 'tells an Event',
      args: create,
      input: eventOf('retainer.dev/agent', 'retainer-alice-0'),
      refusal: undefined,
    },
    {
      name: 'tells none in the name of the operator',
      args: create,
      input: eventOf('retainer.dev/operator', 'retainer-operator-a'),
      refusal: 'only as itself',
    },
    {
      name: 'tells none in the name of another agent',
      args: create,
      input: eventOf('retainer.dev/agent', 'retainer-bob-0'),
      refusal: 'only as itself',
    },
    {
      name: 'holds its own Lease',
      args: [
        'patch',
        'lease',
        'retainer-alice',
        '-n',
        agents,
        '--type=merge',
        '-p',
        '{"spec":{"holderIdentity":"me"}}',
      ],
      refusal: undefined,
    },
    {
      name: 'does not take the Lease of another',
      args: ['patch', 'lease', 'retainer-bob', '-n', agents, '--type=merge', '-p', '{"spec":{"holderIdentity":"me"}}'],
      refusal: 'belongs to another agent',
    },
    {
      name: 'makes no pod, whatever a Role says',
      args: ['run', 'x', '-n', agents, '--image=x'],
      refusal: 'an agent may not write pods',
    },
    {
      name: 'makes no Job',
      args: ['create', 'job', 'x', '-n', agents, '--image=x'],
      refusal: 'an agent may not write jobs',
    },
    {
      name: 'makes no token',
      args: ['create', 'rolebinding', 'x', '-n', agents, '--clusterrole=view', '--user=x'],
      refusal: 'an agent may not write rolebindings',
    },
    {
      name: 'changes no ConfigMap',
      args: ['create', 'configmap', 'x', '-n', agents],
      refusal: 'an agent may not write configmaps',
    },
    {
      name: 'tells Ready with the outcome',
      args: [
        ...patchStatus('alices-task'),
        JSON.stringify({
          status: { outcome: 'Accepted', conditions: [admittedStatus.conditions[0], condition('Ready', 'True')] },
        }),
      ],
      refusal: undefined,
    },
    {
      name: 'tells nothing of Ready afterwards',
      args: [
        ...patchStatus('ended-task'),
        JSON.stringify({ status: { conditions: [admittedStatus.conditions[0], condition('Ready', 'True')] } }),
      ],
      refusal: 'only the operator may write',
    },
  ] as const;

  describe.each(cases)('an agent', (given) => {
    verifies('security:agents-write-their-own', given.name, async () => {
      const refusal = await kubectl.refusal(alice, given.args, 'input' in given ? given.input : undefined);
      if (given.refusal === undefined) expect(refusal).toBeUndefined();
      else expect(refusal).toMatch(given.refusal);
    });
  });

  it.each([
    { name: 'a cluster administrator', who: admin },
    { name: 'the operator', who: operator },
  ])('lets $name create no SandboxRun', async ({ who }) => {
    expect(await kubectl.refusal(who, create, sandboxRun('alice'))).toContain('only the agent in agentRef may create');
  });
});

describe('the policy on approvals', () => {
  const approval = (by: string) => ({
    spec: { approvals: [{ request: 'request-1', argumentsDigest: DIGEST, decision: 'Approve', reason: 'fine', by }] },
  });
  const patch = (by: string) => [
    'patch',
    'task',
    'bobs-task',
    '-n',
    agents,
    '--type=merge',
    '-p',
    JSON.stringify(approval(by)),
  ];

  describe.each([
    { name: 'takes a decision of somebody who may approve', who: approver, by: 'ann', refusal: undefined },
    { name: 'refuses one in the name of another', who: approver, by: 'ed', refusal: 'must be the user name' },
    { name: 'refuses one of somebody who may only edit', who: editor, by: 'ed', refusal: 'needs the verb approve' },
    { name: 'refuses one of an agent', who: alice, by: alice.user, refusal: 'an agent' },
  ])('a Task', ({ name, who, by, refusal }) => {
    verifies('security:approvals-by-people', name, async () => {
      const answer = await kubectl.refusal(who, patch(by));
      if (refusal === undefined) expect(answer).toBeUndefined();
      else expect(answer).toContain(refusal);
    });
  });

  verifies('security:approvals-by-people', 'takes an answer only under the name of who writes it', async () => {
    const answer = (by: string) =>
      JSON.stringify({ spec: { answers: [{ question: 'question-1', text: 'Blue.', by }] } });
    const args = ['patch', 'task', 'bobs-task', '-n', agents, '--type=merge', '-p'];
    expect(await kubectl.refusal(editor, [...args, answer('ann')])).toContain(
      'spec.answers[].by must be the user name',
    );
    expect(await kubectl.refusal(editor, [...args, answer('ed')])).toBeUndefined();
  });

  describe.each([
    { name: 'cancelled-by', spec: { cancel: true }, again: { cancel: true, priority: 1 } },
    { name: 'continued-by', spec: { continueUnder: DIGEST }, again: { continueUnder: `sha256:${'1'.repeat(64)}` } },
  ])('the annotation $name', ({ name, spec, again }) => {
    const key = `retainer.dev/${name}`;
    const patched = (body: object) => [
      ...['patch', 'task', `held-${name}`, '-n', agents, '--type=merge', '-p', JSON.stringify(body)],
    ];
    const by = (user: string, more: object = {}) => patched({ metadata: { annotations: { [key]: user } }, spec: more });

    verifies('agent-cluster:decided-by', 'names nobody but the requester', async () => {
      await kubectl.apply([task(`held-${name}`, 'bob')]);
      await kubectl.run([...patchStatus(`held-${name}`), JSON.stringify({ status: { heldUnder: DIGEST } })]);
      expect(await kubectl.refusal(editor, by('ann', spec))).toContain(`${key} must be the user name`);
      expect(await kubectl.refusal(editor, by('ed', spec))).toBeUndefined();
      expect(await kubectl.refusal(editor, by('ann'))).toContain(`${key} must be the user name`);
      const label = { metadata: { labels: { seen: 'yes' } } };
      expect(await kubectl.refusal({ user: 'eve', groups: ['editors'] }, patched(label))).toBeUndefined();
    });

    if (name === 'continued-by')
      verifies('agent-cluster:decided-by', 'does not stay for the decision of another', async () => {
        await kubectl.run([...by('ed', spec), '--as', 'ed', '--as-group', 'editors']);
        const status = { heldUnder: again.continueUnder };
        await kubectl.run([...patchStatus(`held-${name}`), JSON.stringify({ status })]);
        const eve = { user: 'eve', groups: ['editors'] };
        expect(await kubectl.refusal(eve, patched({ spec: again }))).toContain(`${key} must be the user name`);
        expect(await kubectl.refusal(eve, by('eve', again))).toBeUndefined();
      });
  });

  it('lets an editor write everything else', async () => {
    const cancel = ['patch', 'task', 'bobs-task', '-n', agents, '--type=merge', '-p', '{"spec":{"cancel":true}}'];
    expect(await kubectl.refusal(editor, cancel)).toBeUndefined();
    expect(await kubectl.refusal(editor, create, task('another', 'bob'))).toBeUndefined();
  });

  it.each([
    { name: 'takes an override of somebody who may approve', who: approver, by: 'ann', refusal: undefined },
    { name: 'refuses an override in the name of another', who: admin, by: 'ann', refusal: 'spec.override.by' },
    {
      name: 'refuses an override of somebody who may only edit',
      who: editor,
      by: 'ed',
      refusal: 'needs the verb approve',
    },
  ])('$name', async ({ who, by, refusal }) => {
    const again = task('again', 'bob', {
      override: {
        of: 'bobs-task',
        rule: 'input-rules/a',
        subjectDigest: `sha256:${'0'.repeat(64)}`,
        reason: 'it is harmless',
        by,
      },
    });
    const grant = who === approver ? { user: who.user, groups: ['approvers', 'editors'] } : who;
    const answer = await kubectl.refusal(grant, create, again);
    if (refusal === undefined) expect(answer).toBeUndefined();
    else expect(answer).toContain(refusal);
  });
});

interface Template {
  metadata: { labels: Record<string, string> };
  spec: Record<string, unknown> & {
    securityContext: Record<string, unknown>;
    volumes: Record<string, unknown>[];
    containers: (Record<string, unknown> & {
      securityContext: Record<string, unknown>;
      resources: { limits: Record<string, string> };
      env: Record<string, unknown>[];
    })[];
  };
}

/** As the operator renders it. */
function sandboxJob(root = false): { metadata: { name: string; namespace: string }; spec: { template: Template } } {
  const settings = {
    namespace: 'retainer-system',
    sandboxNamespace: sandboxes,
    sandboxRootNamespace: roots,
    images: { agent: 'a:1', sandbox: 'retainer/sandbox:test', pullPolicy: 'IfNotPresent', pullSecrets: [] },
    version: '0.1.0',
    hasUserNamespaces: root,
  } as unknown as Settings;
  const job = runJob({
    owner: { namespace: agents, name: 'run-1', uid: 'u' },
    run: { ...sandboxRun('alice').spec, mode: 'Run', timeout: '60s', files: [], ports: [], egress: [], root },
    sandbox: AgentSandbox.parse({ root }),
    settings,
    ground: 'g',
  });
  return { apiVersion: 'batch/v1', kind: 'Job', ...structuredClone(job) } as never;
}

function podOfJob(job: ReturnType<typeof sandboxJob>): object {
  const { metadata, spec } = job.spec.template;
  const { namespace: place } = job.metadata;
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', namespace: place, ...metadata }, spec };
}

describe('the policy on sandboxes', () => {
  const main = (spec: Template['spec']) => spec.containers[0] as Template['spec']['containers'][number];
  const faults: readonly {
    readonly name: string;
    readonly refusal: string;
    readonly plant: (spec: Template['spec']) => unknown;
  }[] = [
    { name: 'the network of the host', refusal: 'hostNetwork', plant: (spec) => (spec['hostNetwork'] = true) },
    { name: 'the processes of the host', refusal: 'hostPID', plant: (spec) => (spec['hostPID'] = true) },
    { name: 'the memory of the host', refusal: 'hostIPC', plant: (spec) => (spec['hostIPC'] = true) },
    {
      name: 'shared processes',
      refusal: 'shareProcessNamespace',
      plant: (spec) => (spec['shareProcessNamespace'] = true),
    },
    {
      name: 'another account',
      refusal: 'serviceAccountName',
      plant: (spec) => (spec['serviceAccountName'] = 'default'),
    },
    {
      name: 'a token',
      refusal: 'automountServiceAccountToken',
      plant: (spec) => (spec['automountServiceAccountToken'] = true),
    },
    {
      name: 'silence about a token',
      refusal: 'automountServiceAccountToken',
      plant: (spec) => delete spec['automountServiceAccountToken'],
    },
    {
      name: 'a projected token',
      refusal: 'volumes must be emptyDir',
      plant: (spec) =>
        spec.volumes.push({ name: 't', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }),
    },
    {
      name: 'a Secret',
      refusal: 'volumes must be emptyDir',
      plant: (spec) => spec.volumes.push({ name: 's', secret: { secretName: 's' } }),
    },
    {
      name: 'a claim',
      refusal: 'volumes must be emptyDir',
      plant: (spec) => spec.volumes.push({ name: 'c', persistentVolumeClaim: { claimName: 'c' } }),
    },
    {
      name: 'a path of the node',
      refusal: 'volumes must be emptyDir',
      plant: (spec) => spec.volumes.push({ name: 'h', hostPath: { path: '/' } }),
    },
    {
      name: 'scratch without a limit',
      refusal: 'sizeLimit',
      plant: (spec) => spec.volumes.push({ name: 'e', emptyDir: {} }),
    },
    { name: 'restarts', refusal: 'restartPolicy', plant: (spec) => (spec['restartPolicy'] = 'OnFailure') },
    {
      name: 'sysctls',
      refusal: 'sysctls',
      plant: (spec) =>
        (spec.securityContext['sysctls'] = [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }]),
    },
    {
      name: 'a privileged container',
      refusal: 'privileged is not allowed',
      plant: (spec) => Object.assign(main(spec).securityContext, { privileged: true, allowPrivilegeEscalation: true }),
    },
    {
      name: 'escalation',
      refusal: 'allowPrivilegeEscalation',
      plant: (spec) => delete main(spec).securityContext['allowPrivilegeEscalation'],
    },
    {
      name: 'kept capabilities',
      refusal: 'must be dropped',
      plant: (spec) => (main(spec).securityContext['capabilities'] = {}),
    },
    {
      name: 'an added capability',
      refusal: 'no capability may be added',
      plant: (spec) => (main(spec).securityContext['capabilities'] = { drop: ['ALL'], add: ['NET_RAW'] }),
    },
    {
      name: 'a writable root',
      refusal: 'readOnlyRootFilesystem',
      plant: (spec) => (main(spec).securityContext['readOnlyRootFilesystem'] = false),
    },
    { name: 'maybe root', refusal: 'numeric user', plant: (spec) => delete spec.securityContext['runAsNonRoot'] },
    {
      name: 'root in the container',
      refusal: 'numeric user',
      plant: (spec) => (main(spec).securityContext['runAsUser'] = 0),
    },
    { name: 'no seccomp', refusal: 'seccompProfile', plant: (spec) => delete spec.securityContext['seccompProfile'] },
    {
      name: 'no seccomp in the container',
      refusal: 'seccompProfile',
      plant: (spec) => (main(spec).securityContext['seccompProfile'] = { type: 'Unconfined' }),
    },
    { name: 'no limit of memory', refusal: 'limits', plant: (spec) => delete main(spec).resources.limits['memory'] },
    {
      name: 'no limit of scratch',
      refusal: 'limits',
      plant: (spec) => delete main(spec).resources.limits['ephemeral-storage'],
    },
    {
      name: 'a port of the host',
      refusal: 'hostPort',
      plant: (spec) => (main(spec)['ports'] = [{ containerPort: 7070, hostPort: 7070 }]),
    },
    {
      name: 'a Secret in the environment',
      refusal: 'environment variables may come',
      plant: (spec) => main(spec).env.push({ name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }),
    },
    {
      name: 'a ConfigMap as environment',
      refusal: 'envFrom',
      plant: (spec) => (main(spec)['envFrom'] = [{ configMapRef: { name: 'c' } }]),
    },
    {
      name: 'an initial container that is privileged',
      refusal: 'privileged is not allowed',
      plant: (spec) =>
        (spec['initContainers'] = [
          { ...main(spec), name: 'first', readinessProbe: undefined, securityContext: { privileged: true } },
        ]),
    },
    {
      name: 'an initial container without limits',
      refusal: 'limits',
      plant: (spec) =>
        (spec['initContainers'] = [{ ...main(spec), name: 'first', readinessProbe: undefined, resources: {} }]),
    },
  ];

  it('takes what the operator renders, and the pod that comes of it', async () => {
    expect(await kubectl.refusal(operator, create, sandboxJob())).toBeUndefined();
    expect(await kubectl.refusal(jobController, create, podOfJob(sandboxJob()))).toBeUndefined();
  });

  describe.each(faults)('refuses', ({ name, refusal, plant }) => {
    verifies('security:sandbox-admission', `${name}, in a Job and in a pod`, async () => {
      const job = sandboxJob();
      plant(job.spec.template.spec);
      expect(await kubectl.refusal(operator, create, job)).toContain(refusal);
      expect(await kubectl.refusal(jobController, create, podOfJob(job))).toContain(refusal);
    });
  });

  const rootFaults: typeof faults = [
    { name: 'the users of the node', refusal: 'hostUsers must be false', plant: (spec) => delete spec['hostUsers'] },
    {
      name: 'a capability too many',
      refusal: 'no capability may be added',
      plant: (spec) => (main(spec).securityContext['capabilities'] = { drop: ['ALL'], add: ['CHOWN', 'SYS_CHROOT'] }),
    },
    {
      name: 'capabilities of somebody else',
      refusal: 'no capability may be added',
      plant: (spec) => Object.assign(spec.securityContext, { runAsUser: 20_000, runAsNonRoot: true }),
    },
    {
      name: 'a user of the image',
      refusal: 'numeric user',
      plant: (spec) => {
        spec.securityContext['runAsUser'] = 33;
        main(spec).securityContext['capabilities'] = { drop: ['ALL'] };
      },
    },
    {
      name: 'another user in the container',
      refusal: 'numeric user',
      plant: (spec) => (main(spec).securityContext['runAsUser'] = 33),
    },
    {
      name: 'no user',
      refusal: 'numeric user',
      plant: (spec) => {
        delete spec.securityContext['runAsUser'];
        main(spec).securityContext['capabilities'] = { drop: ['ALL'] };
      },
    },
  ];

  describe.each(rootFaults)('refuses code that is root', ({ name, refusal, plant }) => {
    verifies('security:sandbox-admission', `with ${name}, in a Job and in a pod`, async () => {
      const job = sandboxJob(true);
      plant(job.spec.template.spec);
      expect(await kubectl.refusal(operator, create, job)).toContain(refusal);
      expect(await kubectl.refusal(jobController, create, podOfJob(job))).toContain(refusal);
    });
  });

  verifies('security:sandbox-admission', 'takes code that is root where it belongs, and nowhere else', async () => {
    const job = sandboxJob(true);
    expect(job.metadata.namespace).toBe(roots);
    expect(await kubectl.refusal(operator, create, job)).toBeUndefined();
    expect(await kubectl.refusal(jobController, create, podOfJob(job))).toBeUndefined();
    job.metadata.namespace = sandboxes;
    expect(await kubectl.refusal(operator, create, job)).toContain('no capability may be added');
  });

  describe.each([
    { name: 'a Job of an administrator', who: admin, input: sandboxJob, refusal: 'only the operator may create' },
    { name: 'a Job of an agent', who: alice, input: sandboxJob, refusal: 'only the operator may create' },
    {
      name: 'a pod of an administrator',
      who: admin,
      input: () => podOfJob(sandboxJob()),
      refusal: 'only Jobs may create pods',
    },
    {
      name: 'a pod of the operator',
      who: operator,
      input: () => podOfJob(sandboxJob()),
      refusal: 'only Jobs may create pods',
    },
    {
      name: 'a Secret',
      who: admin,
      input: () => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: sandboxes } }),
      refusal: 'for sandboxes only',
    },
    {
      name: 'a NetworkPolicy',
      who: admin,
      input: () => ({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'allow-all', namespace: sandboxes },
        spec: { podSelector: {}, policyTypes: ['Egress'], egress: [{}] },
      }),
      refusal: 'only the operator may write NetworkPolicies',
    },
    {
      name: 'a Task',
      who: admin,
      input: () => ({ ...task('x', 'alice'), metadata: { name: 'x', namespace: sandboxes } }),
      refusal: 'for sandboxes only',
    },
  ])('refuses', ({ name, who, input, refusal }) => {
    verifies('security:sandbox-admission', name, async () => {
      expect(await kubectl.refusal(who, create, input())).toContain(refusal);
    });
  });
});

describe('the policy on reserved labels', () => {
  const pod = (labels: object) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'x', namespace: agents, labels },
    spec: { containers: [{ name: 'x', image: 'x' }] },
  });
  const deployment = (labels: object) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'x', namespace: agents },
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x', ...labels } }, spec: { containers: [{ name: 'x', image: 'x' }] } },
    },
  });

  it.each([
    {
      name: 'an agent’s name on a pod',
      input: pod({ 'retainer.dev/agent': 'alice' }),
      refusal: 'only the operator may set',
    },
    {
      name: 'an agent’s name in a template',
      input: deployment({ 'retainer.dev/agent': 'alice' }),
      refusal: 'only the operator may set',
    },
    {
      name: 'the role of an agent',
      input: pod({ 'retainer.dev/network-role': 'agent' }),
      refusal: 'retainer.dev/network-role may only be client',
    },
    {
      name: 'the role of an agent in a template',
      input: deployment({ 'retainer.dev/network-role': 'agent' }),
      refusal: 'retainer.dev/network-role may only be client',
    },
    { name: 'nothing of ours', input: pod({ app: 'x' }), refusal: undefined },
    { name: 'the role of a client', input: deployment({ 'retainer.dev/network-role': 'client' }), refusal: undefined },
  ])('judges $name', async ({ input, refusal }) => {
    const answer = await kubectl.refusal(admin, create, input);
    if (refusal === undefined) expect(answer).toBeUndefined();
    else expect(answer).toContain(refusal);
  });

  it('lets the operator set them', async () => {
    expect(await kubectl.refusal(operator, create, pod({ 'retainer.dev/agent': 'alice' }))).toBeUndefined();
  });
});
