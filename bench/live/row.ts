/** What one task came to, played one way: a row of the tables, and of the files of `--json`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { parseJson } from '@retainer/contract/std/parse-json';
import { VERDICTS } from './tasks/task.ts';

export const WAYS = ['Retainer', 'Bare'] as const;
export type Way = (typeof WAYS)[number];

const LiveRow = z.object({
  way: z.enum(WAYS),
  /** Of the tier Capable. */
  model: z.string(),
  task: z.string(),
  verdict: z.enum(VERDICTS),
  /** Why it is not right; empty when it is. */
  fault: z.string(),
  isLieTold: z.boolean(),
  /** What people read, on one line, shortened. */
  said: z.string(),
  /** Of a run its outcome; of the bare loop how it ended. */
  outcome: z.string(),
  modelCalls: z.int(),
  tokens: z.int(),
  /** Those that no cache held, answers included. */
  uncachedTokens: z.int(),
  durationMs: z.number(),
  /** Whether the record leads to the same decisions without a model. Absent: there is none, or nobody tried. */
  replays: z.boolean().exactOptional(),
});
export type LiveRow = Readonly<z.infer<typeof LiveRow>>;

/** Characters of what was said in a row: what a person reads of a line. */
const SAID_CHARACTERS_MAX = 360;

/** On one line. */
export function asSaid(text: string): string {
  const line = text.trim().replaceAll(/\s+/gu, ' ');
  return line.length > SAID_CHARACTERS_MAX ? `${line.slice(0, SAID_CHARACTERS_MAX)} …` : line;
}

/** @throws an error that names the file and the field, when it holds no rows */
export function readRows(path: string): readonly LiveRow[] {
  const parsed = z.array(LiveRow).safeParse(parseJson(readFileSync(path, 'utf8')));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((it) => [...it.path, it.message].join(' '));
  throw new Error(`${path} is no file of --json: ${faults.slice(0, 1).join('')}`);
}

export function writeRows(path: string, rows: readonly LiveRow[]): void {
  writeFileSync(path, `${JSON.stringify(rows, undefined, 1)}\n`);
}
