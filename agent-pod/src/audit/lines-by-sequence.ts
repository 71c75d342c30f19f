/** Finds lines of stores by their sequence. Places that are asked for mostly follow each other, so it reads on from the last one. */
import { segmentsIn } from './journal-directory.ts';
import { readLines, type FileLine } from './read-lines.ts';

interface SequencedLine {
  readonly seq: number;
  readonly bytes: Buffer;
}

interface Cursor {
  readonly lines: AsyncGenerator<SequencedLine>;
  nextSeq: number;
}

/** Looking for the segment again is cheaper than reading more lines than that. */
const READ_ON_MAX = 512;

const seqPattern = /^\{"store":"[a-z0-9-]{1,48}","seq":(\d{1,15}),/;
const SEQ_BYTES_MAX = 96;

export class LinesBySequence {
  /** The journal's. */
  readonly #directory: string;
  /** By store. */
  readonly #cursors = new Map<string, Cursor>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The line as it is, without its newline: nothing in it is checked. Valid until the next call. */
  async find(store: string, seq: number): Promise<Buffer | undefined> {
    const cursor = await this.#cursorAt(store, seq);
    this.#cursors.set(store, cursor);
    for (;;) {
      const next = await cursor.lines.next();
      if (next.done === true) {
        this.#cursors.delete(store);
        return undefined;
      }
      cursor.nextSeq = next.value.seq + 1;
      if (next.value.seq >= seq) return next.value.seq === seq ? next.value.bytes : undefined;
    }
  }

  async close(): Promise<void> {
    for (const { lines } of this.#cursors.values()) await lines.return(undefined);
    this.#cursors.clear();
  }

  async #cursorAt(store: string, seq: number): Promise<Cursor> {
    const cursor = this.#cursors.get(store);
    if (cursor !== undefined && cursor.nextSeq <= seq && seq <= cursor.nextSeq + READ_ON_MAX) return cursor;
    await cursor?.lines.return(undefined);
    const directory = `${this.#directory}/${store}`;
    const segments = await segmentsIn(directory);
    const first = await segmentOf(directory, segments, seq);
    return { lines: linesOf(directory, segments.slice(first)), nextSeq: seq };
  }
}

/** The last segment that begins at the sequence or before. */
async function segmentOf(directory: string, segments: readonly string[], seq: number): Promise<number> {
  let [low, high] = [0, Math.max(0, segments.length - 1)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const first = await firstSeq(directory, segments[middle] ?? '');
    if (first !== undefined && first <= seq) low = middle;
    else high = middle - 1;
  }
  return low;
}

async function firstSeq(directory: string, segment: string): Promise<number | undefined> {
  const lines = linesOf(directory, [segment]);
  const first = await lines.next();
  await lines.return(undefined);
  return first.done === true ? undefined : first.value.seq;
}

async function* linesOf(directory: string, segments: readonly string[]): AsyncGenerator<SequencedLine> {
  for (const segment of segments)
    for await (const lines of readLines(`${directory}/${segment}`, 0)) yield* lines.flatMap(sequenced);
}

/** A footer has none. */
function sequenced({ bytes }: FileLine): readonly SequencedLine[] {
  const found = seqPattern.exec(bytes.toString('latin1', 0, SEQ_BYTES_MAX));
  return found === null ? [] : [{ seq: Number(found[1]), bytes }];
}
