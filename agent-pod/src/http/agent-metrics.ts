/**
 * The agent's Prometheus metrics, counted from durable journal records.
 *
 * Labels have bounded values: rules of the CharacterSpec, or a fixed table. No label names a Task, user, prompt or model.
 *
 * Source: platforms 6 (own metrics, rules).
 */
import { roleName, THINKING_ROLES, WORKER_ROLES } from '@retainer/contract/api/roles';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CycleEvent, CycleSpec } from '@retainer/mind/cycle/event';
import type { JournalRecord } from '@retainer/journal/journal';
import type { RunEvent } from '@retainer/mind/run/event';
import { JOBS_STALLED } from '@retainer/mind/parts/jobs/part';
import type { StatesOfParts } from '@retainer/mind/parts/derived';
import type { MailHealth } from '../ports/mail.ts';
import { createControlMetrics, type ControlMetrics } from './control-metrics.ts';
import { addBackupMetrics, type BackupSource } from './backup-metrics.ts';
import { createMemoryMetrics, type MemoryMetrics } from './memory-metrics.ts';
import { createPartMetrics } from './part-metrics.ts';

/** Read on every scrape. */
export interface GaugeSource {
  readonly isApiServerReachable: () => boolean;
  readonly isLeaseHeld: () => boolean;
  readonly isReady: () => boolean;
  /** Accepted unfinished commands, and Tasks that wait to be taken. */
  readonly inboxLength: () => number;
  readonly openRuns: () => number;
  readonly runsSetAside: () => number;
  readonly commandsSetAside: () => number;
  readonly pendingApprovals: () => number;
  readonly openQuestions: () => number;
  readonly jobsStalled: () => number;
  /** Undefined where the agent has no mail, or is not at work. */
  readonly mailHealth: () => MailHealth | undefined;
  readonly outputRejectionsInRow: () => number;
  readonly probesUnansweredInRow: () => number;
  readonly isJournalWritable: () => boolean;
  /** Only budgets with a limit. */
  readonly budgets: () => readonly { readonly field: string; readonly used: number; readonly max: number }[];
  /** States of the projections of parts. */
  readonly known: () => StatesOfParts;
  /** Undefined before the start. */
  readonly backup: () => BackupSource | undefined;
  readonly volume: () => Promise<{ readonly totalBytes: number; readonly freeBytes: number }>;
}

export interface AgentMetrics {
  readonly contentType: string;
  render(): Promise<string>;
  count(record: JournalRecord): void;
  appended(durationSeconds: number, isOk: boolean): void;
}

/** Seconds: a sync takes less than 10 ms on a good disk, a second on a bad one. */
const appendBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export function createAgentMetrics(
  agent: { readonly namespace: string; readonly name: string },
  source: GaugeSource,
): AgentMetrics {
  const registry = new Registry();
  registry.setDefaultLabels({ agent: agent.name, agent_namespace: agent.namespace });
  collectDefaultMetrics({ register: registry });
  addGauges(registry, source);
  const counters = makeCounters(registry);
  const control = createControlMetrics(registry);
  const parts = createPartMetrics(registry, source.known);
  const memory = createMemoryMetrics(registry);
  const roles: CycleRoles = new Map();
  const appends = new Histogram({
    name: 'retainer_agent_journal_append_duration_seconds',
    help: 'Time until the journal acknowledged appended records.',
    buckets: appendBuckets,
    registers: [registry],
  });
  const failures = counter(registry, 'journal_append_failures_total', 'Appends that the journal refused.', []);
  failures.inc(0);
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    count: (record) => countRecord({ counters, control, parts, memory, roles }, record),
    appended: (durationSeconds, isOk) => {
      if (isOk) appends.observe(durationSeconds);
      else failures.inc();
    },
  };
}

function addGauges(registry: Registry, source: GaugeSource): void {
  const flags = [
    ['api_server_reachable', 'Whether the API server answered the last request.', source.isApiServerReachable],
    ['lease_held', 'Whether this process holds the Lease of its agent.', source.isLeaseHeld],
    ['ready', 'Whether the agent accepts commands.', source.isReady],
    ['journal_writable', 'Whether the journal accepts records.', source.isJournalWritable],
  ] as const;
  const numbers = [
    ['inbox_length', 'Accepted commands that are not done, and Tasks that wait for the agent.', source.inboxLength],
    ['open_runs', 'Current runs.', source.openRuns],
    ['runs_set_aside', 'Runs in which the program failed, and that nobody drives.', source.runsSetAside],
    [
      'commands_set_aside',
      'Commands of no run in which the program failed, and that nobody carries out.',
      source.commandsSetAside,
    ],
    ['pending_approvals', 'Calls that wait for a person.', source.pendingApprovals],
    ['open_questions', 'Runs and cycles that wait for an answer.', source.openQuestions],
    [JOBS_STALLED, 'Jobs with a run that does not end, or a moment that nothing serves.', source.jobsStalled],
    [
      'output_rejections_in_row',
      'Number of outgoing texts rejected in a row; from 3 on, texts wait for a person.',
      source.outputRejectionsInRow,
    ],
    [
      'probes_unanswered_in_row',
      'Number of texts in a row without an answer to a canary probe; from 3 on, the probe model counts as unavailable.',
      source.probesUnansweredInRow,
    ],
  ] as const;
  for (const [name, help, read] of flags) gauge(registry, name, help, () => Number(read()));
  for (const [name, help, read] of numbers) gauge(registry, name, help, read);
  addBudgetGauges(registry, source);
  addMailGauge(registry, source);
  addBackupMetrics(registry, source.backup);
  const size = { name: 'retainer_agent_volume_size_bytes', help: 'Size of the volume.', registers: [registry] };
  const total = new Gauge(size);
  const used = { name: 'retainer_agent_volume_used_bytes', help: 'Used space of the volume.', registers: [registry] };
  new Gauge({
    ...used,
    async collect() {
      const { totalBytes, freeBytes } = await source.volume();
      total.set(totalBytes);
      this.set(totalBytes - freeBytes);
    },
  });
}

/** Of a server that was never asked nothing is told: an agent that has sent nothing yet does not know. */
function addMailGauge(registry: Registry, { mailHealth }: GaugeSource): void {
  new Gauge({
    name: 'retainer_agent_mail_up',
    help: 'Whether the agent reaches its server for incoming or outgoing mail.',
    labelNames: ['server'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [server, { state }] of Object.entries(mailHealth() ?? {}))
        if (state !== 'Off') this.set({ server }, Number(state === 'Up'));
    },
  });
}

/** In the unit of the budget: tokens, US dollars, calls. */
function addBudgetGauges(registry: Registry, { budgets }: GaugeSource): void {
  const figures = [
    ['retainer_agent_budget_limit', 'Limit of a budget of the agent.', 'max'],
    [
      'retainer_agent_budget_used',
      'Used part of a budget in its hour or day, including the reserve for current calls.',
      'used',
    ],
  ] as const;
  for (const [name, help, figure] of figures) {
    new Gauge({
      name,
      help,
      labelNames: ['budget'],
      registers: [registry],
      collect() {
        for (const level of budgets()) this.set({ budget: level.field }, level[figure]);
      },
    });
  }
}

function gauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name: `retainer_agent_${name}`,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}

function counter(registry: Registry, name: string, help: string, labelNames: readonly string[]): Counter {
  return new Counter({ name: `retainer_agent_${name}`, help, labelNames: [...labelNames], registers: [registry] });
}

type Counters = ReturnType<typeof makeCounters>;

function makeCounters(registry: Registry) {
  const make = (name: string, help: string, ...labels: readonly string[]): Counter =>
    counter(registry, name, help, labels);
  return {
    cycles: make('cycles_total', 'Cognitive cycles that ended.', 'role', 'outcome'),
    runs: make('runs_total', 'Runs that ended.', 'outcome'),
    toolCalls: make('tool_calls_total', 'Started tool calls, by effect class.', 'effect_class'),
    blockedCalls: make(
      'blocked_calls_total',
      'Tool calls that did not run, because the steerer had blocked the tool or the target.',
    ),
    toolResults: make('tool_results_total', 'Results of tool calls.', 'status'),
    verdicts: make('gate_verdicts_total', 'Verdicts of the gates.', 'gate', 'verdict', 'rule'),
    tokens: make('tokens_total', 'Tokens of model calls.', 'role', 'type'),
    cost: make('cost_usd_total', 'Cost of model calls in US dollars, where the price is known.'),
    modelCalls: make('model_calls_total', 'Model calls.', 'role', 'result'),
    probes: make('gate_probes_total', 'Canary probes of the gates, two for each text.', 'outcome'),
    scores: make('gate_scores_total', 'Questions to the scorer of the gates.', 'result'),
    lost: make('effects_lost_total', 'Effects whose result is unknown after a restart.'),
    clockJumps: make('clock_jumps_total', 'Jumps of the wall clock.'),
  };
}

/** Role of each cycle under way, by cycle id. */
type CycleRoles = Map<string, string>;

interface Meters {
  readonly counters: Counters;
  readonly control: ControlMetrics;
  readonly parts: ReturnType<typeof createPartMetrics>;
  readonly memory: MemoryMetrics;
  readonly roles: CycleRoles;
}

function countRecord({ counters, control, parts, memory, roles }: Meters, record: JournalRecord): void {
  const { store, kind, payload, cycleId = '' } = record;
  const event = { kind, ...(payload as object) };
  if (store === 'cycle') countCycle(counters, event as CycleEvent, roleOf(roles, cycleId, event as CycleEvent));
  if (store === 'run') countRun(counters, event as RunEvent);
  if (store === 'run') control.count(event as RunEvent);
  parts(record);
  memory.count(record);
  if (kind === 'ArchiveAnswered') countKeeper(counters, 'Archivist', payload as KeeperAnswer);
  if (kind === 'DreamAnswered') countKeeper(counters, 'Dreamer', payload as KeeperAnswer);
  if (kind === 'ClockJump') counters.clockJumps.inc();
}

/** From the start of the cycle or, after a restart of the process, from its next request. */
function roleOf(roles: CycleRoles, cycleId: string, event: CycleEvent): string {
  if (event.kind === 'CycleStarted') roles.set(cycleId, labelOf(event.spec));
  if (event.kind === 'ModelRequested' && known.has(event.request.role)) roles.set(cycleId, event.request.role);
  const role = roles.get(cycleId) ?? 'unknown';
  if (event.kind === 'CycleEnded') roles.delete(cycleId);
  return role;
}

/** Role names of model requests. Bounded, since every label value is a series. */
const known: ReadonlySet<string> = new Set([...THINKING_ROLES, ...WORKER_ROLES].map(roleName));

function labelOf({ role, worker = role }: CycleSpec): string {
  const label = roleName(worker);
  return known.has(label) ? label : roleName(role);
}

function countRun({ runs }: Counters, event: RunEvent): void {
  if (event.kind === 'RunConcluded') runs.inc({ outcome: event.outcome });
}

type Answer = Extract<CycleEvent, { kind: 'ModelAnswered' }>['answer'];

function countUsage(
  { tokens, cost }: Counters,
  role: string,
  usage: Answer['usage'],
  costUsd: number | undefined,
): void {
  tokens.inc({ role, type: 'input' }, usage.inputTokens);
  tokens.inc({ role, type: 'output' }, usage.outputTokens);
  tokens.inc({ role, type: 'cache_read' }, usage.cacheReadTokens);
  tokens.inc({ role, type: 'cache_write' }, usage.cacheWriteTokens);
  cost.inc(costUsd ?? 0);
}

/** Roles whose models the runtime calls outside of a conversation. */
const askedRoles = { GateProbed: 'gate-probe', GateScored: 'gate-scorer', TextRead: 'quarantine-reader' } as const;

function countAnswer(counters: Counters, event: Extract<CycleEvent, { kind: keyof typeof askedRoles }>): void {
  if (event.usage !== undefined) countUsage(counters, askedRoles[event.kind], event.usage, event.costUsd);
  if (event.kind === 'TextRead' || event.heldFrom !== undefined) return;
  if (event.kind === 'GateScored') {
    const { refusal, forecasts, others = [] } = event;
    for (const it of [forecasts, ...others.map((other) => other.forecasts)])
      counters.scores.inc({ result: scoreResult({ refusal, forecasts: it }) });
    return;
  }
  for (const { outcome } of [event.hijack, event.leakage]) counters.probes.inc({ outcome: outcome.toLowerCase() });
}

interface KeeperAnswer {
  readonly usage?: Answer['usage'];
  readonly costUsd?: number;
  readonly refusal?: unknown;
}

function countKeeper(
  counters: Counters,
  keeper: 'Archivist' | 'Dreamer',
  { usage, costUsd, refusal }: KeeperAnswer,
): void {
  const role = roleName(keeper);
  const failed = refusal === undefined ? 'failed' : 'refused';
  counters.modelCalls.inc({ role, result: usage === undefined ? failed : 'answered' });
  if (usage !== undefined) countUsage(counters, role, usage, costUsd);
}

/** Malformed answers are retried; a refusal comes from a budget. */
type Scored = Extract<CycleEvent, { kind: 'GateScored' }>;

function scoreResult({ forecasts, refusal }: Pick<Scored, 'forecasts'> & { refusal: Scored['refusal'] }): string {
  if (forecasts.available) return 'available';
  if (refusal !== undefined) return 'refused';
  return forecasts.isMalformed === true ? 'malformed' : 'unavailable';
}

function countCycle(counters: Counters, event: CycleEvent, role: string): void {
  switch (event.kind) {
    case 'ModelAnswered':
      counters.modelCalls.inc({ role, result: 'answered' });
      return countUsage(counters, role, event.answer.usage, event.costUsd);
    case 'ModelFailed':
      return counters.modelCalls.inc({ role, result: event.failure.budget === undefined ? 'failed' : 'refused' });
    case 'GateProbed':
    case 'GateScored':
    case 'TextRead':
      return countAnswer(counters, event);
    case 'GateDecided':
      return counters.verdicts.inc({ gate: event.gate, verdict: event.verdict, rule: event.rule });
    case 'ToolRequested':
      return counters.toolCalls.inc({ effect_class: String(event.effectClass) });
    case 'ToolFinished':
      return counters.toolResults.inc({ status: event.outcome.status });
    case 'CallAnswered':
      return event.why === 'Blocked' ? counters.blockedCalls.inc() : undefined;
    case 'EffectLost':
      return counters.lost.inc();
    case 'CycleEnded':
      return counters.cycles.inc({ role, outcome: event.outcome });
    default:
      return undefined;
  }
}
