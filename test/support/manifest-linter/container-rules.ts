/** Rules for each container, initial and ephemeral ones too. */
import type { Container, PodSubject } from './manifest.ts';
import { networkRole } from './pod-rules.ts';
import { unless, type ContainerRule } from './rule.ts';

/** Below this number a user of the node could have the same one. Source: kube-score, container-security-context-user-group-id. */
const USER_ID_MIN = 10_000;
const TAG_OR_DIGEST = /(:[\w][\w.-]*|@sha256:[0-9a-f]{64})$/;
const RESOURCES = ['cpu', 'memory', 'ephemeral-storage'] as const;
/** What a program may keep in its environment without anybody reading more than its name. */
const SENSITIVE_NAME = /(secret|password|passwd|token|api_?key|private_?key|credential)/i;
const NAMES_A_PLACE = /(_FILE|_PATH|_DIR|_NAME|_REF|_PULL_SECRETS)$/;

const has = (container: Container, pod: PodSubject) => ({ ...pod.spec.securityContext, ...container.securityContext });
const isLongLived = ({ owner, spec }: PodSubject) => owner.kind !== 'Job' && spec.restartPolicy !== 'Never';
const isMain = (container: Container, { spec }: PodSubject) => spec.containers.includes(container);

/** What root of a user namespace may keep: to own files, and to give up being root. All are within Pod Security, baseline. */
const MAPPED_ROOT_CAPABILITIES = new Set(['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID']);

/** In a sandbox with a user namespace of its own, root is nobody on the node. Source: design 7 (sandbox.root). */
function isMappedRoot(container: Container, pod: PodSubject): boolean {
  const { runAsUser, runAsGroup } = has(container, pod);
  return networkRole(pod) === 'sandbox' && pod.spec.hostUsers === false && runAsUser === 0 && runAsGroup === 0;
}

export const containerRules: readonly ContainerRule[] = [
  {
    id: 'not-privileged',
    controls: ['CIS-5.2.2', 'C-0057', 'polaris:runAsPrivileged', 'kube-score:container-security-context-privileged'],
    faults: ({ securityContext }) => unless(securityContext?.privileged !== true, 'is privileged'),
  },
  {
    id: 'no-privilege-escalation',
    controls: ['CIS-5.2.6', 'C-0016', 'polaris:privilegeEscalationAllowed', 'PSS-restricted'],
    faults: ({ securityContext }) =>
      unless(securityContext?.allowPrivilegeEscalation === false, 'allowPrivilegeEscalation must be false'),
  },
  {
    id: 'non-root',
    controls: ['CIS-5.2.7', 'C-0013', 'polaris:runAsRootAllowed', 'PSS-restricted'],
    faults: (container, pod) =>
      unless(
        has(container, pod).runAsNonRoot === true || isMappedRoot(container, pod),
        'runAsNonRoot must be true, or root of a user namespace of its own: hostUsers false in a sandbox',
      ),
  },
  {
    id: 'numeric-user',
    controls: ['C-0013', 'kube-score:container-security-context-user-group-id', 'reliability-security 3'],
    faults: (container, pod) => {
      if (isMappedRoot(container, pod)) return [];
      const { runAsUser = 0, runAsGroup = 0 } = has(container, pod);
      return [
        ...unless(runAsUser >= USER_ID_MIN, `runAsUser must be at least ${USER_ID_MIN}`),
        ...unless(runAsGroup >= USER_ID_MIN, `runAsGroup must be at least ${USER_ID_MIN}`),
      ];
    },
  },
  {
    id: 'no-capabilities',
    controls: [
      'CIS-5.2.8',
      'CIS-5.2.9',
      'CIS-5.2.10',
      'C-0046',
      'C-0055',
      'polaris:dangerousCapabilities',
      'polaris:insecureCapabilities',
      'polaris:linuxHardening',
      'PSS-restricted',
    ],
    faults: (container, pod) => {
      const { drop = [], add = [] } = container.securityContext?.capabilities ?? {};
      const isAllowed = (name: string): boolean => isMappedRoot(container, pod) && MAPPED_ROOT_CAPABILITIES.has(name);
      return [
        ...unless(drop.includes('ALL'), 'must drop ALL capabilities'),
        ...unless(add.every(isAllowed), 'must add no capability'),
      ];
    },
  },
  {
    id: 'seccomp',
    controls: ['CIS-5.7.2', 'C-0055', 'polaris:linuxHardening', 'PSS-restricted'],
    faults: (container, pod) =>
      unless(has(container, pod).seccompProfile?.type === 'RuntimeDefault', 'seccompProfile must be RuntimeDefault'),
  },
  {
    id: 'security-context',
    controls: ['CIS-5.7.3'],
    faults: ({ securityContext }) => unless(securityContext !== undefined, 'has no securityContext'),
  },
  {
    id: 'apparmor-confined',
    controls: ['PSS-baseline', 'C-0055'],
    faults: (container, pod) =>
      unless(has(container, pod).appArmorProfile?.type !== 'Unconfined', 'AppArmor must not be Unconfined'),
  },
  {
    id: 'read-only-root',
    controls: [
      'C-0017',
      'polaris:notReadOnlyRootFilesystem',
      'kube-score:container-security-context-readonlyrootfilesystem',
    ],
    faults: ({ securityContext }) =>
      unless(securityContext?.readOnlyRootFilesystem === true, 'readOnlyRootFilesystem must be true'),
  },
  {
    id: 'default-proc-mount',
    controls: ['polaris:procMount', 'PSS-baseline'],
    faults: ({ securityContext }) =>
      unless((securityContext?.procMount ?? 'Default') === 'Default', 'procMount must be Default'),
  },
  {
    id: 'no-host-process',
    controls: ['CIS-5.2.11', 'polaris:hostProcess', 'PSS-baseline'],
    faults: (container, pod) =>
      unless(has(container, pod).windowsOptions?.hostProcess !== true, 'must not be a host process'),
  },
  {
    id: 'no-host-port',
    controls: ['CIS-5.2.13', 'C-0044', 'polaris:hostPortSet', 'PSS-baseline'],
    faults: ({ ports = [] }) =>
      ports.flatMap((port) => unless(port.hostPort === undefined, `binds host port ${port.hostPort}`)),
  },
  {
    id: 'resources',
    controls: [
      'C-0270',
      'C-0271',
      'polaris:cpuRequestsMissing',
      'polaris:cpuLimitsMissing',
      'polaris:memoryRequestsMissing',
      'polaris:memoryLimitsMissing',
      'kube-score:container-resources',
      'kube-score:container-ephemeral-storage-request-and-limit',
      'reliability-security 3',
    ],
    faults: ({ resources }) =>
      RESOURCES.flatMap((name) => [
        ...unless(resources?.requests?.[name] !== undefined, `has no request for ${name}`),
        ...unless(resources?.limits?.[name] !== undefined, `has no limit for ${name}`),
      ]),
  },
  {
    id: 'image-tag',
    controls: ['polaris:tagNotSpecified', 'kube-score:container-image-tag', 'reliability-security 3'],
    faults: ({ image = '' }) =>
      unless(
        TAG_OR_DIGEST.test(image) && !image.endsWith(':latest'),
        `image ${image} needs a tag other than latest, or a digest`,
      ),
  },
  {
    id: 'no-secret-in-environment',
    controls: ['CIS-5.4.1', 'C-0012', 'polaris:sensitiveContainerEnvVar'],
    faults: ({ env = [], envFrom = [] }) => [
      ...env.flatMap(({ name, value, valueFrom }) => [
        ...unless(valueFrom?.secretKeyRef === undefined, `takes ${name} from a Secret: mount it as a file`),
        ...unless(
          value === undefined || NAMES_A_PLACE.test(name) || !SENSITIVE_NAME.test(name),
          `says ${name} in plain text`,
        ),
      ]),
      ...envFrom.flatMap(({ secretRef }) => unless(secretRef === undefined, 'takes its environment from a Secret')),
    ],
  },
  {
    id: 'distinct-environment',
    controls: ['kube-score:environment-variable-key-duplication'],
    faults: ({ env = [] }) => {
      const names = env.map(({ name }) => name);
      return names.filter((name, index) => names.indexOf(name) !== index).map((name) => `sets ${name} twice`);
    },
  },
  {
    id: 'probes',
    controls: [
      'polaris:readinessProbeMissing',
      'polaris:livenessProbeMissing',
      'kube-score:pod-probes',
      'kube-score:pod-probes-identical',
    ],
    faults: (container, pod) => {
      if (!isLongLived(pod) || !isMain(container, pod)) return [];
      const { livenessProbe, readinessProbe } = container;
      return [
        ...unless(livenessProbe !== undefined, 'has no livenessProbe'),
        ...unless(readinessProbe !== undefined, 'has no readinessProbe'),
        ...unless(
          livenessProbe === undefined || JSON.stringify(livenessProbe) !== JSON.stringify(readinessProbe),
          'has the same probe for liveness and readiness',
        ),
      ];
    },
  },
  {
    id: 'no-ssh',
    controls: ['C-0042'],
    faults: ({ ports = [] }) => ports.flatMap(({ containerPort }) => unless(containerPort !== 22, 'listens for SSH')),
  },
  {
    id: 'named-pull-policy',
    controls: ['reliability-security 3'],
    faults: ({ imagePullPolicy }) =>
      unless(['Always', 'IfNotPresent', 'Never'].includes(imagePullPolicy ?? ''), 'imagePullPolicy must be said'),
  },
];
