/** Rules for Roles, their bindings, and ServiceAccounts. */
import { z } from 'zod';
import type { Manifest } from './manifest.ts';
import { unless, type ObjectRule } from './rule.ts';

const Grant = z.looseObject({
  apiGroups: z.array(z.string()).default([]),
  resources: z.array(z.string()).default([]),
  verbs: z.array(z.string()),
  resourceNames: z.array(z.string()).default([]),
  nonResourceURLs: z.array(z.string()).default([]),
});
type Grant = z.infer<typeof Grant>;

const Role = z.looseObject({ rules: z.array(Grant).default([]) });
const Binding = z.looseObject({
  roleRef: z.looseObject({ kind: z.string(), name: z.string() }),
  subjects: z.array(z.looseObject({ kind: z.string(), name: z.string() })).default([]),
});

const isRole = ({ kind }: Manifest) => kind === 'Role' || kind === 'ClusterRole';
const isBinding = ({ kind }: Manifest) => kind === 'RoleBinding' || kind === 'ClusterRoleBinding';
const grantsOf = (object: Manifest): readonly Grant[] => (isRole(object) ? Role.parse(object).rules : []);
const isOn = (grant: Grant, resource: string) => grant.resources.includes(resource) || grant.resources.includes('*');
const may = (grant: Grant, ...verbs: readonly string[]) =>
  grant.verbs.some((verb) => verb === '*' || verbs.includes(verb));

/** A right that nobody of ours needs: a resource, and the verbs that are too much. */
interface Forbidden {
  readonly resource: string;
  readonly verbs: readonly string[];
  readonly why: string;
}

const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const READS = ['get', 'list', 'watch'];

function forbids(id: string, controls: readonly string[], forbidden: readonly Forbidden[]): ObjectRule {
  return {
    id,
    controls,
    faults: (object) =>
      grantsOf(object).flatMap((grant) =>
        forbidden.flatMap(({ resource, verbs, why }) =>
          unless(
            !isOn(grant, resource) || !may(grant, ...verbs),
            `grants ${grant.verbs.join(', ')} on ${resource}: ${why}`,
          ),
        ),
      ),
  };
}

/** Deleting these takes away what others have stored or run. */
const IRREPLACEABLE = [
  'secrets',
  'persistentvolumeclaims',
  'persistentvolumes',
  'namespaces',
  'nodes',
  'customresourcedefinitions',
];

export const rbacRules: readonly ObjectRule[] = [
  {
    id: 'no-wildcard',
    controls: ['CIS-5.1.3', 'reliability-security 3', 'platforms 5'],
    faults: (object) =>
      grantsOf(object).flatMap((grant) =>
        unless(
          ![...grant.verbs, ...grant.resources, ...grant.apiGroups, ...grant.nonResourceURLs].some((word) =>
            word.includes('*'),
          ),
          `has a wildcard in ${JSON.stringify(grant)}`,
        ),
      ),
  },
  {
    id: 'no-cluster-admin',
    controls: [
      'CIS-5.1.1',
      'C-0035',
      'polaris:clusterrolebindingClusterAdmin',
      'polaris:rolebindingClusterAdminClusterRole',
      'polaris:rolebindingClusterAdminRole',
    ],
    faults: (object) =>
      isBinding(object)
        ? unless(
            !['cluster-admin', 'admin', 'edit'].includes(Binding.parse(object).roleRef.name),
            'binds a role of everything',
          )
        : [],
  },
  {
    id: 'no-broad-subject',
    controls: ['CIS-5.1.7', 'CIS-5.1.5'],
    faults: (object) =>
      isBinding(object)
        ? Binding.parse(object).subjects.flatMap(({ kind, name }) => [
            ...unless(kind === 'ServiceAccount', `binds ${kind} ${name}: only ServiceAccounts of ours`),
            ...unless(name !== 'default', 'binds the default ServiceAccount'),
          ])
        : [],
  },
  {
    id: 'no-secret-list',
    controls: ['CIS-5.1.2', 'C-0015', 'reliability-security 3', 'platforms 5'],
    faults: (object) =>
      grantsOf(object)
        .filter((grant) => isOn(grant, 'secrets'))
        .flatMap((grant) => [
          ...unless(object.kind === 'Role', 'reaches Secrets of the whole cluster'),
          ...unless(!may(grant, 'list', 'watch'), 'may list Secrets, contents included'),
          ...unless(
            !may(grant, 'get', 'update', 'patch') || grant.resourceNames.length > 0,
            'may read Secrets that it does not name',
          ),
        ]),
  },
  forbids(
    'no-pod-creation',
    ['CIS-5.1.4', 'reliability-security 3'],
    [{ resource: 'pods', verbs: ['create', 'update', 'patch'], why: 'a pod reads any Secret of its namespace' }],
  ),
  forbids(
    'no-exec',
    [
      'C-0002',
      'polaris:clusterrolePodExecAttach',
      'polaris:rolePodExecAttach',
      'polaris:clusterrolebindingPodExecAttach',
      'polaris:rolebindingClusterRolePodExecAttach',
      'polaris:rolebindingRolePodExecAttach',
      'reliability-security 3',
    ],
    ['pods/exec', 'pods/attach', 'pods/portforward', 'pods/proxy', 'pods/ephemeralcontainers'].map((resource) => ({
      resource,
      verbs: [...READS, ...WRITES],
      why: 'runs commands in somebody else’s pod',
    })),
  ),
  forbids(
    'no-logs',
    ['reliability-security 3'],
    [{ resource: 'pods/log', verbs: READS, why: 'logs of an agent are not the operator’s business' }],
  ),
  {
    id: 'no-escalation',
    controls: ['CIS-5.1.8', 'reliability-security 3'],
    faults: (object) =>
      grantsOf(object).flatMap((grant) =>
        unless(
          !may(grant, 'bind', 'escalate', 'impersonate'),
          `grants ${grant.verbs.join(', ')}: any right could follow`,
        ),
      ),
  },
  forbids(
    'no-cluster-objects',
    ['CIS-5.1.9', 'CIS-5.1.10', 'CIS-5.1.11', 'CIS-5.1.12', 'reliability-security 3'],
    [
      { resource: 'persistentvolumes', verbs: [...READS, ...WRITES], why: 'a volume can be a path of the node' },
      { resource: 'nodes/proxy', verbs: [...READS, ...WRITES], why: 'reaches every kubelet' },
      { resource: 'nodes', verbs: WRITES, why: 'nodes are not ours' },
      { resource: 'certificatesigningrequests/approval', verbs: WRITES, why: 'a certificate is any identity' },
      { resource: 'validatingwebhookconfigurations', verbs: WRITES, why: 'sees every object' },
      { resource: 'mutatingwebhookconfigurations', verbs: WRITES, why: 'changes every object' },
      { resource: 'validatingadmissionpolicies', verbs: WRITES, why: 'could switch off what holds it' },
      { resource: 'validatingadmissionpolicybindings', verbs: WRITES, why: 'could switch off what holds it' },
      { resource: 'namespaces', verbs: WRITES, why: 'a label there turns Pod Security off' },
      { resource: 'customresourcedefinitions', verbs: WRITES, why: 'deleting one deletes every object of its kind' },
    ],
  ),
  forbids(
    'no-token-creation',
    ['CIS-5.1.13', 'reliability-security 3'],
    [{ resource: 'serviceaccounts/token', verbs: ['create'], why: 'a token is that identity' }],
  ),
  forbids(
    'no-destruction',
    ['C-0007', 'C-0031'],
    [
      ...IRREPLACEABLE.map((resource) => ({
        resource,
        verbs: ['delete', 'deletecollection'],
        why: 'what is deleted there does not come back',
      })),
      { resource: 'events', verbs: ['delete', 'deletecollection'], why: 'events are traces' },
    ],
  ),
  {
    id: 'no-mass-deletion',
    controls: ['C-0007', 'reliability-security 3'],
    faults: (object) =>
      grantsOf(object).flatMap((grant) => unless(!may(grant, 'deletecollection'), 'grants deletecollection')),
  },
  {
    id: 'no-cluster-dns',
    controls: ['C-0037'],
    faults: (object) =>
      unless(object.metadata.namespace !== 'kube-system' || !isRole(object), 'grants rights in kube-system'),
  },
  {
    id: 'no-approval-for-programs',
    controls: ['D7-approvals'],
    faults: (object) =>
      grantsOf(object).flatMap((grant) =>
        unless(
          !may(grant, 'approve') || object.metadata.labels?.['retainer.dev/for'] === 'people',
          'grants approve to a program',
        ),
      ),
  },
  {
    id: 'account-without-token',
    controls: ['CIS-5.1.6', 'C-0034', 'reliability-security 3'],
    faults: (object) =>
      object.kind === 'ServiceAccount'
        ? unless(object['automountServiceAccountToken'] === false, 'automountServiceAccountToken must be false')
        : [],
  },
];
