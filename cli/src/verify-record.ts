/** Verifies that a journal is unchanged since it was written, and reports the result in one line. */
import { renderOrders, type RecordedGap } from '@retainer/journal/gap';
import type { Head } from '@retainer/journal/journal';
import { verifyJournal, type Fault, type FaultKind, type VerifiedStore } from '@retainer/journal/verify';
import { renderPlural } from '@retainer/mind/explain/figures';
import { exitCodes } from './exit-codes.ts';

type StoreSummary = Pick<VerifiedStore, 'store' | 'records' | 'bytes' | 'faults' | 'head'>;

export interface Verification {
  readonly directory: string;
  readonly stores: readonly StoreSummary[];
  /** In the order of the stores and their files. */
  readonly faults: readonly Fault[];
  /** Records that a repair gave up. */
  readonly gaps: readonly RecordedGap[];
  readonly records: number;
  readonly bytes: number;
  readonly durationMs: number;
}

/** Further faults are only counted: the first ones show the place. */
const FAULTS_MAX = 1_000;

export interface VerifyRecordOptions {
  /** A writer is at work: an unfinished last line is no fault. */
  readonly isLive?: boolean;
  /** Heads that were seen elsewhere before. */
  readonly knownHeads?: readonly Head[];
  /** Default: reads everything, blobs too. */
  readonly blobs?: boolean;
}

export async function verifyRecord(directory: string, options: VerifyRecordOptions = {}): Promise<Verification> {
  const { isLive = false, knownHeads = [], blobs = true } = options;
  const startedMs = performance.now();
  const faults: Fault[] = [];
  const verification = verifyJournal({ directory, blobs, live: isLive, knownHeads });
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
    gaps: step.value.flatMap(({ gaps }) => gaps),
    records: stores.reduce((sum, it) => sum + it.records, 0),
    bytes: stores.reduce((sum, it) => sum + it.bytes, 0),
    durationMs: performance.now() - startedMs,
  };
}

/** What a kind of fault means for the whole; all others are plain damage. The first row with a fault counts. */
const meanings: readonly { readonly kind: FaultKind; readonly code: number; readonly says: string }[] = [
  { kind: 'StoreMissing', code: exitCodes.storeMissing, says: 'a store is missing' },
  {
    kind: 'HeadMissing',
    code: exitCodes.rolledBack,
    says: 'not the record that was seen before: cut, rewritten, or an older copy',
  },
];

/** Every record is there and unchanged, except for what gaps give up. */
export function isSound({ faults }: Pick<Verification, 'faults'>): boolean {
  return faults.every(({ kind }) => kind === 'CheckpointMissing');
}

export interface Finding {
  readonly code: number;
  readonly text: string;
}

/** What is wrong as a whole, in one clause; undefined where the record is as it was written. */
export function findingOf({ faults, gaps }: Pick<Verification, 'faults' | 'gaps'>): Finding | undefined {
  const meaning = meanings.find(({ kind }) => faults.some((fault) => fault.kind === kind));
  if (meaning !== undefined) return { code: meaning.code, text: meaning.says };
  if (!isSound({ faults })) return { code: exitCodes.record, text: 'damaged' };
  if (gaps.length > 0)
    return { code: exitCodes.gap, text: `whole, except for what ${renderPlural(gaps.length, 'repair')} gave up` };
  if (faults.length === 0) return undefined;
  return { code: exitCodes.checkpointMissing, text: `whole, but ${renderPlural(faults.length, 'checkpoint')} missing` };
}

/** The finding where the record lacks more than a repair gave up on a person's word. */
export function damageOf(verification: Verification): Finding | undefined {
  return isSound(verification) ? undefined : findingOf(verification);
}

/** `store cycle, sequence 4 to 6: given up by human:ada on 2026-01-02: repaired after damage (…)`. */
export function renderGap(gap: RecordedGap): string {
  const { store, lostFromSeq, lostToSeq, principal, atMs, reason } = gap;
  const what = lostFromSeq === undefined ? 'no record' : `sequence ${lostFromSeq} to ${lostToSeq ?? '?'}`;
  const details = lossDetails(gap).join('; ');
  const moment = new Date(atMs).toISOString().slice(0, 10);
  return `store ${store}, ${what}: given up by ${principal} on ${moment}: ${reason}${details === '' ? '' : ` (${details})`}`;
}

/** What a gap tells about its records, as far as it is known. */
export function lossDetails({
  lostOrders = [],
  lostKinds = [],
  runs = [],
}: Pick<RecordedGap, 'lostOrders' | 'lostKinds' | 'runs'>): readonly string[] {
  return [
    ...(lostOrders.length > 0 ? [`order ${renderOrders(lostOrders)}`] : []),
    ...(lostKinds.length > 0 ? [`kinds as far as readable: ${lostKinds.join(', ')}`] : []),
    ...(runs.length > 0 ? [`runs there: ${runs.join(', ')}`] : []),
  ];
}

/** `data/journal/cycle/2026-01-02.jsonl:14 seq 13: the hash is not that of the line`. */
export function renderFault({ store, file, line, seq, kind, message }: Fault, directory: string): string {
  if (store === '') return `${directory}: order ${seq}: ${kind}: ${message}`;
  const place = file === '' ? `${directory}/${store}` : `${directory}/${store}/${file}${line > 0 ? `:${line}` : ''}`;
  return `${place}: store ${store}, sequence ${seq}: ${kind}: ${message}`;
}
