import { describe, expect } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import type { Recorded } from '../../part/projection.ts';
import { backupPart } from './part.ts';
import { copyChanges, secondCopy, type SecondCopy } from './second-copy.ts';

const late = { why: 'Late', sinceMs: 1000 } as const;
const diverged = { why: 'Diverged', sinceMs: 2000 } as const;
const restored = {
  from: 'c0ffee'.repeat(7).slice(0, 40),
  at: Date.UTC(2030, 0, 1),
  lastOrder: 7,
  heads: [],
  by: 'ann',
};

function record(kind: string, payload: Recorded['payload']): Recorded {
  return { store: 'agent', kind, seq: 0, timeMs: 5000, payload };
}

function folded(...records: readonly Recorded[]): SecondCopy {
  const state = secondCopy.start();
  for (const it of records) secondCopy.take(state, it);
  return state;
}

describe('the second copy, as the record has it', () => {
  const commitLate = record('BackupLate', { copy: 'Commit', ...late });
  const pushDiverged = record('BackupLate', { copy: 'Push', ...diverged });

  verifies('backup:in-state', 'is what was recorded last of each copy', () => {
    expect([...folded(commitLate, pushDiverged).late]).toEqual([
      ['Commit', late],
      ['Push', diverged],
    ]);
    const after = folded(commitLate, pushDiverged, record('BackupCaughtUp', { copy: 'Commit', lateMs: 10 }));
    expect([...after.late]).toEqual([['Push', diverged]]);
  });

  verifies('backup:in-state', 'is of the directory that was restored, after a restoring', () => {
    const { late: still, restoring } = folded(commitLate, record('Restored', restored));
    expect([...still]).toEqual([]);
    expect(restoring).toEqual({ from: restored.from, asOfMs: restored.at, restoredMs: 5000 });
  });

  verifies('backup:in-state', 'is the same from a cache', () => {
    for (const state of [folded(), folded(record('Restored', restored), commitLate, pushDiverged)]) {
      const kept = secondCopy.keep(state);
      const again = secondCopy.start();
      expect(kept !== undefined && secondCopy.restore(again, JSON.parse(JSON.stringify(kept)))).toBe(true);
      expect(again).toEqual(state);
    }
  });

  verifies('backup:in-record', 'lacks each change once', () => {
    const known = folded(commitLate);
    expect(copyChanges(known, { Commit: { ...late, sinceMs: 900 } }, 9000)).toEqual([]);
    expect(copyChanges(known, { Commit: late, Push: diverged }, 9000)).toEqual([
      { store: 'agent', kind: 'BackupLate', payload: { copy: 'Push', ...diverged } },
    ]);
    expect(copyChanges(folded(record('BackupLate', { copy: 'Push', ...late })), { Push: diverged }, 9000)).toEqual([
      { store: 'agent', kind: 'BackupLate', payload: { copy: 'Push', ...diverged } },
    ]);
    expect(copyChanges(known, {}, 9000)).toEqual([
      { store: 'agent', kind: 'BackupCaughtUp', payload: { copy: 'Commit', lateMs: 8000 } },
    ]);
    expect(copyChanges(folded(), {}, 9000)).toEqual([]);
  });

  verifies('backup:in-record', 'tells a restoring to people and to the agent', () => {
    expect(backupPart.tell?.['Restored']?.(restored, (id) => id).text).toBe(
      'restored from commit c0ffeec0ffee as of 2030-01-01 00:00:00 UTC by ann; what came after it is not in this record',
    );
    expect(backupPart.events?.['Restored']?.(restored)).toEqual({
      name: 'restored',
      title: 'from commit c0ffeec0ffee as of 2030-01-01 00:00:00 UTC',
    });
  });
});
