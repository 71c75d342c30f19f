/**
 * What an agent did, day by day: a fold over its records, in one pass and in the memory of its days.
 *
 * I1  A record counts on the day of its own time in UTC: what goes on past midnight ends on the next day.
 * I2  The sums of all days are the sums of the record: nothing is counted twice, and nothing by two days.
 *
 * Source: springdrift 13 (its offline audit); design 7.
 */
import type { JournalRecord } from '@retainer/contract/wire/record';
import type { CycleEvent } from '../../cycle/event.ts';
import type { RunEvent } from '../../run/event.ts';
import { fromTable, type EventTable } from '../../part/event-table.ts';
import { eventOf } from '../../part/projection.ts';
import { callReader, promptTokensOf, type PaidCall } from '../spending.ts';

/** How many ended with each word of the record, in the order of their first. */
export type Tally = Readonly<Record<string, number>>;

export interface DaySummary {
  /** UTC, `YYYY-MM-DD`; `all` for the sum. */
  readonly day: string;
  /** Runs that were admitted, and how runs ended. */
  readonly runs: { readonly count: number; readonly outcomes: Tally };
  /** Cycles that started, and how cycles ended. */
  readonly cycles: { readonly count: number; readonly outcomes: Tally };
  readonly models: {
    /** Answers, those to gates, probes, readers and the Archivist included. */
    readonly answers: number;
    readonly tokensIn: number;
    readonly tokensOut: number;
    /** US dollars. */
    readonly costUsd: number;
    /** Whether the price of every answer was known. */
    readonly isCostComplete: boolean;
  };
  /** Calls that were made, their ends, and those that were answered without being made. */
  readonly calls: { readonly count: number; readonly outcomes: Tally; readonly failed: number; readonly unrun: number };
  /** By gate, then by verdict. */
  readonly verdicts: Readonly<Record<string, Tally>>;
  /** Bytes that each store grew by. */
  readonly bytes: Tally;
}

/** Stores that the fold reads. */
export const SUMMARY_STORES = ['run', 'cycle', 'archive'] as const;

/** Ends of calls that did what was asked. */
const DONE: ReadonlySet<string> = new Set(['Ok']);

export function emptyDay(day: string): DaySummary {
  return {
    day,
    runs: { count: 0, outcomes: {} },
    cycles: { count: 0, outcomes: {} },
    models: { answers: 0, tokensIn: 0, tokensOut: 0, costUsd: 0, isCostComplete: true },
    calls: { count: 0, outcomes: {}, failed: 0, unrun: 0 },
    verdicts: {},
    bytes: {},
  };
}

/** Days as they are folded, by their names. */
export type Days = Map<string, DaySummary>;

/** Changes one day; makes it if nothing was known of it. */
export function changeDay(days: Days, day: string, change: (before: DaySummary) => DaySummary): void {
  days.set(day, change(days.get(day) ?? emptyDay(day)));
}

/**
 * @param dayOf  UTC day of a moment in milliseconds since 1970
 * @returns takes the records of {@link SUMMARY_STORES}, each store in its order
 */
export function daySummarizer(days: Days, dayOf: (timeMs: number) => string): (record: JournalRecord) => void {
  const callsOf = callReader();
  return (record) => {
    const { store, timeMs } = record;
    const paid = callsOf(record);
    const counted =
      store === 'run'
        ? fromTable(ofRun, eventOf<RunEvent>(record))
        : store === 'cycle'
          ? fromTable(ofCycle, eventOf<CycleEvent>(record))
          : undefined;
    if (counted === undefined && paid.length === 0) return;
    changeDay(days, dayOf(timeMs), (day) => paid.reduce(withPaid, counted === undefined ? day : counted(day)));
  };
}

/** What one record changes of its day. */
export type Change = (day: DaySummary) => DaySummary;

const ofRun: EventTable<RunEvent, [], Change> = {
  RunAdmitted: () => (day) => ({ ...day, runs: { ...day.runs, count: day.runs.count + 1 } }),
  RunConcluded:
    ({ outcome }) =>
    (day) => ({ ...day, runs: { ...day.runs, outcomes: plusOne(day.runs.outcomes, outcome) } }),
};

const ofCycle: EventTable<CycleEvent, [], Change> = {
  CycleStarted: () => (day) => ({ ...day, cycles: { ...day.cycles, count: day.cycles.count + 1 } }),
  CycleEnded:
    ({ outcome }) =>
    (day) => ({ ...day, cycles: { ...day.cycles, outcomes: plusOne(day.cycles.outcomes, outcome) } }),
  ToolRequested: () => (day) => ({ ...day, calls: { ...day.calls, count: day.calls.count + 1 } }),
  ToolFinished: ({ outcome }) => callEnded(outcome.status),
  EffectLost: () => callEnded('Lost'),
  CallAnswered: () => (day) => ({ ...day, calls: { ...day.calls, unrun: day.calls.unrun + 1 } }),
  GateDecided:
    ({ gate, verdict }) =>
    (day) =>
      withVerdict(day, gate, verdict),
};

function callEnded(status: string): Change {
  return (day) => {
    const { calls } = day;
    const failed = calls.failed + (DONE.has(status) ? 0 : 1);
    return { ...day, calls: { ...calls, outcomes: plusOne(calls.outcomes, status), failed } };
  };
}

export function withVerdict(day: DaySummary, gate: string, verdict: string): DaySummary {
  return { ...day, verdicts: { ...day.verdicts, [gate]: plusOne(day.verdicts[gate] ?? {}, verdict) } };
}

/** The day with an answer of a model. */
export function withPaid(
  day: DaySummary,
  { calls, usage, costUsd }: Pick<PaidCall, 'calls' | 'usage' | 'costUsd'>,
): DaySummary {
  const { models } = day;
  return {
    ...day,
    models: {
      answers: models.answers + calls,
      tokensIn: models.tokensIn + promptTokensOf(usage),
      tokensOut: models.tokensOut + usage.outputTokens,
      costUsd: models.costUsd + (costUsd ?? 0),
      isCostComplete: models.isCostComplete && costUsd !== undefined,
    },
  };
}

export function plusOne(tally: Tally, name: string): Tally {
  return { ...tally, [name]: (tally[name] ?? 0) + 1 };
}

/** Segments are named by the day of their first record, and a day begins a segment: their sizes are what the day grew by. */
export function addSizes(
  days: Days,
  segments: readonly { readonly store: string; readonly day: string; readonly sizeBytes: number }[],
): void {
  for (const { store, day, sizeBytes } of segments)
    changeDay(days, day, (it) => ({ ...it, bytes: plus(it.bytes, { [store]: sizeBytes }) }));
}

/** Of days, both ends inclusive; absent: no bound. */
export interface DayRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** @returns the days of the range that have something, oldest first */
export function daysIn(days: Days, { from, to }: DayRange): readonly DaySummary[] {
  return [...days.values()]
    .filter(({ day }) => (from === undefined || day >= from) && (to === undefined || day <= to))
    .toSorted((a, b) => (a.day < b.day ? -1 : 1));
}

export function sumOf(days: readonly DaySummary[]): DaySummary {
  return days.reduce(
    (sum, it) => ({
      day: sum.day,
      runs: { count: sum.runs.count + it.runs.count, outcomes: plus(sum.runs.outcomes, it.runs.outcomes) },
      cycles: { count: sum.cycles.count + it.cycles.count, outcomes: plus(sum.cycles.outcomes, it.cycles.outcomes) },
      models: {
        answers: sum.models.answers + it.models.answers,
        tokensIn: sum.models.tokensIn + it.models.tokensIn,
        tokensOut: sum.models.tokensOut + it.models.tokensOut,
        costUsd: sum.models.costUsd + it.models.costUsd,
        isCostComplete: sum.models.isCostComplete && it.models.isCostComplete,
      },
      calls: {
        count: sum.calls.count + it.calls.count,
        outcomes: plus(sum.calls.outcomes, it.calls.outcomes),
        failed: sum.calls.failed + it.calls.failed,
        unrun: sum.calls.unrun + it.calls.unrun,
      },
      verdicts: Object.entries(it.verdicts).reduce(
        (verdicts, [gate, tally]) => ({ ...verdicts, [gate]: plus(verdicts[gate] ?? {}, tally) }),
        sum.verdicts,
      ),
      bytes: plus(sum.bytes, it.bytes),
    }),
    emptyDay('all'),
  );
}

function plus(a: Tally, b: Tally): Tally {
  return Object.entries(b).reduce<Tally>((sum, [name, count]) => ({ ...sum, [name]: (sum[name] ?? 0) + count }), a);
}
