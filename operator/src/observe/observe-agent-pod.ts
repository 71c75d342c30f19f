/** The agent's pod and its StatefulSet, narrowed to the judged fields. */
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { z } from 'zod';
import type { KubeObject } from '@retainer/kube/kube-object';
import { rolloutMarkOf, type RolloutMark } from './rollout-mark.ts';

const Texts = z.record(z.string(), z.string());

/** Milliseconds since 1970; undefined if the kubelet does not know the moment. */
const Moment = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .optional()
  .catch(undefined);

const ContainerState = z.object({
  waiting: z.object({ reason: z.string().optional(), message: z.string().optional() }).optional(),
  running: z.object({ startedAt: Moment }).optional(),
  terminated: z
    .object({
      exitCode: z.number(),
      reason: z.string().optional(),
      message: z.string().optional(),
      startedAt: Moment,
      finishedAt: Moment,
    })
    .optional(),
});

const ContainerStatus = z.object({
  name: z.string(),
  ready: z.boolean().default(false),
  started: z.boolean().nullish(),
  restartCount: z.number().default(0),
  state: ContainerState.default({}),
  lastState: ContainerState.default({}),
});
export type ContainerStatus = z.infer<typeof ContainerStatus>;

const ConfigMapUse = z.object({ name: z.string() });

const PodSpec = z.object({
  volumes: z
    .array(
      z.object({
        configMap: ConfigMapUse.optional(),
        projected: z
          .object({ sources: z.array(z.object({ configMap: ConfigMapUse.optional() })).nullish() })
          .optional(),
      }),
    )
    .default([]),
});

const PodShape = z.object({
  metadata: z.object({
    deletionTimestamp: z.string().optional(),
    labels: Texts.default({}),
    annotations: Texts.default({}),
  }),
  spec: PodSpec,
  status: z
    .object({
      phase: z.string().optional(),
      reason: z.string().optional(),
      conditions: z
        .array(
          z.object({
            type: z.string(),
            status: z.string(),
            reason: z.string().optional(),
            message: z.string().optional(),
            lastTransitionTime: Moment,
          }),
        )
        .default([]),
      containerStatuses: z.array(ContainerStatus).default([]),
    })
    .prefault({}),
});

export interface ObservedPod {
  readonly isBeingDeleted: boolean;
  readonly isReady: boolean;
  /** Moment of its creation, or when it was ready last; milliseconds since 1970. Undefined while it is ready. */
  readonly unreadySinceMs: number | undefined;
  /** When it became ready; milliseconds since 1970. Undefined while it is not, or if the moment is unknown. */
  readonly readySinceMs: number | undefined;
  /** Undefined before the scheduler's first report. */
  readonly scheduling: { readonly isDone: boolean; readonly message: string } | undefined;
  readonly phase: string | undefined;
  /** Why the pod as a whole ended, such as `Evicted`. */
  readonly reason: string | undefined;
  readonly containers: readonly ContainerStatus[];
  readonly annotations: Readonly<Record<string, string>>;
  /** Revision of the StatefulSet that made it. */
  readonly revision: string | undefined;
  readonly configMapNames: readonly string[];
}

/** A pod from a cache; undefined if its shape is unknown. */
export function observePod(object: KubeObject): ObservedPod | undefined {
  const parsed = PodShape.safeParse(object);
  if (!parsed.success) return undefined;
  const { metadata, spec, status } = parsed.data;
  const condition = (type: string) => status.conditions.find((one) => one.type === type);
  const scheduled = condition('PodScheduled');
  const ready = condition('Ready');
  return {
    isBeingDeleted: metadata.deletionTimestamp !== undefined,
    isReady: ready?.status === 'True' && metadata.deletionTimestamp === undefined,
    unreadySinceMs: ready?.status === 'True' ? undefined : ready?.lastTransitionTime,
    readySinceMs: ready?.status === 'True' ? ready.lastTransitionTime : undefined,
    scheduling:
      scheduled === undefined
        ? undefined
        : { isDone: scheduled.status === 'True', message: scheduled.message ?? scheduled.reason ?? '' },
    phase: status.phase,
    reason: status.reason,
    containers: status.containerStatuses,
    annotations: metadata.annotations,
    revision: metadata.labels['controller-revision-hash'],
    configMapNames: configMapNames(spec),
  };
}

function configMapNames({ volumes }: z.infer<typeof PodSpec>): readonly string[] {
  return volumes.flatMap(({ configMap, projected }) =>
    [configMap, ...(projected?.sources ?? []).map((source) => source.configMap)].flatMap((use) =>
      use === undefined ? [] : [use.name],
    ),
  );
}

const ClaimTemplate = z.object({
  metadata: z.object({ name: z.string(), labels: Texts.optional() }),
  spec: z.object({
    accessModes: z.array(z.string()).default([]),
    storageClassName: z.string().optional(),
    resources: z.object({ requests: Texts.default({}) }),
  }),
});
/** The immutable part of a claim template. */
export type ClaimTemplate = z.infer<typeof ClaimTemplate>;

const StatefulSetShape = z.object({
  metadata: z.object({ generation: z.number().default(0), annotations: Texts.default({}) }),
  spec: z.object({
    replicas: z.number().default(1),
    template: z.object({
      metadata: z.object({ annotations: Texts.optional() }).default({}),
      spec: PodSpec.extend({
        containers: z.array(z.object({ name: z.string(), image: z.string().optional() })).default([]),
      }),
    }),
    volumeClaimTemplates: z.array(ClaimTemplate).default([]),
  }),
  status: z
    .object({
      observedGeneration: z.number().optional(),
      currentRevision: z.string().optional(),
      updateRevision: z.string().optional(),
    })
    .prefault({}),
});

export interface ObservedStatefulSet {
  readonly live: KubeObject;
  readonly generation: number;
  readonly replicas: number;
  /** Digest of the template that the operator rendered last. */
  readonly templateDigest: string | undefined;
  readonly template: {
    readonly annotations: Readonly<Record<string, string>>;
    readonly configMapNames: readonly string[];
    readonly agentImage: string | undefined;
  };
  readonly rollout: RolloutMark | undefined;
  readonly claimTemplates: readonly ClaimTemplate[];
  /** Revision that its pod has or will have. */
  readonly updateRevision: string | undefined;
  /** Its controller has seen this generation, so that the revisions are of it. */
  readonly isObserved: boolean;
  /** A change is in progress: its controller has not seen it, or the new pod is not ready. False for a new StatefulSet. */
  readonly isRolling: boolean;
}

/** A StatefulSet from a cache; undefined if its shape is unknown. */
export function observeStatefulSet(live: KubeObject): ObservedStatefulSet | undefined {
  const parsed = StatefulSetShape.safeParse(live);
  if (!parsed.success) return undefined;
  const { metadata, spec, status } = parsed.data;
  const isObserved = (status.observedGeneration ?? 0) >= metadata.generation;
  return {
    live,
    generation: metadata.generation,
    replicas: spec.replicas,
    templateDigest: metadata.annotations[ANNOTATIONS.templateDigest],
    template: {
      annotations: spec.template.metadata.annotations ?? {},
      configMapNames: configMapNames(spec.template.spec),
      agentImage: spec.template.spec.containers.find(({ name }) => name === 'agent')?.image,
    },
    rollout: rolloutMarkOf(metadata.annotations),
    claimTemplates: spec.volumeClaimTemplates,
    updateRevision: status.updateRevision,
    isObserved,
    isRolling: metadata.generation > 1 && (!isObserved || status.currentRevision !== status.updateRevision),
  };
}
