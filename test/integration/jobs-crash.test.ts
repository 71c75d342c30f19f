/** A recorded day with jobs, cut off anywhere: the next process goes on, with one run for a moment and no moment lost. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { inTemporaryDirectory } from '../support/agents.ts';
import { cutRecord, ordersFrom } from '../support/cut-record.ts';
import { JobLife } from '../support/job-life.ts';
import { bySize } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

/** Prefixes of the record that are tried, evenly; Infinity: every one. */
const PREFIXES = bySize({ check: 12, nightly: Infinity });

const count = (records: readonly object[], jobId: string): number =>
  records.filter((it) => 'jobId' in it && it.jobId === jobId).length;

async function day(directory: string): Promise<void> {
  const life = await JobLife.begin({ directory });
  const when = { type: 'Moment', atMs: Date.now() + 200 } as const;
  await life.make('words', { when, words: 'Call Ben.' });
  await life.make('work', { when, for: 'Agent' });
  await life.until('RunClosed');
  await life.end();
}

describe('a crash anywhere in a day with jobs', () => {
  for (const outbox of ['kept', 'lost'] as const)
    verifies('jobs:crash-anywhere', `with what went out ${outbox}: each moment is served once`, () =>
      inTemporaryDirectory(async (root) => {
        const whole = join(root, 'whole');
        await day(whole);
        const orders = ordersFrom(whole, 'JobCreated');
        const step = Math.max(1, Math.floor(orders.length / PREFIXES));
        for (const order of orders.filter((_, at) => at % step === 0)) {
          const directory = join(root, `cut-${order}`);
          cutRecord(whole, order, directory);
          if (outbox === 'lost') rmSync(join(directory, 'outbox'), { recursive: true, force: true });
          const life = await JobLife.begin({ directory });
          await life.settled();
          await life.end();
          for (const jobId of ['words', 'work']) {
            expect(life.job(jobId), `${jobId} after ${order}`).toMatchObject({ status: 'Done', fired: 1 });
            expect(count(life.all('JobFired'), jobId)).toBeLessThanOrEqual(1);
          }
          // What was told before, and is lost with the outbox, is not told again: the record has it.
          const toldNow = count(life.all('JobEnded'), 'words');
          const told = life.delivered().filter((it) => it === 'Call Ben.');
          expect(told, `after ${order}`).toHaveLength(outbox === 'kept' ? 1 : toldNow);
          expect((await life.recorded('RunAdmitted')).length).toBe(1);
          rmSync(directory, { recursive: true });
        }
      }),
    );
});
