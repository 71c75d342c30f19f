/** What an agent did, day by day, from its record or a copy of it: one pass, and nothing kept but the days. */
import { join } from 'node:path';
import type { ReadRange } from '@retainer/journal/journal';
import { segmentSizes, type SegmentSize } from '@retainer/journal/segment-sizes';
import {
  addSizes,
  daysIn,
  daySummarizer,
  SUMMARY_STORES,
  type DayRange,
  type Days,
} from '@retainer/mind/explain/audit/day-summary';
import { summaryOf, type Summary } from '@retainer/mind/explain/audit/render-summary';
import { openRecords } from './run-records.ts';

const DAY_MS = 86_400_000;

export interface AskedDays extends DayRange {
  /** This many days of the calendar, counted back from the newest day of the record; takes the place of `from`. */
  readonly newest?: number | undefined;
}

/** @throws JournalCorruptError  where the record is damaged */
export async function summarizeRecord(dataDirectory: string, asked: AskedDays): Promise<Summary> {
  const sizes = await segmentSizes(join(dataDirectory, 'journal'));
  const range = startOfRange(asked, sizes);
  const reader = await openRecords(dataDirectory);
  const days: Days = new Map();
  const take = daySummarizer(days, dayOf);
  for (const store of SUMMARY_STORES) for await (const record of reader.read(store, readRange(range))) take(record);
  addSizes(days, sizes);
  return summaryOf(daysIn(days, range));
}

/** UTC day of a moment in milliseconds since 1970. */
function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** The range with its first day: counted back from the newest of the parts, if a number of days is asked for. */
export function startOfRange({ newest, ...range }: AskedDays, parts: readonly Pick<SegmentSize, 'day'>[]): DayRange {
  if (newest === undefined) return range;
  const last = parts.reduce((latest, { day }) => (day > latest ? day : latest), '');
  return last === '' ? range : { ...range, from: dayOf(startOf(last) - (newest - 1) * DAY_MS) };
}

/** Whole segments outside of it are not read. */
function readRange({ from, to }: DayRange): ReadRange {
  return {
    ...(from === undefined ? {} : { fromTimeMs: startOf(from) }),
    ...(to === undefined ? {} : { toTimeMs: startOf(to) + DAY_MS }),
  };
}

function startOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}
