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
import { noVerdicts, type VerdictFigures } from './verdict-audit.ts';

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
  readonly verdicts: VerdictFigures;
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
  verdicts: noVerdicts,
};

/** A bare number is a sample without labels. */
type Samples = (figures: AuditorFigures) => number | readonly (readonly [labels: string, value: number])[];

/** By name; a name that ends in `_total` is a counter's, any other a gauge's. */
const metrics: Readonly<Record<string, readonly [help: string, samples: Samples]>> = {
  retainer_auditor_findings: [
    'Findings that are open, by kind.',
    ({ open }) => findingKinds.map((kind) => [`{kind="${kind}"}`, open.filter((it) => it.kind === kind).length]),
  ],
  retainer_auditor_alarms: [
    'Open findings that say the journal may not be trusted as it stands.',
    ({ open }) => open.filter(isAlarm).length,
  ],
  retainer_auditor_store_last_seq: [
    'Sequence of the last record that was seen, by store; -1 before the first.',
    ({ stores }) => stores.map(({ store, lastSeq }) => [`{store="${store}"}`, lastSeq]),
  ],
  retainer_auditor_store_kept_seq: [
    'Sequence of the last head that was kept, by store; -1 before the first.',
    ({ stores }) => stores.map(({ store, keptSeq }) => [`{store="${store}"}`, keptSeq]),
  ],
  retainer_auditor_heads_total: ['Heads that were kept by this process.', ({ headsTotal }) => headsTotal],
  retainer_auditor_records_total: ['Records that were verified by this process.', ({ recordsTotal }) => recordsTotal],
  retainer_auditor_verified_bytes_total: [
    'Bytes of segments that were verified by this process.',
    ({ bytesTotal }) => bytesTotal,
  ],
  retainer_auditor_looks_total: [
    'Looks at the journal, by outcome.',
    ({ looksTotal }) => [
      ['{outcome="success"}', looksTotal.success],
      ['{outcome="error"}', looksTotal.error],
    ],
  ],
  retainer_auditor_last_look_timestamp_seconds: [
    'When the last successful look ended; 0 before the first.',
    ({ lastLookAtMs }) => (lastLookAtMs ?? 0) / 1000,
  ],
  retainer_auditor_last_look_duration_seconds: [
    'How long the last successful look took.',
    ({ lastLookMs }) => lastLookMs / 1000,
  ],
  retainer_auditor_bus_watched: [
    '1 while the messages of the bus are heard, 0 while they are not.',
    ({ messages }) => (messages.isWatched ? 1 : 0),
  ],
  retainer_auditor_messages_total: [
    'Messages between the roles of runs that this process learnt of, by path.',
    ({ messages }) => [
      ['{path="bus"}', messages.heardTotal],
      ['{path="journal"}', messages.notedTotal],
    ],
  ],
  retainer_auditor_corrections_total: [
    'Attempts after the first at their subtask.',
    ({ messages }) => messages.correctionsTotal,
  ],
  retainer_auditor_anomalies_total: [
    'Anomalies of runs that were reported, by kind.',
    ({ messages }) => ANOMALIES.map((kind) => [`{kind="${kind}"}`, messages.anomaliesTotal[kind]]),
  ],
  retainer_auditor_verdicts_total: [
    'Verdicts of gates that this process decided anew and found right.',
    ({ verdicts }) => verdicts.verdictsTotal,
  ],
  retainer_auditor_other_rules_cycles_total: [
    'Cycles recorded under other rules of the gates that this process decided otherwise: not judged.',
    ({ verdicts }) => verdicts.otherRulesCyclesTotal,
  ],
  retainer_auditor_verdicts_last_seq: [
    'Sequence in the store of cycles up to which verdicts were decided anew; -1 before the first.',
    ({ verdicts }) => verdicts.lastSeq,
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
