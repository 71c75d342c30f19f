/** Files of the logs that the paper's system wrote, line by line. */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { daysIn } from '@retainer/mind/explain/audit/day-summary';
import { summaryOf, type Summary } from '@retainer/mind/explain/audit/render-summary';
import {
  SPRINGDRIFT_LOGS,
  SpringdriftSummary,
  type SpringdriftLog,
} from '@retainer/mind/explain/audit/springdrift-log';
import { startOfRange, type AskedDays } from './audit-summary.ts';

export interface LogFile {
  readonly log: SpringdriftLog;
  readonly path: string;
  /** `YYYY-MM-DD`, from its name. */
  readonly day: string;
  readonly sizeBytes: number;
}

export interface MalformedLine {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly why: string;
}

export interface SpringdriftAudit extends Summary {
  readonly files: number;
  /** Lines of the cycle log by their type. */
  readonly lines: Readonly<Record<string, number>>;
  /** The first ones, in the order of the files. */
  readonly malformed: readonly MalformedLine[];
  /** All of them. */
  readonly malformedLines: number;
}

/** As many as help to find what is wrong with a file. */
const MALFORMED_KEPT = 1000;

const FILE = /^(\d{4}-\d\d-\d\d)\.jsonl$/;

/** In the order of their names. Below the directory, or below `memory` in it. */
export async function springdriftFiles(directory: string): Promise<readonly LogFile[]> {
  const places = [directory, join(directory, 'memory')].flatMap((root) =>
    SPRINGDRIFT_LOGS.map((log) => ({ log, folder: join(root, log) })),
  );
  return (await Promise.all(places.map(filesOf))).flat();
}

async function filesOf(place: { readonly log: SpringdriftLog; readonly folder: string }): Promise<readonly LogFile[]> {
  const { log, folder } = place;
  const found: LogFile[] = [];
  for (const name of (await readdir(folder).catch((): string[] => [])).toSorted()) {
    const day = FILE.exec(name)?.[1];
    const path = join(folder, name);
    if (day !== undefined) found.push({ log, path, day, sizeBytes: (await stat(path)).size });
  }
  return found;
}

/** Lines with their numbers, from 1; empty ones are left out. */
export async function* linesOf(path: string): AsyncGenerator<{ readonly line: number; readonly text: string }> {
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity })) {
    line += 1;
    if (text.trim() !== '') yield { line, text };
  }
}

/** @param asked  days as the log names them */
export async function summarizeSpringdrift(files: readonly LogFile[], asked: AskedDays): Promise<SpringdriftAudit> {
  const summary = new SpringdriftSummary();
  const malformed: MalformedLine[] = [];
  let malformedLines = 0;
  for (const { log, path, day, sizeBytes } of files) {
    summary.grew(log, day, sizeBytes);
    for await (const { line, text } of linesOf(path)) {
      const why = summary.take(log, text);
      if (why === undefined) continue;
      malformedLines += 1;
      if (malformed.length < MALFORMED_KEPT) malformed.push({ file: path, line, why });
    }
  }
  const days = daysIn(summary.days, startOfRange(asked, files));
  return { ...summaryOf(days), files: files.length, lines: summary.lines, malformed, malformedLines };
}
