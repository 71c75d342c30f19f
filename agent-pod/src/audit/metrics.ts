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

interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: (figures: AuditorFigures) => readonly (readonly [labels: string, value: number])[];
}

const metrics: readonly Metric[] = [
  {
    name: 'retainer_auditor_findings',
    type: 'gauge',
    help: 'Findings that are open, by kind.',
    samples: ({ open }) =>
      findingKinds.map((kind) => [`{kind="${kind}"}`, open.filter((it) => it.kind === kind).length]),
  },
  {
    name: 'retainer_auditor_alarms',
    type: 'gauge',
    help: 'Open findings that say the journal may not be trusted as it stands.',
    samples: ({ open }) => [['', open.filter(isAlarm).length]],
  },
  {
    name: 'retainer_auditor_store_last_seq',
    type: 'gauge',
    help: 'Sequence of the last record that was seen, by store; -1 before the first.',
    samples: ({ stores }) => stores.map(({ store, lastSeq }) => [`{store="${store}"}`, lastSeq]),
  },
  {
    name: 'retainer_auditor_store_kept_seq',
    type: 'gauge',
    help: 'Sequence of the last head that was kept, by store; -1 before the first.',
    samples: ({ stores }) => stores.map(({ store, keptSeq }) => [`{store="${store}"}`, keptSeq]),
  },
  {
    name: 'retainer_auditor_heads_total',
    type: 'counter',
    help: 'Heads that were kept by this process.',
    samples: ({ headsTotal }) => [['', headsTotal]],
  },
  {
    name: 'retainer_auditor_records_total',
    type: 'counter',
    help: 'Records that were verified by this process.',
    samples: ({ recordsTotal }) => [['', recordsTotal]],
  },
  {
    name: 'retainer_auditor_verified_bytes_total',
    type: 'counter',
    help: 'Bytes of segments that were verified by this process.',
    samples: ({ bytesTotal }) => [['', bytesTotal]],
  },
  {
    name: 'retainer_auditor_looks_total',
    type: 'counter',
    help: 'Looks at the journal, by outcome.',
    samples: ({ looksTotal }) => [
      ['{outcome="success"}', looksTotal.success],
      ['{outcome="error"}', looksTotal.error],
    ],
  },
  {
    name: 'retainer_auditor_last_look_timestamp_seconds',
    type: 'gauge',
    help: 'When the last successful look ended; 0 before the first.',
    samples: ({ lastLookAtMs }) => [['', (lastLookAtMs ?? 0) / 1000]],
  },
  {
    name: 'retainer_auditor_last_look_duration_seconds',
    type: 'gauge',
    help: 'How long the last successful look took.',
    samples: ({ lastLookMs }) => [['', lastLookMs / 1000]],
  },
  {
    name: 'retainer_auditor_bus_watched',
    type: 'gauge',
    help: '1 while the messages of the bus are heard, 0 while they are not.',
    samples: ({ messages }) => [['', messages.isWatched ? 1 : 0]],
  },
  {
    name: 'retainer_auditor_messages_total',
    type: 'counter',
    help: 'Messages between the roles of runs that this process learnt of, by path.',
    samples: ({ messages }) => [
      ['{path="bus"}', messages.heardTotal],
      ['{path="journal"}', messages.notedTotal],
    ],
  },
  {
    name: 'retainer_auditor_corrections_total',
    type: 'counter',
    help: 'Attempts after the first at their subtask.',
    samples: ({ messages }) => [['', messages.correctionsTotal]],
  },
  {
    name: 'retainer_auditor_anomalies_total',
    type: 'counter',
    help: 'Anomalies of runs that were reported, by kind.',
    samples: ({ messages }) => ANOMALIES.map((kind) => [`{kind="${kind}"}`, messages.anomaliesTotal[kind]]),
  },
  {
    name: 'retainer_auditor_verdicts_total',
    type: 'counter',
    help: 'Verdicts of gates that this process decided anew and found right.',
    samples: ({ verdicts }) => [['', verdicts.verdictsTotal]],
  },
  {
    name: 'retainer_auditor_other_rules_cycles_total',
    type: 'counter',
    help: 'Cycles recorded under other rules of the gates that this process decided otherwise: not judged.',
    samples: ({ verdicts }) => [['', verdicts.otherRulesCyclesTotal]],
  },
  {
    name: 'retainer_auditor_verdicts_last_seq',
    type: 'gauge',
    help: 'Sequence in the store of cycles up to which verdicts were decided anew; -1 before the first.',
    samples: ({ verdicts }) => [['', verdicts.lastSeq]],
  },
];

export function renderMetrics(figures: AuditorFigures): string {
  return metrics
    .map(({ name, type, help, samples }) => {
      const lines = samples(figures).map(([labels, value]) => `${name}${labels} ${value}`);
      return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
    })
    .join('');
}
