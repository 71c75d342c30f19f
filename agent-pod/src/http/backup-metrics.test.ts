import { Registry } from 'prom-client';
import { describe, expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { addBackupMetrics, type BackupSource } from './backup-metrics.ts';

describe('the metrics of the backup', () => {
  verifies(
    'backup:not-in-the-way',
    'show age, interval and lag of each copy, and the failures of all time',
    async () => {
      let source: BackupSource | undefined;
      const registry = new Registry();
      addBackupMetrics(registry, () => source);
      const figures = async (): Promise<readonly string[]> =>
        (await registry.metrics()).split('\n').filter((line) => line.startsWith('retainer'));
      expect(await figures()).toEqual(['retainer_agent_backup_failures_total 0']);
      const copy = { ageMs: 61_000, intervalMs: 300_000, lagMs: 0, trouble: undefined } as const;
      source = { commit: copy, push: undefined, failures: 2 };
      expect(await figures()).toEqual([
        'retainer_agent_backup_age_seconds 61',
        'retainer_agent_backup_interval_seconds 300',
        'retainer_agent_backup_lag_seconds 0',
        'retainer_agent_backup_failures_total 2',
      ]);
      const push = { ageMs: 9_000_000, intervalMs: 900_000, lagMs: 8_000_000, trouble: 'Late' } as const;
      source = { commit: { ...copy, lagMs: 1_500 }, push, failures: 2 };
      expect(await figures()).toEqual([
        'retainer_agent_backup_age_seconds 61',
        'retainer_agent_backup_push_age_seconds 9000',
        'retainer_agent_backup_interval_seconds 300',
        'retainer_agent_backup_push_interval_seconds 900',
        'retainer_agent_backup_lag_seconds 1.5',
        'retainer_agent_backup_push_lag_seconds 8000',
        'retainer_agent_backup_diverged 0',
        'retainer_agent_backup_failures_total 2',
      ]);
      source = { ...source, push: { ...push, trouble: 'Diverged' } };
      expect(await figures()).toContain('retainer_agent_backup_diverged 1');
    },
  );
});
