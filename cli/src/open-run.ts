/** Shared by every command that looks at one run: find the data, read the list, find the run. */
import type { JournalReader } from '@retainer/journal/journal';
import { listRuns, openRecords, type RunSummary } from '@retainer/agent-pod/review/run-records';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { findDataDirectory } from './data-directory.ts';
import { findRun } from './find-run.ts';

export interface OpenedRecords {
  readonly dataDirectory: string;
  readonly reader: JournalReader;
  /** Oldest first. */
  readonly runs: readonly RunSummary[];
}

export async function openRuns(data: string | undefined): Promise<Result<OpenedRecords, string>> {
  const directory = await findDataDirectory(data);
  if (!directory.ok) return directory;
  const reader = await openRecords(directory.value);
  return ok({ dataDirectory: directory.value, reader, runs: await listRuns(reader) });
}

export async function openRun(
  data: string | undefined,
  typed: string,
): Promise<Result<OpenedRecords & { readonly run: RunSummary }, string>> {
  const opened = await openRuns(data);
  if (!opened.ok) return opened;
  const run = findRun(opened.value.runs, typed);
  return run.ok ? ok({ ...opened.value, run: run.value }) : err(`${opened.value.dataDirectory}: ${run.error}`);
}
