/**
 * The header of a message, or of a part of one, as fields. Only SP and TAB fold a line; whatever else is odd is told, not mended.
 *
 * Source: RFC 5322 2.2, 3.6.
 */
import { isUtf8 } from 'node:buffer';
import { HEADER_BYTES_MAX, HEADER_LINES_MAX } from './limits.ts';

export interface HeaderField {
  /** Lower case. */
  readonly name: string;
  /** Unfolded, without white space at its ends; bytes that are no UTF-8 are taken as Latin-1. */
  readonly value: string;
  /** Its first byte, and the one after its line end. */
  readonly start: number;
  readonly end: number;
}

export interface HeaderFields {
  /** From the top. */
  readonly fields: readonly HeaderField[];
  /** Where the body begins; the end of the source where there is none. */
  readonly bodyStart: number;
  readonly isTooLarge: boolean;
  /** Lines that are no header field, NUL, a lone CR, control characters: programs disagree on what they mean. */
  readonly isOdd: boolean;
}

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;

/** Names that may stand once. Source: RFC 5322 3.6, RFC 2045. */
const ONCE: ReadonlySet<string> = new Set([
  ...['from', 'sender', 'reply-to', 'to', 'cc', 'subject', 'date', 'message-id', 'in-reply-to', 'references'],
  ...['mime-version', 'content-type', 'content-transfer-encoding'],
]);

/** @param range  bytes of the source that are looked at */
export function headerFieldsOf(
  source: Uint8Array,
  range: { readonly start: number; readonly end: number },
): HeaderFields {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const fields: HeaderField[] = [];
  let isOdd = false;
  let position = range.start;
  let lines = 0;
  let open: { start: number; end: number } | undefined;
  const closeField = (): void => {
    if (open === undefined) return;
    const field = fieldOf(bytes, open);
    if (field === undefined) isOdd ||= !isMailboxLine(bytes, open, range.start);
    else fields.push(field);
    isOdd ||= hasOddBytes(bytes.subarray(open.start, open.end));
    open = undefined;
  };
  while (position < range.end) {
    const lineEnd = endOfLine(bytes, position, range.end);
    if (isEmptyLine(bytes, position, lineEnd)) {
      closeField();
      return { fields, bodyStart: lineEnd, isTooLarge: false, isOdd };
    }
    lines += 1;
    if (lineEnd - range.start > HEADER_BYTES_MAX || lines > HEADER_LINES_MAX) {
      closeField();
      return { fields, bodyStart: bodyAfter(bytes, position, range.end), isTooLarge: true, isOdd };
    }
    const isFolded = bytes[position] === SPACE || bytes[position] === TAB;
    if (isFolded && open !== undefined) {
      isOdd ||= isBlankLine(bytes, position, lineEnd);
      open.end = lineEnd;
    } else {
      closeField();
      open = { start: position, end: lineEnd };
    }
    position = lineEnd;
  }
  closeField();
  return { fields, bodyStart: range.end, isTooLarge: false, isOdd };
}

/** Values of all fields of this name, from the top. */
export function valuesOf(fields: readonly HeaderField[], name: string): readonly string[] {
  return fields.filter((field) => field.name === name).map(({ value }) => value);
}

export function valueOf(fields: readonly HeaderField[], name: string): string | undefined {
  return fields.find((field) => field.name === name)?.value;
}

/** Names that may stand once and stand twice: programs disagree on which of the two counts. */
export function repeatedNames(fields: readonly HeaderField[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { name } of fields) if (ONCE.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 1).map(([name]) => name);
}

function fieldOf(bytes: Buffer, { start, end }: { start: number; end: number }): HeaderField | undefined {
  const line = bytes.subarray(start, end);
  const colon = line.indexOf(0x3a);
  if (colon <= 0) return undefined;
  const name = line.toString('latin1', 0, colon).replace(/[ \t]+$/, '');
  if (!/^[!-9;-~]+$/.test(name)) return undefined;
  const value = line.subarray(colon + 1);
  const text = value.toString(isUtf8(value) ? 'utf8' : 'latin1');
  return { name: name.toLowerCase(), value: text.replaceAll(/\r?\n(?=[ \t]|$)/g, '').trim(), start, end };
}

/** The line that a mailbox file puts before a letter. */
function isMailboxLine(bytes: Buffer, { start, end }: { start: number; end: number }, first: number): boolean {
  return start === first && bytes.toString('latin1', start, Math.min(end, start + 5)) === 'From ';
}

function hasOddBytes(line: Buffer): boolean {
  for (let index = 0; index < line.length; index += 1) {
    const byte = line[index] ?? 0;
    if (byte < SPACE && byte !== TAB && byte !== LF && !(byte === CR && line[index + 1] === LF)) return true;
  }
  return false;
}

function endOfLine(bytes: Buffer, position: number, end: number): number {
  const found = bytes.indexOf(LF, position);
  return found === -1 || found >= end ? end : found + 1;
}

function isEmptyLine(bytes: Buffer, start: number, end: number): boolean {
  return bytes[start] === LF || (bytes[start] === CR && end - start === 2 && bytes[start + 1] === LF);
}

function isBlankLine(bytes: Buffer, start: number, end: number): boolean {
  return bytes.toString('latin1', start, end).trim() === '';
}

function bodyAfter(bytes: Buffer, position: number, end: number): number {
  const found = [bytes.indexOf('\n\n', position), bytes.indexOf('\n\r\n', position)]
    .map((index, at) => (index === -1 ? end : index + 2 + at))
    .map((index) => Math.min(index, end));
  return Math.min(...found);
}
