import { describe, expect } from 'vitest';
import { LATE_INTERVALS } from '@retainer/contract/api/backup-note';
import { verifies } from '../../../test/verifies.ts';
import { isCopyLate, nextBackupMs } from './backup-schedule.ts';

const INTERVAL_MS = 300_000;
const start = { startedMs: 1000, lastTryMs: undefined, failures: 0, runEndedMs: undefined };

describe('nextBackupMs', () => {
  const rows = [
    { name: 'soon after the start', times: start, dueMs: 11_000 },
    { name: 'after the interval', times: { ...start, lastTryMs: 20_000 }, dueMs: 320_000 },
    { name: 'a second after a run ended', times: { ...start, lastTryMs: 20_000, runEndedMs: 60_000 }, dueMs: 61_000 },
    { name: 'not twice within 5 s', times: { ...start, lastTryMs: 60_000, runEndedMs: 60_100 }, dueMs: 65_000 },
    { name: 'no later for a run', times: { ...start, lastTryMs: 20_000, runEndedMs: 319_900 }, dueMs: 320_000 },
    { name: '5 s after a failure', times: { ...start, lastTryMs: 20_000, failures: 1 }, dueMs: 25_000 },
    { name: '20 s after the third', times: { ...start, lastTryMs: 20_000, failures: 3 }, dueMs: 40_000 },
    { name: '5 min after many', times: { ...start, lastTryMs: 20_000, failures: 30 }, dueMs: 320_000 },
    {
      name: 'no sooner for a run where it fails',
      times: { ...start, lastTryMs: 20_000, failures: 5, runEndedMs: 21_000 },
      dueMs: 100_000,
    },
  ];
  for (const { name, times, dueMs } of rows)
    verifies('backup:in-time', name, () => {
      expect(nextBackupMs(times, INTERVAL_MS)).toBe(dueMs);
    });
});

describe('isCopyLate', () => {
  const sinceMs = 1_000;
  const lateMs = sinceMs + LATE_INTERVALS * INTERVAL_MS;
  verifies('backup:lag', 'is late after three intervals, and not with them', () => {
    expect(isCopyLate(sinceMs, INTERVAL_MS, lateMs)).toBe(false);
    expect(isCopyLate(sinceMs, INTERVAL_MS, lateMs + 1)).toBe(true);
  });

  verifies('backup:lag', 'is never late where every record is saved', () => {
    expect(isCopyLate(undefined, INTERVAL_MS, 1e15)).toBe(false);
  });
});
