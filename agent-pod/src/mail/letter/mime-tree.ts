/**
 * The parts of a message, found but not decoded. One program decides where a part begins and ends, so no two can disagree.
 *
 * Source: RFC 2046 5.1.
 */
import type { LetterFault } from '@retainer/mind/parts/mail/letter';
import { headerFieldsOf, valueOf, type HeaderField, type HeaderFields } from './header-fields.ts';
import { DEPTH_MAX, PARTS_MAX } from './limits.ts';
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
  const root = partOf(walk, header, { end: bytes.length, depth: 0, isDigest: false });
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
  return { ...part, children: childrenOf(walk, part, place.depth) };
}

function childrenOf(walk: Walk, part: Omit<MimePart, 'children'>, depth: number): readonly MimePart[] {
  if (walk.parts > PARTS_MAX || depth > DEPTH_MAX) return [];
  const isEncoded = part.encoding === 'base64' || part.encoding === 'quoted-printable';
  if (part.type === 'message/rfc822' || part.type === 'message/global') {
    if (isEncoded) return [];
    const header = headerFieldsOf(walk.source, part);
    return [partOf(walk, header, { end: part.end, depth: depth + 1, isDigest: false })];
  }
  if (!part.type.startsWith('multipart/')) return [];
  const boundary = part.parameters.get('boundary') ?? '';
  if (boundary === '' || boundary.length > BOUNDARY_CHARACTERS_MAX) {
    walk.faults.add('NotMime');
    return [];
  }
  const ranges = rangesBetween(walk, part, boundary);
  if (ranges.length === 0) walk.faults.add('NotMime');
  const children: MimePart[] = [];
  for (const range of ranges) {
    if (walk.parts > PARTS_MAX) break;
    const header = headerFieldsOf(walk.source, range);
    children.push(
      partOf(walk, header, { end: range.end, depth: depth + 1, isDigest: part.type === 'multipart/digest' }),
    );
  }
  return children;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Between the lines of the boundary. A message that is cut off ends its last part. */
function rangesBetween(walk: Walk, within: Range, boundary: string): readonly Range[] {
  const delimiter = Buffer.from(`--${boundary}`, 'utf8');
  const ranges: Range[] = [];
  let open: number | undefined;
  let position = within.start;
  while (position < within.end) {
    const found = walk.source.indexOf(delimiter, position);
    if (found === -1 || found >= within.end) break;
    position = found + delimiter.length;
    const line = delimiterLine(walk.source, { start: found, end: within.end }, delimiter.length);
    if (line === undefined || !(found === within.start || walk.source[found - 1] === 0x0a)) continue;
    if (open !== undefined) ranges.push({ start: open, end: beforeLineEnd(walk.source, open, found) });
    if (line.isLast) return ranges;
    // One more than is allowed tells that there are too many.
    if (walk.parts + ranges.length > PARTS_MAX) return ranges;
    open = line.next;
    position = line.next;
  }
  if (open !== undefined && open <= within.end) ranges.push({ start: open, end: within.end });
  return ranges;
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
