/** What an agent's own record and state say of its second copy: a real agent, a clock that is moved, a lock that is in the way. */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Agent } from '@retainer/contract/api/agent';
import { shownCommit } from '@retainer/contract/std/shown-commit';
import { utcMinute } from '@retainer/contract/std/utc-date';
import { programVersion } from '@retainer/agent-pod/boot/program-version';
import { costOf } from '@retainer/agent-pod/infer/price';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import { stateLooks } from '@retainer/agent-pod/review/state-records';
import type { JournalRecord } from '@retainer/journal/journal';
import { openJournal } from '@retainer/journal/open-journal';
import { agentStores } from '@retainer/agent-pod/loop/stores';
import type { AgentDefinition } from '@retainer/mind/run/admit/run-spec';
import { RESTORED_TOLD_MS, type backupKinds } from '@retainer/mind/parts/backup/second-copy';
import { gitSays } from '../support/backups.ts';
import { agentDefinition, scripted } from '../support/agents.ts';
import { manualClock } from '../support/manual-clock.ts';
import { initRemote, startGitServer } from '../support/git-server.ts';
import { openedAgent } from '../support/opened-agent.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const MINUTE_MS = 60_000;
const script = `
version: 1
rules:
  - name: done
    when: {role: executor}
    answer: {text: done}
`;

const credentials = { kind: 'Password', username: 'ada', password: 'not-told' } as const;
type Remote = NonNullable<Agent['spec']['memory']['gitRemote']>;

const directory = temporaryDirectory();
const lock = join(directory.path, 'git/refs/heads/main.lock');
const clock = manualClock();
const records: JournalRecord[] = [];
const notices: string[] = [];
let agent: OpenedAgent;

beforeAll(async () => {
  agent = await opened();
});
afterAll(async () => {
  await agent.close();
  await directory.remove();
});

async function opened(path = directory.path, gitRemote?: Remote): Promise<OpenedAgent> {
  return openedAgent({
    definition: gitRemote === undefined ? agentDefinition() : withRemote(gitRemote),
    dataDirectory: path,
    model: await scripted(script, clock),
    clock,
    backup: { closingMs: MINUTE_MS, credentials: () => Promise.resolve(credentials) },
    onRecord: (record) => void records.push(record),
    onNotice: (notice) => void notices.push(notice),
  });
}

/** A manifest takes no address without encryption; the server of this test has no other. */
function withRemote(gitRemote: Remote): AgentDefinition {
  const definition = agentDefinition();
  const { agent } = definition;
  const memory = { ...agent.spec.memory, gitRemote };
  return { ...definition, agent: { ...agent, spec: { ...agent.spec, memory } } };
}

/** Resolves as soon as there are so many records of copies. What was noticed tells why there are not. */
async function untilRecorded(count: number): Promise<void> {
  const isOver = (): boolean => copyRecords().length >= count;
  await expect.poll(() => (isOver() ? [] : [copyRecords(), notices])).toEqual([]);
}

const copyRecords = (): readonly (readonly [string, unknown])[] =>
  records.filter(({ kind }) => kind.startsWith('Backup')).map(({ kind, payload }) => [kind, payload] as const);

async function toldBackup(): Promise<string | undefined> {
  const state = await stateLooks(directory.path, { version: programVersion(), costOf }, clock)();
  if (!state.ok) throw new Error(state.error);
  return /<backup .*\/>/.exec(state.value.told)?.[0];
}

const remember = (value: string): Promise<boolean> =>
  agent.runtime.accept(value, 'test', { type: 'Remember', key: 'garden', value, by: 'ann', reason: 'seen' });

describe('the record of an agent', () => {
  verifies('backup:in-record', 'says that a copy is late and current again, each once, over a restart', async () => {
    clock.advance(10_000);
    await expect.poll(() => agent.backup()?.commit.changedMs).toBe(clock.nowMs());
    expect(await toldBackup()).toBeUndefined();
    writeFileSync(lock, '');
    const sinceMs = clock.nowMs();
    await remember('dry');
    clock.advance(16 * MINUTE_MS);
    await untilRecorded(1);
    expect(copyRecords()).toEqual([['BackupLate', { copy: 'Commit', why: 'Late', sinceMs }]]);
    expect(await toldBackup()).toBe('<backup commit="late" unsaved_since="2030-01-01 00:00 UTC"/>');
    // It fails on, and is told no more.
    const { failures = 0 } = agent.backup() ?? {};
    clock.advance(5 * MINUTE_MS);
    await expect.poll(() => agent.backup()?.failures).toBe(failures + 1);
    await agent.close();
    agent = await opened();
    expect(agent.backup()?.commit).toMatchObject({ trouble: 'Late', unsavedSinceMs: sinceMs });
    expect(copyRecords()).toHaveLength(1);

    rmSync(lock);
    clock.advance(10_000);
    await untilRecorded(2);
    const lateMs = clock.nowMs() - sinceMs;
    expect(copyRecords().slice(1)).toEqual([['BackupCaughtUp', { copy: 'Commit', lateMs }]]);
    expect(agent.backup()?.commit).toMatchObject({ trouble: undefined });
    expect(await toldBackup()).toBeUndefined();
    // Its record is committed, too, and that makes no other.
    clock.advance(5 * MINUTE_MS);
    await expect.poll(() => agent.backup()?.commit.changedMs).toBe(clock.nowMs());
    const rest = records.length;
    clock.advance(60 * MINUTE_MS);
    await expect.poll(() => agent.backup()?.commit.lastMs).toBe(clock.nowMs());
    expect(records).toHaveLength(rest);
  });

  verifies('backup:in-record', 'says nothing while all work stands still, and says it then', async () => {
    const { length } = copyRecords();
    writeFileSync(lock, '');
    await remember('wet');
    agent.pause.begin('LeaseLost');
    await agent.runtime.stop();
    const { failures = 0 } = agent.backup() ?? {};
    for (const passes of [1, 2]) {
      clock.advance(16 * MINUTE_MS);
      await expect.poll(() => agent.backup()?.failures).toBe(failures + passes);
    }
    expect(agent.backup()?.commit.trouble).toBe('Late');
    expect(copyRecords()).toHaveLength(length);
    agent.pause.end('LeaseLost');
    await expect.poll(() => agent.runtime.isReady).toBe(true);
    clock.advance(5 * MINUTE_MS);
    await untilRecorded(length + 1);
    rmSync(lock);
    clock.advance(5 * MINUTE_MS);
    await untilRecorded(length + 2);
    expect(
      copyRecords()
        .slice(length)
        .map(([kind]) => kind),
    ).toEqual(['BackupLate', 'BackupCaughtUp']);
  });

  verifies('backup:in-state', 'says for seven days from which commit it was restored', async () => {
    await agent.close();
    const from = gitSays(directory.path, 'rev-parse', 'main').trim();
    const restoredMs = clock.nowMs();
    await restored({
      from,
      at: restoredMs - 60 * MINUTE_MS,
      lastOrder: records.at(-1)?.order ?? 0,
      heads: [],
      by: 'ann',
    });
    agent = await opened();
    expect(await toldBackup()).toBe(
      `<backup restored="${utcMinute(restoredMs)}" from_commit="${shownCommit(from)}" as_of="${utcMinute(restoredMs - 60 * MINUTE_MS)}"/>`,
    );
    clock.advance(RESTORED_TOLD_MS);
    expect(await toldBackup()).toContain('restored=');
    clock.advance(1);
    expect(await toldBackup()).toBeUndefined();
  });
});

describe('the record of an individual that lives twice', () => {
  verifies(
    'backup:diverged',
    'says that another history is at the remote, until its own branch has its own',
    async () => {
      const remotes = temporaryDirectory();
      const bare = join(remotes.path, 'lives.git');
      initRemote(bare);
      const server = await startGitServer(remotes.path, credentials.username, credentials.password);
      const remote = { url: `${server.url}/lives.git`, branch: 'main', pushInterval: '15m' };
      const [one, two] = [join(remotes.path, 'one'), join(remotes.path, 'two')];
      await (await opened(one, remote)).close();
      cpSync(one, two, { recursive: true });
      await (await opened(two, remote)).close();
      records.length = 0;

      const life = await opened(one, remote);
      const sinceMs = records[0]?.timeMs;
      clock.advance(10_000);
      await untilRecorded(1);
      expect(copyRecords()).toEqual([['BackupLate', { copy: 'Push', why: 'Diverged', sinceMs }]]);
      await life.close();
      const own = await opened(one, { ...remote, branch: 'first' });
      expect(own.backup()?.push).toMatchObject({ trouble: 'Diverged', unsavedSinceMs: sinceMs });
      clock.advance(10_000);
      await untilRecorded(2);
      expect(copyRecords()[1]).toEqual(['BackupCaughtUp', { copy: 'Push', lateMs: 20_000 }]);
      expect(own.backup()?.push).toMatchObject({ trouble: undefined });
      await own.close();
      await server.close();
      await remotes.remove();
    },
  );
});

/** As the program does that restores a directory. */
async function restored(payload: z.infer<typeof backupKinds.Restored>): Promise<void> {
  const journal = await openJournal({
    ...{ directory: join(directory.path, 'journal'), stores: agentStores, agentUid: 'default/ada', clock },
  });
  await journal.append([{ store: 'agent', kind: 'Restored', principal: 'human:ann', payload }]);
  await journal.close();
}
