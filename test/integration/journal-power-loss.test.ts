import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Life, randomOf, settle } from '../chaos/journal-simulation.ts';
import { bySize, limitMs } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

const run = promisify(execFile);
/** Every planted fault of the bench shows within 20 lives: `packages/journal/src/power-loss.test.ts`. */
const seeds = bySize({ check: 200, nightly: 20_000 });
/** One process per core of a CI machine. */
const processes = 2;
const traceOperations = 200;
/** Different disks that one power cut may leave. */
const crashSeeds = bySize({ check: 2, nightly: 4 });

/** A fixed history of more than 200 operations on the disk; it ends early where the power fails. */
async function playTrace(life: Life): Promise<void> {
  for (let opening = 0; opening < 3; opening += 1) {
    const journal = await life.open();
    for (let step = 0; step < 5; step += 1) {
      await life.append(journal, 1 + (step % 3));
      life.clock.advance(step === 3 ? 14 * 3_600_000 : 400);
      await settle();
    }
    await journal.close();
  }
}

describe('power loss', () => {
  verifies(
    'journal:survives-power-loss',
    `keeps the invariants over ${seeds} lives`,
    async () => {
      const share = seeds / processes;
      const startMs = performance.now();
      const reports = await Promise.all(
        Array.from({ length: processes }, async (_, index) => {
          const script = ['--conditions=source', 'test/chaos/journal-power-loss.ts'];
          const range = ['--seeds', String(share), '--from', String(index * share)];
          const { stdout } = await run('npx', ['tsx', ...script, ...range]).catch(
            (error: unknown) => error as { stdout: string },
          );
          return stdout;
        }),
      );
      process.stdout.write(`${seeds} lives in ${Math.round((performance.now() - startMs) / 1000)} s\n`);
      for (const report of reports) expect(report).toContain('"failed":[]');
    },
    limitMs(600_000, 10),
  );

  it(`keeps the invariants with the power cut before and after each of ${traceOperations} operations`, async () => {
    const whole = new Life(1);
    await playTrace(whole);
    expect(whole.sim.operations).toBeGreaterThanOrEqual(traceOperations);
    for (let operation = 1; operation <= traceOperations; operation += 1)
      for (const when of ['Before', 'After'] as const)
        for (let crashSeed = 0; crashSeed < crashSeeds; crashSeed += 1) {
          const life = new Life(1);
          life.sim.powerCut = { operation, when };
          await playTrace(life).catch(() => undefined);
          life.sim.crash(randomOf(crashSeed));
          await life.check(`cut ${when} operation ${operation}, disk ${crashSeed}`);
          expect(life.violations).toEqual([]);
        }
  });
});
