/** A data directory as a crash may have left it: with the record up to one order, and nothing after it. */
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRecords } from '@retainer/agent-pod/review/run-records';

interface Line {
  readonly order: number;
  readonly kind: string;
}

function segmentsIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile());
}

function linesOf(path: string): readonly string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** Orders of the records of a data directory, ascending, from the last one of this kind on. */
export function ordersFrom(directory: string, kind: string): readonly number[] {
  const lines = segmentsIn(join(directory, 'journal')).flatMap(linesOf);
  const heads = lines.map((line) => JSON.parse(line) as Line).toSorted((a, b) => a.order - b.order);
  return heads.slice(heads.findLastIndex((it) => it.kind === kind)).map(({ order }) => order);
}

/** @param to  a directory that does not exist yet */
export function cutRecord(directory: string, lastOrder: number, to: string): void {
  cpSync(directory, to, { recursive: true });
  // What can be derived again is of a later moment.
  for (const name of ['cache', 'git', 'journal/checkpoints']) rmSync(join(to, name), { recursive: true, force: true });
  for (const path of segmentsIn(join(to, 'journal'))) {
    const kept = linesOf(path).filter((line) => (JSON.parse(line) as Line).order <= lastOrder);
    if (kept.length === 0) rmSync(path);
    else writeFileSync(path, `${kept.join('\n')}\n`);
  }
}

/** Of this kind in the record of a data directory, oldest first. */
export async function payloadsIn(directory: string, kind: string): Promise<readonly unknown[]> {
  const reader = await openRecords(directory);
  const found: unknown[] = [];
  for await (const record of reader.readAll(reader.stores)) if (record.kind === kind) found.push(record.payload);
  return found;
}
