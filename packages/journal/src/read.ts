/**
 * Reading: one store by sequence or time, several merged by `order`, or following one as it grows.
 *
 * I1  Every shown line passed the checks of its hash and its place in the chain; damage is an error, never a changed record.
 * I2  One chunk of one segment per store is in memory, however large the store is.
 * I3  Only acknowledged records are shown (by a reader of another process: whole lines on the disk).
 *
 * Source: reliability-security 1; design 5.
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { readBlob } from './blobs.ts';
import { ChainScanner, freshChain } from './chain-scanner.ts';
import { decodeLine, hashSuffixBytes, LineChecker, type LineHead } from './codec.ts';
import type { FileSystem, OpenFile } from './file-system.ts';
import { JournalCorruptError, NewerRecordError } from './journal-errors.ts';
import type { JournalRecord, ReadRange } from './journal.ts';
import { readFully, readLines, type RawLine } from './line-reader.ts';
import { isFooter, parseFooter, type Footer } from './segment.ts';
import { isKnown, type StoreDefinition } from './stores.ts';
import { WholeRecords, type WrittenRecord } from './whole-records.ts';

/** How far a store may be read now. */
export interface StoreBounds {
  /** File names, in order. */
  readonly segments: readonly string[];
  /** Of the last segment. */
  readonly endBytes: number;
}

export interface ReadSource {
  readonly fileSystem: FileSystem;
  readonly directory: string;
  definition(store: string): StoreDefinition;
  /** Whether a record of a kind or version that the store's definition does not have is an error. */
  readonly refusesNewer: boolean;
  bounds(store: string): Promise<StoreBounds>;
  /** Resolves when the store may have grown since the last call of `bounds`; rejects when the signal is aborted. */
  grown(store: string, signal: AbortSignal): Promise<void>;
}

/** A position in a store that survives between two passes. */
interface Cursor {
  readonly scanner: ChainScanner;
  segment: string | undefined;
}

export function readStore(source: ReadSource, store: string, range: ReadRange = {}): AsyncGenerator<JournalRecord> {
  return readWhole(source, newCursor(store), range);
}

async function* readWhole(source: ReadSource, cursor: Cursor, range: ReadRange): AsyncGenerator<JournalRecord> {
  const whole = wholeRecords(source);
  try {
    for await (const record of readOnwards(source, cursor, range)) yield await whole.whole(record);
  } finally {
    await whole.close();
  }
}

function wholeRecords(source: ReadSource): WholeRecords {
  return new WholeRecords({
    definition: (store) => source.definition(store),
    open: (store, fromSeq) => readOnwards(source, newCursor(store), { fromSeq }),
  });
}

export async function* followStore(
  source: ReadSource,
  store: string,
  range: { readonly fromSeq: number; readonly signal: AbortSignal },
): AsyncGenerator<JournalRecord> {
  const { fromSeq, signal } = range;
  const cursor = newCursor(store);
  while (!signal.aborted) {
    const grown = source.grown(store, signal);
    // Awaited below; until then an abort must not count as unhandled.
    grown.catch(() => undefined);
    for await (const record of readWhole(source, cursor, { fromSeq })) {
      yield record;
      if (signal.aborted) return;
    }
    try {
      await grown;
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
  }
}

/** Merges streams by `order`. Each stream must be increasing. */
export async function* mergeByOrder(streams: readonly AsyncIterable<JournalRecord>[]): AsyncGenerator<JournalRecord> {
  const sources = streams.map((stream) => stream[Symbol.asyncIterator]());
  try {
    const heads = await Promise.all(sources.map((source) => source.next()));
    for (;;) {
      const next = lowestOrder(heads);
      const head = heads[next];
      const source = sources[next];
      if (head === undefined || head.done === true || source === undefined) return;
      yield head.value;
      heads[next] = await source.next();
    }
  } finally {
    for (const source of sources) await source.return?.();
  }
}

function lowestOrder(heads: readonly IteratorResult<JournalRecord>[]): number {
  let found = -1;
  let lowest = Number.POSITIVE_INFINITY;
  for (const [index, head] of heads.entries()) {
    if (head.done === true || head.value.order >= lowest) continue;
    lowest = head.value.order;
    found = index;
  }
  return found;
}

function newCursor(store: string): Cursor {
  return { scanner: new ChainScanner(store, freshChain(), false), segment: undefined };
}

async function* readOnwards(source: ReadSource, cursor: Cursor, range: ReadRange): AsyncGenerator<WrittenRecord> {
  const { segments, endBytes } = await source.bounds(cursor.scanner.store);
  const from = cursor.segment === undefined ? 0 : segments.indexOf(cursor.segment);
  for (const segment of segments.slice(Math.max(from, 0))) {
    const path = `${source.directory}/${cursor.scanner.store}/${segment}`;
    const isLast = segment === segments.at(-1);
    if (segment !== cursor.segment) enterSegment(cursor, segment);
    const toBytes = isLast ? endBytes : ((await source.fileSystem.sizeBytes(path)) ?? 0);
    if (toBytes === 0) continue;
    yield* readSegment(source, cursor, { ...range, path, toBytes, isLast });
  }
}

function enterSegment(cursor: Cursor, segment: string): void {
  const fault = cursor.scanner.startSegment(segment);
  if (fault !== undefined) throw new JournalCorruptError(fault, fault.message);
  cursor.segment = segment;
}

interface SegmentRange extends ReadRange {
  readonly path: string;
  readonly toBytes: number;
  readonly isLast: boolean;
}

async function* readSegment(source: ReadSource, cursor: Cursor, range: SegmentRange): AsyncGenerator<WrittenRecord> {
  const { scanner } = cursor;
  const file = await source.fileSystem.open(range.path, 'read');
  try {
    if (!range.isLast && scanner.state.endBytes === 0) {
      const footer = await readFooter(file, range.toBytes, scanner.store);
      if (footer !== undefined && isOutside(footer, range)) {
        scanner.skipSegment(footer.lastSeq);
        return;
      }
    }
    const bytes = { fromBytes: scanner.state.endBytes, toBytes: range.toBytes, firstLine: scanner.state.line + 1 };
    for await (const lines of readLines(file, bytes)) yield* readChunk(source, scanner, lines, range);
  } finally {
    await file.close();
  }
}

async function* readChunk(
  source: ReadSource,
  scanner: ChainScanner,
  lines: readonly RawLine[],
  range: SegmentRange,
): AsyncGenerator<WrittenRecord> {
  for (const line of lines) {
    // Another process is writing it just now; the next pass sees it whole.
    if (!line.complete && range.isLast) return;
    const record = await readLine(source, scanner, line, range);
    if (record !== undefined) yield record;
  }
}

async function readLine(
  source: ReadSource,
  scanner: ChainScanner,
  line: RawLine,
  range: SegmentRange,
): Promise<WrittenRecord | undefined> {
  const fault = scanner.scan(line);
  if (fault !== undefined) throw new JournalCorruptError(fault, fault.message);
  const head = scanner.lastHead;
  if (head === undefined || !isInside(head, range)) return undefined;
  const decoded = decodeLine(line.bytes);
  if (!decoded.ok)
    throw new JournalCorruptError({ store: scanner.store, file: range.path, seq: head.seq }, decoded.error);
  const { record, content } = decoded.value;
  if (source.refusesNewer && !isKnown(source.definition(scanner.store), record))
    throw new NewerRecordError({ store: scanner.store, file: range.path, seq: head.seq }, record);
  const written = 'blob' in content ? await readPayload(source, content.blob, record) : content.payload;
  return { ...record, written, file: range.path };
}

function isInside({ seq, time }: LineHead, { fromSeq, fromTimeMs, toTimeMs }: ReadRange): boolean {
  if (seq < (fromSeq ?? 0)) return false;
  if (fromTimeMs === undefined && toTimeMs === undefined) return true;
  const timeMs = Date.parse(time);
  return timeMs >= (fromTimeMs ?? 0) && timeMs < (toTimeMs ?? Number.POSITIVE_INFINITY);
}

async function readPayload(
  { fileSystem, directory }: ReadSource,
  ref: { readonly sha256: string; readonly sizeBytes: number },
  place: { readonly store: string; readonly seq: number },
): Promise<Json> {
  const bytes = await readBlob(fileSystem, directory, ref, place);
  // The hash vouches for the text, which was JSON when it was written.
  return JSON.parse(bytes.toString('utf8')) as Json;
}

/** A footer is far shorter: numbers, two times, three hashes. */
const FOOTER_BYTES_MAX = 1024;

/** The footer of a sealed segment; undefined when it cannot be trusted, and then the segment is read in full. */
async function readFooter(file: OpenFile, sizeBytes: number, store: string): Promise<Footer | undefined> {
  const from = Math.max(0, sizeBytes - FOOTER_BYTES_MAX);
  const tail = await readFully(file, from, sizeBytes - from);
  const line = tail.subarray(tail.lastIndexOf('\n', tail.length - 2) + 1, tail.length - 1);
  if (line.length < hashSuffixBytes || !isFooter(line)) return undefined;
  return new LineChecker(store).check(line) === undefined ? undefined : parseFooter(line);
}

function isOutside(footer: Footer, { fromSeq, fromTimeMs, toTimeMs }: ReadRange): boolean {
  if (footer.lastSeq < (fromSeq ?? 0)) return true;
  if (fromTimeMs !== undefined && Date.parse(footer.maxTime) < fromTimeMs) return true;
  return toTimeMs !== undefined && Date.parse(footer.minTime) >= toTimeMs;
}
