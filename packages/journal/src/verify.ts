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
import { decodeLine, type LineEnds, type LineHead } from './codec.ts';
import type { FileSystem } from './file-system.ts';
import { errorText, JournalCorruptError } from './journal-errors.ts';
import type { BlobRef, Head } from './journal.ts';
import type { RawLine } from './line-reader.ts';
import { storesOnDisk } from './open-reader.ts';
import { realFileSystem } from './real-file-system.ts';
import { checkpointEnd, endMissing } from './recover.ts';
import { scanStore, type ScannedStore, type ScanOptions, type ScanStart } from './scan-store.ts';
import { segmentFile } from './segment.ts';

export type { Fault, FaultKind } from './chain-scanner.ts';
export type { ScanStart } from './scan-store.ts';

export interface VerifyStoreOptions {
  readonly directory: string;
  readonly store: string;
  readonly fileSystem?: FileSystem;
  /** The end of an earlier verification; the lines before it are not read again. */
  readonly start?: ScanStart | undefined;
  /** Heads that must be inside the log. */
  readonly knownHeads?: readonly Head[];
  /** Unpacks every blob that a record refers to and checks its hash. */
  readonly blobs?: boolean;
  /** A writer is at work: an unfinished last line is no fault. */
  readonly live?: boolean;
}

export interface VerifiedStore {
  readonly store: string;
  readonly records: number;
  readonly bytes: number;
  readonly faults: number;
  readonly head: Head | undefined;
  /** Start of the next verification. Undefined where a fault was found: then the whole store must be read again. */
  readonly end: ScanStart | undefined;
}

/** Yields the faults of one store, those of its files first, in their order. */
export async function* verifyStore(options: VerifyStoreOptions): AsyncGenerator<Fault, VerifiedStore> {
  const { directory, store, fileSystem = realFileSystem, start, live = false } = options;
  const claims = new Claims(options);
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
  return { store, records: claims.records, bytes, faults, head: headOf(store, state), end };
}

function headOf(store: string, { nextSeq, lastHash, epoch }: ChainState): Head | undefined {
  return nextSeq === 0 ? undefined : { store, seq: nextSeq - 1, hash: lastHash, epoch };
}

/** Every store on the disk, one after the other. */
export async function* verifyJournal(
  options: Omit<VerifyStoreOptions, 'store' | 'start'>,
): AsyncGenerator<Fault, readonly VerifiedStore[]> {
  const verified: VerifiedStore[] = [];
  for (const store of await storesOnDisk(options.fileSystem ?? realFileSystem, options.directory))
    verified.push(yield* verifyStore({ ...options, store }));
  return verified;
}

/** Claims of the records and of the caller about things beside the chain. */
class Claims {
  records = 0;
  readonly #heads: Map<number, Head>;
  readonly #withBlobs: boolean;
  readonly #blobs: { readonly ref: BlobRef; readonly seq: number }[] = [];
  readonly #store: string;

  constructor({ store, knownHeads = [], blobs = false }: VerifyStoreOptions) {
    this.#store = store;
    this.#withBlobs = blobs;
    this.#heads = new Map(knownHeads.filter((head) => head.store === store).map((head) => [head.seq, head]));
  }

  note({ seq }: LineHead, { hash }: LineEnds, line: RawLine): void {
    this.records += 1;
    if (this.#heads.get(seq)?.hash === hash) this.#heads.delete(seq);
    const ref = this.#withBlobs ? blobOf(line.bytes) : undefined;
    if (ref !== undefined) this.#blobs.push({ ref, seq });
  }

  /** Heads that no record confirmed. */
  missingHeads(): readonly Head[] {
    return [...this.#heads.values()];
  }

  async blobFaults(fileSystem: FileSystem, directory: string): Promise<readonly Fault[]> {
    const faults: Fault[] = [];
    for (const { ref, seq } of this.#blobs) {
      const fault = await blobFault(fileSystem, directory, { ref, seq, store: this.#store });
      if (fault !== undefined) faults.push(fault);
    }
    return faults;
  }
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
