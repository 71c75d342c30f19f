/** Rules for single objects that are neither pods nor rights. */
import { valueAt, type Manifest } from './manifest.ts';
import { unless, type ObjectRule } from './rule.ts';

const LEVEL = 'pod-security.kubernetes.io/enforce';
const VERSION = 'pod-security.kubernetes.io/enforce-version';
const SENSITIVE = /(password|secret|token|api_?key|private_?key)/i;
const text = (value: unknown) => (typeof value === 'string' ? value : '');

function about(kind: string, faults: (object: Manifest) => readonly string[]): ObjectRule['faults'] {
  return (object) => (object.kind === kind ? faults(object) : []);
}

export const objectRules: readonly ObjectRule[] = [
  {
    id: 'pod-security-level',
    controls: ['CIS-5.2.1', 'C-0068', 'platforms 5'],
    faults: about('Namespace', ({ metadata: { labels = {} } }) => {
      const level = labels[LEVEL];
      const isForRoot = labels['retainer.dev/sandbox'] === 'root';
      return [
        ...unless(level === 'restricted' || (level === 'baseline' && isForRoot), `${LEVEL} must be restricted`),
        ...unless(/^v1\.\d+$/.test(labels[VERSION] ?? ''), `${VERSION} must be pinned`),
      ];
    }),
  },
  {
    id: 'not-in-default-namespace',
    controls: ['CIS-5.7.1', 'CIS-5.7.4'],
    faults: ({ metadata }) =>
      unless(!['default', 'kube-system'].includes(metadata.namespace ?? ''), `is in ${metadata.namespace}`),
  },
  {
    id: 'service-inside',
    controls: ['C-0021', 'kube-score:service-type'],
    faults: about('Service', (object) =>
      unless(
        ['', 'ClusterIP'].includes(text(valueAt(object, ['spec', 'type']))),
        'is reachable from outside the cluster',
      ),
    ),
  },
  {
    id: 'no-secret-in-config-map',
    controls: ['C-0012', 'polaris:sensitiveConfigmapContent'],
    faults: about('ConfigMap', (object) =>
      Object.keys((valueAt(object, ['data']) as object | undefined) ?? {}).flatMap((key) =>
        unless(!SENSITIVE.test(key), `key ${key} sounds like a secret`),
      ),
    ),
  },
  {
    id: 'no-secret-content',
    controls: ['C-0012', 'CIS-5.4.1'],
    faults: about('Secret', () => ['is rendered with its contents']),
  },
  {
    id: 'disruption-budget',
    controls: ['polaris:pdbDisruptionsIsZero', 'kube-score:poddisruptionbudget-has-policy', 'platforms 6'],
    faults: about('PodDisruptionBudget', (object) => [
      ...unless(
        ![0, '0', '0%'].includes(valueAt(object, ['spec', 'maxUnavailable']) as never),
        'forbids every disruption',
      ),
      ...unless(
        valueAt(object, ['spec', 'maxUnavailable']) !== undefined ||
          valueAt(object, ['spec', 'minAvailable']) !== undefined,
        'has no policy',
      ),
      ...unless(
        valueAt(object, ['spec', 'unhealthyPodEvictionPolicy']) === 'AlwaysAllow',
        'unhealthyPodEvictionPolicy must be AlwaysAllow, or a broken pod holds up a drain',
      ),
    ]),
  },
  {
    id: 'stateful-set-service',
    controls: ['kube-score:statefulset-has-servicename'],
    faults: about('StatefulSet', (object) =>
      unless(text(valueAt(object, ['spec', 'serviceName'])) !== '', 'has no serviceName'),
    ),
  },
  {
    id: 'claims-kept',
    controls: ['D3-volumes'],
    faults: about('StatefulSet', (object) =>
      unless(
        valueAt(object, ['spec', 'persistentVolumeClaimRetentionPolicy', 'whenScaled']) !== 'Delete',
        'would delete the memory of a suspended agent',
      ),
    ),
  },
  {
    id: 'bounded-job',
    controls: ['reliability-security 3'],
    faults: about('Job', (object) => [
      ...unless(valueAt(object, ['spec', 'backoffLimit']) !== undefined, 'has no backoffLimit'),
      ...unless(
        typeof valueAt(object, ['spec', 'ttlSecondsAfterFinished']) === 'number',
        'has no ttlSecondsAfterFinished',
      ),
    ]),
  },
];
