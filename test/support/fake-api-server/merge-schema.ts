/**
 * How server-side apply sees the parts of an object: which lists are merged by keys, which values are replaced as a whole.
 *
 * Own kinds bring their structural schema. Of the built-in kinds, what is not named here is merged member by member where it is
 * an object and replaced where it is a list, which is what the real schemas say for the rest of what we write.
 *
 * Source: Kubernetes OpenAPI, x-kubernetes-list-type, -list-map-keys, -map-type.
 */
export interface MergeSchema {
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, MergeSchema>>;
  /** Of a map with any keys. */
  readonly additionalProperties?: MergeSchema;
  readonly items?: MergeSchema;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
}

const ATOMIC: MergeSchema = { 'x-kubernetes-map-type': 'atomic' };
const TEXTS: MergeSchema = { additionalProperties: {} };
const SET: MergeSchema = { 'x-kubernetes-list-type': 'set' };

function struct(properties: Readonly<Record<string, MergeSchema>>): MergeSchema {
  return { properties };
}

/** A list whose items are told apart by these members. */
function keyed(keys: readonly string[], item: MergeSchema = {}): MergeSchema {
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys, items: item };
}

/** A port that names no protocol means TCP, also where ports are told apart. */
const TCP: MergeSchema = struct({ protocol: { default: 'TCP' } });

const container = struct({
  env: keyed(
    ['name'],
    struct({
      valueFrom: struct({
        configMapKeyRef: ATOMIC,
        fieldRef: ATOMIC,
        resourceFieldRef: ATOMIC,
        secretKeyRef: ATOMIC,
      }),
    }),
  ),
  ports: keyed(['containerPort', 'protocol'], TCP),
  volumeMounts: keyed(['mountPath']),
  volumeDevices: keyed(['devicePath']),
});

const podSpec = struct({
  containers: keyed(['name'], container),
  initContainers: keyed(['name'], container),
  volumes: keyed(['name']),
  imagePullSecrets: keyed(['name'], ATOMIC),
  hostAliases: keyed(['ip']),
  topologySpreadConstraints: keyed(['topologyKey', 'whenUnsatisfiable']),
  schedulingGates: keyed(['name']),
  nodeSelector: ATOMIC,
});

export const metadataSchema = struct({
  labels: TEXTS,
  annotations: TEXTS,
  ownerReferences: keyed(['uid'], ATOMIC),
  finalizers: SET,
});

const podTemplate = struct({ metadata: metadataSchema, spec: podSpec });
const conditions = struct({ conditions: keyed(['type']) });

/** By plural name: of built-in kinds, `spec` and what stands beside it. */
const BUILTIN_FIELDS: Readonly<Record<string, Readonly<Record<string, MergeSchema>>>> = {
  pods: { spec: podSpec, status: conditions },
  statefulsets: { spec: struct({ selector: ATOMIC, template: podTemplate }), status: conditions },
  deployments: { spec: struct({ selector: ATOMIC, template: podTemplate }), status: conditions },
  jobs: { spec: struct({ selector: ATOMIC, template: podTemplate }) },
  services: { spec: struct({ selector: ATOMIC, ports: keyed(['port', 'protocol'], TCP) }), status: conditions },
  serviceaccounts: { secrets: keyed(['name'], ATOMIC) },
  configmaps: { data: TEXTS, binaryData: TEXTS },
  secrets: { data: TEXTS, stringData: TEXTS },
  persistentvolumeclaims: { spec: struct({ selector: ATOMIC }), status: conditions },
  rolebindings: { roleRef: ATOMIC },
  networkpolicies: { spec: struct({ podSelector: ATOMIC }) },
  poddisruptionbudgets: { spec: struct({ selector: ATOMIC }), status: conditions },
};

/** @param own  structural schema of an own kind */
export function mergeSchemaOf(plural: string, own: MergeSchema | undefined): MergeSchema {
  const properties = own?.properties ?? BUILTIN_FIELDS[plural] ?? {};
  return struct({ ...properties, metadata: metadataSchema });
}
