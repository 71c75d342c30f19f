/**
 * Row 12: the operator is killed before and after each call (in a check before or after it) of the life cycle of all five kinds, and started again. The state
 * must become the one of the undisturbed course, with nothing twice, nothing left over and no claim deleted.
 */
import { beforeAll, describe, expect } from 'vitest';
import { killAt } from '../support/fake-api-server/fault-rules.ts';
import { LIFE_CYCLE } from '../support/operator-world/life-cycle.ts';
import { disturbedStep, isStepCall, recordLifeCycle } from '../support/operator-world/life-cycle-run.ts';
import type { RecordedStep } from '../support/operator-world/life-cycle-run.ts';
import { isNightly } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

/** In a check one of them at each call, in turn. */
const MOMENTS = ['Before', 'After'] as const;
/** Virtual time: a Lease of 15 s and one try more, then the work. */
const CONVERGED_MS = 30_000;

describe('an operator that is killed at any call', () => {
  let recordedStep: (index: number) => RecordedStep;

  beforeAll(async () => {
    recordedStep = await recordLifeCycle();
  });

  async function killAtEveryCall(index: number): Promise<void> {
    const step = recordedStep(index);
    const faults: string[] = [];
    let slowestMs = 0;
    for (let call = 1; call <= step.calls; call += 1)
      for (const moment of MOMENTS.filter((_, at) => isNightly || (call + at) % MOMENTS.length === 0)) {
        const result = await disturbedStep(step, {
          withinMs: CONVERGED_MS,
          disturb: (world) => {
            const kill = (): void => world.kill();
            world.server.faults.onRequest(
              killAt({ user: world.life?.user ?? '', call, moment, counts: isStepCall, kill }),
            );
          },
        });
        slowestMs = Math.max(slowestMs, result.tookMs ?? Number.POSITIVE_INFINITY);
        const where = `${moment.toLowerCase()} call ${call}`;
        if (result.tookMs === undefined) faults.push(`${where}: ${result.left.slice(0, 3).join(' | ')}`);
        if (result.claimsDeleted > 0) faults.push(`${where}: ${result.claimsDeleted} claims deleted`);
        for (const blind of result.blindDeletes) faults.push(`${where}: ${blind} without preconditions`);
      }
    process.stderr.write(
      `${step.step.name}: ${step.calls} calls, ${isNightly ? 2 * step.calls : step.calls} kills, slowest ${slowestMs} ms\n`,
    );
    expect(faults).toEqual([]);
  }

  for (const [index, { name }] of LIFE_CYCLE.entries())
    verifies('operator:crash-anywhere', name, () => killAtEveryCall(index));
});
