/**
 * A patch of a text: several edits, all or none.
 *
 * I1  Every edit names the text as it was before the patch, so the order of the edits means nothing. Edits do not overlap.
 * I2  An edit without line numbers replaces old text that occurs exactly once, overlapping occurrences counted. An edit with
 *     line numbers replaces those lines, if they are its old text.
 */
import { err, ok, type Result } from '@retainer/contract/std/result';
import { LineTable } from './line-table.ts';
import {
  notThere,
  OCCURRENCES_COUNTED_MAX,
  otherLines,
  pastTheEnd,
  severalTimes,
  type EditedLines,
} from './tell-edit-fault.ts';

export interface Edit {
  /** Of a range of lines: with or without the line break at its end. */
  readonly old: string;
  readonly new: string;
  /** From 1. */
  readonly fromLine?: number | undefined;
  /** Absent: the first line alone. */
  readonly toLine?: number | undefined;
}

export interface EditedText {
  readonly text: string;
  /** Where the new texts are now, first to last, from 1: `3` or `3-5`. */
  readonly lines: readonly string[];
}

/** Offsets in the text before the patch. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface Place extends Span {
  /** The edit, from 1. */
  readonly number: number;
  readonly text: string;
}

/** Faulty edits that one answer tells. A model that mends these asks again anyway. */
const FAULTS_TOLD_MAX = 3;

/** @returns the error tells each faulty edit, and holds parts of the text */
export function applyEdits(text: string, edits: readonly Edit[]): Result<EditedText, string> {
  const table = new LineTable(text);
  const places: Place[] = [];
  const faults: string[] = [];
  for (const [index, edit] of edits.entries()) {
    const span = spanOf(table, edit);
    if (span.ok) places.push({ ...span.value, number: index + 1, text: edit.new });
    else faults.push(`edit ${index + 1} of ${edits.length}: ${span.error}`);
    if (faults.length === FAULTS_TOLD_MAX) break;
  }
  if (faults.length > 0) return err(faults.join('\n'));
  const sorted = places.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const fault = overlapIn(sorted, table);
  return fault === undefined ? ok(joined(text, sorted)) : err(fault);
}

/**
 * The result of a patch that this text is what it left behind: the patch taken back and made again gives this text, and cannot be
 * made on it. Undefined where that is not certain.
 */
export function appliedBefore(
  text: string,
  edits: readonly Edit[],
): (EditedText & { readonly before: string }) | undefined {
  if (edits.some((edit) => edit.new === '') || applyEdits(text, edits).ok) return undefined;
  const back = edits.map((edit) => ({ old: edit.new, new: edit.old }));
  const before = applyEdits(text, back);
  if (!before.ok) return undefined;
  const again = applyEdits(before.value.text, edits);
  return again.ok && again.value.text === text ? { ...again.value, before: before.value.text } : undefined;
}

function spanOf(table: LineTable, { old, fromLine, toLine = fromLine }: Edit): Result<Span, string> {
  const found = occurrencesIn(table.text, old);
  if (fromLine !== undefined && toLine !== undefined) return spanOfLines(table, { old, fromLine, toLine }, found);
  const [start] = found;
  if (start === undefined) return err(notThere(table, old));
  return found.length === 1 ? ok({ start, end: start + old.length }) : err(severalTimes(table, found));
}

function spanOfLines(table: LineTable, lines: EditedLines, found: readonly number[]): Result<Span, string> {
  const { old, fromLine, toLine } = lines;
  if (toLine > table.count) return err(pastTheEnd(table, toLine));
  const start = table.startOf(fromLine);
  const ends = [table.endOf(toLine), table.startOf(toLine + 1)];
  const end = ends.find((it) => table.text.slice(start, it) === old);
  return end === undefined ? err(otherLines(table, lines, found)) : ok({ start, end });
}

function occurrencesIn(text: string, old: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(old); at !== -1 && found.length <= OCCURRENCES_COUNTED_MAX; at = text.indexOf(old, at + 1))
    found.push(at);
  return found;
}

/** Two edits at one place overlap even if one is empty: their order would matter. @param places  by their start */
function overlapIn(places: readonly Place[], table: LineTable): string | undefined {
  for (const [index, place] of places.entries()) {
    const next = places[index + 1];
    if (next === undefined || (next.start >= place.end && next.start !== place.start)) continue;
    const numbers = [place.number, next.number].toSorted((a, b) => a - b).join(' and ');
    return `edits ${numbers} overlap at line ${table.lineOf(next.start)}; make them one edit`;
  }
  return undefined;
}

/** @param places  by their start */
function joined(text: string, places: readonly Place[]): EditedText {
  const pieces: string[] = [];
  const spans: Span[] = [];
  let from = 0;
  let length = 0;
  for (const place of places) {
    const start = length + place.start - from;
    length = start + place.text.length;
    pieces.push(text.slice(from, place.start), place.text);
    spans.push({ start, end: length });
    from = place.end;
  }
  const edited = [...pieces, text.slice(from)].join('');
  const table = new LineTable(edited);
  return { text: edited, lines: spans.map((span) => linesOf(table, span)) };
}

function linesOf(table: LineTable, { start, end }: Span): string {
  const first = table.lineOf(start);
  const last = table.lineOf(Math.max(start, end - 1));
  return first === last ? `${first}` : `${first}-${last}`;
}
