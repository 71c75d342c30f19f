/** Shared by every command that looks at one run: find the data, read the list, find the run. */
import { join } from 'node:path';
import { touchesRun } from '@retainer/journal/gap';
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import type { WorkMeter } from '@retainer/mind/run/work-meter';
import { listRuns, openRecords, type RunSummary } from '@retainer/agent-pod/review/run-records';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { findDataDirectory } from './data-directory.ts';
import { findRun } from './find-run.ts';
import { renderGap, verifyRecord, type Verification } from './verify-record.ts';

export interface OpenedRecords {
  readonly dataDirectory: string;
  readonly reader: JournalReader;
  /** Oldest first. */
  readonly runs: readonly RunSummary[];
}

export interface OpenedRun extends OpenedRecords {
  readonly run: RunSummary;
}

/** Whether the record can be told at all: everything but its blobs is read. An agent may be writing it. */
export async function examineRecord(data: string | undefined): Promise<Result<Verification, string>> {
  const directory = await findDataDirectory(data);
  if (!directory.ok) return directory;
  return ok(await verifyRecord(join(directory.value, 'journal'), { isLive: true, blobs: false }));
}

/** Gaps of the record that may have held records of the run, one sentence each. */
export function gapsInRun(
  { gaps }: Verification,
  { runId, isClosed }: RunSummary,
  records: readonly JournalRecord[],
): readonly string[] {
  const orders = records.map(({ order }) => order);
  const firstOrder = orders[0] ?? 0;
  const lastOrder = isClosed ? (orders.at(-1) ?? firstOrder) : Number.POSITIVE_INFINITY;
  return gaps.filter((gap) => touchesRun(gap, { runId, firstOrder, lastOrder })).map((gap) => renderGap(gap));
}

export async function openRuns(data: string | undefined, meter?: WorkMeter): Promise<Result<OpenedRecords, string>> {
  const directory = await findDataDirectory(data);
  if (!directory.ok) return directory;
  const reader = await openRecords(directory.value);
  return ok({ dataDirectory: directory.value, reader, runs: await listRuns(reader, meter) });
}

export async function openRun(data: string | undefined, typed: string): Promise<Result<OpenedRun, string>> {
  const opened = await openRuns(data);
  if (!opened.ok) return opened;
  const run = findRun(opened.value.runs, typed);
  return run.ok ? ok({ ...opened.value, run: run.value }) : err(`${opened.value.dataDirectory}: ${run.error}`);
}
