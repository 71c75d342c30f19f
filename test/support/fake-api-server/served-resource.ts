/** What the server knows of each resource, as one table. */
import { structuralSchema } from '@retainer/contract/api/crd';
import { KIND_DEFINITIONS } from '@retainer/contract/api/kinds';
import { KINDS, type KindName } from '@retainer/contract/api/names';
import type { Resource } from '@retainer/kube/resource';
import { resources } from '@retainer/kube/resources';
import { mergeSchemaOf, type MergeSchema } from './merge-schema.ts';

export interface ServedResource {
  readonly resource: Resource;
  /** Present for kinds of ours: they are validated, and unknown fields are cut off. */
  readonly ownKind: KindName | undefined;
  readonly schema: MergeSchema;
  /** Written through `/status` alone. */
  readonly hasStatus: boolean;
  /** Counts changes of the spec. */
  readonly hasGeneration: boolean;
  /** Besides `metadata.name` and `metadata.namespace`. */
  readonly selectableFields: readonly string[];
  /** Parts that no update may change. */
  readonly immutable: readonly string[];
  /** The only parts of the spec that an update may change; undefined: all that are not immutable. */
  readonly mutableSpec: readonly string[] | undefined;
  /** What a deletion does with dependents where the request does not say. */
  readonly defaultPropagation: 'Background' | 'Orphan';
  /** Goes only when its kubelet says so, once it has a node. */
  readonly isGraceful: boolean;
}

type Traits = Partial<Omit<ServedResource, 'resource' | 'ownKind' | 'schema'>>;

const STATEFUL_SET_MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;

/** By plural name. Source: Kubernetes 1.34, validation and strategies of each kind. */
const TRAITS: Readonly<Record<string, Traits>> = {
  pods: {
    hasStatus: true,
    isGraceful: true,
    selectableFields: ['spec.nodeName', 'status.phase', 'spec.serviceAccountName'],
    mutableSpec: ['containers', 'initContainers', 'activeDeadlineSeconds', 'tolerations', 'nodeName'],
  },
  deployments: { hasStatus: true, hasGeneration: true },
  statefulsets: { hasStatus: true, hasGeneration: true, mutableSpec: STATEFUL_SET_MUTABLE },
  jobs: {
    hasStatus: true,
    hasGeneration: true,
    defaultPropagation: 'Orphan',
    selectableFields: ['status.successful'],
    immutable: ['spec.template', 'spec.selector', 'spec.completions', 'spec.completionMode', 'spec.podFailurePolicy'],
  },
  services: { hasStatus: true },
  secrets: { selectableFields: ['type'], immutable: ['type'] },
  namespaces: { hasStatus: true },
  nodes: { hasStatus: true },
  persistentvolumes: { hasStatus: true },
  persistentvolumeclaims: { hasStatus: true, mutableSpec: ['resources', 'volumeName', 'volumeAttributesClassName'] },
  rolebindings: { immutable: ['roleRef'] },
  clusterrolebindings: { immutable: ['roleRef'] },
  networkpolicies: { hasGeneration: true },
  poddisruptionbudgets: { hasStatus: true, hasGeneration: true },
  events: { selectableFields: ['reason', 'type', 'regarding.name', 'involvedObject.name'] },
};

function kindOf(kind: string): KindName | undefined {
  return KINDS.find((name) => name === kind);
}

/** @param traits  for a resource that is not in the table above */
export function servedResource(resource: Resource, traits: Traits = TRAITS[resource.plural] ?? {}): ServedResource {
  const ownKind = resource.group.endsWith('retainer.dev') ? kindOf(resource.kind) : undefined;
  const definition = ownKind === undefined ? undefined : KIND_DEFINITIONS[ownKind];
  const isOwn = definition !== undefined;
  return {
    hasStatus: isOwn,
    hasGeneration: isOwn,
    selectableFields: (definition?.selectableFields ?? []).map((path) => path.replace(/^\./, '')),
    immutable: [],
    mutableSpec: undefined,
    defaultPropagation: 'Background',
    isGraceful: false,
    ...(isOwn ? {} : traits),
    resource,
    ownKind,
    schema: mergeSchemaOf(resource.plural, definition === undefined ? undefined : structuralSchema(definition)),
  };
}

function core(plural: string, kind: string, isNamespaced: boolean): Resource {
  return { group: '', version: 'v1', plural, kind, isNamespaced };
}

function ofCluster(group: string, plural: string, kind: string): Resource {
  return { group, version: 'v1', plural, kind, isNamespaced: false };
}

/** What the operator knows, and what tests of an installation need besides. */
export const defaultResources: readonly Resource[] = [
  ...Object.values(resources),
  core('secrets', 'Secret', true),
  core('nodes', 'Node', false),
  core('persistentvolumes', 'PersistentVolume', false),
  ofCluster('storage.k8s.io', 'storageclasses', 'StorageClass'),
  ofCluster('node.k8s.io', 'runtimeclasses', 'RuntimeClass'),
  ofCluster('rbac.authorization.k8s.io', 'clusterroles', 'ClusterRole'),
  ofCluster('rbac.authorization.k8s.io', 'clusterrolebindings', 'ClusterRoleBinding'),
  ofCluster('apiextensions.k8s.io', 'customresourcedefinitions', 'CustomResourceDefinition'),
  ofCluster('admissionregistration.k8s.io', 'validatingadmissionpolicies', 'ValidatingAdmissionPolicy'),
  ofCluster('admissionregistration.k8s.io', 'validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding'),
];

/** `agents.retainer.dev`, or `pods` for the core group. */
export function collectionName({ group, plural }: Resource): string {
  return group === '' ? plural : `${plural}.${group}`;
}
