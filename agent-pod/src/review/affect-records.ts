/** How an agent was after its newest cycles, as its record has it. */
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import { affectKinds, type AffectMeasured } from '@retainer/mind/parts/affect/affect';
import { affectLine } from '@retainer/mind/parts/affect/affect-line';
import { AFFECT_DIMENSIONS, type AffectSignals } from '@retainer/mind/parts/affect/measure';

export interface RecordedAffect extends AffectMeasured {
  readonly runId?: string;
  /** Absent: of the end of a run. */
  readonly cycleId?: string;
}

/** Oldest first. @param count  so many of the newest */
export async function affectIn(reader: JournalReader, count: number): Promise<readonly RecordedAffect[]> {
  const newest: RecordedAffect[] = [];
  for await (const record of reader.read('affect')) {
    const measured = measuredIn(record);
    if (measured !== undefined) newest.push(measured);
    if (newest.length > count) newest.shift();
  }
  return newest;
}

/** Undefined for a record of another kind. */
export function measuredIn({ kind, payload, runId, cycleId }: JournalRecord): RecordedAffect | undefined {
  if (kind !== 'AffectMeasured') return undefined;
  const of = { ...(runId === undefined ? {} : { runId }), ...(cycleId === undefined ? {} : { cycleId }) };
  return { ...affectKinds.AffectMeasured.parse(payload), ...of };
}

/** The headings of a table of measurements, and one row for each of them: percents, then the twelve signals. */
export function affectTable(measured: readonly RecordedAffect[]): readonly (readonly string[])[] {
  const rows = measured.map(({ atMs, runId = '', cycleId, affect, signals }) => [
    new Date(atMs).toISOString(),
    cycleId ?? runId,
    ...AFFECT_DIMENSIONS.map((it) => Math.round(affect[it]).toFixed()),
    affect.trend,
    ...columns.map(([, of]) => of(signals)),
  ]);
  return [['when', 'of', 'desp', 'calm', 'conf', 'frus', 'pres', 'trend', ...columns.map(([name]) => name)], ...rows];
}

const columns: readonly (readonly [heading: string, of: (signals: AffectSignals) => string])[] = [
  ['failed calls', ({ toolFailures, toolCalls }) => `${toolFailures}/${toolCalls}`],
  ['retries', ({ retries }) => `${retries}`],
  ['rejected', ({ gateRejections }) => `${gateRejections}`],
  ['modified', ({ gateModifications }) => `${gateModifications}`],
  ['texts rejected in a row', ({ outputRejectionsInRow }) => `${outputRejectionsInRow}`],
  ['failures in a row', ({ failuresInRow }) => `${failuresInRow}`],
  ['failed delegations', ({ delegationFailures, delegations }) => `${delegationFailures}/${delegations}`],
  ['success', ({ successRate }) => successRate.toFixed(2)],
  ['recall', ({ recallRate }) => recallRate.toFixed(2)],
  ['tokens used', ({ budgetPressure }) => budgetPressure.toFixed(2)],
];

/** One measurement in the form in which the agent is told it. */
export function measuredLine({ affect }: AffectMeasured): string {
  return affectLine(affect);
}
