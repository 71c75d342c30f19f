/** What the commits of the second copy tell to people with an ordinary git, and that they follow from the record alone. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { Backup } from '@retainer/agent-pod/backup/backup';
import { systemClock } from '@retainer/contract/std/system-clock';
import { fileLock } from '@retainer/journal/lock';
import { task } from '../support/agents.ts';
import { gitSays, openDataDirectory } from '../support/backups.ts';
import { Life } from '../support/life.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
afterAll(root.remove);

function backupOf(dataDirectory: string, laterMs = 0): Backup {
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + laterMs };
  return new Backup({ dataDirectory, holdsSecret: () => false, clock });
}

describe('an ordinary git', () => {
  verifies('backup:told-in-git', 'tells what happened on a day, and which commit brought it', async () => {
    const life = await Life.begin(join(root.path, 'told'));
    const backup = backupOf(life.directory);
    await backup.commit();
    await life.agent.submitTask(task('sum', 'Add one and one.'), 'test');
    await life.until('RunClosed');
    await life.agent.runtime.archived();
    const { commit } = await backup.commit();
    await life.agent.submitTask(task('sum-again', 'Add two and two.'), 'test');
    await life.until('RunClosed', 2);
    await life.agent.runtime.archived();
    const { commit: last } = await backup.commit();
    const [outcome, outcomeAgain] = life.all('RunClosed').map((it) => String(it['outcome']));
    await life.end();

    const git = (...args: readonly string[]) => gitSays(life.directory, ...args).trimEnd();
    expect(git('log', '--format=%s', 'main').split('\n').slice(0, 2)).toEqual([
      `run sum-again ${outcomeAgain}`,
      `run sum ${outcome}`,
    ]);
    expect(git('log', '-1', '--format=%an <%ae>', 'main')).toBe(
      `default/ada <${life.agent.individual}@retainer.invalid>`,
    );
    const [page = ''] = git('ls-tree', '-r', '--name-only', 'main', 'narrative/').split('\n');
    const blamed = git('blame', '-s', '--abbrev=39', 'main', '--', page).split('\n');
    const commitOf = (words: string) => blamed.find((line) => line.includes(words))?.slice(0, 40);
    expect(commitOf('wanted: Add one and one.')).toBe(commit);
    expect(commitOf('wanted: Add two and two.')).toBe(last);
    expect(git('show', '--stat', '--format=', last)).toContain(page);
    const trailers = gitSays(life.directory, 'log', '-1', '--format=%(trailers:only,unfold)', 'main');
    expect(trailers).toMatch(
      new RegExp(
        `^Agent: default/ada\nIndividual: ${life.agent.individual}\nTime: .*Z\nFirst-Order: \\d+\nLast-Order: \\d+\nRun: sum-again-`,
      ),
    );
  });
});

describe('a commit', () => {
  verifies('backup:same-commits', 'follows from the record and the files, whenever it is made', async () => {
    const data = await openDataDirectory(join(root.path, 'data'));
    const other = join(root.path, 'other');
    const mirrored = (): void => {
      for (const name of ['journal', 'workspace']) {
        rmSync(join(other, name), { recursive: true, force: true });
        cpSync(join(data.path, name), join(other, name), { recursive: true, preserveTimestamps: true });
      }
    };
    const commits: string[] = [];
    const again: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      await data.append(5 + round);
      data.writeFile(`file-${round}.txt`, `${round}`);
      mirrored();
      commits.push((await data.backup.commit()).commit);
      again.push((await backupOf(other, 86_400_000 * (round + 1)).commit()).commit);
    }
    data.writeFile('alone.txt', 'no record came');
    mirrored();
    commits.push((await data.backup.commit()).commit);
    again.push((await backupOf(other, 1).commit()).commit);
    await data.journal.close();
    expect(new Set(commits).size).toBe(4);
    expect(again).toEqual(commits);
  });

  verifies('backup:idle', 'does not even open the repository where nothing has changed', async () => {
    const data = await openDataDirectory(join(root.path, 'idle'));
    await data.append(5);
    data.writeFile('a.txt', 'a');
    const { commit } = await data.backup.commit();
    const lock = await fileLock.acquire(`${data.backup.directory}.lock`);
    expect(await data.backup.commit()).toMatchObject({ commit, isNew: false });
    data.writeFile('a.txt', 'b');
    await expect(data.backup.commit()).rejects.toThrow(/lock/);
    await lock.release();
    expect((await data.backup.commit()).isNew).toBe(true);
    await data.journal.close();
  });
});
