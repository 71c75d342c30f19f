/** The records of a journal as its files hold them: nothing is resolved or brought into a newer form. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Json } from '@retainer/contract/std/canonical-json';

export interface WrittenRecord {
  readonly store: string;
  readonly kind: string;
  /** Over all stores. */
  readonly order: number;
  /** Of the line, or of the only run that it names; empty when it names none. */
  readonly runId: string;
  readonly payload: Json;
  /** Of the line with its end, and of its blob. */
  readonly sizeBytes: number;
}

interface Line {
  readonly store: string;
  readonly kind: string;
  readonly order?: number;
  readonly runId?: string;
  readonly payload?: Json;
  readonly blob?: { readonly sha256: string };
}

/** @param runIds  of all runs. @returns in the order of the agent's life */
export async function writtenRecords(journal: string, runIds: readonly string[]): Promise<readonly WrittenRecord[]> {
  const files = await readdir(journal, { recursive: true });
  const records: WrittenRecord[] = [];
  for (const file of files.filter((it) => it.endsWith('.jsonl'))) {
    const lines = (await readFile(join(journal, file), 'utf8')).split('\n');
    for (const text of lines.filter((it) => it !== '')) {
      const line: Line = JSON.parse(text);
      const { store, kind, order = -1, payload = null } = line;
      const runId = line.runId ?? runIds.find((it) => text.includes(it)) ?? '';
      const blob = line.blob === undefined ? undefined : await readBlob(journal, line.blob.sha256);
      const sizeBytes = Buffer.byteLength(text) + 1 + (blob?.sizeBytes ?? 0);
      records.push({ store, kind, order, runId, payload: blob?.payload ?? payload, sizeBytes });
    }
  }
  return records.toSorted((a, b) => a.order - b.order);
}

async function readBlob(journal: string, sha256: string): Promise<{ payload: Json; sizeBytes: number }> {
  const path = join(journal, 'blobs', sha256.slice(0, 2), `${sha256}.gz`);
  const payload: Json = JSON.parse(gunzipSync(await readFile(path)).toString());
  return { payload, sizeBytes: (await stat(path)).size };
}
