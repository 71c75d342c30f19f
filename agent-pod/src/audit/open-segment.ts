/**
 * Watches the segment that a writer still appends to. Its size and times change all the time, so they prove nothing about the
 * bytes that were read before. They are read again bit by bit, and must lead to the same hashes as the first time.
 *
 * I1  Every settled byte is read again within {@link ROUND_MS}, in a segment of the usual 64 MiB for 2 % of a core. While the file
 *     does not change, nothing is read.
 * I2  Only settled bytes: a crash may rightly take away newer ones.
 */
import type { Finding } from './finding.ts';
import { traceOf } from './journal-directory.ts';
import { readJournalLine } from './journal-line.ts';
import { linesBetween } from './line-end.ts';
import type { SegmentTrace } from './store-watch.ts';
import { walkLine, type ChainPosition } from './walk-chain.ts';

/** With the pause between two looks, within a minute. */
const ROUND_MS = 40_000;
/** Bytes between two places from which reading can start. */
const STOP_BYTES = 256 * 1024;

export interface Rereading {
  /** The journal's. */
  readonly directory: string;
  readonly store: string;
  readonly settled: ChainPosition;
  readonly nowMs: number;
}

export class OpenSegment {
  /** Walked, in order, all in one segment. */
  #stops: readonly ChainPosition[] = [];
  /** At the last look. */
  #trace: SegmentTrace | undefined;
  /** When the last round began that found nothing, and when this one began. */
  #restsAt: SegmentTrace | undefined;
  #roundFrom: SegmentTrace | undefined;
  /** Which stop is read to next. */
  #next = 0;
  #lookedAtMs = -Infinity;

  /** Takes up where a walk came by. */
  note(walked: readonly ChainPosition[]): void {
    for (const stop of walked) {
      const last = this.#stops.at(-1);
      if (last?.segment !== stop.segment) this.#stops = [stop];
      else if (stop.endBytes - last.endBytes >= STOP_BYTES) this.#stops = [...this.#stops, stop];
    }
  }

  /** A writer took away what was not settled, or the store was walked anew. */
  forgetAfter({ segment, endBytes }: Pick<ChainPosition, 'segment' | 'endBytes'>): void {
    this.#stops = this.#stops.filter((stop) => stop.segment === segment && stop.endBytes <= endBytes);
    this.#next = 0;
    this.#restsAt = undefined;
  }

  /** @throws the file system's error when a read fails */
  async look({ directory, store, settled, nowMs }: Rereading): Promise<Finding | undefined> {
    const { segment } = settled;
    // A damaged segment was reported; a sealed one does not change.
    if (segment === '' || settled.sealed || settled.damaged) return undefined;
    const before = this.#trace?.file === segment ? this.#trace : undefined;
    const trace = await traceOf(`${directory}/${store}`, segment);
    this.#trace = trace;
    if (trace === undefined) return undefined;
    const place = { store, file: `${store}/${segment}` };
    if (before !== undefined && before.inode !== trace.inode)
      return { kind: 'SegmentReplaced', ...place, detail: `inode ${before.inode} became ${trace.inode}` };
    if (isSame(trace, this.#restsAt)) return undefined;
    const changed = await this.#readOn({ directory, store, settled, nowMs }, trace);
    if (changed === undefined) return undefined;
    const detail = `the ${changed.endBytes} bytes to this line lead to another hash than before`;
    return { kind: 'BytesChanged', ...place, seq: changed.lastSeq, line: changed.line, detail };
  }

  /** @returns the place whose bytes have changed */
  async #readOn(
    { directory, store, settled, nowMs }: Rereading,
    trace: SegmentTrace,
  ): Promise<ChainPosition | undefined> {
    const stops = this.#stops.filter((it) => it.segment === settled.segment && it.endBytes < settled.endBytes);
    const ends = [...stops, settled];
    const share = Math.min(1, (nowMs - this.#lookedAtMs) / ROUND_MS);
    this.#lookedAtMs = nowMs;
    if (this.#next === 0) this.#roundFrom = trace;
    const to = Math.min(ends.length, this.#next + Math.max(1, Math.ceil(share * ends.length)));
    for (let at = this.#next; at < to; at += 1) {
      const end = ends[at];
      const from = ends[at - 1] ?? segmentStart(settled);
      if (end !== undefined && !(await leadsTo(`${directory}/${store}`, from, end))) return end;
    }
    this.#next = to < ends.length ? to : 0;
    const isWhole = this.#next === 0 && this.#roundFrom?.sizeBytes === settled.endBytes;
    if (isWhole) this.#restsAt = this.#roundFrom;
    return undefined;
  }
}

export function isSame(a: SegmentTrace, b: SegmentTrace | undefined): boolean {
  return (
    a.sizeBytes === b?.sizeBytes && a.modifiedMs === b.modifiedMs && a.changedMs === b.changedMs && a.inode === b.inode
  );
}

/** The hash at the end stands for all bytes before it, so nobody needs to know what the first line continues. */
function segmentStart(position: ChainPosition): ChainPosition {
  const { firstSeq } = position;
  const empty = { endBytes: 0, line: 0, lineHash: '', count: 0, lostLines: 0, expectedPrev: undefined };
  return { ...position, ...empty, nextSeq: firstSeq, lastSeq: firstSeq - 1, epoch: 0, order: -1 };
}

async function leadsTo(storeDirectory: string, from: ChainPosition, to: ChainPosition): Promise<boolean> {
  let position = from;
  for await (const { bytes, endBytes } of linesBetween(storeDirectory, from, to)) {
    const step = walkLine(position, readJournalLine(storeOf(storeDirectory), bytes), endBytes);
    if (step.finding !== undefined) return false;
    ({ position } = step);
  }
  return position.endBytes === to.endBytes && position.lineHash === to.lineHash;
}

function storeOf(storeDirectory: string): string {
  return storeDirectory.slice(storeDirectory.lastIndexOf('/') + 1);
}
