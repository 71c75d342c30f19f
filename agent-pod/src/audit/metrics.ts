/**
 * The auditor's figures in the Prometheus text format. Pure.
 *
 * Labels are bounded: finding kinds by their table, stores by the auditor's limit.
 *
 * Source: platforms 6 (own metrics, rules).
 */
import { findingKinds, isAlarm, type Finding } from './finding.ts';
import { noMessages, type MessageFigures } from './message-audit.ts';
import { ANOMALIES } from './run-report.ts';
import { noJudging, type JudgingFigures } from './judging.ts';

export interface AuditorFigures {
  readonly open: readonly Finding[];
  readonly stores: readonly { readonly store: string; readonly lastSeq: number; readonly keptSeq: number }[];
  readonly headsTotal: number;
  readonly recordsTotal: number;
  readonly bytesTotal: number;
  readonly looksTotal: { readonly success: number; readonly error: number };
  /** Wall clock; undefined before the first look. */
  readonly lastLookAtMs: number | undefined;
  readonly lastLookMs: number;
  readonly messages: MessageFigures;
  readonly judging: JudgingFigures;
}

export const noFigures: AuditorFigures = {
  open: [],
  stores: [],
  headsTotal: 0,
  recordsTotal: 0,
  bytesTotal: 0,
  looksTotal: { success: 0, error: 0 },
  lastLookAtMs: undefined,
  lastLookMs: 0,
  messages: noMessages,
  judging: noJudging,
};

/** A bare number is a sample without labels. */
type Samples = (figures: AuditorFigures) => number | readonly (readonly [labels: string, value: number])[];

/** By name; a name that ends in `_total` is a counter's, any other a gauge's. */
const metrics: Readonly<Record<string, readonly [help: string, samples: Samples]>> = {
  retainer_auditor_findings: [
    'Open findings, by kind.',
    ({ open }) => findingKinds.map((kind) => [`{kind="${kind}"}`, open.filter((it) => it.kind === kind).length]),
  ],
  retainer_auditor_alarms: [
    'Open findings that make the journal untrustworthy.',
    ({ open }) => open.filter(isAlarm).length,
  ],
  retainer_auditor_store_last_seq: [
    'Sequence of the last verified record, by store; -1 before the first.',
    ({ stores }) => stores.map(({ store, lastSeq }) => [`{store="${store}"}`, lastSeq]),
  ],
  retainer_auditor_store_kept_seq: [
    'Sequence of the last kept head, by store; -1 before the first.',
    ({ stores }) => stores.map(({ store, keptSeq }) => [`{store="${store}"}`, keptSeq]),
  ],
  retainer_auditor_heads_total: ['Heads that this process has kept.', ({ headsTotal }) => headsTotal],
  retainer_auditor_records_total: ['Records that this process has verified.', ({ recordsTotal }) => recordsTotal],
  retainer_auditor_verified_bytes_total: [
    'Bytes of segments that this process has verified.',
    ({ bytesTotal }) => bytesTotal,
  ],
  retainer_auditor_looks_total: [
    'Checks of the journal, by outcome.',
    ({ looksTotal }) => [
      ['{outcome="success"}', looksTotal.success],
      ['{outcome="error"}', looksTotal.error],
    ],
  ],
  retainer_auditor_last_look_timestamp_seconds: [
    'Time of the end of the last successful check; 0 before the first.',
    ({ lastLookAtMs }) => (lastLookAtMs ?? 0) / 1000,
  ],
  retainer_auditor_last_look_duration_seconds: [
    'Duration of the last successful check.',
    ({ lastLookMs }) => lastLookMs / 1000,
  ],
  retainer_auditor_bus_watched: [
    '1 while the auditor reads the messages of the bus, else 0.',
    ({ messages }) => (messages.isWatched ? 1 : 0),
  ],
  retainer_auditor_messages_total: [
    'Messages between the roles of runs that this process has read, by path.',
    ({ messages }) => [
      ['{path="bus"}', messages.heardTotal],
      ['{path="journal"}', messages.notedTotal],
    ],
  ],
  retainer_auditor_corrections_total: [
    'Attempts at subtasks after the first.',
    ({ messages }) => messages.correctionsTotal,
  ],
  retainer_auditor_anomalies_total: [
    'Reported anomalies of runs, by kind.',
    ({ messages }) => ANOMALIES.map((kind) => [`{kind="${kind}"}`, messages.anomaliesTotal[kind]]),
  ],
  retainer_auditor_verdicts_total: [
    'Verdicts of gates that this process recomputed and found equal.',
    ({ judging }) => judging.verdictsTotal,
  ],
  retainer_auditor_other_rules_cycles_total: [
    'Cycles recorded under another version of the gate rules that this version decides differently, and so does not judge.',
    ({ judging }) => judging.otherRulesCyclesTotal,
  ],
  retainer_auditor_runs_total: [
    'Closed runs that this process had decided again, by outcome; `other`: recorded by deciders of another number.',
    ({ judging: { runsTotal } }) =>
      Object.entries(runsTotal).map(([outcome, runs]) => [`{outcome="${outcome}"}`, runs]),
  ],
  retainer_auditor_verdicts_last_seq: [
    'Sequence in the store cycle up to which verdicts are recomputed; -1 before the first.',
    ({ judging }) => judging.lastSeq,
  ],
};

export function renderMetrics(figures: AuditorFigures): string {
  return Object.entries(metrics)
    .map(([name, [help, samples]]) => {
      const found = samples(figures);
      const rows = typeof found === 'number' ? ([['', found]] as const) : found;
      const lines = rows.map(([labels, value]) => `${name}${labels} ${value}`);
      const type = name.endsWith('_total') ? 'counter' : 'gauge';
      return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
    })
    .join('');
}
