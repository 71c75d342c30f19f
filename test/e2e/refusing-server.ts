/** An API server that is slow or refuses: objects that make it so. */
import { RELEASE, type RenderedObject } from '../../scripts/render-chart.ts';
import type { World } from './world.ts';

const HOOK = 'retainer-e2e-never-answers';
const NO_WATCHES = 'retainer-e2e-no-watches';
/** A tenth of a pass's deadline. */
const HOOK_SECONDS = 10;

/** Every status of a Task of the namespace waits for somebody who takes the connection and never answers. @param port  of the API server's host */
export const hangingHook = (namespace: string, port: number): RenderedObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: HOOK },
  webhooks: [
    {
      name: 'never.retainer.test',
      clientConfig: { url: `https://127.0.0.1:${port}/` },
      rules: [{ apiGroups: ['retainer.dev'], apiVersions: ['*'], operations: ['UPDATE'], resources: ['tasks/status'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      failurePolicy: 'Ignore',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: HOOK_SECONDS,
    },
  ],
});

/** The API server answers each watch that the operator begins with 429. */
export const noWatches = (): readonly RenderedObject[] => {
  const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
  const metadata = { name: NO_WATCHES };
  const account = { name: 'retainer-operator', namespace: RELEASE.namespace };
  const watches = { verbs: ['watch'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true };
  const nothing = { nominalConcurrencyShares: 0, lendablePercent: 0, borrowingLimitPercent: 0 };
  return [
    {
      apiVersion,
      kind: 'PriorityLevelConfiguration',
      metadata,
      spec: { type: 'Limited', limited: { ...nothing, limitResponse: { type: 'Reject' } } },
    },
    {
      apiVersion,
      kind: 'FlowSchema',
      metadata,
      spec: {
        priorityLevelConfiguration: metadata,
        matchingPrecedence: 1,
        rules: [{ subjects: [{ kind: 'ServiceAccount', serviceAccount: account }], resourceRules: [watches] }],
      },
    },
  ];
};

/** Takes all of them away. */
export async function serveAgain({ kubectl }: World): Promise<void> {
  await kubectl.run(['delete', 'validatingwebhookconfiguration', HOOK, '--ignore-not-found']);
  await kubectl.run(['delete', 'flowschema', NO_WATCHES, '--ignore-not-found']);
  await kubectl.run(['delete', 'prioritylevelconfiguration', NO_WATCHES, '--ignore-not-found']);
}
