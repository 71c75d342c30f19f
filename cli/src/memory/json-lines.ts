import { parseJson } from '@retainer/contract/std/parse-json';
import { renderPath } from '@retainer/contract/manifest/manifest-error';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { z } from 'zod';

/** Faults that are told; whoever mends a file wants to see more than one, and not thousands. */
const FAULTS_TOLD_MAX = 10;

/** @returns one value for each line that is not blank; else the faults, each with file and line */
export function parseLines<T>(
  file: string,
  text: string,
  schema: z.ZodType<T>,
): Result<readonly T[], readonly string[]> {
  const rows: T[] = [];
  const faults: string[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const row = checked(`${file}:${at + 1}`, parseJson(line), schema);
    if (row.ok) rows.push(row.value);
    else faults.push(row.error);
  }
  if (faults.length > 0) return err(faults.slice(0, FAULTS_TOLD_MAX));
  return rows.length > 0 ? ok(rows) : err([`${file}: has no line`]);
}

/** @param place  of the value, for the message. @param value  undefined: it is no JSON */
export function checked<T>(place: string, value: unknown, schema: z.ZodType<T>): Result<T, string> {
  if (value === undefined) return err(`${place}: is no JSON`);
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  const path = renderPath((issue?.path ?? []).filter((it) => typeof it !== 'symbol'));
  return err(`${place}: ${path === '' ? '' : `${path}: `}${issue?.message ?? 'is wrong'}`);
}
