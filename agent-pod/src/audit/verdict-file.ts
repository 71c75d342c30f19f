/** The auditor's progress in checking verdicts, in its own directory. Without it the auditor checks all verdicts again. */
import { z } from 'zod';
import { FindingRecord } from './finding-record.ts';
import { readSaved, replaceText } from './position-file.ts';
import type { SavedVerdicts } from './verdict-audit.ts';

const count = z.int().nonnegative();
export const LineEndRecord = z.object({
  segment: z.string(),
  endBytes: count,
  lineHash: z.string().regex(/^([0-9a-f]{64})?$/),
  nextSeq: count,
});

export function list<T>(of: z.ZodType<T>): z.ZodReadonly<z.ZodArray<z.ZodType<T>>> {
  return z.array(of).readonly();
}

export const SavedVerdictsRecord = z.object({ from: LineEndRecord, to: LineEndRecord, open: list(FindingRecord) });

export async function readVerdicts(path: string): Promise<SavedVerdicts | undefined> {
  return readSaved(path, SavedVerdictsRecord);
}

export async function writeVerdicts(path: string, saved: SavedVerdicts): Promise<void> {
  await replaceText(path, JSON.stringify(saved));
}
