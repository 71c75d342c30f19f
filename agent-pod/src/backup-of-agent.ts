/** The second copy of an agent's data directory: made beside its work, and known to its record. */
import type { Agent } from '@retainer/contract/api/agent';
import { copyChanges, type Copy, type LateCopy } from '@retainer/mind/parts/backup/second-copy';
import { secretFinder, type SecretValue } from './infer/secrets.ts';
import type { AgentRuntime } from './loop/agent-runtime.ts';
import {
  BackupWatch,
  type BackupFigures,
  type BackupSettings,
  type BackupWatchOptions,
} from './upkeep/backup-watch.ts';

interface BackedUp extends Pick<BackupWatchOptions, 'dataDirectory' | 'clock' | 'onNotice'> {
  readonly definition: { readonly agent: Agent };
  readonly secrets: readonly SecretValue[];
  readonly backup?: BackupSettings;
}

/** @returns undefined if no second copy is made */
export function backupOf({ backup, definition, secrets, ...more }: BackedUp): BackupWatch | undefined {
  if (backup === undefined) return undefined;
  const { memory } = definition.agent.spec;
  const { dataDirectory, clock, onNotice } = more;
  return new BackupWatch({ ...backup, dataDirectory, memory, holdsSecret: secretFinder(secrets), clock, onNotice });
}

/** To be called once, when the runtime has folded the record: from then on the record says when a copy is late. */
export function recordCopies(
  backup: BackupWatch,
  runtime: Pick<AgentRuntime, 'parts' | 'isReady'>,
  clock: BackupWatchOptions['clock'],
): void {
  const { parts } = runtime;
  const { late } = parts.known().secondCopy;
  backup.takeUp({
    known: { commit: late.get('Commit'), push: late.get('Push') },
    write: async (figures) => {
      // While all work stands still, another process may hold the record.
      if (!runtime.isReady) return;
      const nowMs = clock.nowMs();
      await parts.write(copyChanges(parts.known().secondCopy, lateCopies(figures, nowMs), nowMs));
    },
  });
}

function lateCopies({ commit, push }: BackupFigures, nowMs: number): Readonly<Partial<Record<Copy, LateCopy>>> {
  const copies = [
    ['Commit', commit],
    ['Push', push],
  ] as const;
  return Object.fromEntries(
    copies.flatMap(([copy, figures]) =>
      figures?.trouble === undefined
        ? []
        : [[copy, { why: figures.trouble, sinceMs: figures.unsavedSinceMs ?? nowMs }]],
    ),
  );
}
