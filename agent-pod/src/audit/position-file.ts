/** The auditor's last position: a cache in its own directory. Without it the auditor walks all stores again. */
import { open, readFile, rename } from 'node:fs/promises';
import { z } from 'zod';
import type { SavedPositions } from './auditor.ts';
import { FindingRecord } from './finding-record.ts';
import { isMissing } from './journal-directory.ts';

const count = z.int().nonnegative();
const hash = z.string().regex(/^[0-9a-f]{64}$/);

const Position = z.object({
  segment: z.string(),
  endBytes: count,
  line: count,
  lineHash: z.union([hash, z.literal('')]),
  nextSeq: count,
  lastSeq: z.int(),
  lastHash: hash,
  expectedPrev: hash.optional(),
  epoch: count,
  order: z.int(),
  sealed: z.boolean(),
  count,
  firstSeq: count,
  lostLines: count,
  damaged: z.boolean(),
});

const Saved = z.object({
  wholeAtMs: z.number(),
  stores: z.array(
    z.object({
      store: z.string(),
      settled: Position.transform((position) => ({ ...position, expectedPrev: position.expectedPrev })),
      sealed: z.array(
        z.object({ file: z.string(), sizeBytes: count, modifiedMs: z.number(), changedMs: z.number(), inode: count }),
      ),
    }),
  ),
  open: z.array(FindingRecord),
});

export async function readPositions(path: string): Promise<SavedPositions | undefined> {
  return readSaved(path, Saved);
}

/** Undefined when the file is missing, torn or of another shape. */
export async function readSaved<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  try {
    const parsed = schema.safeParse(JSON.parse(await readFile(path, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export async function writePositions(path: string, positions: SavedPositions): Promise<void> {
  await replaceText(path, JSON.stringify(positions));
}

/** Readers see the old text or the new one. Not synced: callers write only caches and current figures. */
export async function replaceText(path: string, text: string): Promise<void> {
  const file = await open(`${path}.tmp`, 'w', 0o640);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
  await rename(`${path}.tmp`, path);
}
