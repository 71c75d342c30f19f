/** `retainer journal` on a cluster: the real program against an API server, with a record of this machine as the volume. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import { systemClock } from '@retainer/contract/std/system-clock';
import { openJournal } from '@retainer/journal/open-journal';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { desiredAgent } from '@retainer/operator/desired/agent/index';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { serveExec } from '../support/exec-endpoint.ts';
import type { AccessQuestion } from '../support/fake-api-server/access.ts';
import { FakeApiServer } from '../support/fake-api-server/fake-api-server.ts';
import { observedAgent, settings } from '../support/observed-agent.ts';
import { endAll, programPath, startRetainer, type Ended } from '../support/retainer-command.ts';
import { tokenKubeconfig } from '../support/token-kubeconfig.ts';
import { verifies } from '../verifies.ts';

const NAMESPACE = 'weather';
const AGENT = 'meteorologist';
const LOOK_MS = 20;

let directory = '';
let server: FakeApiServer;
let lacks: (question: AccessQuestion) => boolean = () => false;
/** Objects that the command made, as they were. */
const made = new Map<string, KubeObject>();
const commands: (readonly string[])[] = [];
const executedIn: { readonly pod: string | undefined; readonly container: string | null }[] = [];
let kubelet: ReturnType<typeof setInterval>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'retainer-journal-'));
  const journal = await openJournal({
    ...{ directory: join(directory, 'journal'), stores: agentStores, agentUid: 'weather/meteorologist' },
    clock: systemClock,
  });
  await journal.close();
});
afterAll(() => rm(directory, { recursive: true }));

beforeEach(async () => {
  lacks = () => false;
  made.clear();
  commands.length = 0;
  server = new FakeApiServer({ clock: systemClock, authorize: (question) => !lacks(question) });
  await server.start();
  server.onUpgrade((message, socket) => {
    const url = new URL(message.url ?? '', 'http://api');
    executedIn.push({
      pod: /pods\/([^/]+)\/exec/.exec(url.pathname)?.[1],
      container: url.searchParams.get('container'),
    });
    return serveExec(message, socket, { refusal: () => undefined, program });
  });
  await writeFile(join(directory, 'kubeconfig'), tokenKubeconfig(server.url, 'ada@example.com'));
  const set = desiredAgent(observedAgent(), settings, undefined).statefulSet?.object;
  if (set === undefined) throw new Error('the example has no StatefulSet');
  server.put(resources.statefulSets, set);
  kubelet = setInterval(start, LOOK_MS);
});
afterEach(async () => {
  clearInterval(kubelet);
  endAll();
  await server.stop();
});

/** What a kubelet does with a new pod, at once. */
function start(): void {
  for (const object of [...server.list(resources.pods), ...server.list(resources.networkPolicies)]) {
    const key = `${object['kind'] as string}`;
    if (object.metadata.name.includes('-record-')) made.set(key, object);
  }
  for (const pod of server.list(resources.pods)) {
    const { phase } = (pod['status'] ?? {}) as { readonly phase?: string };
    if (phase === undefined) server.putStatus(resources.pods, { ...pod, status: { phase: 'Running' } });
  }
}

/** `env A=b … retainer ARG…`, as in the image. */
function program(command: readonly string[]): readonly string[] {
  commands.push(command);
  const at = command.findIndex((word) => word === 'retainer' || word === 'node');
  if (command[at] === 'node') return ['echo', ...command.slice(at)];
  const args = command.slice(at + 1).map((word) => (word === '/data' ? directory : word));
  return ['env', '-i', ...command.slice(1, at), process.execPath, programPath, ...args];
}

const run = (...args: readonly string[]): Promise<Ended> =>
  startRetainer(['journal', ...args, '-n', NAMESPACE, '--agent', AGENT], {
    variables: { KUBECONFIG: join(directory, 'kubeconfig') },
  }).ended;

const nothingLeft = (): void => {
  expect(server.list(resources.pods).filter(({ metadata }) => metadata.name.includes('-record-'))).toEqual([]);
  expect(server.list(resources.networkPolicies)).toEqual([]);
};

function putAgentPod(): void {
  const metadata = { namespace: NAMESPACE, name: `retainer-${AGENT}-0` };
  server.put(resources.pods, { metadata, spec: { nodeName: 'node-7' }, status: { phase: 'Running' } });
}

describe('retainer journal on a cluster', () => {
  verifies(
    'cli-cluster:record-pod',
    'verifies in a pod without token, network and right, gone afterwards',
    async () => {
      const { code, stdout, stderr } = await run('verify');
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(stdout).toContain('verified: every record, link, segment and blob is unchanged');
      const { metadata, spec } = made.get('Pod') as KubeObject & {
        readonly spec: { readonly containers: readonly object[] };
      };
      expect(metadata.labels).not.toHaveProperty('app.kubernetes.io/name', 'agent');
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        restartPolicy: 'Never',
        activeDeadlineSeconds: 3600,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(spec).not.toHaveProperty('serviceAccountName');
      expect(spec.containers).toMatchObject([
        {
          securityContext: { runAsUser: 10_001, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
          volumeMounts: [{ name: 'data', mountPath: '/data', readOnly: true }],
        },
      ]);
      expect(spec.containers[0]).not.toHaveProperty('env');
      expect(made.get('NetworkPolicy')).toMatchObject({
        spec: {
          podSelector: { matchLabels: { 'app.kubernetes.io/instance': metadata.name } },
          policyTypes: ['Ingress', 'Egress'],
        },
      });
      expect(made.get('NetworkPolicy')?.['spec']).not.toHaveProperty('egress');
      nothingLeft();
    },
  );

  verifies(
    'cli-cluster:record-pod',
    'reads beside a running agent on its node, as of a record that grows',
    async () => {
      putAgentPod();
      expect((await run('verify')).code).toBe(0);
      expect(made.get('Pod')).toMatchObject({ spec: { nodeName: 'node-7' } });
      expect(commands.at(-1)).toContain('--live');
    },
  );

  verifies('cli-cluster:record-pod', 'repairs nothing while the pod of the agent is there', async () => {
    putAgentPod();
    const { code, stderr } = await run('repair', '--yes');
    expect(code).toBe(1);
    expect(stderr).toContain(`kubectl -n weather patch agent ${AGENT} --type=merge -p '{"spec":{"suspend":true}}'`);
    expect(made.size).toBe(0);
  });

  verifies('cli-cluster:record-pod', 'repairs under the name of the person at the API server', async () => {
    expect((await run('repair', '--yes', '--reason', '--a bad sector')).code).toBe(0);
    expect(commands.at(-1)).toEqual(expect.arrayContaining(['--reason=--a bad sector', '--by=ada@example.com']));
    nothingLeft();
  });

  verifies('cli-cluster:record-pod', 'lets the auditor’s user acknowledge, on the volume of the auditor', async () => {
    const { code, stdout } = await run('acknowledge', 'cycle/2', '--reason', 'seen');
    expect(code).toBe(0);
    expect(stdout).toContain('--own /audit --set-aside cycle/2 --reason=seen --by=ada@example.com');
    expect(made.get('Pod')).toMatchObject({
      spec: {
        containers: [
          {
            securityContext: { runAsUser: 10_002 },
            volumeMounts: [
              { name: 'data', readOnly: true },
              { name: 'audit', mountPath: '/audit' },
            ],
          },
        ],
      },
    });
  });

  verifies('cli:acknowledge-at-work', 'in the container of the auditor, where the agent is at work', async () => {
    putAgentPod();
    const { code, stdout } = await run('acknowledge', 'cycle/2', '--reason', 'seen');
    expect(code).toBe(0);
    expect(stdout).toContain('--own /audit --set-aside cycle/2 --reason=seen --by=ada@example.com');
    expect(made.size).toBe(0);
    expect(executedIn.at(-1)).toEqual({ pod: `retainer-${AGENT}-0`, container: 'auditor' });
  });

  verifies('cli-cluster:record-pod', 'names the right that is missing, and leaves nothing', async () => {
    lacks = ({ resource, verb }) => resource === 'pods' && verb === 'create';
    const { code, stderr } = await run('verify');
    expect(code).toBe(1);
    expect(stderr).toContain('you lack the right to create pods in namespace weather');
    nothingLeft();
  });

  verifies('cli-cluster:record-pod', 'says when nobody knows the agent, and when no record was named', async () => {
    server.remove(resources.statefulSets, { namespace: NAMESPACE, name: `retainer-${AGENT}` });
    expect((await run('verify')).stderr).toContain('has no Agent meteorologist that ever started');
    const { code, stderr } = await startRetainer(['journal', 'verify']).ended;
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('--agent NAME -n NAMESPACE') });
  });
});
