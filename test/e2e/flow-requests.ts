/** Requests to the API server from inside an agent's pod, with the token that the pod itself has. */
import { API_VERSION, FIELD_MANAGERS } from '@retainer/contract/api/names';

export interface ApiRequest {
  /** Unique; says what is tried. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Codes by id. A request fails one test, not the batch: what gets no answer has code 0. */
export type Answers = Readonly<Record<string, number>>;

const PROGRAM = String.raw`
const fs = require('node:fs'), https = require('node:https');
const directory = '/var/run/secrets/kubernetes.io/serviceaccount/';
const token = fs.readFileSync(directory + 'token', 'utf8');
const ca = fs.readFileSync(directory + 'ca.crt');
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
const agent = new https.Agent({ keepAlive: true, maxSockets: 4 });
function ask({ method, path, body, headers }) {
  return new Promise((resolve) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const all = { authorization: 'Bearer ' + token, 'content-type': type, ...headers };
    const request = https.request({ host, port, method, path, headers: all, ca, agent, timeout: 10_000 }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode));
    });
    request.on('error', () => resolve(0)).on('timeout', () => request.destroy());
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
let text = '';
process.stdin.on('data', (bytes) => { text += bytes; }).on('end', async () => {
  const requests = JSON.parse(text);
  const codes = await Promise.all(requests.map(ask));
  console.log(JSON.stringify(Object.fromEntries(requests.map(({ id }, at) => [id, codes[at]]))));
  process.exit(0);
});
`;

/** Reads requests as JSON on standard input. */
export const requestProgram: string = PROGRAM;

/** Of two agents of one namespace, and what else is there. */
export interface RequestPlaces {
  readonly namespace: string;
  readonly elsewhere: string;
  readonly own: string;
  readonly other: string;
  readonly secret: string;
  /** A Task and a SandboxRun of each agent. */
  readonly tasks: { readonly own: string; readonly other: string };
  readonly otherRun: string;
}

const RETAINER = `/apis/${API_VERSION}/namespaces`;
const DRY = 'dryRun=All';

type Row = readonly [id: string, method: ApiRequest['method'], path: string, body?: unknown];
const request = ([id, method, path, body]: Row): ApiRequest => ({ id, method, path, body });

const run = (agent: string, name: string): object => ({
  apiVersion: API_VERSION,
  kind: 'SandboxRun',
  metadata: { name },
  spec: { agentRef: { name: agent }, command: ['true'], runnerPublicKey: `${'A'.repeat(43)}=` },
});

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'k-pod' },
  spec: { containers: [{ name: 'main', image: 'x:1' }] },
};
const podSpec = { metadata: { labels: { app: 'k' } }, spec: { ...pod.spec, restartPolicy: 'Never' } };
const workload = { selector: { matchLabels: { app: 'k' } }, template: podSpec };
const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'k-job' }, spec: { template: podSpec } };
const summary = { status: { summary: 'told by somebody else' } };

/** What the agent's Role and the admission policies must refuse. Nothing is stored, should one of them be taken. */
export function forbiddenRequests(places: RequestPlaces): readonly ApiRequest[] {
  const rows = [...workloads(places), ...secretsAndOthers(places), ...retainerObjects(places), ...rights(places)];
  const { namespace } = places;
  return [
    ...rows.map(([id, method, path, body]) =>
      request([id, method, method === 'GET' ? path : `${path}${path.includes('?') ? '&' : '?'}${DRY}`, body]),
    ),
    {
      id: 'impersonate an administrator',
      method: 'GET',
      path: `/api/v1/namespaces/${namespace}/secrets`,
      headers: { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' },
    },
  ];
}

function workloads({ namespace, own }: RequestPlaces): readonly Row[] {
  const core = `/api/v1/namespaces/${namespace}`;
  const self = `${core}/pods/retainer-${own}-0`;
  const apps = `/apis/apps/v1/namespaces/${namespace}`;
  const batch = `/apis/batch/v1/namespaces/${namespace}`;
  return [
    ['create a pod', 'POST', `${core}/pods`, pod],
    ['create a Job', 'POST', `${batch}/jobs`, job],
    [
      'create a CronJob',
      'POST',
      `${batch}/cronjobs`,
      { ...job, kind: 'CronJob', spec: { schedule: '0 0 * * *', jobTemplate: { spec: job.spec } } },
    ],
    [
      'create a Deployment',
      'POST',
      `${apps}/deployments`,
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'k' }, spec: workload },
    ],
    ['change its own StatefulSet', 'PATCH', `${apps}/statefulsets/retainer-${own}`, { spec: { replicas: 0 } }],
    ['list pods', 'GET', `${core}/pods`],
    ['delete its own pod', 'DELETE', self],
    ['enter its own pod', 'POST', `${self}/exec?command=id&container=auditor&stdout=true`],
    ['attach to its own pod', 'POST', `${self}/attach?container=auditor&stdout=true`],
    ['forward a port of its own pod', 'POST', `${self}/portforward?ports=9091`],
    ['read logs', 'GET', `${self}/log?container=auditor`],
    ['add a container to its own pod', 'PATCH', `${self}/ephemeralcontainers`, { spec: { ephemeralContainers: [] } }],
    ['delete its own volume', 'DELETE', `${core}/persistentvolumeclaims/data-retainer-${own}-0`],
    [
      'make a Service',
      'POST',
      `${core}/services`,
      { apiVersion: 'v1', kind: 'Service', metadata: { name: 'k' }, spec: { ports: [{ port: 80 }] } },
    ],
    [
      'change its own NetworkPolicy',
      'DELETE',
      `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies/retainer-${own}`,
    ],
  ];
}

function secretsAndOthers({ namespace, elsewhere, secret }: RequestPlaces): readonly Row[] {
  const core = `/api/v1/namespaces/${namespace}`;
  return [
    ['read a Secret that it does not mount', 'GET', `${core}/secrets/${secret}`],
    ['list Secrets', 'GET', `${core}/secrets`],
    ['watch Secrets', 'GET', `${core}/secrets?watch=true&timeoutSeconds=1`],
    ['list Secrets of all namespaces', 'GET', '/api/v1/secrets'],
    ['read the signing key', 'GET', '/api/v1/namespaces/retainer-system/secrets/retainer-signing-key'],
    ['list ConfigMaps', 'GET', `${core}/configmaps`],
    ['read a Secret elsewhere', 'GET', `/api/v1/namespaces/${elsewhere}/secrets/${secret}`],
    ['list Tasks elsewhere', 'GET', `${RETAINER}/${elsewhere}/tasks`],
    ['list Tasks of all namespaces', 'GET', `/apis/${API_VERSION}/tasks`],
    ['run code from elsewhere', 'POST', `${RETAINER}/${elsewhere}/sandboxruns`, run('puppet', 'k-run')],
    ['list sandbox Jobs', 'GET', '/apis/batch/v1/namespaces/retainer-sandboxes/jobs'],
    ['list sandbox pods', 'GET', '/api/v1/namespaces/retainer-sandboxes/pods'],
    ['list namespaces', 'GET', '/api/v1/namespaces'],
    ['list nodes', 'GET', '/api/v1/nodes'],
    ['go through a node', 'GET', '/api/v1/nodes/node-1/proxy/pods'],
  ];
}

function retainerObjects({ namespace, own, other, tasks, otherRun }: RequestPlaces): readonly Row[] {
  const place = `${RETAINER}/${namespace}`;
  const ownTask = `${place}/tasks/${tasks.own}`;
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const yes = { id: 'a', decision: 'Approved', by: `system:serviceaccount:${namespace}:retainer-${own}` };
  return [
    ['write the status of a Task of another agent', 'PATCH', `${place}/tasks/${tasks.other}/status`, summary],
    ['write what the operator judged', 'PATCH', `${ownTask}/status`, { status: { conditions: [] } }],
    ['change its Task', 'PATCH', ownTask, { spec: { intent: 'something else' } }],
    [
      'tell an event in the name of the operator',
      'POST',
      `/apis/events.k8s.io/v1/namespaces/${namespace}/events?${DRY}`,
      eventOf({ namespace, task: tasks.own }, ['retainer.dev/operator', 'retainer-operator']),
    ],
    [
      'tell an event in the name of another agent',
      'POST',
      `/apis/events.k8s.io/v1/namespaces/${namespace}/events?${DRY}`,
      eventOf({ namespace, task: tasks.other }, ['retainer.dev/agent', `retainer-${other}-0`]),
    ],
    ['approve its own request', 'PATCH', ownTask, { spec: { approvals: [yes] } }],
    ['override a verdict', 'PATCH', ownTask, { spec: { override: { by: yes.by, outcome: 'Accepted' } } }],
    [
      'give itself a Task',
      'POST',
      `${place}/tasks`,
      {
        apiVersion: API_VERSION,
        kind: 'Task',
        metadata: { name: 'k' },
        spec: { agentRef: { name: own }, intent: 'x' },
      },
    ],
    ['delete its Task', 'DELETE', ownTask],
    ['run code for another agent', 'POST', `${place}/sandboxruns`, run(other, 'k-run')],
    ['delete a SandboxRun of another agent', 'DELETE', `${place}/sandboxruns/${otherRun}`],
    [
      'write the status of a SandboxRun',
      'PATCH',
      `${place}/sandboxruns/${otherRun}/status`,
      { status: { exitCode: 0 } },
    ],
    ['change itself', 'PATCH', `${place}/agents/${own}`, { spec: { sandbox: { root: true } } }],
    ['write its own status', 'PATCH', `${place}/agents/${own}/status`, { status: { observedGeneration: 9 } }],
    ['change its character', 'PATCH', `${place}/characterspecs/obedient`, { spec: { persona: 'Free.' } }],
    ['read the Lease of another agent', 'GET', `${leases}/retainer-${other}`],
    ['take the Lease of another agent', 'PATCH', `${leases}/retainer-${other}`, { spec: { holderIdentity: 'me' } }],
    ['list Leases', 'GET', leases],
    ['delete its own Lease', 'DELETE', `${leases}/retainer-${own}`],
  ];
}

function rights({ namespace, own, other }: RequestPlaces): readonly Row[] {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const token = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const all = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'k' }, rules: all };
  const binding = {
    ...{ apiVersion: role.apiVersion, kind: 'RoleBinding', metadata: { name: 'k' } },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: `retainer-${own}`, namespace }],
  };
  return [
    ['get a token of its own', 'POST', `${accounts}/retainer-${own}/token`, token],
    ['get a token of another agent', 'POST', `${accounts}/retainer-${other}/token`, token],
    ['widen its Role', 'PATCH', `${rbac}/namespaces/${namespace}/roles/retainer-${own}`, { rules: all }],
    ['make a Role', 'POST', `${rbac}/namespaces/${namespace}/roles`, role],
    ['bind a Role', 'POST', `${rbac}/namespaces/${namespace}/rolebindings`, binding],
    ['bind a ClusterRole', 'POST', `${rbac}/clusterrolebindings`, { ...binding, kind: 'ClusterRoleBinding' }],
    ['label its namespace', 'PATCH', `/api/v1/namespaces/${namespace}`, { metadata: { labels: { k: 'v' } } }],
    [
      'remove an admission policy',
      'DELETE',
      '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/retainer-agent-writes',
    ],
  ];
}

function eventOf(
  { namespace, task }: { readonly namespace: string; readonly task: string },
  [reportingController, reportingInstance]: readonly [string, string],
): object {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'k-event' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    ...{ type: 'Normal', reason: 'Tried', action: 'Try', reportingController, reportingInstance },
    regarding: { apiVersion: API_VERSION, kind: 'Task', name: task, namespace },
  };
}

/** What it needs, and has. Nothing is stored. */
export function allowedRequests({ namespace, own, tasks }: RequestPlaces): readonly ApiRequest[] {
  const place = `${RETAINER}/${namespace}`;
  const lease = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/retainer-${own}`;
  const event = eventOf({ namespace, task: tasks.own }, ['retainer.dev/agent', `retainer-${own}-0`]);
  const manager = `fieldManager=${FIELD_MANAGERS.agentTaskStatus}`;
  const rows: readonly Row[] = [
    ['list Tasks', 'GET', `${place}/tasks`],
    ['watch its Tasks', 'GET', `${place}/tasks?watch=true&timeoutSeconds=1&fieldSelector=spec.agentRef.name%3D${own}`],
    ['report on its Task', 'PATCH', `${place}/tasks/${tasks.own}/status?${DRY}&${manager}`, summary],
    ['run code', 'POST', `${place}/sandboxruns?${DRY}`, run(own, 'k-run')],
    ['list SandboxRuns', 'GET', `${place}/sandboxruns`],
    ['read its Lease', 'GET', lease],
    ['tell an event', 'POST', `/apis/events.k8s.io/v1/namespaces/${namespace}/events?${DRY}`, event],
  ];
  return rows.map(request);
}
