/**
 * Compares heads that were seen before with what a store has in their places: a look at one line for each. Reads only.
 *
 * The chain alone proves that a store is one piece, not that it is the piece that was seen. Somebody who rewrites records and makes
 * every later hash anew leaves a right chain; the heads that were noted before do not fit it, however many were noted since.
 *
 * Source: reliability-security 1 (heads to the auditor), 7 (tampering by the writer is evident).
 */
import { LineChecker, parseHead, type LineEnds, type LineHead } from './codec.ts';
import type { FileSystem, OpenFile } from './file-system.ts';
import { readGap, type RecordedGap } from './gap.ts';
import type { Head } from './journal.ts';
import { LINE_BYTES_MAX } from './limits.ts';
import { readFully, readLines, splitLines, type RawLine } from './line-reader.ts';
import { segmentFile, sortedSegments } from './segment.ts';

/** Bytes of one look: tens of lines. Longer lines are few, because long content is in blobs; they cost a second look. */
const BLOCK_BYTES = 16 * 1024;
/** After so many guesses from the sequences around it, each further one halves what is left. */
const GUESSES_MAX = 4;

export interface StorePlace {
  readonly fileSystem: FileSystem;
  /** Of the journal. */
  readonly directory: string;
  readonly store: string;
}

/** Heads of the store that it does not hold and that no gap gave up, by sequence; heads of other stores are left out. */
export async function missingHeads(place: StorePlace, heads: readonly Head[]): Promise<readonly Head[]> {
  const own = heads.filter((head) => head.store === place.store).toSorted((a, b) => a.seq - b.seq);
  if (own.length === 0) return [];
  const lines = new StoreLines(place);
  const missing: Head[] = [];
  try {
    for (const head of own) if (!isThere(head, await lines.at(head.seq))) missing.push(head);
  } finally {
    await lines.close();
  }
  return missing;
}

function isThere({ seq, hash }: Head, found: FoundLine | undefined): boolean {
  if (found === undefined) return false;
  const { head, ends, gap } = found;
  if (gap !== undefined && (isLostIn(gap, seq) || (gap.resumeSeq === seq + 1 && ends.hash === hash))) return true;
  return head.seq === seq && ends.hash === hash;
}

/** Whether a repair gave up this sequence. */
export function isLostIn({ lostFromSeq, lostToSeq }: RecordedGap, seq: number): boolean {
  return lostFromSeq !== undefined && lostToSeq !== undefined && lostFromSeq <= seq && seq <= lostToSeq;
}

interface FoundLine {
  readonly head: LineHead;
  readonly ends: LineEnds;
  readonly gap: RecordedGap | undefined;
}

/** The start of a line, or the end of the segment: lines before it have lower sequences. */
interface Edge {
  readonly offsetBytes: number;
  readonly seq: number;
}

interface Segment {
  readonly file: OpenFile;
  /** The first line. */
  readonly first: Edge;
  readonly end: Edge;
  readonly lastBlock: readonly BlockLine[];
}

/** Finds lines by sequence; sequences are asked for in ascending order. Holds one file open. */
class StoreLines {
  readonly #place: StorePlace;
  readonly #checker: LineChecker;
  /** Of the segments that hold a record: path and first sequence. */
  #segments: readonly { readonly path: string; readonly seq: number }[] | undefined;
  #open: Segment | undefined;
  #path = '';
  /** A line of the open segment that comes before all that are still asked for. */
  #from: Edge = { offsetBytes: 0, seq: 0 };
  /** The last one that was read: the next line is often in it. */
  #block: readonly BlockLine[] = [];

  constructor(place: StorePlace) {
    this.#place = place;
    this.#checker = new LineChecker(place.store);
  }

  /** The right record with this sequence, or the gap before it. */
  async at(seq: number): Promise<FoundLine | undefined> {
    const segments = (this.#segments ??= await this.#list());
    const found = segments.findLast((it) => it.seq <= seq);
    if (found === undefined) return undefined;
    const segment = this.#path === found.path && this.#open !== undefined ? this.#open : await this.#enter(found.path);
    if (seq > segment.end.seq) return this.#foundIn(segment.lastBlock, seq);
    return this.#foundIn(this.#block, seq) ?? (await this.#search(segment, seq)) ?? this.#scan(segment, seq);
  }

  async close(): Promise<void> {
    await this.#open?.file.close();
    this.#open = undefined;
  }

  async #list(): Promise<readonly { readonly path: string; readonly seq: number }[]> {
    const { fileSystem, directory, store } = this.#place;
    const names = sortedSegments(await fileSystem.list(`${directory}/${store}`)).map((name) => segmentFile(name));
    const found: { path: string; seq: number }[] = [];
    for (const name of names) {
      const path = `${directory}/${store}/${name}`;
      const file = await fileSystem.open(path, 'read');
      try {
        const seq = parseHead(await readFully(file, 0, FRONT_BYTES))?.seq;
        if (seq !== undefined) found.push({ path, seq });
      } finally {
        await file.close();
      }
    }
    return found;
  }

  async #enter(path: string): Promise<Segment> {
    await this.close();
    const { fileSystem } = this.#place;
    const file = await fileSystem.open(path, 'read');
    const sizeBytes = (await fileSystem.sizeBytes(path)) ?? 0;
    const [first] = await blockAt(file, 0, sizeBytes);
    const lastBlock = await lastBlockOf(file, sizeBytes);
    const end = { offsetBytes: sizeBytes, seq: lastBlock.at(-1)?.head.seq ?? 0 };
    this.#open = { file, end, lastBlock, first: { offsetBytes: 0, seq: first?.head.seq ?? 0 } };
    this.#path = path;
    this.#from = this.#open.first;
    this.#block = [];
    return this.#open;
  }

  /** Looks where the line should be if all lines were of one length, and again between what it met. */
  async #search({ file, end }: Segment, seq: number): Promise<FoundLine | undefined> {
    let [from, to] = [this.#from, end];
    for (let guess = 0; to.offsetBytes > from.offsetBytes; guess += 1) {
      const at = guess < GUESSES_MAX ? between(from, to, seq) : Math.floor((from.offsetBytes + to.offsetBytes) / 2);
      const block = await blockAt(file, Math.max(from.offsetBytes, at), end.offsetBytes);
      this.#block = block;
      const [first, last] = [block[0], block.at(-1)];
      if (first === undefined || last === undefined || first.head.seq > seq)
        to = { offsetBytes: at, seq: first?.head.seq ?? to.seq };
      else {
        this.#from = from = { offsetBytes: first.offsetBytes, seq: first.head.seq };
        const found = this.#foundIn(block, seq);
        if (found !== undefined || last.head.seq >= seq) return found;
        if (last === first) from = { offsetBytes: last.offsetBytes + last.bytes.length, seq: last.head.seq };
        else from = { offsetBytes: last.offsetBytes, seq: last.head.seq };
      }
    }
    return undefined;
  }

  #foundIn(block: readonly BlockLine[], seq: number): FoundLine | undefined {
    const line = block.findLast(({ head }) => head.seq === seq || (head.seq < seq && head.kind === 'Gap'));
    const ends = line === undefined ? undefined : this.#checker.check(line.bytes);
    if (line === undefined || ends === undefined) return undefined;
    const { head, bytes } = line;
    const gap = head.kind === 'Gap' ? readGap(bytes) : undefined;
    return head.seq === seq || (gap !== undefined && crosses(gap, seq)) ? { head, ends, gap } : undefined;
  }

  /** Every line in turn: where lines are longer than a block, damaged, or out of place. */
  async #scan({ file, end }: Segment, seq: number): Promise<FoundLine | undefined> {
    const range = { fromBytes: 0, toBytes: end.offsetBytes, firstLine: 1 };
    for await (const lines of readLines(file, range)) {
      const found = this.#foundIn(recordsOf(lines), seq);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

function crosses({ resumeSeq }: RecordedGap, seq: number): boolean {
  return resumeSeq !== undefined && seq < resumeSeq;
}

/** A little before the place of the sequence, if all lines between two edges are of one length. */
function between(from: Edge, to: Edge, seq: number): number {
  const share = to.seq > from.seq ? (seq - from.seq) / (to.seq - from.seq) : 0;
  const at = from.offsetBytes + Math.floor(share * (to.offsetBytes - from.offsetBytes)) - BLOCK_BYTES / 2;
  return Math.min(Math.max(at, from.offsetBytes), to.offsetBytes);
}

interface BlockLine extends RawLine {
  readonly head: LineHead;
}

/** The whole records of one block, at least one if there is one. An offset other than 0 may be in the middle of a line. */
async function blockAt(file: OpenFile, offsetBytes: number, endBytes: number): Promise<readonly BlockLine[]> {
  for (let bytes = BLOCK_BYTES; ; bytes *= 2) {
    const toBytes = Math.min(offsetBytes + bytes, endBytes);
    const records = await recordsIn(file, { fromBytes: offsetBytes, toBytes });
    if (records.length > 0 || toBytes === endBytes || bytes > 2 * LINE_BYTES_MAX) return records;
  }
}

/** At the end of a segment. A sealed one has a footer behind its last record. */
async function lastBlockOf(file: OpenFile, sizeBytes: number): Promise<readonly BlockLine[]> {
  for (let bytes = BLOCK_BYTES; ; bytes *= 2) {
    const range = { fromBytes: Math.max(0, sizeBytes - bytes), toBytes: sizeBytes, isEnd: true };
    const records = await recordsIn(file, range);
    if (records.length > 0 || bytes >= sizeBytes) return records;
  }
}

async function recordsIn(
  file: OpenFile,
  {
    fromBytes,
    toBytes,
    isEnd = false,
  }: { readonly fromBytes: number; readonly toBytes: number; readonly isEnd?: boolean },
): Promise<readonly BlockLine[]> {
  // One byte before: a line that begins at the offset is whole.
  const from = Math.max(0, fromBytes - 1);
  const block = await readFully(file, from, toBytes - from);
  const start = fromBytes === 0 ? 0 : block.indexOf('\n') + 1;
  if (start === 0 && fromBytes > 0) return [];
  const { found, usedBytes } = splitLines(block.subarray(start), from + start, 1);
  // A crash may have taken the newline of the very last line: an opening adds it.
  const rest = {
    bytes: block.subarray(start + usedBytes),
    offsetBytes: from + start + usedBytes,
    line: 0,
    complete: false,
  };
  return recordsOf(isEnd && rest.bytes.length > 0 ? [...found, rest] : found);
}

function recordsOf(lines: readonly RawLine[]): readonly BlockLine[] {
  return lines.flatMap((line) => {
    const head = parseHead(line.bytes);
    return head === undefined ? [] : [{ ...line, head }];
  });
}

/** Enough of a line for its front members. */
const FRONT_BYTES = 512;
