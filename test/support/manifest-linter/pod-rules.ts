/** Rules for each pod. */
import type { PodSubject, Volume } from './manifest.ts';
import { unless, type PodRule } from './rule.ts';

/** Who has business with the API server; everybody else gets no token in any way. */
const TOKEN_USERS = new Set(['operator', 'agent']);
/** A token that leaks is worth something for so long, seconds. */
const TOKEN_SECONDS_MAX = 3607;
/** Source: Pod Security Standards, restricted: volume types. */
const VOLUME_TYPES = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

/** What the pod is to NetworkPolicies: agent, sandbox, operator, egress-proxy. */
export function networkRole({ labels }: PodSubject): string | undefined {
  return labels['retainer.dev/network-role'];
}

function volumeType(volume: Volume): string {
  return Object.keys(volume).find((key) => key !== 'name') ?? 'emptyDir';
}

const volumes = ({ spec }: PodSubject) => spec.volumes ?? [];
const tokens = (pod: PodSubject) =>
  volumes(pod)
    .flatMap(({ projected }) => projected?.sources ?? [])
    .flatMap(({ serviceAccountToken }) => (serviceAccountToken === undefined ? [] : [serviceAccountToken]));

export const podRules: readonly PodRule[] = [
  {
    id: 'no-host-namespaces',
    controls: [
      'CIS-5.2.3',
      'CIS-5.2.4',
      'CIS-5.2.5',
      'C-0038',
      'C-0041',
      'C-0052',
      'polaris:hostPIDSet',
      'polaris:hostIPCSet',
      'polaris:hostNetworkSet',
      'PSS-baseline',
    ],
    faults: ({ spec }) =>
      (['hostPID', 'hostIPC', 'hostNetwork'] as const).flatMap((field) =>
        unless(spec[field] !== true, `sets ${field}`),
      ),
  },
  {
    id: 'no-host-path',
    controls: ['CIS-5.2.12', 'C-0045', 'C-0048', 'C-0020', 'polaris:hostPathSet', 'PSS-baseline'],
    faults: (pod) =>
      volumes(pod).flatMap(({ name, hostPath }) =>
        unless(hostPath === undefined, `volume ${name} is a path of the node`),
      ),
  },
  {
    id: 'volume-types',
    controls: ['PSS-restricted', 'reliability-security 3'],
    faults: (pod) =>
      volumes(pod).flatMap((volume) =>
        unless(VOLUME_TYPES.has(volumeType(volume)), `volume ${volume.name} has the type ${volumeType(volume)}`),
      ),
  },
  {
    id: 'bounded-scratch',
    controls: ['reliability-security 3'],
    faults: (pod) =>
      volumes(pod).flatMap(({ name, emptyDir }) =>
        unless(emptyDir === undefined || emptyDir.sizeLimit !== undefined, `volume ${name} has no sizeLimit`),
      ),
  },
  {
    id: 'no-sysctls',
    controls: ['PSS-baseline', 'C-0055'],
    faults: ({ spec }) => unless((spec.securityContext?.sysctls ?? []).length === 0, 'sets sysctls'),
  },
  {
    id: 'own-service-account',
    controls: ['CIS-5.1.5', 'C-0053'],
    faults: ({ spec }) =>
      unless(!['', 'default'].includes(spec.serviceAccountName ?? ''), 'needs a ServiceAccount of its own'),
  },
  {
    id: 'no-automatic-token',
    controls: ['CIS-5.1.6', 'C-0034', 'polaris:automountServiceAccountToken', 'reliability-security 3'],
    faults: ({ spec }) =>
      unless(spec.automountServiceAccountToken === false, 'automountServiceAccountToken must be false'),
  },
  {
    id: 'no-token-without-business',
    controls: ['CIS-5.1.6', 'C-0053', 'reliability-security 3'],
    faults: (pod) => unless(TOKEN_USERS.has(networkRole(pod) ?? '') || tokens(pod).length === 0, 'mounts a token'),
  },
  {
    id: 'short-lived-token',
    controls: ['reliability-security 3'],
    faults: (pod) =>
      tokens(pod).flatMap(({ expirationSeconds = 3600 }) =>
        unless(expirationSeconds <= TOKEN_SECONDS_MAX, `token lives longer than ${TOKEN_SECONDS_MAX} s`),
      ),
  },
  {
    id: 'no-service-links',
    controls: ['reliability-security 3'],
    faults: ({ spec }) => unless(spec.enableServiceLinks === false, 'enableServiceLinks must be false'),
  },
  {
    id: 'no-shared-processes',
    controls: ['reliability-security 3'],
    faults: ({ spec }) => unless(spec.shareProcessNamespace !== true, 'containers must not share processes'),
  },
  {
    id: 'sandbox-scratch-only',
    controls: ['reliability-security 3'],
    faults: (pod) =>
      networkRole(pod) !== 'sandbox'
        ? []
        : volumes(pod).flatMap((volume) =>
            unless(
              volumeType(volume) === 'emptyDir',
              `a sandbox has only emptyDir volumes, and ${volume.name} is ${volumeType(volume)}`,
            ),
          ),
  },
  {
    id: 'sandbox-never-restarts',
    controls: ['reliability-security 3'],
    faults: (pod) =>
      unless(networkRole(pod) !== 'sandbox' || pod.spec.restartPolicy === 'Never', 'a sandbox must not restart'),
  },
  {
    id: 'known-network-role',
    controls: ['C-0030', 'reliability-security 3'],
    faults: (pod) =>
      unless(
        ['agent', 'sandbox', 'operator', 'egress-proxy'].includes(networkRole(pod) ?? ''),
        'has no label retainer.dev/network-role, so no NetworkPolicy is about it',
      ),
  },
  {
    id: 'part-of',
    controls: ['CIS-5.7.1', 'kube-score:label-values'],
    faults: ({ labels }) =>
      unless(labels['app.kubernetes.io/part-of'] === 'retainer', 'has no label app.kubernetes.io/part-of'),
  },
];
