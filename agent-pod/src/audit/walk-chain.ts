/**
 * Follows the chain of one store line by line and finds the first fault of each line. Pure.
 *
 * I1  A position holds all that the next line must continue, so a walk can stop and resume.
 * I2  One damage is one finding: the walk trusts the next valid line after it.
 *
 * Source: reliability-security 1 (record, segments).
 * Differs: the Merkle root in a footer is left to `retainer journal verify`; the chain covers the same bytes.
 */
import type { Finding } from './finding.ts';
import { zeroHash, type FooterLine, type JournalLine, type RecordLine } from './journal-line.ts';

export interface ChainPosition {
  /** File name; empty before the first segment. */
  readonly segment: string;
  /** End of the last walked line, newline included. */
  readonly endBytes: number;
  /** Its number in the file, from 1; 0 before the first. */
  readonly line: number;
  /** Its hash, which the bytes before `endBytes` must still have at the next look. */
  readonly lineHash: string;
  readonly nextSeq: number;
  /** Of the last record, as in a head. −1 before the first. */
  readonly lastSeq: number;
  readonly lastHash: string;
  /** The predecessor that the next record must name; undefined after damage. */
  readonly expectedPrev: string | undefined;
  readonly epoch: number;
  readonly order: number;
  readonly sealed: boolean;
  /** Records of this segment, and the first one's sequence. */
  readonly count: number;
  readonly firstSeq: number;
  /** Unreadable lines since the last valid record: as many sequences may be missing without a second finding. */
  readonly lostLines: number;
  /** This segment has a fault, so a wrong footer is no second finding. */
  readonly damaged: boolean;
}

export const freshPosition: ChainPosition = {
  segment: '',
  endBytes: 0,
  line: 0,
  lineHash: '',
  nextSeq: 0,
  lastSeq: -1,
  lastHash: zeroHash,
  expectedPrev: zeroHash,
  epoch: 0,
  order: -1,
  sealed: false,
  count: 0,
  firstSeq: 0,
  lostLines: 0,
  damaged: false,
};

export interface WalkStep {
  readonly position: ChainPosition;
  readonly finding?: Omit<Finding, 'store'>;
}

/** Call before the lines of each segment, in order. */
export function enterSegment(position: ChainPosition, segment: string): WalkStep {
  const start = { endBytes: 0, line: 0, lineHash: '', sealed: false, count: 0, firstSeq: 0, damaged: false };
  const entered = { ...position, segment, ...start };
  if (position.segment === '' || position.sealed) return { position: entered };
  return {
    position: { ...entered, expectedPrev: undefined },
    finding: {
      kind: 'SegmentUnsealed',
      seq: position.nextSeq,
      file: position.segment,
      line: position.line,
      detail: `the next segment is ${segment}`,
    },
  };
}

/** @param endBytes  end of the line in its file, newline included */
export function walkLine(position: ChainPosition, line: JournalLine, endBytes: number): WalkStep {
  const at = { ...position, endBytes, line: position.line + 1 };
  switch (line.type) {
    case 'Unreadable':
      return {
        position: { ...at, lineHash: '', expectedPrev: undefined, lostLines: position.lostLines + 1, damaged: true },
        finding: broken(at, position.nextSeq, 'the bytes of this line were changed'),
      };
    case 'Footer':
      return walkFooter(at, line);
    case 'Record':
      return walkRecord(at, line);
  }
}

function walkFooter(at: ChainPosition, footer: FooterLine): WalkStep {
  const position = { ...at, lineHash: footer.hash, sealed: true };
  const agrees =
    !at.sealed &&
    footer.segment === at.segment &&
    footer.prev === at.lastHash &&
    footer.count === at.count &&
    footer.firstSeq === at.firstSeq &&
    footer.lastSeq === at.lastSeq;
  if (agrees || at.damaged) return { position };
  const detail = `the footer says ${footer.count} records from ${footer.firstSeq} to ${footer.lastSeq}, but there are ${at.count}`;
  return { position, finding: { kind: 'FooterWrong', seq: at.nextSeq, file: at.segment, line: at.line, detail } };
}

function walkRecord(at: ChainPosition, record: RecordLine): WalkStep {
  const finding = wrongPlace(at, record);
  // A duplicate, or from a second writer: the chain continues from before it.
  if (record.seq < at.nextSeq && finding !== undefined)
    return { position: { ...at, lineHash: record.hash, damaged: true }, finding };
  const position = {
    ...at,
    lineHash: record.hash,
    nextSeq: record.gap?.resumeSeq ?? record.seq + 1,
    lastSeq: record.seq,
    lastHash: record.hash,
    expectedPrev: record.gap?.resumePrev ?? record.hash,
    epoch: Math.max(at.epoch, record.epoch),
    order: Math.max(at.order, record.order),
    count: at.count + 1,
    firstSeq: at.count === 0 ? record.seq : at.firstSeq,
    lostLines: 0,
  };
  return finding === undefined ? { position } : { position: { ...position, damaged: true }, finding };
}

/** First match wins. */
function wrongPlace(at: ChainPosition, { seq, prev, epoch, order, gap }: RecordLine): WalkStep['finding'] {
  if (at.sealed) return broken(at, seq, 'a record follows the footer');
  if (seq < at.nextSeq) return broken(at, seq, `sequence ${seq} occurs twice: a copied line, or two writers`);
  if (seq > at.nextSeq + at.lostLines)
    return broken(at, at.nextSeq, `sequence ${seq} is in the place of ${at.nextSeq}`);
  if (at.expectedPrev !== undefined && prev !== at.expectedPrev)
    return broken(at, seq, 'the record does not continue the one before it');
  if (epoch < at.epoch)
    return { ...broken(at, seq, `epoch ${epoch} follows epoch ${at.epoch}`), kind: 'EpochWentBack' };
  if (order <= at.order) return broken(at, seq, `order ${order} follows ${at.order}`);
  if ((gap?.resumeSeq ?? seq + 1) <= seq) return broken(at, seq, 'the gap resumes before itself');
  return undefined;
}

function broken(at: ChainPosition, seq: number, detail: string): NonNullable<WalkStep['finding']> {
  return { kind: 'ChainBroken', seq, file: at.segment, line: at.line, detail };
}
