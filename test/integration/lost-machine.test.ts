/** A machine that is lost, five times in one life: what was pushed is fetched on an empty one, and the individual goes on. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { Backup } from '@retainer/agent-pod/backup/backup';
import { fetchRemote } from '@retainer/agent-pod/backup/fetch-remote';
import { markRestored } from '@retainer/agent-pod/backup/mark-restored';
import { push } from '@retainer/agent-pod/backup/push';
import { restore } from '@retainer/agent-pod/backup/restore';
import { replayRun } from '@retainer/agent-pod/review/replay-run';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { JournalRecord } from '@retainer/journal/journal';
import { verifyJournal } from '@retainer/journal/verify';
import { task } from '../support/agents.ts';
import { gitSays } from '../support/backups.ts';
import { type GitServer, initRemote, startGitServer, tipOf } from '../support/git-server.ts';
import { Life, yesTo } from '../support/life.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const ROUNDS = 5;
const USER = 'ada';
const PASSWORD = 'one-password';

const root = temporaryDirectory();
const remotes = join(root.path, 'remotes');
const bare = join(remotes, 'ada.git');
let server: GitServer;

beforeAll(async () => {
  mkdirSync(remotes);
  initRemote(bare);
  server = await startGitServer(remotes, USER, PASSWORD);
});
afterAll(async () => {
  await server.close();
  await root.remove();
});

function remote() {
  const credentials = { kind: 'Password', username: USER, password: PASSWORD } as const;
  return { url: `${server.url}/ada.git`, branch: 'main', credentials };
}

async function recordsOf(directory: string): Promise<readonly JournalRecord[]> {
  const reader = await openRecords(directory);
  const records: JournalRecord[] = [];
  for await (const record of reader.readAll(reader.stores)) records.push(record);
  return records;
}

function hashesOf(records: readonly JournalRecord[]): readonly string[] {
  return records.map(({ hash }) => hash);
}

/** On a machine that has nothing but the address. @returns the runs that are held back */
async function bringBack(to: string): Promise<readonly string[]> {
  const fetched = `${to}-fetched`;
  mkdirSync(fetched);
  const repository = await fetchRemote(remote(), join(fetched, 'git'));
  const commit = repository.head ?? '';
  let heldBack: readonly string[] = [];
  const isGood = async (directory: string, heads: Parameters<Parameters<typeof restore>[0]['isGood']>[1]) => {
    for await (const fault of verifyJournal({ directory: join(directory, 'journal'), knownHeads: heads }))
      throw new Error(JSON.stringify(fault));
    const said = { commit, atMs: systemClock.nowMs(), heads, by: 'ann', version: '1', clock: systemClock };
    heldBack = await markRestored(directory, said);
    return true;
  };
  expect(await restore({ repository, commit, to, isGood })).toBeDefined();
  rmSync(fetched, { recursive: true });
  return heldBack;
}

describe('a machine that is lost', () => {
  verifies('backup:lost-machine', 'costs what came after the push, and nothing is done twice, five times', async () => {
    let life = await Life.begin(join(root.path, 'life-0'));
    const { individual } = life.agent;
    const finished: string[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const closed = await life.agent.submitTask(task(`sum-${round}`, 'Add one and one.'), 'test');
      await life.agent.runtime.closed(closed.runId);
      finished.push(closed.runId);
      const open = await life.agent.submitTask(task(`note-${round}`, 'Write a note.'), 'test');
      await life.until('ApprovalRequested');
      const backup = new Backup({ dataDirectory: life.directory, holdsSecret: () => false, clock: systemClock });
      await backup.commit();
      await push(backup.directory, remote());
      const pushed = hashesOf(await recordsOf(life.directory));

      // Here the loss begins: the call runs, the run ends, and nobody pushes any more.
      await life.say(`yes:${round}`, yesTo(life.records));
      await life.agent.runtime.closed(open.runId);
      expect(readFileSync(join(life.directory, 'workspace/notes/a.md'), 'utf8')).toBe('hello');
      await life.end();
      rmSync(life.directory, { recursive: true });

      const directory = join(root.path, `life-${round}`);
      expect(await bringBack(directory)).toContain(open.runId);
      const records = await recordsOf(directory);
      expect(hashesOf(records)).toEqual(expect.arrayContaining([...pushed]));
      expect(records.filter(({ kind }) => kind === 'ToolRequested')).toEqual([]);
      const reader = await openRecords(directory);
      for (const runId of finished)
        expect(await replayRun(reader, runId)).toMatchObject({ ok: true, value: { isByteEqual: true } });

      life = await Life.begin(directory);
      expect(life.agent.individual).toBe(individual);
      expect(life.agent.runtime.asideRuns().map(({ runId }) => runId)).toContain(open.runId);
      expect(existsSync(join(directory, 'workspace/notes/a.md'))).toBe(false);
      await life.say(`end:${round}`, {
        type: 'CancelRun',
        runId: open.runId,
        by: 'ann',
        reason: 'the note is written',
      });
      await life.until('GivenUpDelivered');
      expect(life.all('ToolRequested')).toEqual([]);
      await life.end();
      // What is wanted of a later process was not there before the loss.
      life = await Life.begin(directory);
    }
    await life.end();
  });
});

describe('a repository that began anew', () => {
  verifies('backup:rejoined', 'goes on from the history at the remote, if that is of this record', async () => {
    const life = await Life.begin(join(root.path, 'anew'));
    await life.agent.submitTask(task('sum', 'Add one and one.'), 'test');
    await life.until('RunClosed');
    const backup = new Backup({ dataDirectory: life.directory, holdsSecret: () => false, clock: systemClock });
    const branch = { ...remote(), branch: 'anew' };
    await backup.commit();
    const { commit: first } = await backup.push(branch);
    rmSync(join(life.directory, 'git'), { recursive: true });
    await life.agent.submitTask(task('sum-again', 'Add two and two.'), 'test');
    await life.until('RunClosed', 2);
    await life.end();
    const anew = new Backup({ dataDirectory: life.directory, holdsSecret: () => false, clock: systemClock });
    await anew.commit();
    expect(gitSays(life.directory, 'rev-list', '--count', 'main').trim()).toBe('1');
    const { commit, notices } = await anew.push(branch);
    expect(notices).toEqual([expect.stringMatching(/had begun anew: it goes on from the history at the remote/)]);
    expect(gitSays(life.directory, 'rev-list', 'main').trim().split('\n')).toEqual([commit, first]);
    expect(tipOf(bare, 'anew')).toBe(commit);

    // The same individual goes on elsewhere, and its machine pushes what this record has not.
    const elsewhere = join(root.path, 'elsewhere');
    cpSync(life.directory, elsewhere, { recursive: true });
    const other = await Life.begin(elsewhere);
    const theirs = new Backup({ dataDirectory: elsewhere, holdsSecret: () => false, clock: systemClock });
    await theirs.commit();
    const { commit: their } = await theirs.push(branch);
    await other.end();
    rmSync(join(life.directory, 'git'), { recursive: true });
    const again = new Backup({ dataDirectory: life.directory, holdsSecret: () => false, clock: systemClock });
    const { commit: mine } = await again.commit();
    await expect(again.push(branch)).rejects.toMatchObject({ failure: 'Diverged' });
    expect(gitSays(life.directory, 'rev-parse', 'main').trim()).toBe(mine);
    expect(tipOf(bare, 'anew')).toBe(their);
    expect(readdirSync(life.directory).filter((name) => name.startsWith('git.'))).toEqual(['git.lock']);
  });
});
