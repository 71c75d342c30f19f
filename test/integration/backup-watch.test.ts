/** When the backup beside the work commits, what it tells, and when it keeps still. */
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { MemoryWriter } from '@retainer/agent-pod/loop/memory-writer';
import { BackupWatch } from '@retainer/agent-pod/upkeep/backup-watch';
import { gitSays, openDataDirectory } from '../support/backups.ts';
import { manualClock, type ManualClock } from '../support/manual-clock.ts';
import { tmpfsOf8MiB, whyNoVolume, withVolume } from '../support/small-volume.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());

const INTERVAL_MS = 300_000;

interface Watched {
  readonly watch: BackupWatch;
  readonly notices: readonly string[];
  readonly stop: () => Promise<void>;
}

function watched(
  dataDirectory: string,
  clock: ManualClock,
  holdsSecret: (text: string) => boolean = () => false,
): Watched {
  const notices: string[] = [];
  const watch = new BackupWatch({
    dataDirectory,
    memory: { gitCommitInterval: '5m' },
    holdsSecret,
    clock,
    closingMs: 60_000,
    onNotice: (notice) => notices.push(notice),
  });
  const ending = new AbortController();
  const running = watch.component().run(ending.signal);
  return {
    watch,
    notices,
    stop: () => {
      ending.abort();
      return running;
    },
  };
}

function commits(directory: string): number {
  return Number(gitSays(directory, 'rev-list', '--count', 'main'));
}

/** A record that is durable now. */
const seen = (clock: ManualClock, kind = 'Noted'): { readonly kind: string; readonly timeMs: number } => ({
  kind,
  timeMs: clock.nowMs(),
});

/** Moves the clock on by what it waits for, and waits until it has worked. */
async function after(clock: ManualClock, waitsMs: number, thenMs: number): Promise<void> {
  await clock.untilSleeping(waitsMs);
  clock.advance(waitsMs);
  await clock.untilSleeping(thenMs);
}

describe('the backup beside the work', () => {
  verifies('backup:in-time', 'commits after the start, after a run, after the interval, and at the end', async () => {
    const data = await openDataDirectory(join(root.path, 'in-time'));
    const clock = manualClock();
    const { watch, notices, stop } = watched(data.path, clock);
    await data.append(3);
    await after(clock, 10_000, INTERVAL_MS);
    expect(commits(data.path)).toBe(1);
    await data.append(3);
    watch.see(seen(clock, 'RunConcluded'));
    expect(clock.sleeping()).toEqual([INTERVAL_MS]);
    watch.see(seen(clock, 'RunClosed'));
    await after(clock, 5_000, INTERVAL_MS);
    expect(commits(data.path)).toBe(2);
    // Nothing came meanwhile.
    await after(clock, INTERVAL_MS, INTERVAL_MS);
    expect(commits(data.path)).toBe(2);
    await data.append(3);
    await after(clock, INTERVAL_MS, INTERVAL_MS);
    expect(commits(data.path)).toBe(3);
    await data.append(3);
    await stop();
    await data.journal.close();
    await watch.close();
    expect(commits(data.path)).toBe(4);
    expect(notices).toEqual([]);
    const lastMs = clock.nowMs();
    expect(watch.figures()).toEqual({
      commit: {
        ...{ ageMs: 0, intervalMs: INTERVAL_MS, lastMs, changedMs: lastMs },
        ...{ unsavedSinceMs: undefined, lagMs: 0, trouble: undefined },
      },
      push: undefined,
      failures: 0,
    });
  });

  verifies(
    'backup:failure-told',
    'tells a lock once, tries again later and later, and tells the end of it',
    async () => {
      const data = await openDataDirectory(join(root.path, 'locked'));
      const clock = manualClock();
      const { watch, notices, stop } = watched(data.path, clock);
      await data.append(3);
      await after(clock, 10_000, INTERVAL_MS);
      const lock = join(data.path, 'git/refs/heads/main.lock');
      writeFileSync(lock, '');
      await data.append(3);
      await after(clock, INTERVAL_MS, 5_000);
      await after(clock, 5_000, 10_000);
      expect(notices).toEqual([
        expect.stringMatching(/^the commit of the backup failed and is tried again: .*main\.lock/),
      ]);
      expect(watch.figures()).toMatchObject({ failures: 2, commit: { ageMs: INTERVAL_MS + 5_000 } });
      rmSync(lock);
      await after(clock, 10_000, INTERVAL_MS);
      expect(notices.slice(1)).toEqual(['the commit of the backup works again']);
      expect(commits(data.path)).toBe(2);
      await stop();
      await data.journal.close();
    },
  );
});

describe('a copy', () => {
  verifies('backup:lag', 'has the records that came before it, and not one that came meanwhile', async () => {
    const data = await openDataDirectory(join(root.path, 'meanwhile'));
    const clock = manualClock();
    let comes = true;
    const { watch, stop } = watched(data.path, clock, () => {
      if (comes) watch.see(seen(clock));
      comes = false;
      return false;
    });
    await data.append(3);
    data.writeFile('note.md', 'It is looked at while the commit is under way.');
    const { timeMs: sinceMs } = seen(clock);
    watch.see(seen(clock));
    clock.advance(4_000);
    watch.see(seen(clock));
    expect(watch.figures().commit).toMatchObject({ unsavedSinceMs: sinceMs, lagMs: 4_000 });
    await clock.untilSleeping(10_000);
    clock.advance(6_000);
    await clock.untilSleeping(INTERVAL_MS);
    const { commit } = watch.figures();
    expect(commit).toMatchObject({ unsavedSinceMs: sinceMs + 10_000, lagMs: 0, changedMs: clock.nowMs() });
    // Nothing new: a success, and no change.
    await after(clock, INTERVAL_MS, INTERVAL_MS);
    expect(watch.figures().commit).toMatchObject({
      ...{ lastMs: clock.nowMs(), changedMs: commit.changedMs, unsavedSinceMs: undefined, lagMs: 0 },
    });
    await stop();
    await data.journal.close();
  });

  verifies('backup:lag', 'is late after three intervals with a record that is not in it, until it has it', async () => {
    const data = await openDataDirectory(join(root.path, 'late'));
    const clock = manualClock();
    const { watch, stop } = watched(data.path, clock);
    await data.append(3);
    await after(clock, 10_000, INTERVAL_MS);
    // However old it is, nothing is missing in it.
    clock.advance(4 * INTERVAL_MS);
    await clock.untilSleeping(INTERVAL_MS);
    expect(watch.figures().commit).toMatchObject({ lagMs: 0, trouble: undefined });
    writeFileSync(join(data.path, 'git/refs/heads/main.lock'), '');
    await data.append(3);
    watch.see(seen(clock));
    clock.advance(3 * INTERVAL_MS);
    await clock.untilSleeping(5_000);
    expect(watch.figures().commit).toMatchObject({ lagMs: 3 * INTERVAL_MS, trouble: undefined });
    clock.advance(5_000);
    await clock.untilSleeping(10_000);
    expect(watch.figures().commit).toMatchObject({ lagMs: 3 * INTERVAL_MS + 5_000, trouble: 'Late' });
    rmSync(join(data.path, 'git/refs/heads/main.lock'));
    await after(clock, 10_000, INTERVAL_MS);
    expect(watch.figures().commit).toMatchObject({ lagMs: 0, trouble: undefined });
    await stop();
    await data.journal.close();
  });

  verifies('backup:in-record', 'goes on without a record that takes no more, and tells that once', async () => {
    const data = await openDataDirectory(join(root.path, 'closed'));
    const clock = manualClock();
    const { watch, notices, stop } = watched(data.path, clock);
    const writer = new MemoryWriter((records) => data.journal.append(records));
    watch.takeUp({
      known: { commit: undefined, push: undefined },
      write: () =>
        writer.write('Runtime', [
          { store: 'agent', kind: 'BackupLate', payload: { copy: 'Commit', why: 'Late', sinceMs: clock.nowMs() } },
        ]),
    });
    await data.append(3);
    await data.journal.close();
    await after(clock, 10_000, INTERVAL_MS);
    await after(clock, INTERVAL_MS, INTERVAL_MS);
    expect(notices).toEqual([
      expect.stringMatching(/^the record does not say how the backup stands, which is tried again: .*closed/),
    ]);
    expect(commits(data.path)).toBe(1);
    expect(watch.figures()).toMatchObject({ failures: 0 });
    await stop();
  });
});

const noVolume = await whyNoVolume(tmpfsOf8MiB);

describe.skipIf(noVolume !== undefined)(noVolume ?? 'on a volume that is almost full', () => {
  verifies('backup:not-in-the-way', 'leaves the space to the record', async () => {
    await withVolume(tmpfsOf8MiB, async ({ path }) => {
      const data = await openDataDirectory(join(path, 'data'));
      await data.append(3);
      const { bfree, bsize } = statfsSync(path);
      writeFileSync(join(path, 'filler'), Buffer.alloc(bfree * bsize - 500_000));
      const clock = manualClock();
      const { notices, stop } = watched(data.path, clock);
      await after(clock, 10_000, 5_000);
      expect(notices).toEqual([expect.stringMatching(/the volume is 9\d % full, and the record needs what is left$/)]);
      expect(existsSync(join(data.path, 'git'))).toBe(false);
      rmSync(join(path, 'filler'));
      await after(clock, 5_000, INTERVAL_MS);
      expect(commits(data.path)).toBe(1);
      await stop();
      await data.journal.close();
    });
  });
});
