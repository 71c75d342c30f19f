/** Waiting for an installation that becomes ready, and for one that does not. */
import { afterEach, describe, expect, it } from 'vitest';
import { fakeKubeClient } from '../../../test/support/fake-api-server/fake-kube-client.ts';
import { installedCluster, type InstalledCluster } from '../../../test/support/installed-cluster.ts';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { observeCluster } from '../doctor/observe-cluster.ts';
import { awaitReady, type Awaited } from './await-ready.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Waited {
  readonly awaited: Awaited;
  readonly told: readonly string[];
  readonly looks: number;
}

/** @param onLook  called before each look, from 1: what happens in the cluster meanwhile */
async function waitFor(timeoutMs: number, onLook: (cluster: InstalledCluster, look: number) => void): Promise<Waited> {
  const clock = manualClock();
  const cluster = await installedCluster(clock);
  const client = fakeKubeClient(cluster.server);
  ends.push(async () => {
    client.close();
    await cluster.server.stop();
  });
  const told: string[] = [];
  const sleepless = {
    ...clock,
    sleep: async (durationMs: number) => clock.advance(durationMs),
  };
  const scope = { systemNamespace: 'retainer-system', namespace: undefined, agent: undefined };
  let looks = 0;
  const awaited = await awaitReady({
    observe: async () => {
      looks += 1;
      onLook(cluster, looks);
      return observeCluster({
        client,
        clock: sleepless,
        scope,
        version: '0.1.0',
        address: 'here',
        depth: 'Installation',
      });
    },
    clock: sleepless,
    timeoutMs,
    onChange: ({ check, status, seen }) => told.push(`${status} ${check}: ${seen}`),
    signal: new AbortController().signal,
  });
  return { awaited, told, looks };
}

const pods = ({ change }: InstalledCluster, readyReplicas: number): void =>
  change('Deployment', 'retainer-operator', (one) => ({ ...one, status: { readyReplicas } }));

describe('awaitReady', () => {
  it('ends as soon as all is ready, and tells each change once', async () => {
    const { awaited, told, looks } = await waitFor(10_000, (cluster, look) => pods(cluster, Math.min(2, look - 1)));
    expect([awaited.type, looks]).toEqual(['Ready', 3]);
    expect(told).toEqual([
      'fail operator: 0 of 2 pods of retainer-operator are Ready',
      'warn operator: 1 of 2 pods of retainer-operator are Ready',
      'ok operator: 2 of 2 pods of retainer-operator are Ready',
    ]);
  });

  it('gives up after its time, with what is wrong and what to do', async () => {
    const { awaited, looks } = await waitFor(5_000, (cluster) => pods(cluster, 0));
    expect(looks).toBe(4);
    expect(awaited).toMatchObject({ type: 'NotReady', diagnosis: { findings: [{ check: 'operator' }] } });
  });
});
