/** How an agent on a cluster makes its second copy. */
import type { AgentMemory } from '@retainer/contract/api/agent-memory';
import { readGitCredentials } from '../boot/read-git-credentials.ts';
import type { PodConfig } from '../config.ts';
import type { BackupSettings } from '../upkeep/backup-watch.ts';

/** A part of the time for closing; the next start makes up for a commit that takes longer. */
const CLOSING_COMMIT_MS = 2_000;

export function podBackup(
  { proxies, mounts }: Pick<PodConfig, 'proxies' | 'mounts'>,
  memory: AgentMemory,
): BackupSettings {
  return {
    closingMs: CLOSING_COMMIT_MS,
    credentials: () => readGitCredentials(mounts.secrets, memory),
    proxies,
  };
}
