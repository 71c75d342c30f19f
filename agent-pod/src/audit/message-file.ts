/** The auditor's state about messages, kept in its own directory across looks and restarts. */
import { z } from 'zod';
import { FindingRecord } from './finding-record.ts';
import type { SavedMessages } from './message-audit.ts';
import { readSaved, replaceText } from './position-file.ts';
import { ANOMALIES, TRENDS } from './run-report.ts';

const count = z.int().nonnegative();
const side = z.object({ signature: z.string(), atMs: z.number() });

const Paths = z.object({
  windows: z.array(z.object({ fromMs: z.number(), toMs: z.number().optional() })),
  heardToMs: z.number(),
  floorMs: z.number(),
  closed: z.array(z.tuple([z.string(), z.object({ lastSeq: count, lastAtMs: z.number() })])),
  runs: z.array(
    z.object({
      runId: z.string(),
      judgedTo: count,
      top: count,
      lastAtMs: z.number(),
      closedAt: count.optional(),
      entries: z.array(
        z.object({
          seq: count,
          bus: side.optional(),
          journal: side.extend({ recordSeq: count }).optional(),
          receivedAt: count.optional(),
        }),
      ),
    }),
  ),
});

const Window = z.object({
  fromMs: z.number(),
  messages: count,
  runIds: z.array(z.string()),
  attempts: count,
  corrections: count,
  gapTrends: z.array(z.object({ runId: z.string(), seq: count, trend: z.enum(TRENDS) })),
  boundaryViolations: z.array(z.object({ message: z.string(), detail: z.string() })),
  driftAlerts: z.array(z.object({ runId: z.string(), corrections: z.number() })),
  anomalies: z.array(z.object({ kind: z.enum(ANOMALIES), runId: z.string(), seq: count })),
  toolHealth: z.object({ executionFailures: count, environmentalRetries: count, logicalRetries: count }),
  breaks: z.array(z.object({ runId: z.string(), count, d: z.number() })),
});

const Saved = z.object({
  paths: Paths,
  notedTo: count,
  feed: z.object({ process: z.string(), next: count }).optional(),
  bornMs: z.number(),
  window: Window,
  open: z.array(FindingRecord),
});

export async function readMessages(path: string): Promise<SavedMessages | undefined> {
  return readSaved(path, Saved);
}

export async function writeMessages(path: string, saved: SavedMessages): Promise<void> {
  await replaceText(path, JSON.stringify(saved));
}
