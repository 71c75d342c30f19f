/**
 * The agent's pod: one replica with a persistent volume. This file and `containers.ts` hold every rule of reliability-security
 * 3. Pure.
 */
import { agentChildName } from '@retainer/contract/api/child-names';
import { ANNOTATIONS, LABELS } from '@retainer/contract/api/names';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { documentDigest } from '@retainer/contract/wire/boot';
import type { ClaimTemplate } from '../../observe/observe-agent-pod.ts';
import type { RolloutMark } from '../../observe/rollout-mark.ts';
import { resources } from '@retainer/kube/resources';
import { agentChild, type AgentChild } from './agent-child.ts';
import { claimTemplates } from './claim.ts';
import { agentContainer, auditorContainer, POD_GID, type ContainerParts } from './containers.ts';
import { agentLabels, podLabels, podSelector, userPodAnnotations } from './labels.ts';
import { podVolumes } from './volumes.ts';

export interface StatefulSetParts extends ContainerParts {
  /** A new value restarts the pod. */
  readonly restartRequestedAt: string | undefined;
  /** Uid of an account that was made anew: a new pod gets a token of it. */
  readonly renewedAccount: string | undefined;
  /** Undefined if no StatefulSet exists. */
  readonly existingClaimTemplates: readonly ClaimTemplate[] | undefined;
  /** The release that the pod gets. */
  readonly rollout: RolloutMark | undefined;
}

/** A silent node often comes back soon, and a volume mounted in two places is worse than a pause. */
const LOST_NODE_SECONDS = 86_400;
/** For `kubectl rollout undo`. */
const REVISIONS_KEPT = 3;
/** Characters copied from an Agent's annotation, which holds a moment. */
const RESTART_LENGTH_MAX = 64;

export function desiredStatefulSet(parts: StatefulSetParts): AgentChild {
  const { agent, settings, existingClaimTemplates } = parts;
  const template = podTemplate(parts);
  const onDelete = agent.spec.memory.onDelete;
  return agentChild(
    agent,
    resources.statefulSets,
    {
      spec: {
        replicas: agent.spec.suspend ? 0 : 1,
        serviceName: agentChildName(agent.metadata.name),
        // With one pod, its only effect: a corrected template replaces a pod that never became ready.
        podManagementPolicy: 'Parallel',
        updateStrategy: { type: 'RollingUpdate' },
        revisionHistoryLimit: REVISIONS_KEPT,
        persistentVolumeClaimRetentionPolicy: { whenDeleted: onDelete, whenScaled: 'Retain' },
        selector: { matchLabels: podSelector(agent) },
        template,
        volumeClaimTemplates: claimTemplates(agent, existingClaimTemplates),
      },
    },
    {
      labels: { ...agentLabels(agent), [LABELS.version]: settings.version },
      annotations: {
        [ANNOTATIONS.templateDigest]: documentDigest(template),
        ...(parts.rollout === undefined ? {} : { [ANNOTATIONS.rollout]: canonicalJson(parts.rollout) }),
      },
    },
  );
}

function podTemplate(parts: StatefulSetParts): object {
  const { agent } = parts;
  return {
    metadata: { labels: podLabels(agent), annotations: podAnnotations(parts) },
    spec: podSpec(parts),
  };
}

function podAnnotations({ agent, documents: { digests }, restartRequestedAt, renewedAccount }: StatefulSetParts) {
  return {
    ...userPodAnnotations(agent),
    'kubectl.kubernetes.io/default-container': 'agent',
    [ANNOTATIONS.characterDigest]: digests.character,
    [ANNOTATIONS.skillsDigest]: digests.skills,
    [ANNOTATIONS.configDigest]: digests.config,
    ...(restartRequestedAt === undefined
      ? {}
      : { [ANNOTATIONS.restartRequestedAt]: restartRequestedAt.slice(0, RESTART_LENGTH_MAX) }),
    ...(renewedAccount === undefined ? {} : { [ANNOTATIONS.accountUid]: renewedAccount }),
  };
}

/** Omits zero values of the API: the server drops them, so they would look changed in every pass. */
function podSpec(parts: StatefulSetParts): object {
  const { agent, settings, documents } = parts;
  const { pod } = agent.spec;
  return {
    serviceAccountName: agentChildName(agent.metadata.name),
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    ...(settings.hasUserNamespaces && !pod.hostUsers ? { hostUsers: false } : {}),
    securityContext: {
      // Each container sets user and group: a runtime refuses a pod with a group and no user.
      runAsNonRoot: true,
      fsGroup: POD_GID,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    },
    terminationGracePeriodSeconds: pod.terminationGracePeriodSeconds,
    tolerations: [...pod.tolerations, ...LOST_NODE_TOLERATIONS],
    ...placement(parts),
    ...pullSecrets(parts),
    containers: [agentContainer(parts), auditorContainer(parts)],
    volumes: podVolumes(agent, documents),
  };
}

const LOST_NODE_TOLERATIONS = ['not-ready', 'unreachable'].map((taint) => ({
  key: `node.kubernetes.io/${taint}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: LOST_NODE_SECONDS,
}));

function placement({ agent: { spec } }: StatefulSetParts): object {
  const { nodeSelector, affinity, topologySpreadConstraints, priorityClassName, runtimeClassName, schedulerName } =
    spec.pod;
  const said = { nodeSelector, affinity, priorityClassName, runtimeClassName, schedulerName };
  return {
    ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)),
    ...(topologySpreadConstraints.length === 0 ? {} : { topologySpreadConstraints }),
  };
}

function pullSecrets({ agent, settings }: StatefulSetParts): object {
  const names = [...settings.images.pullSecrets, ...agent.spec.pod.imagePullSecrets.map(({ name }) => name)];
  return names.length === 0 ? {} : { imagePullSecrets: [...new Set(names)].map((name) => ({ name })) };
}
