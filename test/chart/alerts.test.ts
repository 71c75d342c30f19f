/**
 * The alerts, on a real Prometheus' own rule engine: each fires on figures that deserve it and stays silent on others. Needs
 * promtool, which Debian's package `prometheus` holds.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { repositoryFiles, repositoryRoot } from '../support/repository-files.ts';
import { verifies } from '../verifies.ts';

const RULES = join(repositoryRoot, 'charts/retainer/files/alerts.yaml');
const operator = 'job="retainer-operator-metrics", instance="a"';
const agent = 'agent="ada", agent_namespace="team"';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

const rules = (parse(readFileSync(RULES, 'utf8')) as { groups: readonly { rules: readonly Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);

/** Series as promtool writes them, one sample a minute; `fires` and `silent` are judged after two hours. */
interface Case {
  readonly alert: string;
  readonly fires: Readonly<Record<string, string>>;
  readonly silent: Readonly<Record<string, string>>;
}

const constant = (value: number) => `${value}x2000`;
const rising = (start: number, step: number) => `${start}+${step}x2000`;
const oneMoreEvery = (minutes: number) =>
  Array.from({ length: 100 }, (_, count) => `${count}x${minutes - 1}`).join(' ');
const budget = (name: string, used: number, limit: number) => ({
  [`retainer_agent_budget_used{${agent}, budget="${name}"}`]: constant(used),
  [`retainer_agent_budget_limit{${agent}, budget="${name}"}`]: constant(limit),
});
const ready = { [`retainer_agent_ready{${agent}}`]: constant(1) };
const lastLook = `retainer_auditor_last_look_timestamp_seconds{${agent}}`;
const leading = { [`leader_election_master_status{${operator}}`]: constant(1) };

/** Seconds that a copy lags behind, and its interval. */
const copy = (lag: string, lagSeconds: number, intervalSeconds: number) => ({
  [`retainer_agent_${lag}{${agent}}`]: constant(lagSeconds),
  [`retainer_agent_${lag.replace('lag', 'interval')}{${agent}}`]: constant(intervalSeconds),
});

const cases: readonly Case[] = [
  {
    alert: 'RetainerOperatorDown',
    fires: { [`up{${operator}}`]: constant(0) },
    silent: { [`up{${operator}}`]: constant(1) },
  },
  {
    alert: 'RetainerNoLeader',
    fires: { [`leader_election_master_status{${operator}}`]: constant(0) },
    silent: leading,
  },
  {
    alert: 'RetainerLeaderFlapping',
    fires: { [`leader_election_master_status{${operator}}`]: '0 1 '.repeat(100) },
    silent: leading,
  },
  {
    alert: 'RetainerReconcileErrors',
    fires: { [`controller_runtime_reconcile_errors_total{${operator}, controller="agent"}`]: rising(0, 6) },
    silent: { [`controller_runtime_reconcile_errors_total{${operator}, controller="agent"}`]: rising(0, 1) },
  },
  {
    alert: 'RetainerQueueDeep',
    fires: { [`workqueue_depth{${operator}, controller="task", priority="0"}`]: constant(200) },
    silent: { [`workqueue_depth{${operator}, controller="task", priority="0"}`]: constant(5) },
  },
  {
    alert: 'RetainerWorkerStuck',
    fires: { [`workqueue_longest_running_processor_seconds{${operator}, controller="task"}`]: rising(0, 60) },
    silent: { [`workqueue_longest_running_processor_seconds{${operator}, controller="task"}`]: constant(2) },
  },
  {
    alert: 'RetainerApiThrottled',
    fires: {
      [`rest_client_requests_total{${operator}, code="200"}`]: rising(0, 90),
      [`rest_client_requests_total{${operator}, code="429"}`]: rising(0, 10),
    },
    silent: {
      [`rest_client_requests_total{${operator}, code="200"}`]: rising(0, 99),
      [`rest_client_requests_total{${operator}, code="429"}`]: rising(0, 1),
    },
  },
  {
    alert: 'RetainerWatchStale',
    fires: { [`retainer_watch_last_event_age_seconds{${operator}, watch="tasks"}`]: rising(0, 60) },
    silent: { [`retainer_watch_last_event_age_seconds{${operator}, watch="tasks"}`]: constant(60) },
  },
  {
    alert: 'RetainerCertificateErrors',
    fires: { [`certwatcher_read_certificate_errors_total{${operator}}`]: rising(0, 1) },
    silent: { [`certwatcher_read_certificate_errors_total{${operator}}`]: constant(3) },
  },
  {
    alert: 'RetainerRolloutHalted',
    fires: { [`retainer_rollout_halted{${operator}}`]: constant(1) },
    silent: { [`retainer_rollout_halted{${operator}}`]: constant(0) },
  },
  {
    alert: 'RetainerAgentNotReady',
    fires: {
      [`retainer_agent_condition{${operator}, ${agent}, condition="Ready", reason="PodCrashing"}`]: constant(0),
    },
    silent: {
      [`retainer_agent_condition{${operator}, ${agent}, condition="Ready", reason="AgentReady"}`]: constant(1),
      [`retainer_agent_condition{${operator}, agent="bob", condition="Ready", reason="Suspended"}`]: constant(0),
    },
  },
  {
    alert: 'RetainerAgentCrashLoop',
    fires: {
      [`retainer_agent_condition{${operator}, ${agent}, condition="Ready", reason="PodCrashing"}`]: constant(0),
      [`retainer_agent_condition{${operator}, ${agent}, condition="PodReady", reason="PodCrashing"}`]: constant(0),
    },
    silent: {
      [`retainer_agent_condition{${operator}, ${agent}, condition="Ready", reason="AgentReady"}`]: constant(1),
      [`retainer_agent_container_restarts{${operator}, ${agent}}`]: constant(5),
    },
  },
  {
    // More than three restarts in half an hour, whatever the conditions say: a damaged record is no PodCrashing.
    alert: 'RetainerAgentCrashLoop',
    fires: {
      [`retainer_agent_condition{${operator}, ${agent}, condition="Ready", reason="AgentReady"}`]: constant(1),
      [`retainer_agent_container_restarts{${operator}, ${agent}}`]: oneMoreEvery(7),
    },
    silent: {
      [`retainer_agent_condition{${operator}, ${agent}, condition="Ready", reason="JournalCorrupt"}`]: constant(0),
      [`retainer_agent_condition{${operator}, ${agent}, condition="PodReady", reason="JournalCorrupt"}`]: constant(0),
      [`retainer_agent_container_restarts{${operator}, ${agent}}`]: oneMoreEvery(10),
    },
  },
  {
    alert: 'RetainerLeaseLost',
    fires: { [`retainer_agent_lease_held{${agent}}`]: constant(0) },
    silent: { [`retainer_agent_lease_held{${agent}}`]: constant(1) },
  },
  {
    alert: 'RetainerVolumeFilling',
    fires: {
      [`retainer_agent_volume_used_bytes{${agent}}`]: constant(85),
      [`retainer_agent_volume_size_bytes{${agent}}`]: constant(100),
    },
    silent: {
      [`retainer_agent_volume_used_bytes{${agent}}`]: constant(70),
      [`retainer_agent_volume_size_bytes{${agent}}`]: constant(100),
    },
  },
  {
    alert: 'RetainerVolumeFullSoon',
    fires: {
      [`retainer_agent_volume_used_bytes{${agent}}`]: rising(60, 0.05),
      [`retainer_agent_volume_size_bytes{${agent}}`]: constant(100),
    },
    silent: {
      [`retainer_agent_volume_used_bytes{${agent}}`]: rising(60, 0.001),
      [`retainer_agent_volume_size_bytes{${agent}}`]: constant(100),
    },
  },
  {
    alert: 'RetainerJournalFailing',
    fires: { [`retainer_agent_journal_writable{${agent}}`]: constant(0) },
    silent: {
      [`retainer_agent_journal_writable{${agent}}`]: constant(1),
      [`retainer_agent_journal_append_failures_total{${agent}}`]: constant(4),
    },
  },
  {
    alert: 'RetainerBackupStale',
    fires: copy('backup_lag_seconds', 901, 300),
    silent: copy('backup_lag_seconds', 900, 300),
  },
  {
    // A diverged remote has an alert of its own.
    alert: 'RetainerBackupStale',
    fires: { ...copy('backup_push_lag_seconds', 2701, 900), [`retainer_agent_backup_diverged{${agent}}`]: constant(0) },
    silent: {
      ...copy('backup_push_lag_seconds', 2701, 900),
      [`retainer_agent_backup_diverged{${agent}}`]: constant(1),
    },
  },
  {
    alert: 'RetainerBackupDiverged',
    fires: { [`retainer_agent_backup_diverged{${agent}}`]: constant(1) },
    silent: { [`retainer_agent_backup_diverged{${agent}}`]: constant(0) },
  },
  {
    alert: 'RetainerEffectsLost',
    fires: { [`retainer_agent_effects_lost_total{${agent}}`]: rising(0, 1) },
    silent: { [`retainer_agent_effects_lost_total{${agent}}`]: constant(2) },
  },
  {
    alert: 'RetainerRefusalsUnusual',
    fires: { [`retainer_agent_gate_verdicts_total{${agent}, verdict="Reject"}`]: `0x1430 ${rising(0, 6)}` },
    silent: { [`retainer_agent_gate_verdicts_total{${agent}, verdict="Reject"}`]: rising(0, 6) },
  },
  {
    // On its first day there is no yesterday.
    alert: 'RetainerRefusalsUnusual',
    fires: { [`retainer_agent_gate_verdicts_total{${agent}, verdict="Reject"}`]: `_x1430 ${rising(0, 6)}` },
    silent: { [`retainer_agent_gate_verdicts_total{${agent}, verdict="Reject"}`]: `_x1430 ${rising(0, 1)}` },
  },
  {
    alert: 'RetainerApprovalsWaiting',
    fires: { [`retainer_agent_pending_approvals{${agent}}`]: constant(1) },
    silent: { [`retainer_agent_pending_approvals{${agent}}`]: constant(0) },
  },
  {
    alert: 'RetainerGatesEscalated',
    fires: { [`retainer_agent_gate_interventions_total{${agent}, intervention="Escalate"}`]: rising(0, 1) },
    silent: { [`retainer_agent_gate_interventions_total{${agent}, intervention="Tighten"}`]: rising(0, 1) },
  },
  {
    alert: 'RetainerProbesDegraded',
    fires: { [`retainer_agent_probes_unanswered_in_row{${agent}}`]: constant(3) },
    silent: { [`retainer_agent_probes_unanswered_in_row{${agent}}`]: constant(2) },
  },
  {
    alert: 'RetainerRunSetAside',
    fires: { [`retainer_agent_runs_set_aside{${agent}}`]: constant(1) },
    silent: { [`retainer_agent_runs_set_aside{${agent}}`]: constant(0) },
  },
  {
    alert: 'RetainerRunSetAside',
    fires: { [`retainer_agent_commands_set_aside{${agent}}`]: constant(1) },
    silent: { [`retainer_agent_commands_set_aside{${agent}}`]: constant(0) },
  },
  {
    alert: 'RetainerJobStalled',
    fires: { [`retainer_agent_jobs_stalled{${agent}}`]: constant(1) },
    silent: { [`retainer_agent_jobs_stalled{${agent}}`]: constant(0) },
  },
  {
    // A run that ends late, and a moment that comes to its turn.
    alert: 'RetainerJobStalled',
    fires: { [`retainer_agent_jobs_stalled{${agent}}`]: constant(3) },
    silent: { [`retainer_agent_jobs_stalled{${agent}}`]: '1x4 0x10 '.repeat(20).trim() },
  },
  {
    alert: 'RetainerMailDown',
    fires: { [`retainer_agent_mail_up{${agent}, server="incoming"}`]: constant(0) },
    silent: { [`retainer_agent_mail_up{${agent}, server="incoming"}`]: constant(1) },
  },
  {
    // A restart of the server, again and again; a figure that is not told is no server.
    alert: 'RetainerMailDown',
    fires: {
      [`retainer_agent_mail_up{${agent}, server="incoming"}`]: constant(1),
      [`retainer_agent_mail_up{${agent}, server="outgoing"}`]: constant(0),
    },
    silent: { ...ready, [`retainer_agent_mail_up{${agent}, server="incoming"}`]: '0x9 1 '.repeat(40).trim() },
  },
  {
    alert: 'RetainerAgentsInALoop',
    fires: { [`retainer_agent_mail_tripped{${agent}}`]: constant(1) },
    silent: { [`retainer_agent_mail_tripped{${agent}}`]: constant(0) },
  },
  {
    alert: 'RetainerOutputsHeld',
    fires: { [`retainer_agent_output_rejections_in_row{${agent}}`]: constant(3) },
    silent: { [`retainer_agent_output_rejections_in_row{${agent}}`]: constant(2) },
  },
  {
    alert: 'RetainerBudgetNearlyUsed',
    fires: budget('tokensPerDay', 900, 1000),
    silent: budget('tokensPerDay', 700, 1000),
  },
  {
    alert: 'RetainerSpendingFast',
    fires: { ...budget('costUsdPerDay', 1, 50), [`retainer_agent_cost_usd_total{${agent}}`]: rising(0, 0.1) },
    silent: { ...budget('costUsdPerDay', 1, 50), [`retainer_agent_cost_usd_total{${agent}}`]: rising(0, 0.01) },
  },
  {
    alert: 'RetainerJournalMismatch',
    fires: { [`retainer_auditor_alarms{${agent}}`]: constant(1) },
    silent: { [`retainer_auditor_alarms{${agent}}`]: constant(0) },
  },
  {
    alert: 'RetainerAuditorStale',
    fires: { ...ready, [lastLook]: constant(5) },
    silent: { ...ready, [lastLook]: rising(0, 60) },
  },
  {
    // It looked for three hours, stands still, and answers no scrape; nor is there anything to watch where no agent runs.
    alert: 'RetainerAuditorStale',
    fires: { ...ready, [lastLook]: '0+60x180 stale _x100' },
    silent: { [lastLook]: '0+60x180 stale _x100' },
  },
  {
    // It is restarted before its alert has waited for five minutes; one that was restarted once looks again.
    alert: 'RetainerAuditorStale',
    fires: { ...ready, [lastLook]: '0 0 0 0 stale _ _ '.repeat(60) },
    silent: { ...ready, [lastLook]: `0+60x180 stale 0 ${12_000 - 18 * 60}+60x100` },
  },
  {
    alert: 'RetainerNetworkNotEnforced',
    fires: { ...leading, [`retainer_sandbox_canary_enforced{${operator}, sandbox_namespace="s"}`]: constant(0) },
    silent: { ...leading, [`retainer_sandbox_canary_enforced{${operator}, sandbox_namespace="s"}`]: constant(1) },
  },
  {
    alert: 'RetainerSandboxSlow',
    fires: {
      'retainer_sandbox_start_seconds_bucket{start="cold", le="10"}': constant(0),
      'retainer_sandbox_start_seconds_bucket{start="cold", le="60"}': rising(0, 5),
      'retainer_sandbox_start_seconds_bucket{start="cold", le="+Inf"}': rising(0, 5),
    },
    silent: {
      'retainer_sandbox_start_seconds_bucket{start="cold", le="10"}': rising(0, 5),
      'retainer_sandbox_start_seconds_bucket{start="cold", le="60"}': rising(0, 5),
      'retainer_sandbox_start_seconds_bucket{start="cold", le="+Inf"}': rising(0, 5),
    },
  },
  {
    alert: 'RetainerSandboxesKilled',
    fires: {
      'retainer_sandbox_runs_total{outcome="Exited"}': rising(0, 1),
      'retainer_sandbox_runs_total{outcome="OutOfMemory"}': rising(0, 1),
    },
    silent: {
      'retainer_sandbox_runs_total{outcome="Exited"}': rising(0, 9),
      'retainer_sandbox_runs_total{outcome="OutOfMemory"}': rising(0, 1),
    },
  },
  {
    // No sandbox starts, so none starts slowly.
    alert: 'RetainerSandboxesKilled',
    fires: { 'retainer_sandbox_runs_total{outcome="Unschedulable"}': rising(0, 1) },
    silent: { 'retainer_sandbox_runs_total{outcome="NotAllowed"}': rising(0, 1) },
  },
  {
    alert: 'RetainerPoolEmpty',
    fires: { [`retainer_sandbox_pool_ready{${agent}}`]: constant(0) },
    silent: { [`retainer_sandbox_pool_ready{${agent}}`]: constant(1) },
  },
  {
    alert: 'RetainerEgressDenied',
    fires: { 'retainer_egress_requests_total{verdict="HostNotAllowed"}': rising(0, 5) },
    silent: {
      'retainer_egress_requests_total{verdict="Allowed"}': rising(0, 50),
      'retainer_egress_requests_total{verdict="HostNotAllowed"}': rising(0, 1),
    },
  },
];

const scratch = mkdtempSync(join(tmpdir(), 'retainer-alerts-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function promtool(...args: readonly string[]): string {
  try {
    return execFileSync('promtool', args, { encoding: 'utf8', stdio: 'pipe' });
  } catch (cause) {
    const { code, stdout = '', stderr = '' } = cause as { code?: string; stdout?: string; stderr?: string };
    if (code === 'ENOENT') throw new Error('promtool is missing: apt-get install prometheus', { cause });
    throw new Error(`promtool ${args.join(' ')}: ${stdout}${stderr}`, { cause });
  }
}

/** Longer than any alert waits; one compares with the day before, and one looks at the last half hour. */
const JUDGED_AT = '200m';
const JUDGED_ELSEWHEN: Readonly<Record<string, string>> = {
  RetainerRefusalsUnusual: '1540m',
  RetainerLeaderFlapping: '100m',
};

function ruleTest(alert: string, series: Readonly<Record<string, string>>, isFiring: boolean) {
  return {
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: `count by (alertname) (ALERTS{alertname="${alert}", alertstate="firing"})`,
        eval_time: JUDGED_ELSEWHEN[alert] ?? JUDGED_AT,
        exp_samples: isFiring ? [{ labels: `{alertname="${alert}"}`, value: 1 }] : [],
      },
    ],
  };
}

describe('the alerts', () => {
  it('are rules that Prometheus takes', () => {
    expect(promtool('check', 'rules', RULES)).toContain(`${rules.length} rules found`);
  });

  it('are all tried', () => {
    expect([...new Set(cases.map(({ alert }) => alert))].toSorted()).toEqual(
      rules.map(({ alert }) => alert).toSorted(),
    );
  });

  describe.each(cases)('$alert', ({ alert, fires, silent }) => {
    verifies('packaging:alerts-fire', 'fires where it should, and only there', () => {
      const file = join(scratch, `${alert}.yaml`);
      const alone = join(scratch, `${alert}-rule.yaml`);
      writeFileSync(
        alone,
        stringify({ groups: [{ name: alert, rules: rules.filter((rule) => rule.alert === alert) }] }),
      );
      const tests = [ruleTest(alert, fires, true), ruleTest(alert, silent, false)];
      writeFileSync(file, stringify({ rule_files: [alone], evaluation_interval: '1m', tests }));
      expect(promtool('test', 'rules', file)).toContain('SUCCESS');
    });
  });

  it('have a severity, a summary and a runbook of their own', () => {
    const runbooks = readFileSync(join(repositoryRoot, 'docs/runbooks.md'), 'utf8');
    for (const { alert, labels, annotations } of rules) {
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
      expect(Object.keys(annotations)).toEqual(['summary', 'description', 'runbook_url']);
      expect(runbooks).toMatch(new RegExp(`^## ${alert}$`, 'm'));
    }
  });
});

describe('figures that alerts and dashboards name', () => {
  const sources = repositoryFiles()
    .filter((path) => /\/src\/.*(?<!\.test)\.ts$/.test(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  const texts = ['charts/retainer/files/alerts.yaml', ...dashboards()].map((path) =>
    readFileSync(join(repositoryRoot, path), 'utf8'),
  );
  const named = new Set(
    texts.flatMap(
      (text) =>
        text.match(
          /\b(retainer_(agent|auditor|watch|cache|sandbox|egress|rollout)|controller_runtime|workqueue|rest_client|leader_election|certwatcher)_[a-z_]+/g,
        ) ?? [],
    ),
  );

  verifies('packaging:metrics-exist', 'are all written by some program', () => {
    expect(named.size).toBeGreaterThan(20);
    const exists = (name: string) => {
      const plain = name.replace(/_(bucket|sum|count)$/, '');
      const short = plain.replace(/^(retainer_agent(_backup)?|controller_runtime|workqueue)_/, '');
      const spellings = [`'${plain}'`, `'${short}'`, ` ${plain}: [`];
      return spellings.some((spelling) => sources.includes(spelling));
    };
    expect([...named].filter((name) => !exists(name))).toEqual([]);
  });
});

function dashboards(): readonly string[] {
  return ['agents', 'operator'].map((name) => `charts/retainer/files/dashboards/${name}.json`);
}
