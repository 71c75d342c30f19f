import { describe, expect, it } from 'vitest';
import { CHECKED_CONTROLS, UNCHECKED_CONTROLS } from '../support/manifest-linter/controls.ts';
import { allRules, lintManifests } from '../support/manifest-linter/manifest-linter.ts';
import { verifies } from '../verifies.ts';

/** A fault is planted by changing a copy of this installation, which has none. */
interface Change {
  readonly rule: string;
  readonly fault: string;
  readonly plant: (objects: ReturnType<typeof installation>) => void;
}

const labels = { 'app.kubernetes.io/part-of': 'retainer', 'retainer.dev/network-role': 'operator' };

function container() {
  return {
    name: 'main',
    image: 'retainer/operator:0.1.0',
    imagePullPolicy: 'IfNotPresent',
    env: [{ name: 'LEVEL', value: 'info' }] as Record<string, unknown>[],
    envFrom: [] as unknown[],
    ports: [{ containerPort: 8081 }] as Record<string, unknown>[],
    resources: {
      requests: { cpu: '100m', memory: '128Mi', 'ephemeral-storage': '64Mi' } as Record<string, string>,
      limits: { cpu: '1', memory: '256Mi', 'ephemeral-storage': '64Mi' } as Record<string, string>,
    },
    livenessProbe: { httpGet: { path: '/healthz', port: 8081 } } as object | undefined,
    readinessProbe: { httpGet: { path: '/readyz', port: 8081 } } as object | undefined,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'], add: [] as string[] },
    } as Record<string, unknown> | undefined,
  };
}

function podTemplate() {
  return {
    metadata: { labels: { ...labels } as Record<string, string> },
    spec: {
      serviceAccountName: 'retainer-operator',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 10_010,
        runAsGroup: 10_010,
        seccompProfile: { type: 'RuntimeDefault' },
      } as Record<string, unknown>,
      affinity: { podAntiAffinity: {} } as object | undefined,
      topologySpreadConstraints: [{}],
      volumes: [
        { name: 'tmp', emptyDir: { sizeLimit: '16Mi' } },
        { name: 'token', projected: { sources: [{ serviceAccountToken: { expirationSeconds: 3600 } }] } },
      ] as Record<string, unknown>[],
      containers: [container()],
    } as Record<string, unknown> & {
      volumes: Record<string, unknown>[];
      containers: ReturnType<typeof container>[];
      securityContext: Record<string, unknown>;
    },
  };
}

function object<Rest extends object>(kind: string, rest: Rest, namespace = 'retainer-system') {
  return { apiVersion: 'v1', kind, metadata: { name: 'x', namespace, labels: {} as Record<string, string> }, ...rest };
}

function installation() {
  const selector = { matchLabels: labels };
  const rule = { apiGroups: ['apps'], resources: ['statefulsets'], verbs: ['get', 'list', 'watch'] };
  return {
    namespace: {
      ...object('Namespace', {}),
      metadata: {
        name: 'retainer-sandboxes',
        labels: {
          'retainer.dev/sandbox': 'restricted',
          'pod-security.kubernetes.io/enforce': 'restricted',
          'pod-security.kubernetes.io/enforce-version': 'v1.34',
        } as Record<string, string>,
      },
    },
    account: object('ServiceAccount', { automountServiceAccountToken: false }),
    role: object('ClusterRole', { rules: [rule as Record<string, unknown>] }),
    binding: object('ClusterRoleBinding', {
      roleRef: { kind: 'ClusterRole', name: 'x' },
      subjects: [{ kind: 'ServiceAccount', name: 'retainer-operator' }],
    }),
    deployment: object('Deployment', { spec: { replicas: 2, selector, template: podTemplate() } }),
    statefulSet: object('StatefulSet', { spec: { serviceName: 'x', selector, template: podTemplate() } }),
    job: object('Job', {
      spec: {
        backoffLimit: 0,
        ttlSecondsAfterFinished: 60,
        template: {
          metadata: { labels: { ...labels, 'retainer.dev/network-role': 'sandbox' } },
          spec: { ...podTemplate().spec, restartPolicy: 'Never', volumes: [] as unknown[] },
        },
      },
    }),
    service: object('Service', { spec: { selector: labels } }),
    budget: object('PodDisruptionBudget', {
      spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow', selector },
    }),
    policy: object('NetworkPolicy', { spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] } }),
    sandboxPolicy: object(
      'NetworkPolicy',
      { spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] } },
      'retainer-sandboxes',
    ),
    configMap: object('ConfigMap', { data: { level: 'info' } }),
  };
}

type Objects = ReturnType<typeof installation>;
const main = ({ deployment }: Objects) => deployment.spec.template.spec.containers[0] as ReturnType<typeof container>;
const security = (objects: Objects) => main(objects).securityContext as Record<string, unknown>;
const pod = ({ deployment }: Objects) => deployment.spec.template.spec;
const grant = (resource: string, ...verbs: string[]) => ({ apiGroups: [''], resources: [resource], verbs });
const ROOT = { runAsNonRoot: false, runAsUser: 0, runAsGroup: 0 };
/** As the operator renders it. */
function mappedRoot({ job }: Objects) {
  const [first] = job.spec.template.spec.containers;
  const capabilities = { drop: ['ALL'], add: ['CHOWN', 'SETUID'] };
  const securityContext = { ...first?.securityContext, runAsNonRoot: false, capabilities };
  const containers = [{ ...first, securityContext }];
  const spec = {
    hostUsers: false,
    securityContext: { ...job.spec.template.spec.securityContext, ...ROOT },
    containers,
  };
  Object.assign(job.spec.template.spec, spec);
  return Object.assign(job.spec.template.spec, { containers });
}
const granting =
  (resource: string, ...verbs: string[]) =>
  (objects: Objects) => {
    objects.role.rules.push(grant(resource, ...verbs));
  };

const changes: readonly Change[] = [
  { rule: 'not-privileged', fault: 'a privileged container', plant: (o) => (security(o)['privileged'] = true) },
  {
    rule: 'no-privilege-escalation',
    fault: 'escalation',
    plant: (o) => delete security(o)['allowPrivilegeEscalation'],
  },
  { rule: 'non-root', fault: 'maybe root', plant: (o) => delete pod(o).securityContext['runAsNonRoot'] },
  { rule: 'non-root', fault: 'root in the container', plant: (o) => (security(o)['runAsNonRoot'] = false) },
  {
    rule: 'non-root',
    fault: 'root of the node in a sandbox',
    plant: (o) => Object.assign(mappedRoot(o), { hostUsers: true }),
  },
  {
    rule: 'no-capabilities',
    fault: 'one too many for root of a user namespace',
    plant: (o) => mappedRoot(o).containers[0]?.securityContext.capabilities.add.push('SYS_ADMIN'),
  },
  {
    rule: 'non-root',
    fault: 'root of a user namespace outside sandboxes',
    plant: (o) => Object.assign(pod(o), { hostUsers: false, securityContext: { ...pod(o).securityContext, ...ROOT } }),
  },
  { rule: 'numeric-user', fault: 'a low user', plant: (o) => (security(o)['runAsUser'] = 1000) },
  { rule: 'numeric-user', fault: 'no group', plant: (o) => delete pod(o).securityContext['runAsGroup'] },
  {
    rule: 'no-capabilities',
    fault: 'an added one',
    plant: (o) => (security(o)['capabilities'] = { drop: ['ALL'], add: ['NET_RAW'] }),
  },
  { rule: 'no-capabilities', fault: 'none dropped', plant: (o) => delete security(o)['capabilities'] },
  {
    rule: 'seccomp',
    fault: 'an unconfined container',
    plant: (o) => (security(o)['seccompProfile'] = { type: 'Unconfined' }),
  },
  { rule: 'security-context', fault: 'none', plant: (o) => (main(o).securityContext = undefined) },
  {
    rule: 'apparmor-confined',
    fault: 'unconfined',
    plant: (o) => (security(o)['appArmorProfile'] = { type: 'Unconfined' }),
  },
  { rule: 'read-only-root', fault: 'a writable root', plant: (o) => delete security(o)['readOnlyRootFilesystem'] },
  { rule: 'default-proc-mount', fault: 'an unmasked one', plant: (o) => (security(o)['procMount'] = 'Unmasked') },
  { rule: 'no-host-process', fault: 'one', plant: (o) => (security(o)['windowsOptions'] = { hostProcess: true }) },
  { rule: 'no-host-port', fault: 'one', plant: (o) => main(o).ports.push({ containerPort: 80, hostPort: 80 }) },
  {
    rule: 'resources',
    fault: 'no limit of scratch',
    plant: (o) => delete main(o).resources.limits['ephemeral-storage'],
  },
  { rule: 'resources', fault: 'no request of memory', plant: (o) => delete main(o).resources.requests['memory'] },
  { rule: 'image-tag', fault: 'none', plant: (o) => (main(o).image = 'registry:5000/retainer') },
  { rule: 'image-tag', fault: 'a moving one', plant: (o) => (main(o).image = 'retainer:latest') },
  {
    rule: 'no-secret-in-environment',
    fault: 'a reference',
    plant: (o) => main(o).env.push({ name: 'KEY', valueFrom: { secretKeyRef: {} } }),
  },
  {
    rule: 'no-secret-in-environment',
    fault: 'a value',
    plant: (o) => main(o).env.push({ name: 'API_KEY', value: 'k' }),
  },
  { rule: 'no-secret-in-environment', fault: 'a whole Secret', plant: (o) => main(o).envFrom.push({ secretRef: {} }) },
  {
    rule: 'distinct-environment',
    fault: 'a name twice',
    plant: (o) => main(o).env.push({ name: 'LEVEL', value: 'x' }),
  },
  { rule: 'probes', fault: 'not live', plant: (o) => (main(o).livenessProbe = undefined) },
  { rule: 'probes', fault: 'the same twice', plant: (o) => (main(o).livenessProbe = main(o).readinessProbe) },
  { rule: 'no-ssh', fault: 'port 22', plant: (o) => main(o).ports.push({ containerPort: 22 }) },
  { rule: 'named-pull-policy', fault: 'none', plant: (o) => (main(o).imagePullPolicy = '') },
  { rule: 'no-host-namespaces', fault: 'processes of the host', plant: (o) => (pod(o)['hostPID'] = true) },
  { rule: 'no-host-namespaces', fault: 'network of the host', plant: (o) => (pod(o)['hostNetwork'] = true) },
  { rule: 'no-host-path', fault: 'one', plant: (o) => pod(o).volumes.push({ name: 'h', hostPath: { path: '/' } }) },
  { rule: 'volume-types', fault: 'NFS', plant: (o) => pod(o).volumes.push({ name: 'n', nfs: {} }) },
  { rule: 'bounded-scratch', fault: 'no limit', plant: (o) => pod(o).volumes.push({ name: 's', emptyDir: {} }) },
  { rule: 'no-sysctls', fault: 'one', plant: (o) => (pod(o).securityContext['sysctls'] = [{}]) },
  { rule: 'own-service-account', fault: 'the default', plant: (o) => (pod(o)['serviceAccountName'] = 'default') },
  { rule: 'no-automatic-token', fault: 'nothing said', plant: (o) => delete pod(o)['automountServiceAccountToken'] },
  {
    rule: 'no-token-without-business',
    fault: 'a proxy with a token',
    plant: (o) => (o.deployment.spec.template.metadata.labels['retainer.dev/network-role'] = 'egress-proxy'),
  },
  {
    rule: 'short-lived-token',
    fault: 'a year',
    plant: (o) =>
      pod(o).volumes.push({
        name: 't',
        projected: { sources: [{ serviceAccountToken: { expirationSeconds: 31_536_000 } }] },
      }),
  },
  { rule: 'no-service-links', fault: 'links', plant: (o) => delete pod(o)['enableServiceLinks'] },
  { rule: 'no-shared-processes', fault: 'shared', plant: (o) => (pod(o)['shareProcessNamespace'] = true) },
  {
    rule: 'sandbox-scratch-only',
    fault: 'a claim',
    plant: (o) => o.job.spec.template.spec.volumes.push({ name: 'c', persistentVolumeClaim: {} }),
  },
  {
    rule: 'sandbox-never-restarts',
    fault: 'restarts',
    plant: (o) => (o.job.spec.template.spec.restartPolicy = 'OnFailure'),
  },
  {
    rule: 'known-network-role',
    fault: 'none',
    plant: (o) => delete o.deployment.spec.template.metadata.labels['retainer.dev/network-role'],
  },
  {
    rule: 'part-of',
    fault: 'none',
    plant: (o) => delete o.deployment.spec.template.metadata.labels['app.kubernetes.io/part-of'],
  },
  { rule: 'no-wildcard', fault: 'any verb', plant: granting('tasks', '*') },
  { rule: 'no-wildcard', fault: 'any resource', plant: granting('*', 'get') },
  { rule: 'no-cluster-admin', fault: 'bound', plant: (o) => (o.binding.roleRef.name = 'cluster-admin') },
  {
    rule: 'no-broad-subject',
    fault: 'a group',
    plant: (o) => o.binding.subjects.push({ kind: 'Group', name: 'system:masters' }),
  },
  { rule: 'no-secret-list', fault: 'in the whole cluster', plant: granting('secrets', 'get') },
  { rule: 'no-pod-creation', fault: 'granted', plant: granting('pods', 'create') },
  { rule: 'no-exec', fault: 'granted', plant: granting('pods/exec', 'create') },
  { rule: 'no-logs', fault: 'granted', plant: granting('pods/log', 'get') },
  { rule: 'no-escalation', fault: 'bind', plant: granting('roles', 'bind') },
  { rule: 'no-cluster-objects', fault: 'labels of namespaces', plant: granting('namespaces', 'patch') },
  { rule: 'no-cluster-objects', fault: 'kubelets', plant: granting('nodes/proxy', 'get') },
  { rule: 'no-token-creation', fault: 'granted', plant: granting('serviceaccounts/token', 'create') },
  { rule: 'no-destruction', fault: 'of claims', plant: granting('persistentvolumeclaims', 'delete') },
  { rule: 'no-mass-deletion', fault: 'granted', plant: granting('configmaps', 'deletecollection') },
  {
    rule: 'no-cluster-dns',
    fault: 'a role there',
    plant: (o) => {
      o.role.kind = 'Role';
      o.role.metadata.namespace = 'kube-system';
    },
  },
  { rule: 'no-approval-for-programs', fault: 'granted', plant: granting('tasks', 'approve') },
  { rule: 'account-without-token', fault: 'with one', plant: (o) => (o.account.automountServiceAccountToken = true) },
  {
    rule: 'pod-security-level',
    fault: 'none',
    plant: (o) => delete o.namespace.metadata.labels['pod-security.kubernetes.io/enforce'],
  },
  {
    rule: 'pod-security-level',
    fault: 'the latest',
    plant: (o) => (o.namespace.metadata.labels['pod-security.kubernetes.io/enforce-version'] = 'latest'),
  },
  { rule: 'not-in-default-namespace', fault: 'there', plant: (o) => (o.configMap.metadata.namespace = 'default') },
  {
    rule: 'service-inside',
    fault: 'a port of the node',
    plant: (o) => Object.assign(o.service.spec, { type: 'NodePort' }),
  },
  {
    rule: 'no-secret-in-config-map',
    fault: 'a password',
    plant: (o) => Object.assign(o.configMap.data, { password: 'p' }),
  },
  { rule: 'no-secret-content', fault: 'a Secret', plant: (o) => (o.configMap.kind = 'Secret') },
  { rule: 'disruption-budget', fault: 'none allowed', plant: (o) => (o.budget.spec.maxUnavailable = 0) },
  { rule: 'stateful-set-service', fault: 'none', plant: (o) => (o.statefulSet.spec.serviceName = '') },
  {
    rule: 'claims-kept',
    fault: 'deleted when suspended',
    plant: (o) => Object.assign(o.statefulSet.spec, { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } }),
  },
  {
    rule: 'bounded-job',
    fault: 'kept for ever',
    plant: (o) => Object.assign(o.job.spec, { ttlSecondsAfterFinished: undefined }),
  },
  { rule: 'network-policy-both-ways', fault: 'egress open', plant: (o) => (o.policy.spec.policyTypes = ['Ingress']) },
  {
    rule: 'sandbox-namespace-denied',
    fault: 'not all denied',
    plant: (o) => Object.assign(o.sandboxPolicy.spec, { egress: [{}] }),
  },
  {
    rule: 'network-policy-has-target',
    fault: 'nobody',
    plant: (o) => (o.policy.spec.podSelector = { matchLabels: { app: 'nobody' } }),
  },
  { rule: 'disruption-budget-for-each', fault: 'elsewhere', plant: (o) => (o.budget.metadata.namespace = 'elsewhere') },
  { rule: 'spread-over-nodes', fault: 'no affinity', plant: (o) => (pod(o)['affinity'] = undefined) },
  { rule: 'replicas', fault: 'one', plant: (o) => (o.deployment.spec.replicas = 1) },
  {
    rule: 'selector-matches-template',
    fault: 'it does not',
    plant: (o) => Object.assign(o.deployment.spec, { selector: { matchLabels: { app: 'other' } } }),
  },
  {
    rule: 'service-has-pods',
    fault: 'none',
    plant: (o) => Object.assign(o.service.spec, { selector: { app: 'other' } }),
  },
];

const rulesBroken = (objects: Objects) =>
  lintManifests(Object.values(objects), { isComplete: true }).map(({ rule, message }) => `${rule}: ${message}`);

describe('lintManifests', () => {
  it('has nothing to say about an installation without a fault', () => {
    expect(rulesBroken(installation())).toEqual([]);
  });

  it('has nothing to say about root of a user namespace of its own', () => {
    const objects = installation();
    mappedRoot(objects);
    expect(rulesBroken(objects)).toEqual([]);
  });

  describe.each(changes)('$rule', ({ rule, fault, plant }) => {
    verifies('security:manifests-linted', `finds the planted fault: ${fault}`, () => {
      const objects = installation();
      plant(objects);
      expect(rulesBroken(objects).map((text) => text.split(':')[0])).toContain(rule);
    });
  });

  it('has a planted fault for every rule', () => {
    const planted = new Set(changes.map(({ rule }) => rule));
    expect(allRules.map(({ id }) => id).filter((id) => !planted.has(id))).toEqual([]);
  });

  it('refuses what is no pod', () => {
    expect(() => lintManifests([object('Pod', { spec: { containers: [] } })])).toThrow();
  });
});

describe('the controls', () => {
  const answered = new Set(allRules.flatMap(({ controls }) => controls));

  it.each(Object.entries(CHECKED_CONTROLS))('of %s are all answered by a rule', (_, controls) => {
    expect(controls.filter((control) => !answered.has(control))).toEqual([]);
  });

  it('of the outside lists are all named, or the reason why not', () => {
    const known = new Set([...Object.values(CHECKED_CONTROLS).flat(), ...Object.keys(UNCHECKED_CONTROLS)]);
    const outside = [...answered].filter((control) => /^(CIS|C-|polaris|kube-score)/.test(control));
    expect(outside.filter((control) => !known.has(control))).toEqual([]);
    expect(Object.keys(UNCHECKED_CONTROLS).filter((control) => answered.has(control))).toEqual([]);
  });
});
