/**
 * Why an edit cannot be made, so that a model can mend it: how often the old text occurs, the nearest place, and where the two
 * differ. Each sentence is bounded, whatever the texts hold.
 */
import { printable } from '@retainer/contract/std/printable';
import type { LineTable } from './line-table.ts';
import { nearestPlace } from './nearest-place.ts';
import { wellFormed } from './well-formed.ts';

/** Occurrences that are counted; more are as ambiguous, and to count them all takes long in some texts. */
export const OCCURRENCES_COUNTED_MAX = 100;
/** Line numbers that one sentence names. */
const LINES_TOLD_MAX = 5;
/** Characters shown before a difference, and from there on. */
const BEFORE_CHARACTERS = 30;
const AFTER_CHARACTERS = 90;

/** An edit of lines that are there. */
export interface EditedLines {
  readonly old: string;
  readonly fromLine: number;
  readonly toLine: number;
}

/** @param found  offsets of the old text */
export function severalTimes(table: LineTable, found: readonly number[]): string {
  return `${occurrences(table, found)}; take in more of what stands around it, or name its lines by fromLine and toLine`;
}

export function notThere(table: LineTable, old: string): string {
  return [occurrences(table, []), nearest(table, old), ...lineBreaks(table, old)].join('; ');
}

export function pastTheEnd(table: LineTable, line: number): string {
  return `there is no line ${line}: the file ends with line ${table.count}`;
}

/** @param found  offsets of the old text */
export function otherLines(table: LineTable, { old, fromLine, toLine }: EditedLines, found: readonly number[]): string {
  const lines = fromLine === toLine ? `line ${fromLine} is` : `lines ${fromLine}-${toLine} are`;
  const clauses = [`${lines} not the old text`, difference(table, table.startOf(fromLine), old)];
  if (old !== '') clauses.push(occurrences(table, found));
  if (old !== '' && found.length === 0) clauses.push(nearest(table, old));
  return [...clauses, ...lineBreaks(table, old)].join('; ');
}

function occurrences(table: LineTable, found: readonly number[]): string {
  if (found.length === 0) return 'the old text occurs 0 times';
  const lines = [...new Set(found.map((offset) => table.lineOf(offset)))];
  const more = lines.length > LINES_TOLD_MAX ? ', …' : '';
  const at = `${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, LINES_TOLD_MAX).join(', ')}${more}`;
  const times = found.length > OCCURRENCES_COUNTED_MAX ? `more than ${OCCURRENCES_COUNTED_MAX}` : `${found.length}`;
  return `the old text occurs ${times} time${found.length === 1 ? '' : 's'}, at ${at}`;
}

function nearest(table: LineTable, old: string): string {
  const offset = nearestPlace(table, old);
  if (offset === undefined) return 'nothing in the file is like it';
  return `the nearest is at line ${table.lineOf(offset)}: ${difference(table, offset, old)}`;
}

/** Where the text from `offset` on first differs from the old text. */
function difference(table: LineTable, offset: number, old: string): string {
  const there = table.text.slice(offset, offset + old.length + AFTER_CHARACTERS);
  const common = commonLength(there, old);
  const line = table.lineOf(offset + common);
  if (common === old.length) return `the old text ends within line ${table.lineOf(offset + Math.max(common - 1, 0))}`;
  const wanted = `the old text has ${around(old, common)}`;
  if (common === there.length) return `the file ends where ${wanted}`;
  return `at line ${line} the file has ${around(there, common)} where ${wanted}`;
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

/** As JSON, so that blanks, tabs and line breaks are seen. */
function around(text: string, at: number): string {
  const from = Math.max(0, at - BEFORE_CHARACTERS);
  return printable(JSON.stringify(wellFormed(text.slice(from, at + AFTER_CHARACTERS))));
}

/** The most frequent difference that nobody sees. */
function lineBreaks({ text }: LineTable, old: string): readonly string[] {
  const isOther = text.includes('\r\n') && old.includes('\n') && !old.includes('\r\n');
  return isOther ? [String.raw`lines of the file end in \r\n, those of the old text in \n`] : [];
}
