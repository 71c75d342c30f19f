/** The auditor's progress in deciding runs again, in its own directory. Without it the auditor judges all runs again. */
import { z } from 'zod';
import { FindingRecord } from './finding-record.ts';
import { readSaved, replaceText } from './position-file.ts';
import type { SavedRuns } from './run-audit.ts';
import { LineEndRecord, list } from './verdict-file.ts';

const count = z.int().nonnegative();

export const SavedRunsRecord = z.object({
  to: LineEndRecord,
  lookedToOrder: z.int(),
  runs: list(
    z.object({
      runId: z.string(),
      from: LineEndRecord,
      fromOrder: count,
      lastOrder: count,
      epoch: count,
      isClosed: z.boolean(),
      mayEnd: z.boolean(),
      judgedAtOrder: z.int(),
    }),
  ),
  marks: list(z.object({ place: LineEndRecord, order: count })),
  hasLost: z.boolean(),
  open: list(FindingRecord),
});

export async function readRuns(path: string): Promise<SavedRuns | undefined> {
  return readSaved(path, SavedRunsRecord);
}

export async function writeRuns(path: string, saved: SavedRuns): Promise<void> {
  await replaceText(path, JSON.stringify(saved));
}
