/**
 * Names and footers of segments: the files of a store. Pure.
 *
 * I1  Segments sort by day, number, part; the day never goes backwards, whatever the clock does.
 * I2  A sealed segment's last line is its footer; no segment but the last is unsealed.
 *
 * Source: reliability-security 1.
 */
import { closeLine, type EncodedLine } from './codec.ts';
import { merkleRoot, type Frontier } from './merkle.ts';

export interface SegmentName {
  /** UTC, `YYYY-MM-DD`. */
  readonly day: string;
  /** Within the day, from 1. */
  readonly number: number;
  /** 0, or which piece of a repaired segment. */
  readonly part: number;
}

const fileNamePattern = /^(\d{4}-\d\d-\d\d)\.(\d{3,6})(?:-(\d{2,4}))?\.jsonl$/;

export function parseSegmentFile(fileName: string): SegmentName | undefined {
  const found = fileNamePattern.exec(fileName);
  if (found === null) return undefined;
  const [, day = '', number, part] = found;
  return { day, number: Number(number), part: part === undefined ? 0 : Number(part) };
}

export function segmentFile({ day, number, part }: SegmentName): string {
  const suffix = part === 0 ? '' : `-${String(part).padStart(2, '0')}`;
  return `${day}.${String(number).padStart(3, '0')}${suffix}.jsonl`;
}

export function compareSegments(a: SegmentName, b: SegmentName): number {
  if (a.day !== b.day) return a.day < b.day ? -1 : 1;
  return a.number - b.number || a.part - b.part;
}

/** The segments among a directory's names, in order. */
export function sortedSegments(fileNames: readonly string[]): readonly SegmentName[] {
  return fileNames
    .map((name) => parseSegmentFile(name))
    .filter((name) => name !== undefined)
    .toSorted(compareSegments);
}

/** The segment after `last` at a wall time. */
export function nextSegment(last: SegmentName | undefined, nowMs: number): SegmentName {
  const today = utcDay(nowMs);
  if (last === undefined || today > last.day) return { day: today, number: 1, part: 0 };
  return { day: last.day, number: last.number + 1, part: 0 };
}

export function utcDay(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}

/** The content of a segment so far; the footer fixes it at sealing. */
export interface SegmentContent {
  readonly count: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly lastHash: string;
  /** ISO 8601 in UTC; empty while there is no record. */
  readonly minTime: string;
  readonly maxTime: string;
  readonly frontier: Frontier;
}

export interface Footer {
  readonly store: string;
  readonly segment: string;
  readonly count: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly minTime: string;
  readonly maxTime: string;
  readonly merkleRoot: string;
  /** Hash of the last record. */
  readonly prev: string;
}

const FOOTER_START = '{"footer":"';

export function encodeFooter(store: string, name: SegmentName, content: SegmentContent): EncodedLine {
  const hashed =
    `${FOOTER_START}${store}","segment":"${segmentFile(name)}","count":${content.count},"firstSeq":${content.firstSeq}` +
    `,"lastSeq":${content.lastSeq},"minTime":"${content.minTime}","maxTime":"${content.maxTime}"` +
    `,"merkleRoot":"${merkleRoot(content.frontier)}","prev":"${content.lastHash}"`;
  return closeLine(store, hashed);
}

export function isFooter(line: Buffer): boolean {
  return line.toString('latin1', 0, FOOTER_START.length) === FOOTER_START;
}

/** Reads a footer whose hash has been checked. */
export function parseFooter(line: Buffer): Footer | undefined {
  try {
    const { footer, ...members } = JSON.parse(line.toString('latin1')) as Omit<Footer, 'store'> & { footer: string };
    return { store: footer, ...members };
  } catch {
    return undefined;
  }
}
