/**
 * The parts of a message, found but not decoded. One program decides where a part begins and ends, so no two can disagree.
 *
 * Source: RFC 2046 5.1.
 */
import type { LetterFault } from '@retainer/mind/parts/mail/letter';
import { headerFieldsOf, valueOf, type HeaderField, type HeaderFields } from './header-fields.ts';
import { DEPTH_MAX, FALSE_BOUNDARIES_MAX, PARTS_MAX } from './limits.ts';
import { parametersOf } from './parameters.ts';

export interface MimePart {
  readonly fields: readonly HeaderField[];
  /** `text/plain`; lower case. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** `attachment`, `inline`, or empty. */
  readonly disposition: string;
  /** A name by which it would be saved: it is given as a file. */
  readonly hasName: boolean;
  /** Lower case: `base64`. */
  readonly encoding: string;
  /** Bytes of the body within the source. */
  readonly start: number;
  readonly end: number;
  /** Of a multipart its parts, of a forwarded message the message. */
  readonly children: readonly MimePart[];
}

export interface MimeTree {
  readonly root: MimePart;
  readonly faults: readonly LetterFault[];
}

/** Characters of a boundary. Source: RFC 2046 allows 70; some programs make longer ones. */
const BOUNDARY_CHARACTERS_MAX = 200;

interface Walk {
  readonly source: Buffer;
  readonly faults: Set<LetterFault>;
  parts: number;
}

/** @param header  of the message, read already */
export function mimeTreeOf(source: Uint8Array, header: HeaderFields): MimeTree {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const walk: Walk = { source: bytes, faults: new Set(), parts: 0 };
  const root = partOf(walk, header, { end: bytes.length, depth: 0, isDigest: false, isForwarded: false });
  return { root, faults: [...walk.faults] };
}

/** All parts below and with this one, in order. */
export function partsBelow(part: MimePart): readonly MimePart[] {
  return [part, ...part.children.flatMap(partsBelow)];
}

interface Place {
  readonly end: number;
  readonly depth: number;
  /** Within multipart/digest a part is a message where it does not say what it is. */
  readonly isDigest: boolean;
  readonly isForwarded: boolean;
}

function partOf(walk: Walk, header: HeaderFields, place: Place): MimePart {
  walk.parts += 1;
  if (walk.parts > PARTS_MAX) walk.faults.add('TooManyParts');
  if (place.depth > DEPTH_MAX) walk.faults.add('TooDeep');
  if (header.isTooLarge) walk.faults.add('HeaderTooLarge');
  const said = parametersOf(valueOf(header.fields, 'content-type') ?? '');
  const disposition = parametersOf(valueOf(header.fields, 'content-disposition') ?? '');
  const type = /^[!-~]+\/[!-~]+$/.test(said.value) ? said.value : place.isDigest ? 'message/rfc822' : 'text/plain';
  const part = {
    fields: header.fields,
    type,
    parameters: said.parameters,
    disposition: disposition.value,
    hasName: [...disposition.parameters.keys(), ...said.parameters.keys()].some((name) => /^(file)?name\b/.test(name)),
    encoding: /[\w-]+/.exec(parametersOf(valueOf(header.fields, 'content-transfer-encoding') ?? '').value)?.[0] ?? '',
    start: Math.min(header.bodyStart, place.end),
    end: place.end,
  };
  return { ...part, children: childrenOf(walk, part, place) };
}

function childrenOf(walk: Walk, part: Omit<MimePart, 'children'>, place: Place): readonly MimePart[] {
  if (walk.parts > PARTS_MAX || place.depth > DEPTH_MAX) return [];
  if (part.type.startsWith('multipart/')) return partsOf(walk, part, place);
  const isMessage = part.type === 'message/rfc822' || part.type === 'message/global';
  if (!isMessage || part.encoding === 'base64' || part.encoding === 'quoted-printable') return [];
  const within = { end: part.end, depth: place.depth + 1, isDigest: false, isForwarded: true };
  return [partOf(walk, headerFieldsOf(walk.source, part), within)];
}

function partsOf(walk: Walk, part: Omit<MimePart, 'children'>, place: Place): readonly MimePart[] {
  const ranges = rangesBetween(walk, part, part.parameters.get('boundary') ?? '');
  // Of a letter that was sent on, or came back, often only the beginning is there.
  if (ranges.length === 0 && !place.isForwarded) walk.faults.add('NotMime');
  const children: MimePart[] = [];
  for (const range of ranges) {
    if (walk.parts > PARTS_MAX) break;
    const within = { ...place, end: range.end, depth: place.depth + 1, isDigest: part.type === 'multipart/digest' };
    children.push(partOf(walk, headerFieldsOf(walk.source, range), within));
  }
  return children;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Between the lines of the boundary. A message that is cut off ends its last part. */
function rangesBetween(walk: Walk, within: Range, boundary: string): readonly Range[] {
  if (boundary === '' || boundary.length > BOUNDARY_CHARACTERS_MAX) return [];
  const ranges: Range[] = [];
  let open: number | undefined;
  for (const line of delimiterLines(walk.source, within, Buffer.from(`--${boundary}`, 'utf8'))) {
    if (open !== undefined) ranges.push({ start: open, end: beforeLineEnd(walk.source, open, line.start) });
    // One more than is allowed tells that there are too many.
    if (line.isLast || walk.parts + ranges.length > PARTS_MAX) return ranges;
    open = line.next;
  }
  if (open !== undefined) ranges.push({ start: open, end: within.end });
  return ranges;
}

interface DelimiterLine {
  readonly start: number;
  /** Where the line after it begins. */
  readonly next: number;
  readonly isLast: boolean;
}

function* delimiterLines(source: Buffer, within: Range, delimiter: Buffer): Generator<DelimiterLine> {
  let position = within.start;
  let falseOnes = 0;
  while (position < within.end && falseOnes < FALSE_BOUNDARIES_MAX) {
    const start = source.indexOf(delimiter, position);
    if (start === -1 || start >= within.end) return;
    position = start + delimiter.length;
    const isAtLineStart = start === within.start || source[start - 1] === 0x0a;
    const line = isAtLineStart ? delimiterLine(source, { start, end: within.end }, delimiter.length) : undefined;
    if (line === undefined) {
      falseOnes += 1;
      continue;
    }
    yield { start, ...line };
    position = line.next;
  }
}

/** Where the line after a delimiter begins; undefined: the line goes on, so it is none. */
function delimiterLine(source: Buffer, line: Range, length: number): { next: number; isLast: boolean } | undefined {
  let position = line.start + length;
  const isLast = source[position] === 0x2d && source[position + 1] === 0x2d;
  if (isLast) position += 2;
  while (source[position] === 0x20 || source[position] === 0x09) position += 1;
  if (source[position] === 0x0d) position += 1;
  if (position >= line.end) return { next: line.end, isLast };
  return source[position] === 0x0a ? { next: position + 1, isLast } : undefined;
}

/** The line end before a delimiter belongs to the delimiter. */
function beforeLineEnd(source: Buffer, start: number, delimiter: number): number {
  const end = source[delimiter - 1] === 0x0a ? delimiter - 1 : delimiter;
  return Math.max(start, source[end - 1] === 0x0d ? end - 1 : end);
}
