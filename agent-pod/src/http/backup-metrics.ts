/** Metrics of the second copy: how old it is, here and at the remote, and how often it failed. */
import { Counter, Gauge, type Registry } from 'prom-client';

export interface BackupSource {
  /** Milliseconds since the last success; since the start while there was none. */
  readonly commitAgeMs: number;
  /** Undefined without a remote. */
  readonly pushAgeMs: number | undefined;
  readonly failures: number;
}

/** @param read  undefined while the agent starts: no age is shown then */
export function addBackupMetrics(registry: Registry, read: () => BackupSource | undefined): void {
  const ages = [
    ['retainer_agent_backup_age_seconds', 'Time since the data directory was committed to git.', 'commitAgeMs'],
    ['retainer_agent_backup_push_age_seconds', 'Time since the commits were pushed.', 'pushAgeMs'],
  ] as const;
  for (const [name, help, age] of ages)
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const ms = read()?.[age];
        this.reset();
        if (ms === undefined) this.remove();
        else this.set(ms / 1000);
      },
    });
  let counted = 0;
  new Counter({
    name: 'retainer_agent_backup_failures_total',
    help: 'Commits and pushes that failed.',
    registers: [registry],
    collect() {
      const failures = read()?.failures ?? counted;
      this.inc(Math.max(0, failures - counted));
      counted = Math.max(counted, failures);
    },
  });
}
