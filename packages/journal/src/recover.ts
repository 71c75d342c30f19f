/**
 * Recovery of a store at an opening: the decision table, and the few acts that it may ask for.
 *
 * I1  Only bytes that were never acknowledged are ever cut, and a copy of them is on the disk first.
 * I2  A `Recovered` record reports every cut. If the process dies before writing it, the copy leads to the report later.
 * I3  Opening a second time changes nothing more.
 *
 * Source: reliability-security 1 (opening; etcd: repair an unexpected end of the last file only). Differs: a group torn in its
 * middle by a power loss is a torn tail, too. It is told from damage by three signs together: no valid line of a later group,
 * a sector that never landed, and no checkpoint behind it.
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import { copyChain, type ChainScanner, type ChainState, type Fault } from './chain-scanner.ts';
import { hashSuffixBytes } from './codec.ts';
import { missingHeads } from './compare-heads.ts';
import { readCheckpoint } from './checkpoint.ts';
import type { FileSystem, OpenFile } from './file-system.ts';
import { errorCode } from './journal-errors.ts';
import type { Head } from './journal.ts';
import { readFully } from './line-reader.ts';
import { scanStore, type ScannedStore, type ScanOptions, type ScanStart } from './scan-store.ts';
import { compareSegments, parseSegmentFile, segmentFile, type SegmentName } from './segment.ts';
import { readWhole, replaceFile, writeFully } from './write-file.ts';

/** The findings that the decision needs. */
export interface Findings {
  /** Two lines with the same predecessor, or an epoch that went back. */
  readonly fork: boolean;
  readonly epochFound: number;
  /** Undefined: the next free one is taken. */
  readonly epochGiven: number | undefined;
  /** The store does not hold a head that was seen before: one that the journal noted, a checkpoint's, or an auditor's. */
  readonly behindHead: boolean;
  /** A fault that no torn write explains. */
  readonly damaged: boolean;
  readonly torn: boolean;
  readonly newlineMissing: boolean;
}

export type OpeningAction = 'GoOn' | 'AddNewline' | 'CutTail' | 'OpenReadOnly' | 'StopAndAsk' | 'Stop';

/** The first row that applies decides. */
export const openingTable: readonly {
  readonly found: string;
  readonly when: (found: Findings) => boolean;
  readonly action: OpeningAction;
}[] = [
  { found: 'two lines with the same predecessor', when: ({ fork }) => fork, action: 'Stop' },
  {
    found: 'a higher epoch than ours',
    when: ({ epochFound, epochGiven }) => epochGiven !== undefined && epochFound > epochGiven,
    action: 'Stop',
  },
  {
    found: 'a head that was seen before is not in it: cut, rewritten, or an older copy',
    when: ({ behindHead }) => behindHead,
    action: 'StopAndAsk',
  },
  { found: 'a bad line with valid lines after it', when: ({ damaged }) => damaged, action: 'OpenReadOnly' },
  { found: 'a torn tail', when: ({ torn }) => torn, action: 'CutTail' },
  { found: 'a last line without newline', when: ({ newlineMissing }) => newlineMissing, action: 'AddNewline' },
  { found: 'nothing wrong', when: () => true, action: 'GoOn' },
];

export function openingAction(found: Findings): OpeningAction {
  return openingTable.find(({ when }) => when(found))?.action ?? 'Stop';
}

/** A store as found, before any change. */
export interface ExaminedStore {
  readonly store: string;
  readonly action: OpeningAction;
  readonly found: Findings;
  readonly fault: Fault | undefined;
  /** Heads seen before that it contradicts, by sequence. */
  readonly missing: readonly Head[];
  readonly segments: readonly SegmentName[];
  /** After the last right line before any fault. */
  readonly state: ChainState;
  readonly lastSegmentBytes: number;
  readonly hasCheckpoint: boolean;
}

export interface ExamineOptions extends Omit<ScanOptions, 'start'> {
  readonly epoch: number | undefined;
  /** Heads that an auditor keeps. Those of other stores are left out. */
  readonly knownHeads?: readonly Head[];
  /** Ends that the journal's own store noted, the newest of this store among them. */
  readonly notedHeads?: readonly Head[];
}

/** Reads only. */
export async function examineStore(options: ExamineOptions): Promise<ExaminedStore> {
  const { fileSystem, directory, store } = options;
  const checkpoint = await readCheckpoint(fileSystem, directory, store);
  const end = checkpoint === undefined ? 'Absent' : await checkpointEnd(options, checkpoint);
  const scanned = await runScan({ fileSystem, directory, store, start: end === 'Right' ? checkpoint : undefined });
  const state = scanned.scanner.good ?? scanned.scanner.state;
  const isShort = end === 'Missing' || lastNoted(options) >= state.nextSeq;
  const fault = scanned.scanner.firstFault ?? (isShort ? endMissing(store, scanned, state) : undefined);
  const torn = fault !== undefined && !isShort && isTorn(scanned, fault, checkpoint);
  const missing = await missingHeads({ fileSystem, directory, store }, seenHeads(options, checkpoint, fault));
  const found = findings(options, scanned.scanner, { fault, torn, isContradicted: missing.length > 0 });
  const { segments, lastSegmentBytes } = scanned;
  const shared = { store, found, fault, missing, segments, lastSegmentBytes, hasCheckpoint: checkpoint !== undefined };
  return { ...shared, action: openingAction(found), state: copyChain(state) };
}

function lastNoted({ store, notedHeads = [] }: ExamineOptions): number {
  return notedHeads.reduce((last, head) => (head.store === store ? Math.max(last, head.seq) : last), -1);
}

/** Where a store is damaged, the damage is told, and what was noted of it is for the repair. */
function seenHeads(
  { store, knownHeads = [], notedHeads = [] }: ExamineOptions,
  checkpoint: ScanStart | undefined,
  fault: Fault | undefined,
): readonly Head[] {
  return fault === undefined ? [...knownHeads, ...notedHeads, ...checkpointHead(store, checkpoint)] : knownHeads;
}

/** The head that a checkpoint names. */
export function checkpointHead(store: string, checkpoint: ScanStart | undefined): readonly Head[] {
  if (checkpoint === undefined || checkpoint.state.nextSeq === 0) return [];
  const { nextSeq, lastHash: hash, epoch } = checkpoint.state;
  return [{ store, seq: nextSeq - 1, hash, epoch }];
}

function findings(
  { epoch }: ExamineOptions,
  { state: { epoch: epochFound }, newlineMissing }: ChainScanner,
  end: { readonly fault: Fault | undefined; readonly torn: boolean; readonly isContradicted: boolean },
): Findings {
  const { fault, torn, isContradicted: behindHead } = end;
  const fork = fault?.kind === 'Fork' || fault?.kind === 'EpochWentBack';
  const damaged = fault !== undefined && !fork && !torn;
  return { fork, epochFound, epochGiven: epoch, behindHead, damaged, torn, newlineMissing };
}

/** The result of a scan, without the single faults. */
async function runScan(options: ScanOptions): Promise<ScannedStore> {
  const faults = scanStore(options);
  for (;;) {
    const step = await faults.next();
    if (step.done === true) return step.value;
  }
}

/** Whether the store still holds the place in the checkpoint, and the line that ended there. */
export async function checkpointEnd(
  { fileSystem, directory, store }: ScanOptions,
  { segment, state }: ScanStart,
): Promise<'Right' | 'Missing' | 'Changed'> {
  const path = `${directory}/${store}/${segment}`;
  const sizeBytes = await fileSystem.sizeBytes(path);
  if (sizeBytes === undefined || sizeBytes < state.endBytes) return 'Missing';
  if (state.sealed) return 'Right';
  const file = await fileSystem.open(path, 'read');
  try {
    const from = Math.max(0, state.endBytes - hashSuffixBytes - 1);
    const tail = (await readFully(file, from, state.endBytes - from)).toString('latin1');
    return state.content.count === 0 || tail === `,"hash":"${state.lastHash}"}\n` ? 'Right' : 'Changed';
  } finally {
    await file.close();
  }
}

export function endMissing(store: string, scanned: ScannedStore, state: ChainState): Fault {
  const last = scanned.segments.at(-1);
  const file = last === undefined ? '' : segmentFile(last);
  const message = 'the store ends before a place that was synced: records are missing at its end';
  return {
    kind: 'EndMissing',
    store,
    file,
    line: state.line,
    offsetBytes: state.endBytes,
    seq: state.nextSeq,
    message,
  };
}

function isTorn({ scanner, segments }: ScannedStore, fault: Fault, checkpoint: ScanStart | undefined): boolean {
  const last = segments.at(-1);
  const isUnread = fault.kind === 'Unreadable' || fault.kind === 'TornTail';
  if (!isUnread || last === undefined || fault.file !== segmentFile(last)) return false;
  if (checkpoint !== undefined && isBefore(fault, checkpoint)) return false;
  const { validLines, batchMax, lostSector } = scanner.aftermath;
  return validLines === 0 || (batchMax <= fault.seq && lostSector);
}

function isBefore(fault: Fault, { segment, state }: ScanStart): boolean {
  const [at, end] = [parseSegmentFile(fault.file), parseSegmentFile(segment)];
  if (at === undefined || end === undefined) return true;
  const order = compareSegments(at, end);
  return order < 0 || (order === 0 && fault.offsetBytes < state.endBytes);
}

/** Payload of a `Recovered` record. */
export interface Recovered {
  readonly segment: string;
  readonly offsetBytes: number;
  readonly cutBytes: number;
  readonly sha256: string;
  readonly copy: string;
}

/** Acts by the table and makes the store's end durable. Returns the cuts for `Recovered` records. */
export async function settleStore(
  { fileSystem, directory }: { readonly fileSystem: FileSystem; readonly directory: string },
  examined: ExaminedStore,
): Promise<readonly Recovered[]> {
  const { store, action, state } = examined;
  const last = examined.segments.at(-1);
  if (last === undefined) return [];
  const segment = segmentFile(last);
  const path = `${directory}/${store}/${segment}`;
  const cutBytes = examined.lastSegmentBytes - state.endBytes;
  if (action === 'CutTail') {
    await copyTail(fileSystem, path, { prefix: copyPrefix(directory, store, segment, state), state, cutBytes });
    await fileSystem.truncate(path, state.endBytes);
  }
  const copies = await leftCopies(fileSystem, directory, copyPrefix('', store, segment, state));
  await rewriteLastGroup(fileSystem, path, { state, newlineMissing: examined.found.newlineMissing });
  await fileSystem.syncDirectory(`${directory}/${store}`);
  return copies.map(({ copy, bytes }) => ({
    segment,
    offsetBytes: state.endBytes,
    cutBytes: bytes.length,
    sha256: sha256Hex(bytes),
    copy,
  }));
}

function copyPrefix(directory: string, store: string, segment: string, state: ChainState): string {
  return `${directory}/recovered/${store}.${segment}.${state.endBytes}.`;
}

async function copyTail(
  fileSystem: FileSystem,
  path: string,
  cut: { readonly prefix: string; readonly state: ChainState; readonly cutBytes: number },
): Promise<void> {
  const file = await fileSystem.open(path, 'read');
  let bytes: Buffer;
  try {
    bytes = await readFully(file, cut.state.endBytes, cut.cutBytes);
  } finally {
    await file.close();
  }
  await replaceFile(fileSystem, `${cut.prefix}${sha256Hex(bytes).slice(0, 16)}.tail`, bytes);
}

/** Copies of tails cut exactly at the store's end: no record reports them yet. */
async function leftCopies(
  fileSystem: FileSystem,
  directory: string,
  prefix: string,
): Promise<readonly { readonly copy: string; readonly bytes: Buffer }[]> {
  const folder = `${directory}/recovered`;
  const names = await fileSystem.list(folder);
  const mine = names.filter((name) => `/recovered/${name}`.startsWith(prefix) && name.endsWith('.tail'));
  const copies = [];
  for (const name of mine) copies.push({ copy: name, bytes: await readWhole(fileSystem, `${folder}/${name}`) });
  return copies;
}

/**
 * Writes the last group of lines once more, with the same bytes, and syncs it.
 *
 * Done even if nothing is wrong, because a killed process may have left lines that no sync covered. And after a failed sync
 * the kernel shows lines that it will never write, yet calls the next sync a success. Writing the same bytes again makes the
 * kernel write them.
 *
 * Source: reliability-security 0, 1 (PostgreSQL).
 */
async function rewriteLastGroup(
  fileSystem: FileSystem,
  path: string,
  { state, newlineMissing }: { readonly state: ChainState; readonly newlineMissing: boolean },
): Promise<void> {
  const file = await openForUpdate(fileSystem, path);
  if (file === undefined) return;
  try {
    const group = await readFully(file, state.groupFromBytes, state.endBytes - state.groupFromBytes);
    const bytes = newlineMissing ? Buffer.concat([group, Buffer.from('\n')]) : group;
    await writeFully(file, bytes, state.groupFromBytes);
    await file.sync();
    state.endBytes = state.groupFromBytes + bytes.length;
  } finally {
    await file.close();
  }
}

/** Undefined for a segment that is read-only already: it became so after its last sync. */
async function openForUpdate(fileSystem: FileSystem, path: string): Promise<OpenFile | undefined> {
  try {
    return await fileSystem.open(path, 'update');
  } catch (error) {
    if (errorCode(error) === 'EACCES') return undefined;
    throw error;
  }
}
