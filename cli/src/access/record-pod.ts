/**
 * A pod on the volumes of an agent, for commands that the agent itself cannot answer: its record is damaged, or must be repaired.
 *
 * It has the image, the users and the place of the agent's pod, and less than it: no token, no network, one hour. Pure.
 */
import { agentChildName, agentPodName } from '@retainer/contract/api/child-names';
import { LABELS, MOUNTS } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';
import { z } from 'zod';

/** A forgotten pod ends by then: a year of records is verified in minutes. */
const LIFE_SECONDS = 3600;

const Anything = z.record(z.string(), z.unknown());
const Container = z.object({
  name: z.string(),
  image: z.string(),
  imagePullPolicy: z.string().optional(),
  securityContext: Anything,
});
const Template = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({
        securityContext: Anything,
        imagePullSecrets: z.array(Anything).optional(),
        hostUsers: z.boolean().optional(),
        nodeSelector: Anything.optional(),
        affinity: Anything.optional(),
        tolerations: z.array(Anything).optional(),
        runtimeClassName: z.string().optional(),
        containers: z.array(Container),
      }),
    }),
  }),
});

/** Whose work the pod does, and so as which user: who writes the record, or who keeps heads of it. */
export type RecordUser = 'agent' | 'auditor';

export interface RecordPodOptions {
  readonly namespace: string;
  readonly agent: string;
  /** Unique. */
  readonly name: string;
  readonly user: RecordUser;
  /** Whether the user's own volume is written to. */
  readonly writes: boolean;
  /** Where the agent's pod runs: a volume for one node cannot be mounted on another. */
  readonly node: string | undefined;
}

/** @param statefulSet  of the agent. @returns undefined if its shape is unknown */
export function recordPod(statefulSet: KubeObject, options: RecordPodOptions): KubeObject | undefined {
  const { namespace, agent, name, user, writes, node } = options;
  const parsed = Template.safeParse(statefulSet);
  const { containers = [], ...spec } = parsed.data?.spec.template.spec ?? {};
  const own = containers.find((container) => container.name === user);
  if (own === undefined) return undefined;
  const isAuditor = user === 'auditor';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: labelsOf(name) },
    spec: {
      ...spec,
      ...(node === undefined ? {} : { nodeName: node }),
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      restartPolicy: 'Never',
      activeDeadlineSeconds: LIFE_SECONDS,
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          ...own,
          name: 'record',
          args: ['-e', `setTimeout(() => undefined, ${LIFE_SECONDS * 1000})`],
          volumeMounts: [
            { name: 'data', mountPath: MOUNTS.data, readOnly: isAuditor || !writes },
            ...(isAuditor ? [{ name: 'audit', mountPath: MOUNTS.auditorData }] : []),
          ],
        },
      ],
      volumes: [volume('data', agent), ...(isAuditor ? [volume('audit', agent)] : [])],
    },
  };
}

/** Nothing in, nothing out, for this pod: made before it. */
export function recordPolicy({ namespace, name }: RecordPodOptions): KubeObject {
  const matchLabels = { [LABELS.instance]: name };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace, labels: labelsOf(name) },
    spec: { podSelector: { matchLabels }, policyTypes: ['Ingress', 'Egress'] },
  };
}

/**
 * None of an agent's pod: no Service, policy or StatefulSet of the agent must take it for its own. An admission policy keeps
 * labels of retainer.dev that name an agent for the operator.
 */
function labelsOf(name: string): Readonly<Record<string, string>> {
  return {
    [LABELS.name]: 'record',
    [LABELS.instance]: name,
    [LABELS.partOf]: 'retainer',
    [LABELS.managedBy]: 'retainer-cli',
  };
}

function volume(name: string, agent: string): object {
  return { name, persistentVolumeClaim: { claimName: `${name}-${agentPodName(agent)}` } };
}

/** Of a pod for this agent; `unique` is of lower case letters and digits. */
export function recordPodName(agent: string, unique: string): string {
  return `${agentChildName(agent)}-record-${unique}`;
}
