import { describe, expect, it } from 'vitest';
import { FaultFileSystem, faultOperations, type FaultPlan } from '../support/journal/fault-file-system.ts';
import { Life, settle, simulatedDirectory, unchanged } from '../chaos/journal-simulation.ts';
import { verifies } from '../verifies.ts';

const codes = ['EIO', 'ENOSPC', 'EDQUOT', 'EROFS', 'EINTR'] as const;
/** No run makes so many calls of one operation: reaching it is a fault of the test. */
const callsMax = 2000;

interface Outcome {
  readonly hit: boolean;
  readonly problems: readonly string[];
}

/** An earlier opening, whose process died in the middle of a line: the next one has something to read, copy and cut. */
async function prepare(life: Life): Promise<void> {
  const journal = await life.open(unchanged);
  await life.append(journal, 4);
  await settle();
  life.sim.kill();
  const directory = `${simulatedDirectory}/deeds`;
  const last = (await life.sim.mount().list(directory)).at(-1) ?? '';
  life.sim.edit(`${directory}/${last}`, (bytes) => Buffer.concat([bytes, Buffer.from('{"store":"deeds","seq":')]));
}

/** Opens, appends, rolls, closes and opens again with one call failing; then looks at what is left with the disk in order. */
async function runWithFault(plan: FaultPlan): Promise<Outcome> {
  const faults: FaultFileSystem[] = [];
  const life = new Life(7, (inner, sim) => {
    const faulty = faults[0] ?? new FaultFileSystem(inner, (path) => sim.loseUnsynced(path));
    faulty.plan = plan;
    faults.push(faulty);
    return faulty.view();
  });
  const problems: string[] = [];
  await prepare(life);
  await work(life, problems);
  life.sim.kill();
  await life.check('after the process ended');
  life.sim.crash(life.random);
  await life.check('after the power failed');
  const retried = faults.flatMap(({ retriedSyncs }) => retriedSyncs);
  if (retried.length > 0) problems.push(`synced again: ${retried.join(', ')}`);
  return { hit: faults.some(({ hit }) => hit), problems: [...problems, ...life.violations] };
}

/** Whatever happens must be success, a rejection at opening, or a mode that says so. */
async function work(life: Life, problems: string[]): Promise<void> {
  let journal;
  try {
    journal = await life.open();
  } catch {
    return;
  }
  for (let step = 0; step < 6; step += 1) {
    const writable = journal.mode === 'Writable';
    await life.append(journal, 2);
    await settle();
    life.clock.advance(step === 3 ? 14 * 3_600_000 : 1000);
    await settle();
    if (!writable && journal.modeReason === undefined) problems.push('not writable, and no reason given');
    if (journal.modeCause === 'DiskFull' || journal.modeCause === 'ReadOnlyVolume') await journal.tryResume();
  }
  await journal.close().catch(() => undefined);
}

describe('every failing call', () => {
  const rejections: unknown[] = [];
  const note = (reason: unknown): void => void rejections.push(reason);

  for (const operation of [...faultOperations, 'short write'] as const)
    verifies(
      'journal:every-io-error-handled',
      `of ${operation} ends in success or in declared degradation`,
      async () => {
        process.on('unhandledRejection', note);
        const shape = operation === 'short write' ? { operation: 'write' as const, shortBytes: 9 } : { operation };
        for (const code of codes) {
          let nth = 1;
          for (; nth < callsMax; nth += 1) {
            const { hit, problems } = await runWithFault({ ...shape, nth, code });
            expect(problems, `${operation} call ${nth}: ${code}`).toEqual([]);
            if (!hit) break;
          }
          expect(nth, 'some call was hit, and one run stayed untouched').toBeGreaterThan(1);
          expect(nth).toBeLessThan(callsMax);
        }
        process.off('unhandledRejection', note);
        expect(rejections).toEqual([]);
      },
    );

  it('leaves a run without a fault as it is', async () => {
    expect((await runWithFault({ operation: 'open', nth: callsMax, code: 'EIO' })).problems).toEqual([]);
  });
});
