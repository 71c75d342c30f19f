import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import type { Journal } from '@retainer/journal/journal';
import { openJournal } from '@retainer/journal/open-journal';
import { verifyJournal } from '@retainer/journal/verify';
import { systemClock } from '@retainer/contract/std/system-clock';
import { collect, deed, numbers, worldStores } from '../chaos/journal-world.ts';
import { verifies } from '../verifies.ts';

const loops = 20;
const appenders = 64;
const appendsEach = 150;

function open(directory: string, ballastBytes: number): Promise<Journal> {
  return openJournal({
    directory,
    stores: worldStores,
    agentUid: 'agent-1',
    clock: systemClock,
    limits: { ballastBytes },
  });
}

const mount = (...args: string[]): boolean => spawnSync('mount', args).status === 0;
const scratch = mkdtempSync(join(tmpdir(), 'retainer-volume-'));
// Needs root: a small volume of its own.
const mounted = mount('-t', 'tmpfs', '-o', 'size=8m', 'retainer-test', scratch);

afterAll(async () => {
  if (mounted) spawnSync('umount', [scratch]);
  await rm(scratch, { recursive: true, force: true });
});

describe.skipIf(!mounted)('a volume that fills up', () => {
  verifies('journal:disk-full', `is told, read throughout, and left when space returns, ${loops} times`, async () => {
    const journal = await open(join(scratch, 'journal'), 512 * 1024);
    const filler = join(scratch, 'filler');
    let acknowledged = 0;
    for (let loop = 0; loop < loops; loop += 1) {
      // Takes all that is left; the error is the point.
      await writeFile(filler, Buffer.alloc(8 * 1024 * 1024)).catch(() => undefined);
      for (let tries = 0; journal.mode === 'Writable' && tries < 5000; tries += 1)
        await journal.append([deed(acknowledged, 'x'.repeat(900))]).then(
          () => {
            acknowledged += 1;
          },
          () => undefined,
        );
      expect(journal.modeCause).toBe('DiskFull');
      expect(await journal.tryResume(), 'still full').toBe(false);
      expect(await numbers(journal.read('deeds'))).toHaveLength(acknowledged);
      await rm(filler);
      expect(await journal.tryResume()).toBe(true);
      await journal.append([deed(acknowledged)]);
      acknowledged += 1;
    }
    await journal.close();
    for await (const fault of verifyJournal({ directory: join(scratch, 'journal') })) expect(fault).toBeUndefined();
    const kinds = (await collect(journal.read('system'))).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'DiskFull').length).toBeGreaterThan(0);
  });

  verifies('journal:read-only-volume', 'is read while it cannot be written, and written again afterwards', async () => {
    const first = await open(join(scratch, 'read-only'), 4096);
    await first.append([deed(1)]);
    await first.close();
    expect(mount('-o', 'remount,ro', scratch)).toBe(true);
    const journal = await open(join(scratch, 'read-only'), 4096);
    expect([journal.mode, journal.modeCause]).toEqual(['ReadOnly', 'ReadOnlyVolume']);
    expect(await numbers(journal.read('deeds'))).toEqual([1]);
    expect(await journal.tryResume()).toBe(false);
    expect(mount('-o', 'remount,rw', scratch)).toBe(true);
    expect(await journal.tryResume()).toBe(true);
    await journal.append([deed(2)]);
    await journal.close();
  });
});

describe('many appenders', () => {
  verifies('journal:durable-and-fast', 'share their syncs and lose no record', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'retainer-appenders-'));
    const journal = await open(directory, 4096);
    const startMs = performance.now();
    const worker = async (_: unknown, index: number): Promise<void> => {
      for (let n = 0; n < appendsEach; n += 1) await journal.append([deed(index * appendsEach + n, 'x'.repeat(900))]);
    };
    await Promise.all(Array.from({ length: appenders }).map(worker));
    const perSecond = Math.round((appenders * appendsEach * 1000) / (performance.now() - startMs));
    const found = await numbers(journal.read('deeds'));
    expect(new Set(found).size).toBe(appenders * appendsEach);
    await journal.close();
    await rm(directory, { recursive: true });
    process.stdout.write(`${appenders} appenders: ${perSecond} durable records/s\n`);
  });
});
