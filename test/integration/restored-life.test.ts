/** A life that goes on from an older copy: it says so, does nothing by itself that it may have done, and waits for a person. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { Backup } from '@retainer/agent-pod/backup/backup';
import { markRestored } from '@retainer/agent-pod/backup/mark-restored';
import { readRepository } from '@retainer/agent-pod/backup/repository';
import { restore } from '@retainer/agent-pod/backup/restore';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { JournalRecord } from '@retainer/journal/journal';
import { openJournal } from '@retainer/journal/open-journal';
import { verifyJournal } from '@retainer/journal/verify';
import { task } from '../support/agents.ts';
import { Life, yesTo } from '../support/life.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
afterAll(root.remove);

function backupOf(dataDirectory: string): Backup {
  return new Backup({ dataDirectory, holdsSecret: () => false, clock: systemClock });
}

/** @returns the directory, and the runs that are held back */
async function restored(from: string, commit: string, name: string) {
  const to = join(root.path, name);
  const repository = await readRepository(join(from, 'git'));
  if (repository === undefined) throw new Error('there is no repository');
  const heldBack: string[] = [];
  await restore({
    repository,
    commit,
    to,
    isGood: async (directory, heads) => {
      for await (const fault of verifyJournal({ directory: join(directory, 'journal'), knownHeads: heads }))
        throw new Error(JSON.stringify(fault));
      heldBack.push(
        ...(await markRestored(directory, { commit, atMs: 1, heads, by: 'ann', version: '1', clock: systemClock })),
      );
      return true;
    },
  });
  return { to, heldBack };
}

async function recordsOf(directory: string): Promise<readonly JournalRecord[]> {
  const reader = await openRecords(directory);
  const records: JournalRecord[] = [];
  for await (const record of reader.readAll(reader.stores)) records.push(record);
  return records;
}

describe('a life that was restored from an older copy', () => {
  verifies('backup:held-back', 'does not go on with a run that may have ended, until a person says so', async () => {
    const first = await Life.begin(join(root.path, 'first'));
    const backup = backupOf(first.directory);
    const { runId } = await first.agent.submitTask(task('note', 'Write a note.'), 'test');
    await first.until('ApprovalRequested');
    const { commit } = await backup.commit();
    const yes = yesTo(first.records);
    await first.say('yes:1', yes);
    await first.until('RunClosed');
    expect(first.all('ToolRequested')).toHaveLength(1);
    await first.end();

    const { to, heldBack } = await restored(first.directory, commit, 'second');
    expect(heldBack).toEqual([runId]);
    const second = await Life.begin(to);
    expect(second.agent.individual).toBe(first.agent.individual);
    expect(second.agent.runtime.asideRuns()).toMatchObject([{ runId, held: { because: 'Restored' } }]);
    // It is no answer to a run that nobody drives.
    await second.say('yes:1', yes);
    expect(second.all('ToolRequested')).toEqual([]);
    expect(existsSync(join(to, 'workspace/notes/a.md'))).toBe(false);
    await expect(second.agent.runtime.closed(runId)).rejects.toThrow(
      /waits, because the record was restored from an earlier copy/,
    );

    await second.say('go-on:1', { type: 'RetryRun', runId, by: 'ann', reason: 'the note is not there' });
    await second.until('RunTriedAgain');
    expect(second.all('ToolRequested')).toEqual([]);
    await second.say('yes:2', yes);
    await second.until('RunClosed');
    expect(readFileSync(join(to, 'workspace/notes/a.md'), 'utf8')).toBe('hello');
    await second.end();
  });

  verifies(
    'backup:restored-told',
    'says it in the first record after the copy, and is the same individual',
    async () => {
      const first = await Life.begin(join(root.path, 'told'));
      await first.agent.submitTask(task('sum', 'Add one and one.'), 'test');
      await first.until('RunClosed');
      const { commit, heads } = await backupOf(first.directory).commit();
      await first.end();

      const { to } = await restored(first.directory, commit, 'told-again');
      const ends = new Map(heads.map(({ store, seq }) => [store, seq]));
      const after = (await recordsOf(to)).filter(
        ({ store, seq, principal }) => seq > (ends.get(store) ?? -1) && principal !== 'journal',
      );
      const lastOrder = Math.max(
        ...(await recordsOf(to)).filter(({ store, seq }) => seq <= (ends.get(store) ?? -1)).map(({ order }) => order),
      );
      expect(after.map(({ kind, principal, payload }) => [kind, principal, payload])).toEqual([
        ['Restored', 'human:ann', { from: commit, at: 1, lastOrder, heads, by: 'ann' }],
      ]);
    },
  );

  verifies('backup:held-back', 'forgets a word that let a run go on, and was not carried out', async () => {
    const directory = join(root.path, 'word');
    const first = await Life.begin(directory);
    const { runId } = await first.agent.submitTask(task('note', 'Write a note.'), 'test');
    await first.until('ApprovalRequested');
    await first.end();
    const { to: early } = await restored(directory, (await backupOf(directory).commit()).commit, 'word-early');
    const journal = await openJournal({
      ...{ directory: join(early, 'journal'), stores: agentStores, agentUid: 'default/ada', clock: systemClock },
    });
    const command = { type: 'RetryRun', runId, by: 'ann', reason: 'go on' };
    const accepted = { originId: 'go-on:1', source: 'test', command };
    await journal.append([{ store: 'inbox', kind: 'CommandAccepted', principal: 'human:ann', payload: accepted }]);
    await journal.close();
    const { to, heldBack } = await restored(early, (await backupOf(early).commit()).commit, 'word-again');
    expect(heldBack).toEqual([runId]);
    const second = await Life.begin(to);
    expect(second.agent.runtime.asideRuns()).toMatchObject([{ runId, held: { because: 'Restored' } }]);
    expect(second.all('RunTriedAgain')).toEqual([]);
    await second.end();
  });

  verifies('backup:held-back', 'does not begin a Task of a manifest that may have ended after the copy', async () => {
    const first = await Life.begin(join(root.path, 'manifest'));
    const backup = backupOf(first.directory);
    const { commit } = await backup.commit();
    const note = task('note', 'Write a note.');
    const { runId } = await first.agent.submitTask(note, 'manifest');
    await first.until('ApprovalRequested');
    await first.end();

    const { to } = await restored(first.directory, commit, 'manifest-again');
    const second = await Life.begin(to);
    expect(await second.agent.submitTask(note, 'manifest')).toEqual({ runId, isNew: true });
    expect(second.all('RunAdmitted')).toEqual([]);
    expect(second.notices.join('\n')).toMatch(/waits until a person lets it go on: the record was just restored/);
    await second.end();
    // Whoever brings another Task to a later process means it.
    const third = await Life.begin(to);
    await third.agent.submitTask(task('sum', 'Add one and one.'), 'manifest');
    await third.until('RunClosed');
    expect(third.agent.runtime.asideRuns()).toMatchObject([{ runId, held: { because: 'MayHaveEnded' } }]);
    await third.say('go-on:1', { type: 'RetryRun', runId, by: 'ann', reason: 'there is no note' });
    await third.until('ApprovalRequested');
    await third.end();
  });

  verifies('backup:held-back', 'does not begin a Task that was taken and had not begun', async () => {
    const directory = join(root.path, 'taken');
    const first = await Life.begin(directory);
    const { runId } = await first.agent.submitTask(task('note', 'Write a note.'), 'test');
    await first.until('ApprovalRequested');
    await first.end();
    const early = await recordOf('early', first.records, ['IndividualNamed', 'Configured', 'CommandAccepted']);
    const { commit } = await backupOf(early).commit();

    const { to, heldBack } = await restored(early, commit, 'taken-again');
    expect(heldBack).toEqual([runId]);
    const second = await Life.begin(to);
    expect(second.all('RunAdmitted')).toEqual([]);
    await second.say('go-on:1', { type: 'RetryRun', runId, by: 'ann', reason: 'it was never begun' });
    await second.until('ApprovalRequested');
    await second.end();
  });
});

/** As a crash leaves it: the first record of each of these kinds, and no more. @returns the data directory */
async function recordOf(name: string, records: readonly JournalRecord[], kinds: readonly string[]): Promise<string> {
  const data = join(root.path, name);
  const directory = join(data, 'journal');
  const journal = await openJournal({ directory, stores: agentStores, agentUid: 'default/ada', clock: systemClock });
  for (const wanted of kinds) {
    const record = records.find(({ kind }) => kind === wanted);
    if (record === undefined) throw new Error(`no ${wanted}`);
    const { store, kind, principal, payload, runId } = record;
    await journal.append([{ store, kind, principal, payload, ...(runId === undefined ? {} : { runId }) }]);
  }
  await journal.close();
  return data;
}

describe('a Task that began in another record', () => {
  verifies('backup:held-back', 'waits for a person, though this record never had it', async () => {
    const life = await Life.begin(join(root.path, 'stranger'));
    const begun = { ...task('note', 'Write a note.'), status: { runId: 'note-0123456789' } };
    const { runId, isNew } = await life.agent.submitTask(begun, 'task');
    expect(isNew).toBe(true);
    expect(life.all('RunSetAside')).toMatchObject([{ runId, held: { because: 'NotInRecord' } }]);
    expect(life.all('RunAdmitted')).toEqual([]);
    expect(life.notices.join('\n')).toMatch(/waits until a person lets it go on: the Task had begun/);
    await life.say('go-on:1', { type: 'RetryRun', runId, by: 'ann', reason: 'the other record is lost' });
    await life.until('ApprovalRequested');
    await life.end();
    const again = await Life.begin(life.directory);
    expect(again.agent.runtime.isOpen(runId)).toBe(true);
    await again.end();
  });
});
