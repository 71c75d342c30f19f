/**
 * Repairs damaged stores, and stores that contradict heads seen before, only on a person's decision: shows the plan first, acts on
 * request.
 *
 * I1  Every damaged segment is copied to `damaged/` before anything takes its place.
 * I2  A second run finishes a repair that was interrupted anywhere.
 *
 * Source: reliability-security 1 (opening).
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import { ChainScanner, copyChain, freshChain, type ChainState, type Fault } from './chain-scanner.ts';
import { readCheckpoint, writeCheckpoint } from './checkpoint.ts';
import { LineChecker, parseHead, type LineHead } from './codec.ts';
import type { StorePlace } from './compare-heads.ts';
import type { FileSystem } from './file-system.ts';
import { readLines, type RawLine } from './line-reader.ts';
import { fileLock, type LockPort } from './lock.ts';
import { Orders } from './orders.ts';
import { realFileSystem } from './real-file-system.ts';
import { checkpointEnd, checkpointHead } from './recover.ts';
import { planPieces, runOf, type ChainEnd, type KeptLine, type LostRange, type RepairedPiece } from './repair-plan.ts';
import type { DamagedLine, Follower } from './repair-plan.ts';
import { scanStore } from './scan-store.ts';
import {
  encodeFooter,
  nextSegment,
  parseSegmentFile,
  segmentFile,
  sortedSegments,
  type SegmentName,
} from './segment.ts';
import { readTestimony, type Testimony } from './testimony.ts';
import { isUntrusted, segmentsOf, untrustedRange, type UntrustedRange } from './untrusted.ts';
import { readWhole, replaceFile } from './write-file.ts';

export interface RepairOptions {
  readonly directory: string;
  /** The person who decided on the repair: `human:NAME`. */
  readonly principal: string;
  readonly nowMs: number;
  /** Stores that are gone, and which this person gives up by name. */
  readonly giveUp?: readonly string[];
  /** The person's own words, for the record. */
  readonly reason?: string;
  readonly fileSystem?: FileSystem;
  readonly lock?: LockPort;
}

export interface StoreRepair {
  readonly store: string;
  readonly faults: readonly Fault[];
  /** Segment files to replace; copies go to `damaged/`. */
  readonly damagedFiles: readonly string[];
  /** New segment files with their numbers of lines. Empty: nothing can be done. */
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

const DEFAULT_REASON = 'repaired after damage';
const MISSING_STORE =
  'nothing of this store is left and nothing here restores it: restore a backup, or give it up by name with --give-up-store';

/** The journal as a whole, which the repair of one store needs. */
interface Whole {
  readonly testimony: Testimony;
  readonly orders: Orders;
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
  const { directory, fileSystem = realFileSystem } = options;
  const testimony = await readTestimony(fileSystem, directory);
  const examined = new Map<string, FoundStore>();
  for (const store of testimony.stores)
    examined.set(store, await findFaults({ fileSystem, directory, store }, testimony));
  const whole = { testimony, orders: await readOrders(fileSystem, directory, examined) };
  const prepared: Prepared[] = [];
  for (const [store, found] of examined) {
    const planned = await prepareStore(options, found, { store, ...whole });
    if (planned !== undefined) prepared.push(planned);
  }
  return prepared;
}

/** Places of all right records in the order over all stores, except for those that are given up. */
async function readOrders(
  fileSystem: FileSystem,
  directory: string,
  examined: ReadonlyMap<string, FoundStore>,
): Promise<Orders> {
  const orders = new Orders();
  for (const [store, { untrusted }] of examined) {
    const onRecord = (head: LineHead): void => {
      if (!isUntrusted(untrusted, head.seq)) orders.note(head);
    };
    for await (const _ of scanStore({ fileSystem, directory, store, onRecord }));
  }
  return orders;
}

async function prepareStore(
  options: RepairOptions,
  found: FoundStore,
  { store, ...whole }: Whole & { readonly store: string },
): Promise<Prepared | undefined> {
  const { directory, fileSystem = realFileSystem, giveUp = [] } = options;
  const segments = sortedSegments(await fileSystem.list(`${directory}/${store}`)).map((name) => segmentFile(name));
  const { faults, nextSeq, untrusted } = found;
  const knownNextSeq = await knownEnd(fileSystem, directory, { store, ...whole });
  const isShort = nextSeq < knownNextSeq;
  if (untrusted === undefined && !isShort && (faults.length === 0 || isMereTornTail(faults, segments)))
    return (await hasStaleCheckpoint(fileSystem, directory, store)) ? onlyMarked(store) : undefined;
  const doubted =
    untrusted === undefined ? [] : await segmentsOf({ fileSystem, directory, store }, segments, untrusted);
  const concerned = [...filesConcerned(segments, faults, isShort), ...doubted];
  const told = untrusted === undefined ? faults : [...faults, contradiction(store, untrusted)];
  const damaged = { store, faults: told, damagedFiles: allBetween(segments, concerned) };
  if (whole.testimony.missing.includes(store) && !giveUp.includes(store)) return refused(damaged, MISSING_STORE);
  return planStore(options, damaged, { ...whole, ...found, segments, knownNextSeq });
}

function allBetween(segments: readonly string[], concerned: readonly string[]): readonly string[] {
  const at = concerned.map((file) => segments.indexOf(file));
  return segments.slice(Math.min(...at), Math.max(-1, ...at) + 1);
}

function contradiction(store: string, { fromSeq, toSeq }: UntrustedRange): Fault {
  const message = `sequence ${fromSeq} to ${toSeq} contradicts heads that were noted before: rewritten, or an older copy`;
  return { kind: 'HeadMissing', store, file: '', line: 0, offsetBytes: 0, seq: toSeq, message };
}

type DamagedStore = Pick<StoreRepair, 'store' | 'faults' | 'damagedFiles'>;

interface ExaminedForRepair extends Whole, FoundStore {
  readonly segments: readonly string[];
  readonly knownNextSeq: number;
}

async function planStore(
  options: RepairOptions,
  damaged: DamagedStore,
  { segments, state, untrusted, knownNextSeq, orders }: ExaminedForRepair,
): Promise<Prepared> {
  const { directory, fileSystem = realFileSystem, principal, nowMs, reason = DEFAULT_REASON } = options;
  const { store, damagedFiles } = damaged;
  const folder = `${directory}/${store}`;
  const read = await readFiles(fileSystem, folder, { store, files: damagedFiles });
  const { lines, damagedLines } = withoutUntrusted(read, untrusted);
  const next = segments.length === 0 ? undefined : segments[segments.indexOf(damagedFiles.at(-1) ?? '') + 1];
  const planned = planPieces({
    ...{ store, lines, damagedLines, damagedFiles, principal, reason, nowMs, knownNextSeq },
    ordersBetween: (after, before) => orders.between(after, before),
    start: startOf(state, untrusted === undefined ? lines : read.lines, untrusted),
    follower: next === undefined ? undefined : await firstRecord(fileSystem, folder, { store, file: next }),
  });
  if (!planned.ok) return refused(damaged, planned.error);
  const { pieces, lost, kept } = planned.value;
  const named = nameParts(pieces, segments, {
    first: damagedFiles[0] ?? segmentFile(nextSegment(undefined, nowMs)),
    damagedFiles,
  });
  const newFiles = named.map(({ name, lines: { length } }) => ({ file: segmentFile(name), lines: length }));
  const repair = { ...damaged, newFiles, lost, keptRecords: kept, refusal: undefined };
  return { repair, segments: named, isLast: next === undefined };
}

/** A repair that was interrupted before its last step leaves one. */
async function hasStaleCheckpoint(fileSystem: FileSystem, directory: string, store: string): Promise<boolean> {
  const checkpoint = await readCheckpoint(fileSystem, directory, store);
  return checkpoint !== undefined && (await checkpointEnd({ fileSystem, directory, store }, checkpoint)) === 'Missing';
}

function onlyMarked(store: string): Prepared {
  const nothing = { faults: [], damagedFiles: [], newFiles: [], lost: [], keptRecords: 0 };
  return { repair: { store, ...nothing, refusal: undefined }, segments: [], isLast: true };
}

function refused(damaged: DamagedStore, refusal: string): Prepared {
  const repair = { ...damaged, newFiles: [], lost: [], keptRecords: 0, refusal };
  return { repair, segments: [], isLast: true };
}

/** The sequence that the store certainly reached. A store that is expected has one record at least. */
async function knownEnd(
  fileSystem: FileSystem,
  directory: string,
  { store, testimony }: { readonly store: string; readonly testimony: Testimony },
): Promise<number> {
  const checkpoint = await readCheckpoint(fileSystem, directory, store);
  const noted = testimony.heads.filter((head) => head.store === store).map(({ seq }) => seq + 1);
  return Math.max(checkpoint?.state.nextSeq ?? 0, testimony.missing.includes(store) ? 1 : 0, ...noted);
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

interface FoundStore {
  readonly faults: readonly Fault[];
  readonly state: ChainState;
  readonly nextSeq: number;
  /** Looked for only where there is no fault: a second run finds what contradicts a head besides. */
  readonly untrusted: UntrustedRange | undefined;
}

async function findFaults(place: StorePlace, { heads }: Testimony): Promise<FoundStore> {
  const faults: Fault[] = [];
  const scan = scanStore(place);
  let step = await scan.next();
  for (; step.done !== true; step = await scan.next()) faults.push(step.value);
  const { good, state } = step.value.scanner;
  const checkpoint = await readCheckpoint(place.fileSystem, place.directory, place.store);
  const seen = faults.length > 0 ? [] : [...heads, ...checkpointHead(place.store, checkpoint)];
  const untrusted = await untrustedRange(place, seen, state.nextSeq - 1);
  return { faults, state: good ?? copyChain(state), nextSeq: state.nextSeq, untrusted };
}

interface FilesRead {
  /** Every line whose own hash is right, footers left out. */
  readonly lines: readonly KeptLine[];
  readonly damagedLines: readonly DamagedLine[];
}

async function readFiles(
  fileSystem: FileSystem,
  directory: string,
  { store, files }: { readonly store: string; readonly files: readonly string[] },
): Promise<FilesRead> {
  const kept: KeptLine[] = [];
  const damagedLines: DamagedLine[] = [];
  const checker = new LineChecker(store);
  const sort = ({ bytes }: RawLine): void => {
    const line = keptLine(checker, store, bytes);
    if (line !== undefined) kept.push(line);
    else damagedLines.push(...damagedLine(bytes));
  };
  for (const name of files) {
    const path = `${directory}/${name}`;
    const file = await fileSystem.open(path, 'read');
    const range = { fromBytes: 0, toBytes: (await fileSystem.sizeBytes(path)) ?? 0, firstLine: 1 };
    try {
      for await (const lines of readLines(file, range)) lines.forEach(sort);
    } finally {
      await file.close();
    }
  }
  return { lines: kept, damagedLines };
}

/** A line that may be anybody's is as good as damaged: what it says is a hint. */
function withoutUntrusted({ lines, damagedLines }: FilesRead, untrusted: UntrustedRange | undefined): FilesRead {
  const isGivenUp = ({ head }: KeptLine): boolean => isUntrusted(untrusted, head.seq);
  const hints = lines.filter(isGivenUp).flatMap(({ bytes }) => damagedLine(bytes));
  return { lines: lines.filter((line) => !isGivenUp(line)), damagedLines: [...damagedLines, ...hints] };
}

const runPattern = /,"runId":"([^"\\]{1,256})"/;

function damagedLine(bytes: Buffer): readonly DamagedLine[] {
  const head = parseHead(bytes);
  if (head === undefined) return [];
  return [{ seq: head.seq, kind: head.kind, runId: runPattern.exec(bytes.toString('utf8'))?.[1] }];
}

function keptLine(checker: LineChecker, store: string, bytes: Buffer): KeptLine | undefined {
  const ends = checker.check(bytes);
  const head = ends === undefined ? undefined : parseHead(bytes);
  if (ends === undefined || head === undefined || head.store !== store) return undefined;
  return { head: { ...head, ...ends }, bytes: Buffer.from(bytes) };
}

/** State of the chain at the start of the first segment concerned. */
function startOf(good: ChainState, lines: readonly KeptLine[], untrusted: UntrustedRange | undefined): ChainEnd {
  const isFirst = ({ head }: KeptLine): boolean => head.seq === good.content.firstSeq;
  // The chain itself is whole where records are not trusted.
  const first = untrusted !== undefined ? lines[0] : good.content.count === 0 ? undefined : lines.find(isFirst);
  if (first === undefined) return { nextSeq: good.nextSeq, prev: good.lastHash, epoch: good.epoch, order: good.order };
  return { nextSeq: first.head.seq, prev: first.head.prev, epoch: first.head.epoch, order: first.head.order - 1 };
}

async function firstRecord(
  fileSystem: FileSystem,
  directory: string,
  { store, file }: { readonly store: string; readonly file: string },
): Promise<Follower | undefined> {
  const { lines } = await readFiles(fileSystem, directory, { store, files: [file] });
  const [first] = lines;
  if (first === undefined) return undefined;
  const { seq, prev, order } = first.head;
  return { seq, prev, order, runId: runOf(first.bytes) };
}

/** The pieces take the name of the first file, then parts of it. A piece whose name is taken joins the piece before it. */
function nameParts(
  pieces: readonly RepairedPiece[],
  segments: readonly string[],
  { first, damagedFiles }: { readonly first: string; readonly damagedFiles: readonly string[] },
): readonly NewSegment[] {
  const base = parseSegmentFile(first);
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
  await fileSystem.makeDirectory(folder);
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
  await fileSystem.syncDirectory(folder);
  await markEnd(fileSystem, directory, repair.store);
}

/** The old checkpoint may name a file that is gone. */
async function markEnd(fileSystem: FileSystem, directory: string, store: string): Promise<void> {
  const scan = scanStore({ fileSystem, directory, store });
  let step = await scan.next();
  while (step.done !== true) step = await scan.next();
  const { scanner, segments } = step.value;
  const last = segments.at(-1);
  if (last === undefined || scanner.firstFault !== undefined) return;
  await fileSystem.makeDirectory(`${directory}/checkpoints`);
  const state = { ...copyChain(scanner.state), groupFromBytes: scanner.state.endBytes };
  await writeCheckpoint(fileSystem, { directory, store }, { segment: segmentFile(last), state });
}

function footerOf(store: string, { name, lines }: NewSegment): Buffer {
  const scanner = new ChainScanner(store, freshChain());
  scanner.startSegment(segmentFile(name));
  scanner.trustNext();
  for (const bytes of lines)
    scanner.scan({ bytes: bytes.subarray(0, bytes.length - 1), offsetBytes: 0, line: 1, complete: true });
  return Buffer.from(encodeFooter(store, name, scanner.state.content).text);
}
