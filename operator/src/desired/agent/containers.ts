/** The two programs of an agent's pod. Pure. Source: reliability-security 3. */
import { secretPath } from '@retainer/contract/api/child-names';
import { AGENT_NODE_FLAGS, AUDITOR_NODE_FLAGS, ENV, MALLOC_ENV, MOUNTS, PORTS } from '@retainer/contract/api/names';
import type { BootAgent } from '@retainer/contract/wire/boot';
import { TAP_SOCKET } from '@retainer/contract/wire/bus/tap';
import type { Settings } from '../../settings/settings.ts';
import type { BootDocuments } from './boot-documents.ts';
import { AGENT_RESOURCES, AUDITOR_RESOURCES, containerResources } from './container-resources.ts';
import { agentMounts, auditorMounts } from './volumes.ts';

export const AGENT_UID = 10_001;
export const AUDITOR_UID = 10_002;
/** Group of the record's files; it lets the auditor read them. */
export const POD_GID = 10_000;

const AGENT_PROGRAM = '/app/agent-pod/dist/main.js';
const AUDITOR_PROGRAM = '/app/agent-pod/dist/auditor-main.js';

export interface ContainerParts {
  readonly agent: BootAgent;
  readonly settings: Settings;
  readonly documents: BootDocuments;
  /** The operator's grant for the egress proxy; present if the agent uses the proxy. */
  readonly egressGrant: string | undefined;
}

interface EnvVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: object;
}

export function agentContainer(parts: ContainerParts): object {
  const { agent, documents } = parts;
  return {
    name: 'agent',
    ...image(parts),
    args: [...AGENT_NODE_FLAGS, AGENT_PROGRAM],
    env: [...agentEnv(parts), MALLOC_ENV],
    ports: [port('http', PORTS.agentHttp), port('metrics', PORTS.agentMetrics)],
    resources: containerResources(agent.spec.pod.resources, AGENT_RESOURCES),
    securityContext: securityContext(AGENT_UID),
    volumeMounts: agentMounts(agent, documents),
    ...termination,
    // The first start may have to read a long record; later probes allow less time.
    startupProbe: probe('http', '/healthz', { periodSeconds: 2, failureThreshold: 150 }),
    readinessProbe: probe('http', '/readyz', { periodSeconds: 5, failureThreshold: 3 }),
    livenessProbe: probe('http', '/healthz', { periodSeconds: 20, failureThreshold: 6 }),
  };
}

export function auditorContainer(parts: ContainerParts): object {
  const { metadata, spec } = parts.agent;
  return {
    name: 'auditor',
    ...image(parts),
    args: [
      ...AUDITOR_NODE_FLAGS,
      AUDITOR_PROGRAM,
      '--journal',
      `${MOUNTS.data}/journal`,
      '--own',
      MOUNTS.auditorData,
      '--bus',
      `${MOUNTS.data}/${TAP_SOCKET}`,
      '--character',
      `${MOUNTS.boot}/${parts.documents.character.file}`,
      '--port',
      String(PORTS.auditorMetrics),
      '--listen-all',
      '--tell',
      TERMINATION_LOG,
      '--life',
      `$(${ENV.podUid})`,
    ],
    env: [
      { name: ENV.agentName, value: metadata.name },
      { name: ENV.agentNamespace, value: metadata.namespace },
      fromPod(ENV.podUid, 'metadata.uid'),
      ...redisEnv(parts.agent),
      MALLOC_ENV,
    ],
    ports: [port('auditor-metrics', PORTS.auditorMetrics)],
    resources: containerResources(spec.pod.auditorResources, AUDITOR_RESOURCES),
    securityContext: securityContext(AUDITOR_UID),
    volumeMounts: auditorMounts(parts.agent, parts.documents),
    ...termination,
    startupProbe: probe('auditor-metrics', '/healthz', { periodSeconds: 2, failureThreshold: 150 }),
    // A brief failure of the auditor must not take the agent out of service.
    readinessProbe: probe('auditor-metrics', '/metrics', { periodSeconds: 10, failureThreshold: 6 }),
    livenessProbe: probe('auditor-metrics', '/healthz', { periodSeconds: 30, failureThreshold: 6 }),
  };
}

function image({ agent: { spec }, settings: { images } }: ContainerParts): object {
  return { image: spec.pod.image ?? images.agent, imagePullPolicy: spec.pod.imagePullPolicy ?? images.pullPolicy };
}

function agentEnv({ agent, settings, documents: { digests }, egressGrant }: ContainerParts): readonly EnvVariable[] {
  const { metadata, spec } = agent;
  return [
    { name: ENV.dataDir, value: MOUNTS.data },
    { name: ENV.agentName, value: metadata.name },
    { name: ENV.agentNamespace, value: metadata.namespace },
    { name: ENV.agentUid, value: metadata.uid ?? '' },
    fromPod(ENV.podName, 'metadata.name'),
    fromPod(ENV.podUid, 'metadata.uid'),
    fromPod(ENV.nodeName, 'spec.nodeName'),
    { name: ENV.graceSeconds, value: String(spec.pod.terminationGracePeriodSeconds) },
    { name: ENV.characterDigest, value: digests.character },
    { name: ENV.skillsDigest, value: digests.skills },
    { name: ENV.configDigest, value: digests.config },
    ...(spec.sandbox.enabled ? [{ name: ENV.sandboxNamespace, value: settings.sandboxNamespace }] : []),
    ...proxyEnv(settings.network, egressGrant),
  ];
}

function redisEnv({ spec: { bus } }: BootAgent): readonly EnvVariable[] {
  if (bus.redis === undefined) return [];
  return [{ name: ENV.redisUrlFile, value: secretPath(MOUNTS.bus, bus.redis.urlSecretRef) }];
}

function fromPod(name: string, fieldPath: string): EnvVariable {
  return { name, valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } };
}

/** The agent reads its proxy from these. The API server and names of the cluster bypass it. */
const DIRECT = ['localhost', '127.0.0.1', '$(KUBERNETES_SERVICE_HOST)', '.svc'] as const;

/** The company's proxy leads to addresses of HTTPS alone: a plain one would show it key and prompt. */
function proxyEnv(
  { egressProxy, companyProxy }: Settings['network'],
  grant: string | undefined,
): readonly EnvVariable[] {
  if (egressProxy !== undefined && grant !== undefined) {
    const url = `http://grant:${grant}@${egressProxy}`;
    return [
      { name: 'NODE_USE_ENV_PROXY', value: '1' },
      { name: 'HTTPS_PROXY', value: url },
      { name: 'HTTP_PROXY', value: url },
      { name: 'NO_PROXY', value: DIRECT.join(',') },
    ];
  }
  if (companyProxy === undefined) return [];
  return [
    { name: 'HTTPS_PROXY', value: companyProxy.url },
    { name: 'NO_PROXY', value: [...DIRECT, ...companyProxy.direct].join(',') },
  ];
}

function port(name: string, containerPort: number): object {
  return { name, containerPort, protocol: 'TCP' };
}

/** Only text that the program itself writes there: its output may contain people's text. */
const TERMINATION_LOG = '/dev/termination-log';
const termination = {
  terminationMessagePath: TERMINATION_LOG,
  terminationMessagePolicy: 'File',
} as const;

/** Longest wait for a probe's answer: a health check does no work. */
const PROBE_TIMEOUT_SECONDS = 5;

function probe(portName: string, path: string, times: { periodSeconds: number; failureThreshold: number }): object {
  return {
    httpGet: { path, port: portName, scheme: 'HTTP' },
    timeoutSeconds: PROBE_TIMEOUT_SECONDS,
    successThreshold: 1,
    ...times,
  };
}

function securityContext(runAsUser: number): object {
  return {
    runAsNonRoot: true,
    runAsUser,
    runAsGroup: POD_GID,
    privileged: false,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
    seccompProfile: { type: 'RuntimeDefault' },
  };
}
