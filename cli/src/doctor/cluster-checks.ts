/** Checks of the cluster: its version, the installed objects, and the resources that its owner provides. Pure. */
import { structuralSchema, type StructuralSchema } from '@retainer/contract/api/crd';
import { KIND_DEFINITIONS } from '@retainer/contract/api/kinds';
import { GROUP, KINDS, VERSION } from '@retainer/contract/api/names';
import { ENFORCE_LABEL } from '@retainer/contract/api/sandbox-standard';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Facts } from './facts.ts';
import { conditionOf, listAt, textAt, valueAt } from './fields.ts';
import { NAMES, type Installation } from './installation.ts';
import { counted, fail, installCommand, judged, named, ok, seenOr, warn, type CheckResult } from './check-result.ts';

/** The same as `kubeVersion` of the chart. */
export const KUBERNETES_MINOR_MIN = 30;

export function apiServer({ server, address }: Facts): CheckResult {
  if (server.type === 'Unreadable')
    return fail(`${address} does not answer: ${server.message}`, [
      'kubectl cluster-info   # uses the same kubeconfig; --kubeconfig and --context choose another',
    ]);
  return judged(server, (version) => {
    const [, major = '0', minor = '0'] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
    const isSupported = Number(major) > 1 || (major === '1' && Number(minor) >= KUBERNETES_MINOR_MIN);
    if (isSupported) return ok(`Kubernetes ${version} at ${address}`);
    return fail(`Kubernetes ${version} at ${address} is older than 1.${KUBERNETES_MINOR_MIN}`, ['upgrade the cluster']);
  });
}

/** The five kinds, as this program knows them. */
export function definitions(facts: Facts, installation: Installation): CheckResult {
  const upgrade = [`${installCommand(facts, installation)}   # the chart contains the definitions`];
  return judged(facts.definitions, (found) => {
    const faults = KINDS.flatMap((kind) => {
      const name = `${KIND_DEFINITIONS[kind].plural}.${GROUP}`;
      const live = found.find(({ metadata }) => metadata.name === name);
      return live === undefined ? [`${name} is missing`] : definitionFaults(name, live);
    });
    if (faults.length > 0)
      return fail(`${counted(faults.length, 'fault')} of the CustomResourceDefinitions`, upgrade, faults);
    const differing = KINDS.flatMap((kind) => fieldDifference(kind, found));
    if (differing.length > 0)
      return warn('the CustomResourceDefinitions have another version than this program', upgrade, differing);
    return ok(`${KINDS.length} kinds, ${VERSION} served and stored`);
  });
}

function definitionFaults(name: string, live: KubeObject): readonly string[] {
  const versions = listAt(live, 'spec.versions');
  const served = versions.find((version) => textAt(version, 'name') === VERSION);
  const stored = listAt(live, 'status.storedVersions').map(String);
  const established = conditionOf(live, 'Established');
  return [
    ...(served === undefined || valueAt(served, 'served') !== true ? [`${name} does not serve ${VERSION}`] : []),
    ...(established?.status === 'True'
      ? []
      : [`${name} is not established: ${established?.message || 'no status yet'}`]),
    ...stored
      .filter((version) => version !== VERSION)
      .map((version) => `${name} may hold objects stored as ${version}, which this version does not read`),
  ];
}

function fieldDifference(kind: (typeof KINDS)[number], found: readonly KubeObject[]): readonly string[] {
  const definition = KIND_DEFINITIONS[kind];
  const name = `${definition.plural}.${GROUP}`;
  const live = found.find(({ metadata }) => metadata.name === name);
  const version = listAt(live, 'spec.versions').find((one) => textAt(one, 'name') === VERSION);
  const schema = valueAt(version, 'schema.openAPIV3Schema') as StructuralSchema | undefined;
  const theirs = new Set(fieldPaths(schema ?? {}));
  const ours = new Set(fieldPaths(structuralSchema(definition)));
  const lacking = [...ours].filter((path) => !theirs.has(path));
  const unknown = [...theirs].filter((path) => !ours.has(path));
  return [
    ...(lacking.length === 0
      ? []
      : [`${name} lacks the fields ${named(lacking)}: the chart is older than this program`]),
    ...(unknown.length === 0
      ? []
      : [`${name} has the unknown fields ${named(unknown)}: this program is older than the chart`]),
  ];
}

/** `spec.model.name`; of a list or map the fields of its entries. Metadata is the API server's own. */
function fieldPaths(schema: StructuralSchema, path = ''): readonly string[] {
  if (path === 'metadata') return [];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = path === '' ? name : `${path}.${name}`;
    return [inner, ...fieldPaths(field, inner)];
  });
  const entries = [schema.items, schema.additionalProperties].flatMap((entry) =>
    typeof entry === 'object' ? fieldPaths(entry, `${path}[]`) : [],
  );
  return [...own, ...entries];
}

/** Namespaces of the operator and of agents: each pod of ours meets the restricted standard. */
export function podSecurity({ namespaces, ofAgents, scope }: Facts): CheckResult {
  return judged(namespaces, (found) => {
    const agents = seenOr(ofAgents.agents, []);
    const ours = [
      ...new Set([scope.systemNamespace, ...agents.flatMap(({ metadata }) => metadata.namespace ?? [])]),
    ].toSorted();
    const open = ours.filter((name) => {
      const namespace = found.find(({ metadata }) => metadata.name === name);
      return namespace !== undefined && namespace.metadata.labels?.[ENFORCE_LABEL] !== 'restricted';
    });
    if (open.length === 0) return ok(`restricted in ${named(ours)}`);
    return warn(`namespaces that do not enforce the restricted standard: ${named(open)}`, [
      `kubectl label --overwrite namespace ${open.join(' ')} ${ENFORCE_LABEL}=restricted`,
    ]);
  });
}

export function admissionPolicies(facts: Facts, installation: Installation): CheckResult {
  const { policies, bindings } = facts;
  const { clusterName } = installation;
  const fix = [`${installCommand(facts, installation)} --set admissionPolicies.enabled=true`];
  return judged(policies, (found) =>
    judged(bindings, (bound) => {
      const names = NAMES.policies.map((name) => `${clusterName}-${name}`);
      const isThere = (name: string, among: readonly KubeObject[]): boolean =>
        among.some(({ metadata }) => metadata.name === name);
      const missing = names.filter((name) => !isThere(name, found));
      if (missing.length > 0) return fail(`missing: ${named(missing)}; only Roles limit the agents`, fix);
      const idle = names.filter((name) => !bound.some((binding) => denies(binding, name)));
      if (idle.length > 0) return fail(`policies without a binding that denies: ${named(idle)}`, fix);
      const ours = found.filter(({ metadata }) => names.includes(metadata.name));
      const ill = ours.filter((policy) => listAt(policy, 'status.typeChecking.expressionWarnings').length > 0);
      if (ill.length > 0)
        return warn(
          `policies with rules that the API server cannot check: ${named(ill.map(({ metadata }) => metadata.name))}`,
          [`kubectl get validatingadmissionpolicy ${ill[0]?.metadata.name ?? ''} -o jsonpath='{.status.typeChecking}'`],
        );
      return ok(`${names.length} policies, each bound and denying`);
    }),
  );
}

function denies(binding: KubeObject, policy: string): boolean {
  return textAt(binding, 'spec.policyName') === policy && listAt(binding, 'spec.validationActions').includes('Deny');
}

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

export function storage({ storageClasses, ofAgents }: Facts): CheckResult {
  return judged(storageClasses, (classes) => {
    const agents = seenOr(ofAgents.agents, []);
    const wanted = new Set(agents.map((agent) => textAt(agent, 'spec.memory.storageClassName')));
    const standard = classes.find(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true');
    const unknown = [...wanted].filter(
      (name) => name !== '' && !classes.some(({ metadata }) => metadata.name === name),
    );
    if (unknown.length > 0)
      return fail(
        `an Agent names StorageClass ${named(unknown)} in spec.memory.storageClassName, which does not exist`,
        ['kubectl get storageclass'],
      );
    if (standard === undefined) {
      const seen = 'no StorageClass is the default';
      const fix = [
        `kubectl annotate storageclass ${classes[0]?.metadata.name ?? 'NAME'} ${DEFAULT_CLASS}=true   # or name one in spec.memory.storageClassName of each Agent`,
      ];
      return wanted.has('')
        ? fail(`${seen}, so Agents without spec.memory.storageClassName get no volume`, fix)
        : warn(seen, fix);
    }
    const canGrow = valueAt(standard, 'allowVolumeExpansion') === true;
    return ok(
      `${standard.metadata.name} is the default; its volumes ${canGrow ? 'can grow' : 'cannot grow: choose spec.memory.storage of an Agent with room'}`,
    );
  });
}
