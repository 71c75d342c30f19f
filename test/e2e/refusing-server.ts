/** An API server that is slow or refuses: objects that make it so. */
import { RELEASE, type RenderedObject } from '../../scripts/render-chart.ts';
import type { World } from './world.ts';

const HOOK = 'retainer-e2e-never-answers';
const ONE_WRITER = 'retainer-e2e-one-writer';
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

/**
 * The operator may write one status of a Task at a time: while one is written, the API server answers each other with 429. A limit of
 * nothing lets one through where none is under way.
 */
export const oneWriter = (): readonly RenderedObject[] => {
  const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
  const metadata = { name: ONE_WRITER };
  const account = { name: 'retainer-operator', namespace: RELEASE.namespace };
  const writes = { verbs: ['patch'], apiGroups: ['retainer.dev'], resources: ['tasks/status'], namespaces: ['*'] };
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
        // The lowest that is left: 1 is that of `exempt`.
        matchingPrecedence: 2,
        rules: [{ subjects: [{ kind: 'ServiceAccount', serviceAccount: account }], resourceRules: [writes] }],
      },
    },
  ];
};

/** Takes all of them away. */
export async function serveAgain({ kubectl }: World): Promise<void> {
  // Side by side: one that stays keeps none of the others.
  await Promise.all([
    kubectl.run(['delete', 'validatingwebhookconfiguration', HOOK, '--ignore-not-found']),
    kubectl.run(['delete', 'flowschema', ONE_WRITER, '--ignore-not-found']),
    kubectl.run(['delete', 'prioritylevelconfiguration', ONE_WRITER, '--ignore-not-found']),
  ]);
}
