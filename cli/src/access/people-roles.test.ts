import { afterEach, beforeEach, describe, expect } from 'vitest';
import { resources } from '@retainer/kube/resources';
import type { AccessQuestion } from '../../../test/support/fake-api-server/access.ts';
import { startFakeApiServer, type FakeApiServer } from '../../../test/support/fake-api-server/fake-api-server.ts';
import { fakeKubeClient } from '../../../test/support/fake-api-server/fake-kube-client.ts';
import { defaultResources } from '../../../test/support/fake-api-server/served-resource.ts';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { clusterRoles, peopleRole } from './people-roles.ts';

let server: FakeApiServer;
let lacks: (question: AccessQuestion) => boolean = () => false;
const clock = manualClock();

beforeEach(async () => {
  lacks = () => false;
  const served = [...defaultResources, clusterRoles];
  server = await startFakeApiServer({ clock, resources: served, authorize: (question) => !lacks(question) });
});
afterEach(() => server.stop());

const labelsOf = (release: string) => ({ 'app.kubernetes.io/instance': release });

function putRoles(prefix: string, release: string): void {
  for (const part of ['view', 'edit', 'approver'])
    server.put(clusterRoles, {
      metadata: { name: `${prefix}-${part}`, labels: { ...labelsOf(release), 'retainer.dev/for': 'people' } },
      rules: [],
    });
}

/** As the chart makes it in each namespace of a release for some namespaces. */
function putOperator(namespace: string, { own, release }: { readonly own: string; readonly release: string }): void {
  server.put(resources.roleBindings, {
    metadata: { name: 'retainer-operator-agents', namespace, labels: labelsOf(release) },
    subjects: [{ kind: 'ServiceAccount', name: 'retainer-operator', namespace: own }],
  });
}

async function approverOf(namespace: string): Promise<string | undefined> {
  const client = fakeKubeClient(server, { user: 'ada', clock });
  try {
    return await peopleRole(client, { namespace, part: 'approver' });
  } finally {
    client.close();
  }
}

describe('the ClusterRole for people', () => {
  verifies('cli-cluster:missing-right-named', 'has the name of the release that tends the namespace', async () => {
    putRoles('team-system-retainer', 'retainer');
    putRoles('team-b-system-blue', 'blue');
    putOperator('weather', { own: 'team-system', release: 'retainer' });
    putOperator('tides', { own: 'team-b-system', release: 'blue' });
    expect(await approverOf('weather')).toBe('team-system-retainer-approver');
    expect(await approverOf('tides')).toBe('team-b-system-blue-approver');
    expect(await approverOf('nowhere')).toBeUndefined();
  });

  verifies('cli-cluster:missing-right-named', 'is that of the release for all namespaces', async () => {
    putRoles('blue', 'blue');
    expect(await approverOf('weather')).toBe('blue-approver');
  });

  for (const resource of ['rolebindings', 'clusterroles'])
    verifies('cli-cluster:missing-right-named', `is unknown to whoever may not look at ${resource}`, async () => {
      putRoles('blue', 'blue');
      lacks = (question) => question.resource === resource;
      expect(await approverOf('weather')).toBeUndefined();
    });
});
