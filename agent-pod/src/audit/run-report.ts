/**
 * The auditor's report on runs: counts over a time window, from the messages in the journal. Pure.
 *
 * Source: artoo A.12. Differs: the window is closed by the periodic report alone; one on demand shows it as it stands, so
 * that nobody who asks takes numbers from another.
 */
import type { Finding } from './finding.ts';
import type { NotedMessage } from './run-note.ts';

export const REPORT_EVERY_MS = 5 * 60_000;

/** A gradient within this distance of 0 is stable. Source: artoo A.12. */
const TREND_THRESHOLD = 0.1;
/** Corrections before one replan that count as drift. Source: artoo A.12. */
const DRIFT_CORRECTIONS = 5;
/** Consecutive `BreakSymmetry` of one run without a smaller distance. Source: artoo A.12. */
const THRASHING_BREAKS = 2;
/** Entries per list of a report; the oldest go first. */
const LISTED_MAX = 200;

export const TRENDS = ['Improving', 'Stable', 'Worsening'] as const;
export type Trend = (typeof TRENDS)[number];

export const ANOMALIES = ['GgsThrashing', 'ConvergenceFailure', 'ObservationGap', 'MessageDiffers'] as const;

export interface Anomaly {
  readonly kind: (typeof ANOMALIES)[number];
  readonly runId: string;
  readonly seq: number;
}

/** JSON. */
export interface ReportWindow {
  readonly fromMs: number;
  readonly messages: number;
  readonly runIds: readonly string[];
  readonly attempts: number;
  /** Attempts after the first at their subtask. */
  readonly corrections: number;
  readonly gapTrends: readonly { readonly runId: string; readonly seq: number; readonly trend: Trend }[];
  readonly boundaryViolations: readonly { readonly message: string; readonly detail: string }[];
  readonly driftAlerts: readonly { readonly runId: string; readonly corrections: number }[];
  readonly anomalies: readonly Anomaly[];
  readonly toolHealth: {
    readonly executionFailures: number;
    readonly environmentalRetries: number;
    readonly logicalRetries: number;
  };
  /** Runs whose last directive was to break symmetry. */
  readonly breaks: readonly { readonly runId: string; readonly count: number; readonly d: number }[];
}

export interface AuditReport extends Omit<ReportWindow, 'fromMs' | 'runIds' | 'attempts' | 'corrections' | 'breaks'> {
  readonly trigger: 'Periodic' | 'OnDemand';
  readonly windowStart: string;
  readonly windowEnd: string;
  /** Distinct runs. */
  readonly tasksObserved: number;
  readonly totalCorrections: number;
  /** Corrections per started subtask; 0 without any. */
  readonly averageCorrections: number;
  readonly gapTrendDistribution: Readonly<Record<Trend, number>>;
}

export function openWindow(fromMs: number, breaks: ReportWindow['breaks'] = []): ReportWindow {
  return {
    fromMs,
    messages: 0,
    runIds: [],
    attempts: 0,
    corrections: 0,
    gapTrends: [],
    boundaryViolations: [],
    driftAlerts: [],
    anomalies: [],
    toolHealth: { executionFailures: 0, environmentalRetries: 0, logicalRetries: 0 },
    breaks,
  };
}

export function countMessage(window: ReportWindow, message: NotedMessage): ReportWindow {
  const { runId } = message;
  const runIds = window.runIds.includes(runId) ? window.runIds : [...window.runIds, runId];
  return countFact({ ...window, runIds, messages: window.messages + 1 }, message);
}

function countFact(window: ReportWindow, { runId, seq, fact }: NotedMessage): ReportWindow {
  const { toolHealth } = window;
  switch (fact?.kind) {
    case undefined:
      return window;
    case 'Attempt':
      return {
        ...window,
        attempts: window.attempts + 1,
        corrections: window.corrections + (fact.attempt > 1 ? 1 : 0),
        toolHealth: { ...toolHealth, executionFailures: toolHealth.executionFailures + (fact.isFailed ? 1 : 0) },
      };
    case 'Correction': {
      const name = fact.failureClass === 'Environmental' ? 'environmentalRetries' : 'logicalRetries';
      return { ...window, toolHealth: { ...toolHealth, [name]: toolHealth[name] + 1 } };
    }
    case 'Replan': {
      const { corrections } = fact;
      if (corrections < DRIFT_CORRECTIONS) return window;
      return { ...window, driftAlerts: listed(window.driftAlerts, { runId, corrections }) };
    }
    case 'Steering':
      return countSteering(window, { runId, seq }, fact);
  }
}

type Steering = Extract<NonNullable<NotedMessage['fact']>, { readonly kind: 'Steering' }>;
type RecordPlace = { readonly runId: string; readonly seq: number };

function countSteering(window: ReportWindow, place: RecordPlace, fact: Steering): ReportWindow {
  const { runId } = place;
  const { directive, gradL, d, isFinal } = fact;
  const before = window.breaks.find((it) => it.runId === runId);
  const others = window.breaks.filter((it) => it !== before);
  const isBreak = directive === 'BreakSymmetry';
  // A series starts at the first break, and again at one that reduced the distance.
  const count = before === undefined || d < before.d ? 1 : before.count + 1;
  const anomalies: readonly Anomaly[] = [
    ...(isBreak && count === THRASHING_BREAKS ? [{ kind: 'GgsThrashing' as const, ...place }] : []),
    ...(!isFinal && gradL > TREND_THRESHOLD ? [{ kind: 'ConvergenceFailure' as const, ...place }] : []),
  ];
  return {
    ...window,
    gapTrends: listed(window.gapTrends, { ...place, trend: trendOf(gradL) }),
    anomalies: listed(window.anomalies, ...anomalies),
    breaks: isBreak ? listed(others, { runId, count, d }) : others,
  };
}

function trendOf(gradL: number): Trend {
  if (gradL < -TREND_THRESHOLD) return 'Improving';
  return gradL > TREND_THRESHOLD ? 'Worsening' : 'Stable';
}

export function countFinding(window: ReportWindow, { kind, message = '', detail }: Finding): ReportWindow {
  if (kind === 'BoundaryViolation')
    return { ...window, boundaryViolations: listed(window.boundaryViolations, { message, detail }) };
  if (kind !== 'ObservationGap' && kind !== 'MessageDiffers') return window;
  const at = message.lastIndexOf('-m');
  const place = { runId: message.slice(0, at), seq: Number(message.slice(at + 2)) };
  return { ...window, anomalies: listed(window.anomalies, { kind, ...place }) };
}

export function isIdle({ messages, anomalies, boundaryViolations }: ReportWindow): boolean {
  return messages === 0 && anomalies.length === 0 && boundaryViolations.length === 0;
}

export function reportOf(window: ReportWindow, trigger: AuditReport['trigger'], atMs: number): AuditReport {
  const { messages, runIds, attempts, corrections, gapTrends, boundaryViolations, driftAlerts } = window;
  const distribution = TRENDS.map((trend) => [trend, gapTrends.filter((it) => it.trend === trend).length] as const);
  const subtasks = attempts - corrections;
  return {
    trigger,
    windowStart: new Date(window.fromMs).toISOString(),
    windowEnd: new Date(atMs).toISOString(),
    tasksObserved: runIds.length,
    messages,
    totalCorrections: corrections,
    averageCorrections: subtasks <= 0 ? 0 : corrections / subtasks,
    gapTrends,
    gapTrendDistribution: Object.fromEntries(distribution) as AuditReport['gapTrendDistribution'],
    boundaryViolations,
    driftAlerts,
    anomalies: window.anomalies,
    toolHealth: window.toolHealth,
  };
}

function listed<T>(list: readonly T[], ...more: readonly T[]): readonly T[] {
  return [...list, ...more].slice(-LISTED_MAX);
}
