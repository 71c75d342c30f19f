/** Verifies that a journal is unchanged since it was written, and reports the result in one line. */
import { verifyJournal, type Fault, type VerifiedStore } from '@retainer/journal/verify';

type StoreSummary = Pick<VerifiedStore, 'store' | 'records' | 'bytes' | 'faults' | 'head'>;

export interface Verification {
  readonly directory: string;
  readonly stores: readonly StoreSummary[];
  /** In the order of the stores and their files. */
  readonly faults: readonly Fault[];
  readonly records: number;
  readonly bytes: number;
  readonly durationMs: number;
}

/** Further faults are only counted: the first ones show the place. */
const FAULTS_MAX = 1_000;

/** Reads everything, blobs too. @param isLive  a writer is at work: an unfinished last line is no fault */
export async function verifyRecord(directory: string, isLive = false): Promise<Verification> {
  const startedMs = performance.now();
  const faults: Fault[] = [];
  const verification = verifyJournal({ directory, blobs: true, live: isLive });
  let step = await verification.next();
  for (; step.done !== true; step = await verification.next()) if (faults.length < FAULTS_MAX) faults.push(step.value);
  const stores = step.value.map(({ store, records, bytes, faults: count, head }) => ({
    store,
    records,
    bytes,
    faults: count,
    head,
  }));
  return {
    directory,
    stores,
    faults,
    records: stores.reduce((sum, it) => sum + it.records, 0),
    bytes: stores.reduce((sum, it) => sum + it.bytes, 0),
    durationMs: performance.now() - startedMs,
  };
}

export function isSound({ stores }: Verification): boolean {
  return stores.every((store) => store.faults === 0);
}

/** `data/journal/cycle/2026-01-02.jsonl:14 seq 13: the hash is not that of the line`. */
export function renderFault({ store, file, line, seq, kind, message }: Fault, directory: string): string {
  const place = file === '' ? `${directory}/${store}` : `${directory}/${store}/${file}${line > 0 ? `:${line}` : ''}`;
  return `${place}: store ${store}, sequence ${seq}: ${kind}: ${message}`;
}
