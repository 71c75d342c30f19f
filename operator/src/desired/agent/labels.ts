/** Labels and annotations of an Agent's children. Reserved keys are removed from the user's labels, and ours are set last. */
import { LABELS } from '@retainer/contract/api/names';
import type { BootAgent } from '@retainer/contract/wire/boot';

type Texts = Readonly<Record<string, string>>;

export function agentLabels({ metadata: { name, namespace } }: BootAgent, component = 'agent'): Texts {
  return {
    [LABELS.name]: 'agent',
    [LABELS.instance]: name,
    [LABELS.component]: component,
    [LABELS.partOf]: 'retainer',
    [LABELS.managedBy]: 'retainer',
    [LABELS.agent]: name,
    [LABELS.agentNamespace]: namespace,
  };
}

/** Selector of Services, policies and the StatefulSet. It never changes: a StatefulSet keeps its selector for life. */
export function podSelector({ metadata: { name } }: BootAgent): Texts {
  return { [LABELS.name]: 'agent', [LABELS.agent]: name };
}

export function podLabels(agent: BootAgent): Texts {
  return {
    ...withoutReserved(agent.spec.pod.labels, RESERVED_LABELS),
    ...agentLabels(agent),
    [LABELS.networkRole]: 'agent',
  };
}

export function userPodAnnotations(agent: BootAgent): Texts {
  return withoutReserved(agent.spec.pod.annotations, RESERVED_ANNOTATIONS);
}

export function serviceAccountAnnotations(agent: BootAgent): Texts {
  return withoutReserved(agent.spec.pod.serviceAccountAnnotations, RESERVED_ANNOTATIONS);
}

/** Ours, and those by which controllers of Kubernetes find their pods. */
const RESERVED_LABELS: readonly RegExp[] = [
  /^([^/]+\.)?(retainer\.dev|kubernetes\.io|k8s\.io)\//,
  /^(controller-revision-hash|pod-template-hash|pod-template-generation)$/,
];

/** Ours, and those by which a runtime or a network could lift restrictions in the pod's own fields. */
const RESERVED_ANNOTATIONS: readonly RegExp[] = [
  /^([^/]+\.)?retainer\.dev\//,
  /^(container\.apparmor\.security|(container\.)?seccomp\.security\.(alpha|beta))\./,
  /^((.+\.)?cni\.cncf\.io|v1\.multus-cni\.io)\//,
  /^io\.(kubernetes\.cri-o|katacontainers|containerd)/,
  /^(kubectl|kubernetes\.io)[./]/,
];

function withoutReserved(texts: Texts | undefined, reserved: readonly RegExp[]): Texts {
  const free = Object.entries(texts ?? {}).filter(([key]) => !reserved.some((pattern) => pattern.test(key)));
  return Object.fromEntries(free);
}
