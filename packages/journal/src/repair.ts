/**
 * Repairs damaged stores, only on a person's decision: shows the plan first, acts on request.
 *
 * I1  Every damaged segment is copied to `damaged/` before anything takes its place.
 * I2  A second run finishes a repair that was interrupted anywhere.
 *
 * Source: reliability-security 1 (opening).
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import { ChainScanner, copyChain, freshChain, type ChainState, type Fault } from './chain-scanner.ts';
import { checkpointPath, readCheckpoint } from './checkpoint.ts';
import { LineChecker, parseHead } from './codec.ts';
import type { FileSystem } from './file-system.ts';
import { readLines } from './line-reader.ts';
import { fileLock, type LockPort } from './lock.ts';
import { storesOnDisk } from './open-reader.ts';
import { realFileSystem } from './real-file-system.ts';
import { planPieces, type ChainEnd, type KeptLine, type LostRange, type RepairedPiece } from './repair-plan.ts';
import { scanStore } from './scan-store.ts';
import { encodeFooter, parseSegmentFile, segmentFile, sortedSegments, type SegmentName } from './segment.ts';
import { readWhole, replaceFile } from './write-file.ts';

export interface RepairOptions {
  readonly directory: string;
  /** The person who decided on the repair: `human:NAME`. */
  readonly principal: string;
  readonly nowMs: number;
  readonly fileSystem?: FileSystem;
  readonly lock?: LockPort;
}

export interface StoreRepair {
  readonly store: string;
  readonly faults: readonly Fault[];
  /** Segment files to replace; copies go to `damaged/`. */
  readonly damagedFiles: readonly string[];
  /** New segment files with their numbers of lines. Empty where nothing can be done. */
  readonly newFiles: readonly { readonly file: string; readonly lines: number }[];
  readonly lost: readonly LostRange[];
  readonly keptRecords: number;
  /** Why this needs a person and not a program; then this store stays unchanged. */
  readonly refusal: string | undefined;
}

interface NewSegment {
  readonly name: SegmentName;
  readonly lines: readonly Buffer[];
}

interface Prepared {
  readonly repair: StoreRepair;
  readonly segments: readonly NewSegment[];
  readonly isLast: boolean;
}

/** The plan of {@link applyRepair} for every damaged store. Reads only. */
export async function planRepair(options: RepairOptions): Promise<readonly StoreRepair[]> {
  return (await prepare(options)).map(({ repair }) => repair);
}

/** Carries out the plan under the journal's lock. Returns the repairs made. */
export async function applyRepair(options: RepairOptions): Promise<readonly StoreRepair[]> {
  const { directory, lock = fileLock, fileSystem = realFileSystem } = options;
  const held = await lock.acquire(`${directory}/lock`);
  try {
    const prepared = await prepare(options);
    for (const store of prepared)
      if (store.repair.refusal === undefined) await replaceSegments(fileSystem, directory, store);
    return prepared.map(({ repair }) => repair);
  } finally {
    await held.release();
  }
}

async function prepare(options: RepairOptions): Promise<readonly Prepared[]> {
  const prepared: Prepared[] = [];
  for (const store of await storesOnDisk(options.fileSystem ?? realFileSystem, options.directory)) {
    const found = await prepareStore(options, store);
    if (found !== undefined) prepared.push(found);
  }
  return prepared;
}

async function prepareStore(options: RepairOptions, store: string): Promise<Prepared | undefined> {
  const { directory, fileSystem = realFileSystem, principal, nowMs } = options;
  const segments = sortedSegments(await fileSystem.list(`${directory}/${store}`)).map((name) => segmentFile(name));
  const checkpoint = await readCheckpoint(fileSystem, directory, store);
  const { faults, state, nextSeq } = await findFaults(fileSystem, directory, store);
  const knownNextSeq = checkpoint?.state.nextSeq ?? 0;
  const isShort = nextSeq < knownNextSeq;
  if (!isShort && (faults.length === 0 || isMereTornTail(faults, segments))) return undefined;
  const damagedFiles = filesConcerned(segments, faults, isShort);
  const lines = await rightLines(fileSystem, `${directory}/${store}`, { store, files: damagedFiles });
  const follower = segments[segments.indexOf(damagedFiles.at(-1) ?? '') + 1];
  const planned = planPieces({
    ...{ store, lines, damagedFiles, principal, nowMs, knownNextSeq },
    start: startOf(state, lines),
    follower:
      follower === undefined
        ? undefined
        : await firstRecord(fileSystem, `${directory}/${store}`, { store, file: follower }),
  });
  const isLast = follower === undefined;
  const shared = { store, faults, damagedFiles };
  if (!planned.ok) {
    const repair = { ...shared, newFiles: [], lost: [], keptRecords: 0, refusal: planned.error };
    return { repair, segments: [], isLast };
  }
  const { pieces, lost, kept } = planned.value;
  const named = nameParts(pieces, segments, damagedFiles);
  const newFiles = named.map(({ name, lines: { length } }) => ({ file: segmentFile(name), lines: length }));
  return { repair: { ...shared, newFiles, lost, keptRecords: kept, refusal: undefined }, segments: named, isLast };
}

/** From the first damaged segment to the last one. */
function filesConcerned(segments: readonly string[], faults: readonly Fault[], isShort: boolean): readonly string[] {
  const touched = faults.map(({ file }) => segments.indexOf(file));
  const last = segments.length - 1;
  return segments.slice(Math.max(0, Math.min(last, ...touched)), (isShort ? last : Math.max(...touched)) + 1);
}

/** An opening cuts a torn tail by itself. */
function isMereTornTail(faults: readonly Fault[], segments: readonly string[]): boolean {
  return faults.every(({ kind, file }) => kind === 'TornTail' && file === segments.at(-1));
}

async function findFaults(
  fileSystem: FileSystem,
  directory: string,
  store: string,
): Promise<{ faults: readonly Fault[]; state: ChainState; nextSeq: number }> {
  const faults: Fault[] = [];
  const scan = scanStore({ fileSystem, directory, store });
  for (;;) {
    const step = await scan.next();
    if (step.done === true) {
      const { good, state } = step.value.scanner;
      return { faults, state: good ?? copyChain(state), nextSeq: state.nextSeq };
    }
    faults.push(step.value);
  }
}

/** Every line of some segments whose own hash is right, footers left out. */
async function rightLines(
  fileSystem: FileSystem,
  directory: string,
  { store, files }: { readonly store: string; readonly files: readonly string[] },
): Promise<readonly KeptLine[]> {
  const kept: KeptLine[] = [];
  const checker = new LineChecker(store);
  for (const name of files) {
    const path = `${directory}/${name}`;
    const file = await fileSystem.open(path, 'read');
    const range = { fromBytes: 0, toBytes: (await fileSystem.sizeBytes(path)) ?? 0, firstLine: 1 };
    try {
      for await (const lines of readLines(file, range))
        kept.push(...lines.map(({ bytes }) => keptLine(checker, store, bytes)).filter((line) => line !== undefined));
    } finally {
      await file.close();
    }
  }
  return kept;
}

function keptLine(checker: LineChecker, store: string, bytes: Buffer): KeptLine | undefined {
  const ends = checker.check(bytes);
  const head = ends === undefined ? undefined : parseHead(bytes);
  if (ends === undefined || head === undefined || head.store !== store) return undefined;
  return { head: { ...head, ...ends }, bytes: Buffer.from(bytes) };
}

/** State of the chain at the start of the first segment concerned. */
function startOf(good: ChainState, lines: readonly KeptLine[]): ChainEnd {
  const first = good.content.count === 0 ? undefined : lines.find(({ head }) => head.seq === good.content.firstSeq);
  if (first === undefined) return { nextSeq: good.nextSeq, prev: good.lastHash, epoch: good.epoch, order: good.order };
  return { nextSeq: first.head.seq, prev: first.head.prev, epoch: first.head.epoch, order: first.head.order - 1 };
}

async function firstRecord(
  fileSystem: FileSystem,
  directory: string,
  { store, file }: { readonly store: string; readonly file: string },
): Promise<{ readonly seq: number; readonly prev: string } | undefined> {
  const [first] = await rightLines(fileSystem, directory, { store, files: [file] });
  return first === undefined ? undefined : { seq: first.head.seq, prev: first.head.prev };
}

/** The pieces take the name of the first file, then parts of it. A piece whose name is taken joins the piece before it. */
function nameParts(
  pieces: readonly RepairedPiece[],
  segments: readonly string[],
  damagedFiles: readonly string[],
): readonly NewSegment[] {
  const base = parseSegmentFile(damagedFiles[0] ?? '');
  if (base === undefined) return [];
  const named: { name: SegmentName; lines: Buffer[] }[] = [];
  for (const { lines } of pieces) {
    const name = { ...base, part: base.part + named.length };
    const isTaken = segments.includes(segmentFile(name)) && !damagedFiles.includes(segmentFile(name));
    const before = named.at(-1);
    if (isTaken && before !== undefined) before.lines.push(...lines);
    else named.push({ name, lines: [...lines] });
  }
  return named;
}

async function replaceSegments(fileSystem: FileSystem, directory: string, prepared: Prepared): Promise<void> {
  const { repair, segments, isLast } = prepared;
  const folder = `${directory}/${repair.store}`;
  await fileSystem.makeDirectory(`${directory}/damaged`);
  await fileSystem.syncDirectory(directory);
  for (const file of repair.damagedFiles) {
    const bytes = await readWhole(fileSystem, `${folder}/${file}`);
    const copy = `${directory}/damaged/${repair.store}.${file}.${sha256Hex(bytes).slice(0, 16)}`;
    await replaceFile(fileSystem, copy, bytes);
  }
  // The first piece takes the damaged file's own name, so it is written last: until then the damage is still found.
  for (const segment of segments.toReversed()) {
    const path = `${folder}/${segmentFile(segment.name)}`;
    const isOpen = isLast && segment === segments.at(-1);
    const footer = isOpen ? [] : [footerOf(repair.store, segment)];
    await replaceFile(fileSystem, path, Buffer.concat([...segment.lines, ...footer]));
    if (!isOpen) await fileSystem.makeReadOnly(path);
  }
  const names = segments.map(({ name }) => segmentFile(name));
  for (const file of repair.damagedFiles) if (!names.includes(file)) await fileSystem.unlink(`${folder}/${file}`);
  const checkpoint = checkpointPath(directory, repair.store);
  if ((await fileSystem.sizeBytes(checkpoint)) !== undefined) await fileSystem.unlink(checkpoint);
  await fileSystem.syncDirectory(folder);
}

function footerOf(store: string, { name, lines }: NewSegment): Buffer {
  const scanner = new ChainScanner(store, freshChain());
  scanner.startSegment(segmentFile(name));
  scanner.trustNext();
  for (const bytes of lines)
    scanner.scan({ bytes: bytes.subarray(0, bytes.length - 1), offsetBytes: 0, line: 1, complete: true });
  return Buffer.from(encodeFooter(store, name, scanner.state.content).text);
}
