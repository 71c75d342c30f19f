import { Registry } from 'prom-client';
import { describe, expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { addBackupMetrics, type BackupSource } from './backup-metrics.ts';

describe('the metrics of the backup', () => {
  verifies('backup:not-in-the-way', 'show its age, and the failures of all time', async () => {
    let source: BackupSource | undefined;
    const registry = new Registry();
    addBackupMetrics(registry, () => source);
    const figures = async (): Promise<readonly string[]> =>
      (await registry.metrics()).split('\n').filter((line) => line.startsWith('retainer'));
    expect(await figures()).toEqual(['retainer_agent_backup_failures_total 0']);
    source = { commitAgeMs: 61_000, pushAgeMs: undefined, failures: 2 };
    expect(await figures()).toEqual(['retainer_agent_backup_age_seconds 61', 'retainer_agent_backup_failures_total 2']);
    source = { commitAgeMs: 1_000, pushAgeMs: 9_000, failures: 2 };
    expect(await figures()).toEqual([
      'retainer_agent_backup_age_seconds 1',
      'retainer_agent_backup_push_age_seconds 9',
      'retainer_agent_backup_failures_total 2',
    ]);
  });
});
