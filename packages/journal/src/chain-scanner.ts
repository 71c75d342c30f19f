/**
 * Walks the lines of one store and reports their faults. Pure: the caller feeds lines, and the scanner keeps only its own
 * state.
 *
 * Opening, verifying, reading and repairing all judge by this one machine, so they cannot disagree.
 *
 * I1  Up to the first fault, `good` is the exact state after the last right line; from there on it is frozen.
 * I2  After a fault the scanner continues at the next line whose own hash is right, so that it finds and locates every fault.
 *
 * Source: reliability-security 1.
 */
import { isFooter, parseFooter, type Footer, type SegmentContent } from './segment.ts';
import { LineChecker, parseHead, zeroHash, type LineEnds, type LineHead } from './codec.ts';
import type { RawLine } from './line-reader.ts';
import { addLeaf, merkleRoot } from './merkle.ts';

export type FaultKind =
  /** Not a line of this store, or its bytes changed. */
  | 'Unreadable'
  /** The last line of a file is unfinished: still being written, or torn by a crash. */
  | 'TornTail'
  /** A record is missing, duplicated or in the wrong place. */
  | 'SequenceBroken'
  /** The line does not continue the one before it. */
  | 'ChainBroken'
  /** Another line has the same predecessor: two writers. */
  | 'Fork'
  | 'EpochWentBack'
  | 'OrderWentBack'
  | 'FooterMissing'
  | 'FooterWrong'
  | 'LineAfterFooter'
  /** The store ends before a place that was certainly written. */
  | 'EndMissing'
  /** A head that was seen once is not in the log: somebody cut or rewrote the log, or restored an older copy. */
  | 'HeadMissing'
  /** A store that has records is gone. */
  | 'StoreMissing'
  /** Numbers of the order over all stores that no record has, though a record had them. */
  | 'OrderMissing'
  /** Nothing of the record is lost; but the end of its store is proven by one file less. */
  | 'CheckpointMissing'
  | 'BlobMissing'
  | 'BlobDamaged';

export interface Fault {
  readonly kind: FaultKind;
  /** Empty where the journal as a whole is concerned. */
  readonly store: string;
  /** File name of the segment. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly offsetBytes: number;
  /** Sequence of the record that belongs here. */
  readonly seq: number;
  readonly message: string;
}

/** State of the chain after a line. */
export interface ChainState {
  nextSeq: number;
  lastHash: string;
  /** Undefined when the line before is unknown: the next line is then trusted. */
  expectedPrev: string | undefined;
  epoch: number;
  order: number;
  /** End of the last right line in its file, newline included. */
  endBytes: number;
  line: number;
  /** Start of the last group of lines that one sync was to cover: all lines before it are proven to be on the disk. */
  groupFromBytes: number;
  sealed: boolean;
  content: { -readonly [K in keyof SegmentContent]: SegmentContent[K] } & { frontier: string[] };
}

/** Before the first record of a store. */
export function freshChain(): ChainState {
  return {
    nextSeq: 0,
    lastHash: zeroHash,
    expectedPrev: zeroHash,
    epoch: 0,
    order: -1,
    endBytes: 0,
    line: 0,
    groupFromBytes: 0,
    sealed: false,
    content: freshContent(),
  };
}

export function freshContent(): ChainState['content'] {
  return { count: 0, firstSeq: 0, lastSeq: -1, lastHash: zeroHash, minTime: '', maxTime: '', frontier: [] };
}

export function copyChain(state: ChainState): ChainState {
  return { ...state, content: { ...state.content, frontier: [...state.content.frontier] } };
}

/** The lines after the first fault: they decide between a torn tail and damage. */
export interface Aftermath {
  /** Lines whose own hash is right. */
  validLines: number;
  /** Highest group start among them. */
  batchMax: number;
  /** A bad stretch holds a sector that never reached the disk. */
  lostSector: boolean;
}

/** Called for every right record, in order. */
export type OnRecord = (head: LineHead, ends: LineEnds, line: RawLine) => void;

/** Sequences whose hashes are remembered, to tell a duplicated line from a second writer's. */
const REMEMBERED_HASHES = 1024;

export class ChainScanner {
  readonly store: string;
  state: ChainState;
  /** Set with the first fault. */
  good: ChainState | undefined;
  firstFault: Fault | undefined;
  /** The last right line has no newline behind it. */
  newlineMissing = false;
  /** Head of the last scanned line, if it was a right record. */
  lastHead: LineHead | undefined;
  /** Its hashes. */
  lastEnds: LineEnds | undefined;
  readonly aftermath: Aftermath = { validLines: 0, batchMax: -1, lostSector: false };
  readonly #checker: LineChecker;
  readonly #merkle: boolean;
  readonly #recent: string[] = [];
  #file = '';
  /** Bad lines since the last right record: each accounts for one sequence. */
  #badLines = 0;

  /** @param merkle  whether to check footers against the tree; a plain reader saves that work */
  constructor(store: string, state: ChainState, merkle = true) {
    this.store = store;
    this.state = copyChain(state);
    this.#merkle = merkle;
    this.#checker = new LineChecker(store);
  }

  /** Called before the lines of each file, in the order of the segments. */
  startSegment(file: string, resumed = false): Fault | undefined {
    const fault =
      this.#file !== '' && !this.state.sealed
        ? this.#fault({ offsetBytes: this.state.endBytes, line: this.state.line + 1 }, 'FooterMissing', {
            seq: this.state.nextSeq,
            message: 'an earlier segment ends without its footer: its end is missing',
          })
        : undefined;
    if (fault !== undefined) this.#loseTrack();
    this.#file = file;
    if (resumed) return fault;
    Object.assign(this.state, { endBytes: 0, line: 0, groupFromBytes: 0, sealed: false, content: freshContent() });
    return fault;
  }

  /** Skips a sealed segment: the next record is trusted as long as its sequence is higher. */
  skipSegment(lastSeq: number): void {
    Object.assign(this.state, { nextSeq: lastSeq + 1, sealed: true });
    this.trustNext();
  }

  /** Trusts the next record without a predecessor to check. */
  trustNext(): void {
    this.state.expectedPrev = undefined;
    this.#badLines = Number.MAX_SAFE_INTEGER;
  }

  *scanAll(lines: readonly RawLine[], onRecord?: OnRecord): Generator<Fault> {
    for (const line of lines) {
      const fault = this.scan(line);
      if (fault !== undefined) yield fault;
      if (this.lastHead !== undefined && this.lastEnds !== undefined) onRecord?.(this.lastHead, this.lastEnds, line);
    }
  }

  scan(raw: RawLine): Fault | undefined {
    this.lastHead = undefined;
    const ends = this.#checker.check(raw.bytes);
    if (ends === undefined) return this.#unreadable(raw);
    if (this.firstFault !== undefined) this.aftermath.validLines += 1;
    if (isFooter(raw.bytes)) return this.#footer(raw, ends);
    const head = parseHead(raw.bytes);
    if (head === undefined || head.store !== this.store) return this.#unreadable(raw);
    if (this.firstFault !== undefined) this.aftermath.batchMax = Math.max(this.aftermath.batchMax, head.batch);
    return this.#record(raw, head, ends);
  }

  #record(raw: RawLine, head: LineHead, ends: LineEnds): Fault | undefined {
    const { state } = this;
    const wrong = this.#wrongPlace(head, ends);
    const fault = wrong === undefined ? undefined : this.#fault(raw, wrong.kind, wrong);
    if (wrong !== undefined && head.seq < state.nextSeq) return fault;
    this.lastHead = head;
    this.lastEnds = ends;
    this.#recent[head.seq % REMEMBERED_HASHES] = ends.hash;
    this.#badLines = 0;
    state.nextSeq = head.seq + 1;
    state.lastHash = ends.hash;
    state.expectedPrev = ends.hash;
    if (head.epoch > state.epoch) state.epoch = head.epoch;
    if (head.order > state.order) state.order = head.order;
    if (head.batch === head.seq) state.groupFromBytes = raw.offsetBytes;
    if (head.kind === 'Gap') this.#crossGap(raw.bytes);
    this.#count(head, ends);
    this.#passed(raw);
    return fault;
  }

  /** The first fault that applies, in this order. */
  #wrongPlace(head: LineHead, ends: LineEnds): { kind: FaultKind; seq: number; message: string } | undefined {
    const { state } = this;
    const { seq } = head;
    if (state.sealed) return { kind: 'LineAfterFooter', seq, message: 'a record stands behind the footer' };
    if (seq < state.nextSeq) return this.#wrongAgain(head, ends);
    if (seq > state.nextSeq + this.#badLines) {
      const message = `sequence ${seq} stands where ${state.nextSeq} is due: records are missing or out of place`;
      return { kind: 'SequenceBroken', seq: state.nextSeq, message };
    }
    if (state.expectedPrev !== undefined && ends.prev !== state.expectedPrev)
      return { kind: 'ChainBroken', seq, message: 'the record does not continue the one before it' };
    if (head.epoch < state.epoch)
      return {
        kind: 'EpochWentBack',
        seq,
        message: `epoch ${head.epoch} after ${state.epoch}: an old writer was at work`,
      };
    if (head.order <= state.order)
      return { kind: 'OrderWentBack', seq, message: `order ${head.order} after ${state.order}` };
    return undefined;
  }

  /** A repeated sequence: the same record, or another writer's. */
  #wrongAgain({ seq, epoch }: LineHead, { hash }: LineEnds): { kind: FaultKind; seq: number; message: string } {
    const known = seq > this.state.nextSeq - REMEMBERED_HASHES ? this.#recent[seq % REMEMBERED_HASHES] : undefined;
    const isOther = known === undefined ? epoch < this.state.epoch : known !== hash;
    return isOther
      ? { kind: 'Fork', seq, message: 'a second record has this sequence: two writers were at work' }
      : { kind: 'SequenceBroken', seq, message: 'the record is doubled or out of place' };
  }

  #footer(raw: RawLine, ends: LineEnds): Fault | undefined {
    const { state } = this;
    const footer = parseFooter(raw.bytes);
    if (this.firstFault !== undefined) this.aftermath.batchMax = Number.MAX_SAFE_INTEGER;
    const agrees = !state.sealed && footer !== undefined && ends.prev === state.lastHash && this.#agrees(footer);
    state.sealed = true;
    if (agrees) {
      this.#passed(raw);
      return undefined;
    }
    const { nextSeq } = state;
    return footer !== undefined && footer.lastSeq >= nextSeq
      ? this.#fault(raw, 'SequenceBroken', { seq: nextSeq, message: 'records are missing before the footer' })
      : this.#fault(raw, 'FooterWrong', {
          seq: Math.max(nextSeq - 1, 0),
          message: 'the footer disagrees with its records',
        });
  }

  #agrees(footer: Footer): boolean {
    const { count, firstSeq, lastSeq, frontier } = this.state.content;
    const isHere = footer.store === this.store && footer.segment === this.#file;
    const holdsSame = footer.count === count && footer.firstSeq === firstSeq && footer.lastSeq === lastSeq;
    return isHere && holdsSame && (!this.#merkle || footer.merkleRoot === merkleRoot(frontier));
  }

  #unreadable(raw: RawLine): Fault | undefined {
    const kept = raw.complete ? undefined : this.#rightStart(raw.bytes);
    if (kept !== undefined) {
      const fault = this.scan({ ...raw, bytes: raw.bytes.subarray(0, kept) });
      const rest = { ...raw, bytes: raw.bytes.subarray(kept), offsetBytes: raw.offsetBytes + kept, line: raw.line + 1 };
      return fault ?? this.#bad(rest);
    }
    return this.#bad(raw);
  }

  #bad(raw: RawLine): Fault {
    const footer = isFooter(raw.bytes);
    const seq = footer ? Math.max(this.state.nextSeq - 1, 0) : this.state.nextSeq;
    const fault = this.#fault(raw, raw.complete ? 'Unreadable' : 'TornTail', {
      seq,
      message: 'the bytes of this line are not those that were written',
    });
    this.aftermath.lostSector ||= hasLostSector(raw);
    if (footer) this.state.sealed = true;
    else this.#loseTrack();
    this.#badLines += 1;
    return fault;
  }

  /** Length of a right line at the start of a last line whose newline was damaged. */
  #rightStart(bytes: Buffer): number | undefined {
    const marker = ',"hash":"';
    for (let at = bytes.indexOf(marker); at !== -1; at = bytes.indexOf(marker, at + 1)) {
      const end = at + marker.length + 66;
      if (end < bytes.length && this.#checker.check(bytes.subarray(0, end)) !== undefined) return end;
    }
    return undefined;
  }

  /** Counts one record as lost and trusts the next one. */
  #loseTrack(): void {
    this.state.expectedPrev = undefined;
  }

  #crossGap(line: Buffer): void {
    const { payload } = JSON.parse(line.toString('utf8')) as { payload: { resumeSeq?: number; resumePrev?: string } };
    if (payload.resumeSeq !== undefined) this.state.nextSeq = payload.resumeSeq;
    if (payload.resumePrev !== undefined) this.state.expectedPrev = payload.resumePrev;
  }

  #count(head: LineHead, ends: LineEnds): void {
    const { content } = this.state;
    if (this.#merkle) addLeaf(content.frontier, content.count, ends.hash);
    if (content.count === 0) content.firstSeq = head.seq;
    content.count += 1;
    content.lastSeq = head.seq;
    content.lastHash = ends.hash;
    if (content.minTime === '' || head.time < content.minTime) content.minTime = head.time;
    if (head.time > content.maxTime) content.maxTime = head.time;
  }

  #passed(raw: RawLine): void {
    this.state.endBytes = raw.offsetBytes + raw.bytes.length + (raw.complete ? 1 : 0);
    this.state.line = raw.line;
    if (this.firstFault === undefined) this.newlineMissing = !raw.complete;
  }

  #fault(
    at: { readonly offsetBytes: number; readonly line: number },
    kind: FaultKind,
    what: { readonly seq: number; readonly message: string },
  ): Fault {
    const place = { store: this.store, file: this.#file, line: at.line, offsetBytes: at.offsetBytes };
    const fault = { kind, ...place, seq: what.seq, message: what.message };
    if (this.firstFault === undefined) {
      this.good = copyChain(this.state);
      this.firstFault = fault;
    }
    return fault;
  }
}

/** The unit that reaches the disk whole. */
const SECTOR_BYTES = 512;

/** Zeros up to the end of a sector or of the file: a write that never landed. After a short write it may have begun anywhere. */
function hasLostSector({ bytes, offsetBytes, complete }: RawLine): boolean {
  for (let start = bytes.indexOf(0); start !== -1;) {
    let end = start;
    while (bytes[end] === 0) end += 1;
    if ((end === bytes.length && !complete) || (offsetBytes + end) % SECTOR_BYTES === 0) return true;
    start = bytes.indexOf(0, end);
  }
  return false;
}
