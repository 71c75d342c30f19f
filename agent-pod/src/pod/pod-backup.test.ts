import { BackupNote } from '@retainer/contract/api/backup-note';
import { describe, expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { backupNote } from './pod-backup.ts';

const MOMENT_MS = Date.UTC(2030, 0, 1);
const MOMENT = '2030-01-01T00:00:00.000Z';
const LATER = '2030-01-01T00:00:01.000Z';

type Copy = Parameters<typeof backupNote>[0]['commit'];

const copy = (more: Partial<Copy> = {}): Copy => ({
  ...{ ageMs: 0, intervalMs: 1000, lastMs: MOMENT_MS + 9000, changedMs: MOMENT_MS },
  ...{ unsavedSinceMs: MOMENT_MS + 1000, lagMs: 0, trouble: undefined },
  ...more,
});
const never = { lastMs: undefined, changedMs: undefined };

describe('the note on the Lease', () => {
  const rows: readonly (readonly [string, Copy, Copy | undefined, object | undefined])[] = [
    ['nothing before the first commit', copy(never), copy(never), undefined],
    ['the last commit that changed something', copy(), undefined, { lastAt: MOMENT }],
    ['commit and push', copy(), copy(), { lastAt: MOMENT, pushedAt: MOMENT }],
    [
      'a commit that never succeeds',
      copy({ ...never, trouble: 'Late' }),
      undefined,
      { unsavedSince: LATER, trouble: 'CommitLate' },
    ],
    [
      'the commit before the push that waits for it',
      copy({ trouble: 'Late' }),
      copy({ trouble: 'Late' }),
      { lastAt: MOMENT, pushedAt: MOMENT, unsavedSince: LATER, unpushedSince: LATER, trouble: 'CommitLate' },
    ],
    [
      'a push that is late',
      copy(),
      copy({ trouble: 'Late' }),
      { lastAt: MOMENT, pushedAt: MOMENT, unpushedSince: LATER, trouble: 'PushLate' },
    ],
    [
      'a remote that went elsewhere',
      copy(),
      copy({ ...never, trouble: 'Diverged' }),
      { lastAt: MOMENT, unpushedSince: LATER, trouble: 'RemoteDiverged' },
    ],
  ];
  for (const [what, commit, push, note] of rows)
    verifies('backup:on-lease', `tells ${what}`, () => {
      const told = backupNote({ commit, push, failures: 0 });
      expect(told).toEqual(note);
      if (told !== undefined) expect(BackupNote.parse(JSON.parse(JSON.stringify(told)))).toEqual(note);
    });
});
