/** Rules for a whole installation. */
import { podOf, valueAt, type Manifest, type PodSubject } from './manifest.ts';
import type { Fault, SetRule } from './rule.ts';

type Labels = Readonly<Record<string, string>>;

/** Kinds that keep pods running. */
const KEEPERS = new Set(['Deployment', 'StatefulSet']);

function selects(selector: unknown, labels: Labels): boolean {
  const matchLabels = (valueAt(selector, ['matchLabels']) ?? {}) as Labels;
  const expressions = valueAt(selector, ['matchExpressions']);
  const isPlain = !Array.isArray(expressions) || expressions.length === 0;
  return isPlain && Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
}

const ofKind = (objects: readonly Manifest[], kind: string) => objects.filter((object) => object.kind === kind);
const podsOf = (objects: readonly Manifest[]) => objects.flatMap((object) => podOf(object) ?? []);
const sameNamespace = (one: Manifest, other: Manifest) => one.metadata.namespace === other.metadata.namespace;
const policyTypes = (policy: Manifest) =>
  (valueAt(policy, ['spec', 'policyTypes']) ?? ['Ingress']) as readonly string[];

function selected(policy: Manifest, pod: PodSubject): boolean {
  return sameNamespace(policy, pod.owner) && selects(valueAt(policy, ['spec', 'podSelector']), pod.labels);
}

function missing(objects: readonly Manifest[], needs: (object: Manifest) => string | undefined): readonly Fault[] {
  return objects.flatMap((object) => {
    const message = needs(object);
    return message === undefined ? [] : [{ object, message }];
  });
}

export const setRules: readonly SetRule[] = [
  {
    id: 'network-policy-both-ways',
    controls: [
      'CIS-5.3.2',
      'C-0030',
      'C-0054',
      'C-0052',
      'polaris:missingNetworkPolicy',
      'kube-score:pod-networkpolicy',
      'platforms 5',
    ],
    faults: (objects) =>
      podsOf(objects).flatMap((pod) => {
        const types = new Set(
          ofKind(objects, 'NetworkPolicy')
            .filter((policy) => selected(policy, pod))
            .flatMap(policyTypes),
        );
        return ['Ingress', 'Egress']
          .filter((type) => !types.has(type))
          .map((type) => ({ object: pod.owner, message: `no NetworkPolicy holds its ${type}` }));
      }),
  },
  {
    id: 'sandbox-namespace-denied',
    controls: ['CIS-5.3.2', 'C-0054', 'reliability-security 3'],
    faults: (objects) =>
      missing(
        ofKind(objects, 'Namespace').filter(({ metadata }) => metadata.labels?.['retainer.dev/sandbox'] !== undefined),
        ({ metadata }) => {
          const isDenied = ofKind(objects, 'NetworkPolicy').some(
            (policy) =>
              policy.metadata.namespace === metadata.name &&
              Object.keys((valueAt(policy, ['spec', 'podSelector']) as object | undefined) ?? {}).length === 0 &&
              ['Ingress', 'Egress'].every((type) => policyTypes(policy).includes(type)) &&
              valueAt(policy, ['spec', 'ingress']) === undefined &&
              valueAt(policy, ['spec', 'egress']) === undefined,
          );
          return isDenied ? undefined : 'has no NetworkPolicy that denies all pods everything';
        },
      ),
  },
  {
    id: 'network-policy-has-target',
    controls: ['kube-score:networkpolicy-targets-pod'],
    faults: (objects) =>
      missing(ofKind(objects, 'NetworkPolicy'), (policy) => {
        const isForAll =
          Object.keys((valueAt(policy, ['spec', 'podSelector']) as object | undefined) ?? {}).length === 0;
        return isForAll || podsOf(objects).some((pod) => selected(policy, pod)) ? undefined : 'selects no pod';
      }),
  },
  {
    id: 'disruption-budget-for-each',
    controls: [
      'polaris:missingPodDisruptionBudget',
      'kube-score:deployment-has-poddisruptionbudget',
      'kube-score:statefulset-has-poddisruptionbudget',
    ],
    faults: (objects) =>
      missing(
        objects.filter(({ kind }) => KEEPERS.has(kind)),
        (object) => {
          const labels = podOf(object)?.labels ?? {};
          const isHeld = ofKind(objects, 'PodDisruptionBudget').some(
            (budget) => sameNamespace(budget, object) && selects(valueAt(budget, ['spec', 'selector']), labels),
          );
          return isHeld ? undefined : 'has no PodDisruptionBudget';
        },
      ),
  },
  {
    id: 'spread-over-nodes',
    controls: [
      'polaris:topologySpreadConstraint',
      'kube-score:deployment-has-host-podantiaffinity',
      'kube-score:pod-topology-spread-constraints',
    ],
    faults: (objects) =>
      missing(ofKind(objects, 'Deployment'), (object) => {
        const { topologySpreadConstraints = [], affinity } = podOf(object)?.spec ?? {};
        return topologySpreadConstraints.length > 0 && affinity?.podAntiAffinity !== undefined
          ? undefined
          : 'needs topologySpreadConstraints and podAntiAffinity';
      }),
  },
  {
    id: 'replicas',
    controls: ['polaris:deploymentMissingReplicas', 'kube-score:deployment-replicas', 'platforms 5'],
    faults: (objects) =>
      missing(ofKind(objects, 'Deployment'), (object) =>
        Number(valueAt(object, ['spec', 'replicas'])) >= 2 ? undefined : 'needs two replicas',
      ),
  },
  {
    id: 'selector-matches-template',
    controls: [
      'kube-score:deployment-pod-selector-labels-match-template-metadata-labels',
      'kube-score:statefulset-pod-selector-labels-match-template-metadata-labels',
    ],
    faults: (objects) =>
      missing(
        objects.filter(({ kind }) => KEEPERS.has(kind)),
        (object) =>
          selects(valueAt(object, ['spec', 'selector']), podOf(object)?.labels ?? {})
            ? undefined
            : 'its selector does not match its own pods',
      ),
  },
  {
    id: 'service-has-pods',
    controls: ['kube-score:service-targets-pod'],
    faults: (objects) =>
      missing(ofKind(objects, 'Service'), (service) =>
        podsOf(objects).some(
          (pod) =>
            sameNamespace(service, pod.owner) &&
            selects({ matchLabels: valueAt(service, ['spec', 'selector']) }, pod.labels),
        )
          ? undefined
          : 'selects no pod',
      ),
  },
];
