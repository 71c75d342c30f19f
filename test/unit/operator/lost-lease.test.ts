import { describe, expect } from 'vitest';
import { resources } from '@retainer/kube/resources';
import { WRITE_VERBS } from '../../support/fake-api-server/api-request.ts';
import { OperatorWorld } from '../../support/operator-world/operator-world.ts';
import { character } from '../../support/operator-world/world-objects.ts';
import { verifies } from '../../verifies.ts';

/** From then on another one may lead. A stop alone would let a pass go on for longer. */
const LEASE_MS = 15_000;

describe('an operator that loses its Lease', () => {
  verifies('operator:failover', 'gives up what is under way, also after it was told to stop', async () => {
    const world = new OperatorWorld();
    await world.open();
    const { ended, stop } = world.startOperator();
    await world.untilLeading();
    let end: unknown;
    void ended.then((how) => (end = how));
    const hung: string[] = [];
    world.server.faults.onRequest(({ verb, served }) => {
      if (!WRITE_VERBS.has(verb)) return undefined;
      hung.push(served?.resource.plural ?? '');
      return { type: 'Hang' };
    });
    world.put(resources.characterSpecs, character());
    await world.settle();
    stop.abort();
    const tookMs = await world.until(() => end !== undefined, 2 * LEASE_MS);
    await world.close();
    expect(hung).toContain('characterspecs');
    expect(end).toBe('LeaseLost');
    expect(tookMs).toBeLessThan(LEASE_MS);
  });
});
