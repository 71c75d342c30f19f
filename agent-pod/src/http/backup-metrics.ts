/** Metrics of the second copy, here and at the remote: how old it is, since when a record is not in it, and how often it failed. */
import { Counter, Gauge, type Registry } from 'prom-client';

interface CopySource {
  /** Milliseconds since the last success; since the start while there was none. */
  readonly ageMs: number;
  readonly intervalMs: number;
  /** Milliseconds since the oldest record came that is not in the copy; 0: all are. */
  readonly lagMs: number;
  readonly trouble: 'Late' | 'Diverged' | undefined;
}

export interface BackupSource {
  readonly commit: CopySource;
  /** Undefined without a remote. */
  readonly push: CopySource | undefined;
  readonly failures: number;
}

type Figure = readonly [name: string, help: string, of: (source: BackupSource) => number | undefined];

/** In seconds from milliseconds; undefined: not shown. */
const seconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000);

const figures: readonly Figure[] = [
  ['age_seconds', 'Time since the data directory was committed to git.', ({ commit }) => seconds(commit.ageMs)],
  ['push_age_seconds', 'Time since the commits were pushed.', ({ push }) => seconds(push?.ageMs)],
  ['interval_seconds', 'Interval between commits.', ({ commit }) => seconds(commit.intervalMs)],
  [
    'push_interval_seconds',
    'Interval between pushes, or that between commits if it is longer.',
    ({ push }) => seconds(push?.intervalMs),
  ],
  [
    'lag_seconds',
    'Time since the oldest record came that is in no commit; 0 if all are.',
    ({ commit }) => seconds(commit.lagMs),
  ],
  [
    'push_lag_seconds',
    'Time since the oldest record came that is not at the remote; 0 if all are.',
    ({ push }) => seconds(push?.lagMs),
  ],
  [
    'diverged',
    'Whether the branch of the remote has another history, so that nothing more is pushed.',
    ({ push }) => (push === undefined ? undefined : push.trouble === 'Diverged' ? 1 : 0),
  ],
];

/** @param read  undefined while the agent starts: only failures are shown then */
export function addBackupMetrics(registry: Registry, read: () => BackupSource | undefined): void {
  for (const [name, help, of] of figures)
    new Gauge({
      name: `retainer_agent_backup_${name}`,
      help,
      registers: [registry],
      collect() {
        const source = read();
        const figure = source === undefined ? undefined : of(source);
        this.reset();
        if (figure === undefined) this.remove();
        else this.set(figure);
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
