/** Runs the chain scanner over the segments of one store on disk. */
import { ChainScanner, freshChain, type ChainState, type Fault, type OnRecord } from './chain-scanner.ts';
import type { FileSystem } from './file-system.ts';
import { readLines } from './line-reader.ts';
import { compareSegments, parseSegmentFile, segmentFile, sortedSegments, type SegmentName } from './segment.ts';

/** A place in a store to start from: an earlier scan verified everything before it. */
export interface ScanStart {
  readonly segment: string;
  readonly state: ChainState;
}

export interface ScannedStore {
  readonly segments: readonly SegmentName[];
  readonly scanner: ChainScanner;
  readonly bytes: number;
  /** Size of the last segment; 0 when there is none. */
  readonly lastSegmentBytes: number;
}

export interface ScanOptions {
  readonly fileSystem: FileSystem;
  /** Of the journal. */
  readonly directory: string;
  readonly store: string;
  readonly start?: ScanStart | undefined;
  readonly onRecord?: OnRecord;
}

/** Yields each fault of the store as it is found; the return value is the complete result. */
export async function* scanStore(options: ScanOptions): AsyncGenerator<Fault, ScannedStore> {
  const { fileSystem, store, start } = options;
  const directory = `${options.directory}/${store}`;
  const segments = sortedSegments(await fileSystem.list(directory));
  const scanner = new ChainScanner(store, start?.state ?? freshChain());
  let bytes = 0;
  let lastSegmentBytes = 0;
  for (const segment of fromStart(segments, start)) {
    const file = segmentFile(segment);
    const resumed = file === start?.segment;
    const fault = scanner.startSegment(file, resumed);
    if (fault !== undefined) yield fault;
    lastSegmentBytes = yield* scanSegment({ ...options, path: `${directory}/${file}` }, scanner);
    bytes += lastSegmentBytes;
  }
  return { segments, scanner, bytes, lastSegmentBytes };
}

function fromStart(segments: readonly SegmentName[], start: ScanStart | undefined): readonly SegmentName[] {
  const first = start === undefined ? undefined : parseSegmentFile(start.segment);
  if (first === undefined) return segments;
  return segments.filter((segment) => compareSegments(segment, first) >= 0);
}

/** Scans one file from the scanner's current place in it; returns the file's size. */
async function* scanSegment(
  { fileSystem, path, onRecord }: ScanOptions & { readonly path: string },
  scanner: ChainScanner,
): AsyncGenerator<Fault, number> {
  const sizeBytes = (await fileSystem.sizeBytes(path)) ?? 0;
  const file = await fileSystem.open(path, 'read');
  try {
    const range = { fromBytes: scanner.state.endBytes, toBytes: sizeBytes, firstLine: scanner.state.line + 1 };
    for await (const lines of readLines(file, range)) yield* scanner.scanAll(lines, onRecord);
  } finally {
    await file.close();
  }
  return sizeBytes;
}
