/** The parts of rendered manifests that the linter looks at. Loose on purpose: whatever is not named here is nobody's fault. */
import { z } from 'zod';

const Labels = z.record(z.string(), z.string());
const Quantities = z.record(z.string(), z.union([z.string(), z.number()]));

const SecurityContext = z.looseObject({
  privileged: z.boolean().optional(),
  allowPrivilegeEscalation: z.boolean().optional(),
  readOnlyRootFilesystem: z.boolean().optional(),
  runAsNonRoot: z.boolean().optional(),
  runAsUser: z.int().optional(),
  runAsGroup: z.int().optional(),
  fsGroup: z.int().optional(),
  procMount: z.string().optional(),
  capabilities: z.looseObject({ add: z.array(z.string()).optional(), drop: z.array(z.string()).optional() }).optional(),
  seccompProfile: z.looseObject({ type: z.string() }).optional(),
  sysctls: z.array(z.unknown()).optional(),
  windowsOptions: z.looseObject({ hostProcess: z.boolean().optional() }).optional(),
  seLinuxOptions: z.unknown().optional(),
  appArmorProfile: z.looseObject({ type: z.string() }).optional(),
});

const Container = z.looseObject({
  name: z.string(),
  image: z.string().optional(),
  imagePullPolicy: z.string().optional(),
  env: z
    .array(
      z.looseObject({
        name: z.string(),
        value: z.string().optional(),
        valueFrom: z.looseObject({ secretKeyRef: z.unknown().optional() }).optional(),
      }),
    )
    .optional(),
  envFrom: z.array(z.looseObject({ secretRef: z.unknown().optional() })).optional(),
  ports: z.array(z.looseObject({ containerPort: z.int(), hostPort: z.int().optional() })).optional(),
  resources: z.looseObject({ requests: Quantities.optional(), limits: Quantities.optional() }).optional(),
  securityContext: SecurityContext.optional(),
  livenessProbe: z.record(z.string(), z.unknown()).optional(),
  readinessProbe: z.record(z.string(), z.unknown()).optional(),
  volumeMounts: z
    .array(z.looseObject({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() }))
    .optional(),
  terminationMessagePolicy: z.string().optional(),
});
export type Container = z.infer<typeof Container>;

const Volume = z.looseObject({
  name: z.string(),
  hostPath: z.unknown().optional(),
  emptyDir: z.looseObject({ sizeLimit: z.union([z.string(), z.number()]).optional() }).optional(),
  projected: z
    .looseObject({
      sources: z
        .array(
          z.looseObject({
            serviceAccountToken: z.looseObject({ expirationSeconds: z.int().optional() }).optional(),
          }),
        )
        .optional(),
    })
    .optional(),
});
export type Volume = z.infer<typeof Volume>;

const PodSpec = z.looseObject({
  containers: z.array(Container).min(1),
  initContainers: z.array(Container).optional(),
  ephemeralContainers: z.array(Container).optional(),
  volumes: z.array(Volume).optional(),
  securityContext: SecurityContext.optional(),
  serviceAccountName: z.string().optional(),
  automountServiceAccountToken: z.boolean().optional(),
  enableServiceLinks: z.boolean().optional(),
  hostNetwork: z.boolean().optional(),
  hostPID: z.boolean().optional(),
  hostIPC: z.boolean().optional(),
  hostUsers: z.boolean().optional(),
  shareProcessNamespace: z.boolean().optional(),
  runtimeClassName: z.string().optional(),
  restartPolicy: z.string().optional(),
  affinity: z.looseObject({ podAntiAffinity: z.unknown().optional() }).optional(),
  topologySpreadConstraints: z.array(z.unknown()).optional(),
});
export type PodSpec = z.infer<typeof PodSpec>;

/** Any object of a cluster; `metadata` and `spec` are narrowed by who needs them. */
export const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: Labels.optional(),
    annotations: Labels.optional(),
  }),
});
export type Manifest = z.infer<typeof Manifest>;

/** A pod that an object is, or makes. */
export interface PodSubject {
  readonly owner: Manifest;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
  /** All of them, initial and ephemeral ones too. */
  readonly containers: readonly Container[];
}

/** Where each kind keeps the pod that it makes. */
const templatePaths: Readonly<Record<string, readonly string[]>> = {
  Pod: [],
  Deployment: ['spec', 'template'],
  StatefulSet: ['spec', 'template'],
  DaemonSet: ['spec', 'template'],
  ReplicaSet: ['spec', 'template'],
  Job: ['spec', 'template'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
};

const Template = z.looseObject({
  metadata: z.looseObject({ labels: Labels.optional() }).optional(),
  spec: PodSpec,
});

/** Undefined for kinds that make no pods. @throws on a pod that is none: it cannot be judged */
export function podOf(owner: Manifest): PodSubject | undefined {
  const path = templatePaths[owner.kind];
  if (path === undefined) return undefined;
  const { metadata, spec } = Template.parse(valueAt(owner, path));
  const containers = [...spec.containers, ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])];
  return { owner, labels: metadata?.labels ?? {}, spec, containers };
}

/** The value at a path of fields; undefined where one of them is missing. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, field) =>
      typeof inner === 'object' && inner !== null ? (inner as Readonly<Record<string, unknown>>)[field] : undefined,
    value,
  );
}

/** `Kind namespace/name`. */
export function nameOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}
