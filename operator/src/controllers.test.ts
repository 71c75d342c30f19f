import { describe, expect, it } from 'vitest';
import { startFakeApiServer } from '../../test/support/fake-api-server/fake-api-server.ts';
import { fakeKubeClient } from '../../test/support/fake-api-server/fake-kube-client.ts';
import { manualClock } from '../../test/support/manual-clock.ts';
import { settings } from '../../test/support/operator-world/operator-world.ts';
import { KubeApplier } from './apply/kube-applier.ts';
import { controllers } from './controllers.ts';
import { Metrics } from '@retainer/kube/metrics';
import { requeueOf } from './reconcile/requeue.ts';
import { rolloutMetrics } from './reconcile/rollout-metrics.ts';
import { sandboxMetrics } from './reconcile/sandbox-run-metrics.ts';
import { LiveCaches } from './watch/live-caches.ts';
import { watchPlan } from './watch/watch-plan.ts';

const never = new AbortController().signal;

describe('every controller of objects', () => {
  it('keeps nothing in mind of an object that is gone, or never was', async () => {
    const server = await startFakeApiServer();
    const clock = manualClock();
    const client = fakeKubeClient(server, { user: 'operator', clock });
    const caches = new LiveCaches({ client, clock, random: () => 0, settings, onError: () => undefined });
    const all = controllers({
      settings,
      caches,
      client,
      clock,
      signingKey: { publicKeyBase64: '', sign: () => '' },
      applier: new KubeApplier({ client, clock, record: () => undefined }),
      podIp: '127.0.0.1',
      dnsServers: [],
      lookup: () => Promise.resolve('127.0.0.1'),
      rolloutMetrics: rolloutMetrics(new Metrics().registry),
      metrics: sandboxMetrics(new Metrics().registry),
    });
    caches.plan(watchPlan(all.flatMap(({ watches }) => watches)), () => undefined);
    for (const controller of all.filter(({ fixedKeys }) => fixedKeys === undefined)) {
      const outcome = await controller.reconcile({ namespace: 'team', name: 'gone' }, never);
      expect([controller.name, requeueOf(outcome, 0)]).toEqual([controller.name, { type: 'Never' }]);
      expect(outcome.type).toBe('Gone');
    }
    client.close();
    await server.stop();
  });
});
