/** How an agent on a cluster makes its second copy, and how it tells the operator of it. */
import type { AgentMemory } from '@retainer/contract/api/agent-memory';
import type { BackupNote, BackupTrouble } from '@retainer/contract/api/backup-note';
import { readGitAuthorities } from '../boot/read-git-authorities.ts';
import { readGitCredentials } from '../boot/read-git-credentials.ts';
import type { PodConfig } from '../config.ts';
import type { BackupFigures, BackupSettings } from '../upkeep/backup-watch.ts';

/** A part of the time for closing; the next start makes up for a commit that takes longer. */
const CLOSING_COMMIT_MS = 2_000;

export function podBackup(
  { proxies, mounts }: Pick<PodConfig, 'proxies' | 'mounts'>,
  memory: AgentMemory,
): BackupSettings {
  return {
    closingMs: CLOSING_COMMIT_MS,
    credentials: () => readGitCredentials(mounts.secrets, memory),
    authorities: () => readGitAuthorities(mounts.gitAuthorities, memory),
    proxies,
  };
}

/**
 * The note on the agent's Lease. It is written with each renewal, so it says nothing that changes by itself.
 *
 * @returns undefined while there is nothing to say: an earlier note stands until then
 */
export function backupNote({ commit, push }: BackupFigures): BackupNote | undefined {
  const trouble = troubleOf({ commit, push });
  if (commit.changedMs === undefined && trouble === undefined) return undefined;
  const moments = {
    lastAt: commit.changedMs,
    pushedAt: push?.changedMs,
    unsavedSince: commit.trouble === undefined ? undefined : commit.unsavedSinceMs,
    unpushedSince: push?.trouble === undefined ? undefined : push.unsavedSinceMs,
  };
  const told = Object.entries(moments).flatMap(([name, ms]) =>
    ms === undefined ? [] : [[name, new Date(ms).toISOString()]],
  );
  return { ...Object.fromEntries(told), ...(trouble === undefined ? {} : { trouble }) };
}

function troubleOf({ commit, push }: Pick<BackupFigures, 'commit' | 'push'>): BackupTrouble | undefined {
  if (commit.trouble !== undefined) return 'CommitLate';
  if (push?.trouble === 'Diverged') return 'RemoteDiverged';
  return push?.trouble === 'Late' ? 'PushLate' : undefined;
}
