/** An API server that holds a whole installation: what the chart renders, and what a healthy cluster makes of it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LABELS } from '@retainer/contract/api/names';
import { ROLLOUT_CONFIG_MAP, ROLLOUT_ENTRIES, type RolloutState } from '@retainer/contract/wire/rollout';
import type { KubeObject } from '@retainer/kube/kube-object';
import { microTime } from '@retainer/kube/lease-record';
import type { Resource } from '@retainer/kube/resource';
import { parseObjects } from '../../scripts/render-chart.ts';
import { FakeApiServer, type FakeApiServerOptions } from './fake-api-server/fake-api-server.ts';
import { defaultResources } from './fake-api-server/served-resource.ts';
import type { ManualClock } from './manual-clock.ts';
import { repositoryRoot } from './repository-files.ts';

const served: readonly Resource[] = defaultResources;

/** By the kind's name. */
export function kindOf(kind: string): Resource {
  const found = served.find((resource) => resource.kind === kind);
  if (found === undefined) throw new Error(`the server has no kind ${kind}`);
  return found;
}

export interface InstalledCluster {
  readonly server: FakeApiServer;
  /** Creates or replaces, status included. */
  readonly put: (object: KubeObject) => void;
  /** Reads, changes, writes. */
  readonly change: (kind: string, name: string, change: (object: KubeObject) => KubeObject) => void;
  readonly remove: (kind: string, name: string, namespace?: string) => void;
}

export const rolloutDone: RolloutState = {
  release: { id: 'release-1', image: 'docker.io/retainer/agent:0.1.0' },
  phase: 'Done',
  startedAt: '2026-11-22T10:00:00Z',
  changedAt: '2026-11-22T10:01:00Z',
  wave: 4,
  waves: 4,
  agents: 1,
  ready: 1,
};

/** Some minutes after everything was made. */
const LATER_MS = 600_000;
const HEALTHY = { SYSTEM: 'retainer-system', SANDBOXES: 'retainer-sandboxes', AGENTS: 'weather' } as const;

export async function installedCluster(
  clock: ManualClock,
  options: Pick<FakeApiServerOptions, 'authorize'> = {},
): Promise<InstalledCluster> {
  const server = new FakeApiServer({ clock, resources: served, ...options });
  await server.start();
  const put = (object: KubeObject): void => void server.put(kindOf(object.kind ?? ''), object);
  const conditionAt = (type: string, reason: string, message: string) => ({
    type,
    status: 'True',
    reason,
    message,
    lastTransitionTime: new Date(clock.nowMs()).toISOString(),
  });
  for (const object of rendered()) put(object);
  for (const object of made(conditionAt)) put(object);
  clock.advance(LATER_MS);
  for (const object of held(clock.nowMs())) put(object);
  return {
    server,
    put,
    change: (kind, name, change) => {
      const live = server.list(kindOf(kind)).find(({ metadata }) => metadata.name === name);
      if (live === undefined) throw new Error(`no ${kind} ${name}`);
      put(change(structuredClone(live) as KubeObject));
    },
    remove: (kind, name, namespace = '') => server.remove(kindOf(kind), { namespace, name }),
  };
}

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8');

/** The default render of the chart, the kinds, and the examples; with what controllers add. */
function rendered(): readonly KubeObject[] {
  const kinds = new Set(served.map(({ kind }) => kind));
  const definitions = readdirSync(join(repositoryRoot, 'crds')).filter((file) => file.endsWith('.yaml'));
  const chart = ['manifests/base/namespace.yaml', 'manifests/base/retainer.yaml'].flatMap((path) =>
    parseObjects(read(path)),
  );
  const objects = [...definitions.flatMap((file) => parseObjects(read(join('crds', file)))), ...chart];
  return (objects as readonly KubeObject[])
    .filter(({ kind = '' }) => kinds.has(kind))
    .map((object) => ({ ...object, ...statusOf(object) }));
}

function statusOf({ kind, spec }: KubeObject): object {
  if (kind === 'Deployment') return { status: { readyReplicas: (spec as { readonly replicas: number }).replicas } };
  if (kind !== 'CustomResourceDefinition') return {};
  return { status: { storedVersions: ['v1alpha1'], conditions: [{ type: 'Established', status: 'True' }] } };
}

type MakeCondition = (type: string, reason: string, message: string) => object;

function made(condition: MakeCondition): readonly KubeObject[] {
  const ofAgent = {
    namespace: HEALTHY.AGENTS,
    labels: {
      [LABELS.name]: 'agent',
      [LABELS.partOf]: 'retainer',
      [LABELS.agent]: 'meteorologist',
      [LABELS.agentNamespace]: HEALTHY.AGENTS,
    },
  };
  const claim = (volume: string): KubeObject => ({
    kind: 'PersistentVolumeClaim',
    metadata: { name: `${volume}-retainer-meteorologist-0`, ...ofAgent },
    spec: { accessModes: ['ReadWriteOnce'] },
    status: { phase: 'Bound' },
  });
  return [
    namespaceOfAgents,
    storageClass,
    ...['a', 'b'].map((suffix) => systemPod('operator', suffix)),
    ...['a', 'b'].map((suffix) => systemPod('egress-proxy', suffix)),
    inSystem('Secret', 'retainer-signing-key', { data: { private: 'bm90IHRvIGJlIHNlZW4=' } }),
    inSystem('ConfigMap', 'retainer-signing-key-public', { data: { public: 'a2V5' } }),
    inSystem('ConfigMap', ROLLOUT_CONFIG_MAP, { data: { [ROLLOUT_ENTRIES.state]: JSON.stringify(rolloutDone) } }),
    canaryPod({ open: [], tried: 21, reached: true }),
    ...readyExamples(condition),
    readyPod('retainer-meteorologist-0', ofAgent, 'docker.io/retainer/agent:0.1.0'),
    claim('data'),
    claim('audit'),
  ];
}

/** Leases, renewed a moment ago. */
function held(nowMs: number): readonly KubeObject[] {
  const lease = (name: string, namespace: string, transitions: number, labels = {}): KubeObject => ({
    kind: 'Lease',
    metadata: { name, namespace, labels },
    spec: {
      holderIdentity: `${name}-a_7f`,
      leaseDurationSeconds: 15,
      leaseTransitions: transitions,
      renewTime: microTime(nowMs - 2_000),
    },
  });
  const labels = { [LABELS.name]: 'agent', [LABELS.partOf]: 'retainer', [LABELS.agent]: 'meteorologist' };
  return [lease('retainer-operator', HEALTHY.SYSTEM, 3), lease('retainer-meteorologist', HEALTHY.AGENTS, 2, labels)];
}

const namespaceOfAgents: KubeObject = {
  kind: 'Namespace',
  metadata: { name: HEALTHY.AGENTS, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
};

const storageClass: KubeObject = {
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'example.com/disk',
  allowVolumeExpansion: true,
};

function inSystem(kind: string, name: string, content: object): KubeObject {
  return { kind, metadata: { name, namespace: HEALTHY.SYSTEM }, ...content };
}

function systemPod(component: string, suffix: string): KubeObject {
  const place = {
    namespace: HEALTHY.SYSTEM,
    labels: { [LABELS.name]: component, [LABELS.partOf]: 'retainer' },
  };
  return readyPod(`retainer-${component}-${suffix}`, place, 'docker.io/retainer/operator:0.1.0');
}

function readyPod(name: string, place: object, image: string): KubeObject {
  return {
    kind: 'Pod',
    metadata: { name, ...place },
    spec: { containers: [{ name: 'main', image }] },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ name: 'main', image, ready: true, state: { running: {} } }],
    },
  };
}

/** The last word of a canary. */
export function canaryPod(end: {
  readonly open: readonly string[];
  readonly tried: number;
  readonly reached: boolean;
}): KubeObject {
  const finishedAt = '2030-01-01T00:00:00Z';
  const terminated = { exitCode: 0, finishedAt, message: JSON.stringify(end) };
  return {
    kind: 'Pod',
    metadata: {
      name: 'canary-0123456789-x',
      namespace: HEALTHY.SANDBOXES,
      labels: { [LABELS.canary]: 'true', [LABELS.partOf]: 'retainer' },
    },
    spec: { containers: [{ name: 'sandbox', image: 'docker.io/retainer/sandbox:0.1.0' }] },
    status: { phase: 'Succeeded', containerStatuses: [{ name: 'sandbox', state: { terminated } }] },
  };
}

/** The examples of the repository, each Ready with the reason of its kind. */
function readyExamples(condition: MakeCondition): readonly KubeObject[] {
  const reasons: Readonly<Record<string, string>> = {
    Agent: 'AgentReady',
    CharacterSpec: 'CharacterReady',
    Skill: 'SkillReady',
    Task: 'Accepted',
  };
  const files = ['agent', 'character', 'skills', 'tasks'].map((name) => `manifests/examples/${name}.yaml`);
  const objects = files.flatMap((path) => parseObjects(read(path)) as readonly KubeObject[]);
  return objects.map((object) => ({
    ...object,
    metadata: { ...object.metadata, namespace: HEALTHY.AGENTS },
    status: { conditions: [condition('Ready', reasons[object.kind ?? ''] ?? 'Resolved', 'all is well')] },
  }));
}
