/**
 * Proves that a journal is unchanged since it was written: every hash, every link, every footer, every blob, every head seen
 * before.
 *
 * Reads only, needs no store table and no running agent; the command line, the auditor and the tests all use it.
 *
 * Source: reliability-security 1 (heads to the auditor), 7; design 7 (offline).
 */
import { readBlob } from './blobs.ts';
import { copyChain, type ChainState, type Fault } from './chain-scanner.ts';
import { readCheckpoint } from './checkpoint.ts';
import { isLostIn } from './compare-heads.ts';
import { decodeLine, type LineEnds, type LineHead } from './codec.ts';
import type { FileSystem } from './file-system.ts';
import { readGap, type RecordedGap } from './gap.ts';
import { errorText, JournalCorruptError } from './journal-errors.ts';
import type { BlobRef, Head } from './journal.ts';
import type { RawLine } from './line-reader.ts';
import { storesOnDisk } from './open-reader.ts';
import { Orders, renderOrders } from './orders.ts';
import { realFileSystem } from './real-file-system.ts';
import { checkpointEnd, checkpointHead, endMissing, examineStore } from './recover.ts';
import { scanStore, type ScannedStore, type ScanOptions, type ScanStart } from './scan-store.ts';
import { segmentFile } from './segment.ts';
import { ownFirst } from './stores.ts';
import { readTestimony, type Testimony } from './testimony.ts';

export type { Fault, FaultKind } from './chain-scanner.ts';
export type { ScanStart } from './scan-store.ts';

export interface VerifyStoreOptions {
  readonly directory: string;
  readonly store: string;
  readonly fileSystem?: FileSystem;
  /** The end of an earlier verification; the lines before it are not read again. */
  readonly start?: ScanStart | undefined;
  /** Heads that must be inside the log, beside that of the checkpoint. */
  readonly knownHeads?: readonly Head[];
  /** Unpacks every blob that a record refers to and checks its hash. */
  readonly blobs?: boolean;
  /** A writer is at work: an unfinished last line is no fault. */
  readonly live?: boolean;
  /** Notes the place of each record in the order of all stores. */
  readonly orders?: Orders;
}

export interface VerifiedStore {
  readonly store: string;
  readonly records: number;
  readonly bytes: number;
  readonly faults: number;
  readonly head: Head | undefined;
  /** Records that a repair gave up. */
  readonly gaps: readonly RecordedGap[];
  /** Start of the next verification. Undefined where a fault was found: then the whole store must be read again. */
  readonly end: ScanStart | undefined;
}

/** Yields the faults of one store, those of its files first, in their order. */
export async function* verifyStore(options: VerifyStoreOptions): AsyncGenerator<Fault, VerifiedStore> {
  const { directory, store, fileSystem = realFileSystem, start, live = false } = options;
  const claims = new Claims({ ...options, knownHeads: await headsToFind(options) });
  const scan = scanStore({
    fileSystem,
    directory,
    store,
    start,
    onRecord: (head, ends, line) => claims.note(head, ends, line),
  });
  let faults = 0;
  let step = await scan.next();
  for (; step.done !== true; step = await scan.next()) {
    if (live && step.value.kind === 'TornTail') continue;
    faults += 1;
    yield step.value;
  }
  const { scanner, segments, bytes } = step.value;
  const state = faults === 0 ? (scanner.good ?? scanner.state) : scanner.state;
  const last = segments.at(-1);
  const segment = last === undefined ? '' : segmentFile(last);
  const place = { store, file: segment, line: state.line, offsetBytes: state.endBytes };
  const later = [
    ...(live ? [] : await endFaults({ fileSystem, directory, store }, step.value)),
    ...claims.missingHeads().map((head) => missingHead(place, head)),
    ...(await claims.blobFaults(fileSystem, directory)),
  ];
  yield* later;
  faults += later.length;
  const end = last === undefined || faults > 0 ? undefined : { segment, state: copyChain(state) };
  return { store, records: claims.records, bytes, faults, head: headOf(store, state), gaps: claims.gaps(), end };
}

/** With the checkpoint's. It is read before the store: a writer at work may put a newer one in its place. */
async function headsToFind(options: VerifyStoreOptions): Promise<readonly Head[]> {
  const { directory, store, fileSystem = realFileSystem, start, knownHeads = [] } = options;
  const marked = checkpointHead(store, await readCheckpoint(fileSystem, directory, store));
  return [...knownHeads, ...marked.filter(({ seq }) => seq >= (start?.state.nextSeq ?? 0))];
}

function headOf(store: string, { nextSeq, lastHash, epoch }: ChainState): Head | undefined {
  return nextSeq === 0 ? undefined : { store, seq: nextSeq - 1, hash: lastHash, epoch };
}

/** The journal as a whole: every store that is there, and every one that has to be. */
export async function* verifyJournal(
  options: Omit<VerifyStoreOptions, 'store' | 'start' | 'orders'>,
): AsyncGenerator<Fault, readonly VerifiedStore[]> {
  const { directory, fileSystem = realFileSystem, knownHeads = [], live = false } = options;
  // The stores are read one after the other: what a writer adds meanwhile is seen in the later ones alone.
  const orders = new Orders(live ? await lastOrder(fileSystem, directory) : undefined);
  const testimony = await readTestimony(fileSystem, directory);
  const verified: VerifiedStore[] = [];
  for (const store of ownFirst(testimony.stores)) {
    if (testimony.missing.includes(store)) {
      yield storeMissing(store);
      verified.push({ store, records: 0, bytes: 0, faults: 1, head: undefined, gaps: [], end: undefined });
      continue;
    }
    const heads = [...testimony.heads, ...knownHeads];
    verified.push(yield* verifyStore({ ...options, store, knownHeads: heads, orders }));
  }
  yield* await checkpointsMissing(fileSystem, directory, testimony);
  const missing = orders.missing();
  const [first] = missing;
  if (first !== undefined) {
    const message = `no record has these numbers of the order over all stores, so records are missing: ${renderOrders(missing)}`;
    yield { ...nowhere(''), kind: 'OrderMissing', seq: first.from, message };
  }
  return verified.toSorted((a, b) => (a.store < b.store ? -1 : 1));
}

async function lastOrder(fileSystem: FileSystem, directory: string): Promise<number> {
  const stores = await storesOnDisk(fileSystem, directory);
  const examined = await Promise.all(
    stores.map((store) => examineStore({ fileSystem, directory, store, epoch: undefined })),
  );
  return Math.max(-1, ...examined.map(({ state }) => state.order));
}

function nowhere(store: string): Omit<Fault, 'kind' | 'message'> {
  return { store, file: '', line: 0, offsetBytes: 0, seq: 0 };
}

function storeMissing(store: string): Fault {
  const message = 'the journal notes that this store has records, and nothing of it is there';
  return { ...nowhere(store), kind: 'StoreMissing', message };
}

async function checkpointsMissing(
  fileSystem: FileSystem,
  directory: string,
  { checkpoints, missing }: Testimony,
): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const store of checkpoints)
    if (!missing.includes(store) && (await readCheckpoint(fileSystem, directory, store)) === undefined)
      faults.push({
        ...nowhere(store),
        kind: 'CheckpointMissing',
        file: 'its checkpoint',
        message:
          'the checkpoint is gone or changed; no record is lost, and the next opening and closing write it again',
      });
  return faults;
}

/** Claims of the records and of the caller about things beside the chain. */
class Claims {
  records = 0;
  readonly #heads: Map<string, Head>;
  readonly #options: VerifyStoreOptions;
  readonly #blobs: { readonly ref: BlobRef; readonly seq: number }[] = [];
  readonly #gaps: { readonly gap: RecordedGap; readonly after: number; before: number }[] = [];
  #lastOrder = -1;

  constructor(options: VerifyStoreOptions) {
    const { store, knownHeads = [] } = options;
    this.#options = options;
    this.#heads = new Map(knownHeads.filter((head) => head.store === store).map((head) => [headKey(head), head]));
  }

  note(head: LineHead, { hash }: LineEnds, line: RawLine): void {
    const { seq, order } = head;
    this.records += 1;
    this.#heads.delete(headKey({ seq, hash }));
    const last = this.#gaps.at(-1);
    if (last !== undefined && last.before === Number.POSITIVE_INFINITY) last.before = order;
    const gap = head.kind === 'Gap' ? readGap(line.bytes) : undefined;
    if (gap !== undefined) this.#crossGap(gap, hash);
    this.#options.orders?.note(head);
    this.#lastOrder = order;
    const ref = this.#options.blobs === true ? blobOf(line.bytes) : undefined;
    if (ref !== undefined) this.#blobs.push({ ref, seq });
  }

  #crossGap(gap: RecordedGap, hash: string): void {
    this.#gaps.push({ gap, after: this.#lastOrder, before: Number.POSITIVE_INFINITY });
    // The end of a store that ends in a gap has the gap's hash.
    if (gap.resumeSeq !== undefined) this.#heads.delete(headKey({ seq: gap.resumeSeq - 1, hash }));
  }

  /** Accounts for the orders that gaps gave up. */
  gaps(): readonly RecordedGap[] {
    for (const { gap, after, before } of this.#gaps) {
      // Gaps of earlier versions do not name the orders.
      const lost = gap.lostOrders ?? [{ from: after + 1, to: before - 1 }];
      for (const range of lost) this.#options.orders?.explain(range);
    }
    return this.#gaps.map(({ gap }) => gap);
  }

  /** Heads that no record confirmed, and that no gap gave up. */
  missingHeads(): readonly Head[] {
    return [...this.#heads.values()].filter(({ seq }) => !this.#gaps.some(({ gap }) => isLostIn(gap, seq)));
  }

  async blobFaults(fileSystem: FileSystem, directory: string): Promise<readonly Fault[]> {
    const faults: Fault[] = [];
    for (const { ref, seq } of this.#blobs) {
      const fault = await blobFault(fileSystem, directory, { ref, seq, store: this.#options.store });
      if (fault !== undefined) faults.push(fault);
    }
    return faults;
  }
}

function headKey({ seq, hash }: Pick<Head, 'seq' | 'hash'>): string {
  return `${seq}/${hash}`;
}

function blobOf(line: Buffer): BlobRef | undefined {
  if (!line.includes(',"blob":{"sha256":"')) return undefined;
  const decoded = decodeLine(line);
  return decoded.ok && 'blob' in decoded.value.content ? decoded.value.content.blob : undefined;
}

async function blobFault(
  fileSystem: FileSystem,
  directory: string,
  { ref, seq, store }: { readonly ref: BlobRef; readonly seq: number; readonly store: string },
): Promise<Fault | undefined> {
  try {
    await readBlob(fileSystem, directory, ref, { store, seq });
    return undefined;
  } catch (error) {
    if (!(error instanceof JournalCorruptError)) throw error;
    const kind = error.message.includes('missing') ? 'BlobMissing' : 'BlobDamaged';
    return { kind, store, file: error.file, line: 0, offsetBytes: 0, seq, message: errorText(error) };
  }
}

/** A newline that is missing at the very end, and a store that ends before its checkpoint. */
async function endFaults(options: ScanOptions, scanned: ScannedStore): Promise<readonly Fault[]> {
  const { fileSystem, directory, store } = options;
  const { scanner } = scanned;
  const checkpoint = await readCheckpoint(fileSystem, directory, store);
  if (checkpoint !== undefined && (await checkpointEnd(options, checkpoint)) === 'Missing')
    return [endMissing(store, scanned, scanner.state)];
  if (!scanner.newlineMissing || scanner.firstFault !== undefined) return [];
  const { nextSeq, endBytes, line } = scanner.state;
  const last = scanned.segments.at(-1);
  const file = last === undefined ? '' : segmentFile(last);
  const message = 'the last line has no newline';
  return [{ kind: 'TornTail', store, file, line, offsetBytes: endBytes, seq: nextSeq - 1, message }];
}

function missingHead(place: Omit<Fault, 'kind' | 'seq' | 'message'>, { seq, hash }: Head): Fault {
  const message = `the head that was seen at sequence ${seq} (${hash.slice(0, 12)}…) is not in the log: cut, rewritten or restored`;
  return { ...place, kind: 'HeadMissing', seq, message };
}
