/**
 * Row 14: lists and watches answer as of k revisions ago while the operator works and is restarted. Nothing that people still
 * want may be deleted meanwhile, and once the reads are fresh again the state is that of the undisturbed course.
 */
import { beforeAll, describe, expect } from 'vitest';
import type { RequestRule } from '../support/fake-api-server/faults.ts';
import { LIFE_CYCLE } from '../support/operator-world/life-cycle.ts';
import { disturbedStep, recordLifeCycle, type RecordedStep } from '../support/operator-world/life-cycle-run.ts';
import type { OperatorWorld } from '../support/operator-world/operator-world.ts';
import { addressOf } from '../support/operator-world/world-state.ts';
import { bySize } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

/** As far behind as a busy API server's caches may be. */
const REVISIONS_BEHIND = bySize<readonly number[]>({ check: [1, 3, 6, 10], nightly: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] });
/** The operator is restarted in the middle of the time in which reads are old. */
const RESTART_MS = 5000;
const FRESH_MS = 30_000;
/** Of which the first {@link FRESH_MS} are spent with old reads. */
const CONVERGED_MS = 90_000;

/** Reads of one object are answered by the store itself, also by a server whose caches are old. */
function staleCaches(revisions: number): RequestRule {
  return ({ user, verb }) =>
    user.startsWith('operator-') && (verb === 'list' || verb === 'watch') ? { type: 'Stale', revisions } : undefined;
}

/** Objects that were there before and are there after the undisturbed step, and that an operator deleted on the way. */
function wronglyDeleted({ after }: RecordedStep, { server }: OperatorWorld): readonly string[] {
  return server.store.history
    .filter(
      ({ type, user, object }) => type === 'DELETED' && user.startsWith('operator-') && after.has(addressOf(object)),
    )
    .map(({ object }) => addressOf(object));
}

describe('an operator that reads the past', () => {
  let recordedStep: (index: number) => RecordedStep;

  beforeAll(async () => {
    recordedStep = await recordLifeCycle();
  });

  async function readThePast(index: number): Promise<void> {
    const step = recordedStep(index);
    const faults: string[] = [];
    for (const revisions of REVISIONS_BEHIND) {
      const result = await disturbedStep(step, {
        withinMs: CONVERGED_MS,
        disturb: (world) => {
          const heal = world.server.faults.onRequest(staleCaches(revisions));
          void world.clock.sleep(RESTART_MS).then(() => world.kill());
          void world.clock.sleep(FRESH_MS).then(heal);
        },
      });
      const where = `${revisions} behind`;
      if (result.tookMs === undefined) faults.push(`${where}: ${result.left.slice(0, 3).join(' | ')}`);
      if (result.claimsDeleted > 0) faults.push(`${where}: ${result.claimsDeleted} claims deleted`);
      for (const address of wronglyDeleted(step, result.world)) faults.push(`${where}: ${address} deleted`);
      for (const blind of result.blindDeletes) faults.push(`${where}: ${blind} without preconditions`);
    }
    expect(faults).toEqual([]);
  }

  for (const [index, { name }] of LIFE_CYCLE.entries())
    verifies('operator:stale-reads', name, () => readThePast(index));
});
