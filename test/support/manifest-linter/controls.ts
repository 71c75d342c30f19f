/**
 * The lists that the linter is keyed to. A control is either checked by a rule, or stands here with the reason why no rendered
 * manifest of ours can meet or break it.
 *
 * CIS      CIS Kubernetes Benchmark, section 5
 * C-NNNN   kubescape, frameworks NSA and MITRE
 * polaris, kube-score   names of their checks
 * PSS      Pod Security Standards
 * reliability-security, platforms   notes of docs/sources.md, with the chapter
 *
 * Source: reliability-security 3.
 */

/** Controls of the outside lists that some rule must answer. */
export const CHECKED_CONTROLS = {
  CIS: [...numbered('CIS-5.1', 13), ...numbered('CIS-5.2', 13), 'CIS-5.3.2', 'CIS-5.4.1', ...numbered('CIS-5.7', 4)],
  NSA: [
    'C-0002',
    'C-0012',
    'C-0013',
    'C-0016',
    'C-0017',
    'C-0030',
    'C-0034',
    'C-0035',
    'C-0038',
    'C-0041',
    'C-0044',
    'C-0046',
    'C-0054',
    'C-0055',
    'C-0057',
    'C-0068',
    'C-0270',
    'C-0271',
  ],
  MITRE: ['C-0007', 'C-0015', 'C-0020', 'C-0021', 'C-0031', 'C-0037', 'C-0042', 'C-0045', 'C-0048', 'C-0052', 'C-0053'],
  polaris: named('polaris', [
    'automountServiceAccountToken',
    'clusterrolePodExecAttach',
    'clusterrolebindingClusterAdmin',
    'clusterrolebindingPodExecAttach',
    'cpuLimitsMissing',
    'cpuRequestsMissing',
    'dangerousCapabilities',
    'deploymentMissingReplicas',
    'hostIPCSet',
    'hostNetworkSet',
    'hostPIDSet',
    'hostPathSet',
    'hostPortSet',
    'hostProcess',
    'insecureCapabilities',
    'linuxHardening',
    'livenessProbeMissing',
    'memoryLimitsMissing',
    'memoryRequestsMissing',
    'missingNetworkPolicy',
    'missingPodDisruptionBudget',
    'notReadOnlyRootFilesystem',
    'pdbDisruptionsIsZero',
    'privilegeEscalationAllowed',
    'procMount',
    'readinessProbeMissing',
    'rolePodExecAttach',
    'rolebindingClusterAdminClusterRole',
    'rolebindingClusterAdminRole',
    'rolebindingClusterRolePodExecAttach',
    'rolebindingRolePodExecAttach',
    'runAsPrivileged',
    'runAsRootAllowed',
    'sensitiveConfigmapContent',
    'sensitiveContainerEnvVar',
    'tagNotSpecified',
    'topologySpreadConstraint',
  ]),
  'kube-score': named('kube-score', [
    'container-ephemeral-storage-request-and-limit',
    'container-image-tag',
    'container-resources',
    'container-security-context-privileged',
    'container-security-context-readonlyrootfilesystem',
    'container-security-context-user-group-id',
    'deployment-has-host-podantiaffinity',
    'deployment-has-poddisruptionbudget',
    'deployment-pod-selector-labels-match-template-metadata-labels',
    'deployment-replicas',
    'environment-variable-key-duplication',
    'label-values',
    'networkpolicy-targets-pod',
    'pod-networkpolicy',
    'pod-probes',
    'pod-probes-identical',
    'pod-topology-spread-constraints',
    'poddisruptionbudget-has-policy',
    'service-targets-pod',
    'service-type',
    'statefulset-has-poddisruptionbudget',
    'statefulset-has-servicename',
    'statefulset-pod-selector-labels-match-template-metadata-labels',
  ]),
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Controls of the same lists that no rule answers, and why. */
export const UNCHECKED_CONTROLS: Readonly<Record<string, string>> = {
  'CIS-5.3.1': 'about the network plugin: the sandbox canary proves it in the cluster itself',
  'CIS-5.4.2': 'about the cluster: agents take Secrets from wherever the cluster has them',
  'CIS-5.5.1': 'about the cluster: image policy is admission of its owner; images can be pinned by digest',
  'C-0005': 'about the API server',
  'C-0058': 'about the version of the kubelet; we mount no subPath',
  'C-0059': 'about an Ingress controller; we have no Ingress',
  'C-0066': 'about etcd',
  'C-0067': 'about the API server',
  'C-0069': 'about the kubelet',
  'C-0070': 'about the kubelet',
  'C-0292': 'about the cluster',
  'polaris:hpaMaxAvailability': 'we have no HorizontalPodAutoscaler: one replica leads',
  'polaris:hpaMinAvailability': 'we have no HorizontalPodAutoscaler: one replica leads',
  'polaris:metadataAndInstanceMismatched': 'the instance is the release or the agent, not the object',
  'polaris:pdbMinAvailableGreaterThanHPAMinReplicas': 'we have no HorizontalPodAutoscaler: one replica leads',
  'polaris:priorityClassNotSet': 'a priority class is the cluster owner’s; the chart has a value for it',
  'polaris:pullPolicyNotAlways':
    'tags are versions and are never moved; a cluster without a registry must be able to start',
  'polaris:tlsSettingsMissing': 'we have no Ingress',
  'kube-score:container-image-pull-policy': 'as polaris:pullPolicyNotAlways',
  'kube-score:cronjob-has-deadline': 'we render no CronJob',
  'kube-score:cronjob-restartpolicy': 'we render no CronJob',
  'kube-score:horizontalpodautoscaler-has-target': 'we have no HorizontalPodAutoscaler',
  'kube-score:horizontalpodautoscaler-replicas': 'we have no HorizontalPodAutoscaler',
  'kube-score:deployment-targeted-by-hpa-does-not-have-replicas-configured': 'we have no HorizontalPodAutoscaler',
  'kube-score:ingress-targets-service': 'we have no Ingress',
  'kube-score:stable-version': 'the API server refuses versions that it does not have; only stable ones are rendered',
  'kube-score:statefulset-has-host-podantiaffinity': 'an agent is one pod',
};

function numbered(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}.${index + 1}`);
}

function named(list: string, checks: readonly string[]): readonly string[] {
  return checks.map((check) => `${list}:${check}`);
}
