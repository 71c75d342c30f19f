/** Figures in outputs of tools, alone, in lists and in tables: what code may compute a told figure from. */
import { parseJson } from '@retainer/contract/std/parse-json';
import { datesIn, masked, withCellsApart } from './date-reading.ts';
import { isPercentIn, scaleIn, AFTER_NUMBER_CHARACTERS } from './number-claims.ts';
import { NUMBER, readingsOf, withAsciiDigits } from './number-reading.ts';
import { timesIn } from './time-reading.ts';
import { currencyIn, unitIn, type Unit } from './units.ts';

export interface Figure {
  /** With its sign and its scale. */
  readonly value: number;
  /** As a derivation names it: its digits, or how it was computed. */
  readonly text: string;
  /** Where it stands: `t2`, `task`. */
  readonly from: string;
  readonly isPercent: boolean;
  /** Undefined: none is told. */
  readonly unit: Unit | undefined;
}

export interface Table {
  /** Names of the columns; empty where the first row is data. */
  readonly header: readonly string[];
  /** Cells in their order, equally many in each row. */
  readonly rows: readonly (readonly string[])[];
}

/** One output of a tool. */
export interface Source {
  readonly from: string;
  readonly text: string;
  /** Of one line each, in their order; empty lines are left out. */
  readonly lines: readonly string[];
  readonly figures: readonly Figure[];
  readonly table: Table | undefined;
}

/** Figures that are read of one output; whoever prints more lets no reader count them, either. */
const FIGURES_MAX = 20_000;

/** The first line of a shell's output is none of the program's. */
const EXIT_CODE = /^exit code \d+\n/;

export function sourceOf(output: string, from: string): Source {
  const text = output.replace(EXIT_CODE, '');
  const lines = text.split('\n').filter((it) => it.trim() !== '');
  return { from, text, lines, figures: figuresIn(text, from), table: tableIn(text, lines) };
}

/** Nothing is computed from the status of an answer. */
const STATUS = /\bstatus:? [1-5]\d\d\b|\bHTTP\/[\d.]+ [1-5]\d\d\b/gi;

/** In their order. Dates and times of day are no figures. */
export function figuresIn(text: string, from: string): readonly Figure[] {
  const plain = withCellsApart(withAsciiDigits(text)).replaceAll(STATUS, (it) => it.replaceAll(/\d/g, ' '));
  const dates = datesIn(plain).filter((it) => it.mayBeFigure === undefined);
  const undated = masked(plain, dates);
  // Programs separate columns by a blank, and no thousands.
  const left = masked(undated, timesIn(undated)).replaceAll(/(?<=\d) (?=\d)/g, '\t');
  const figures: Figure[] = [];
  for (const match of left.matchAll(NUMBER)) {
    if (figures.length === FIGURES_MAX) break;
    const figure = figureAt(left, match, from);
    if (figure !== undefined) figures.push(figure);
  }
  return figures;
}

function figureAt(text: string, { 0: digits, index }: RegExpExecArray, from: string): Figure | undefined {
  const before = text.slice(Math.max(0, index - 2), index);
  const [reading] = readingsOf(digits);
  if (reading === undefined || /[\p{L}_]$/u.test(before)) return undefined;
  const after = text.slice(index + digits.length, index + digits.length + AFTER_NUMBER_CHARACTERS);
  const sign = /(^|[^\p{L}\d])-$/u.test(before) ? -1 : 1;
  return {
    value: sign * Number(reading.value) * 10 ** scaleIn(after),
    text: sign < 0 ? `-${digits}` : digits,
    from,
    isPercent: isPercentIn(after),
    unit: unitIn(after) ?? currencyIn(before),
  };
}

const BLANKS = / +/;
const separators: readonly RegExp[] = [/;/, /\t/, /\s*\|\s*/, /,/, / {2,}/, BLANKS];

/** Least share of the lines that have equally many cells; a heading or a sum may stand beside a table. */
const ROWS_SHARE_MIN = 0.6;

function tableIn(text: string, lines: readonly string[]): Table | undefined {
  const objects = objectsIn(text);
  if (objects !== undefined) return objects;
  for (const separator of separators) {
    const split = lines.map((line) =>
      line
        .trim()
        .replaceAll(/^\||\|$/g, '')
        .split(separator)
        .map((it) => it.trim()),
    );
    const table = evenRows(split.filter((cells) => !cells.every((it) => /^[:-]*$/.test(it))));
    // Words are separated by blanks as well: only figures below each other make a table of them.
    const isTable =
      table !== undefined && (separator !== BLANKS || columnsOf(table).some((it) => it.values.length > 1));
    if (isTable) return table;
  }
  return undefined;
}

function evenRows(split: readonly (readonly string[])[]): Table | undefined {
  const widths = new Map<number, number>();
  for (const { length } of split) widths.set(length, (widths.get(length) ?? 0) + 1);
  const [width] = [...widths].toSorted((a, b) => b[1] - a[1])[0] ?? [0];
  const rows = split.filter((cells) => cells.length === width);
  if (width < 2 || rows.length < 2 || rows.length < split.length * ROWS_SHARE_MIN) return undefined;
  const [first = [], ...rest] = rows;
  const isHeader = first.every((it) => cellValue(it) === undefined) && rest.some((row) => row.some(isNumeric));
  return isHeader ? { header: first, rows: rest } : { header: [], rows };
}

/** The first list of flat objects in a JSON text. */
function objectsIn(text: string): Table | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const parsed = parseJson(text);
  const lists = [parsed, ...(isRecord(parsed) ? Object.values(parsed) : [])];
  const list = lists.find((it): it is unknown[] => Array.isArray(it) && it.length > 1 && it.every(isRecord));
  if (list === undefined) return undefined;
  const objects = list.filter(isRecord);
  const header = Object.keys(objects[0] ?? {});
  return { header, rows: objects.map((it) => header.map((key) => cellText(it[key]))) };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function cellText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

const isNumeric = (cell: string): boolean => cellValue(cell) !== undefined;

/** The number of a cell that holds nothing else but its sign, its unit or its currency. */
export function cellValue(cell: string): number | undefined {
  const [, sign, digits = ''] = /^["']?\s*([-+]?)\s?[€$£]?\s?([\d.,' ]*\d)\s?[%€$£\p{L}]{0,4}["']?$/u.exec(cell) ?? [];
  const [reading] = digits === '' ? [] : readingsOf(digits);
  return reading && (sign === '-' ? -1 : 1) * Number(reading.value);
}

/** Numbers that belong together: a column, the values of one key, all of an output. */
export interface FigureList {
  readonly name: string;
  readonly from: string;
  readonly values: readonly number[];
}

/** Each list once, however it was found. */
export function listsOf({ from, lines, figures, table }: Source): readonly FigureList[] {
  const found = [
    ...(table === undefined ? [] : columnsOf(table)),
    { name: 'numbers', values: figures.map((it) => it.value) },
    ...lineLists(lines),
  ].filter((it) => it.values.length > 1);
  const distinct = new Map(found.toReversed().map((it) => [it.values.join(' '), it]));
  return [...distinct.values()].map((it) => ({ ...it, from }));
}

export function columnsOf({ header, rows }: Table): readonly Omit<FigureList, 'from'>[] {
  const width = rows[0]?.length ?? 0;
  return Array.from({ length: width }, (_, at) => ({
    name: header[at] ?? `column ${at + 1}`,
    values: rows.flatMap((row) => cellValue(row[at] ?? '') ?? []),
  })).filter((it) => it.values.length > 0);
}

/** Lines of a list that is longer than any table of a reply are not read one by one. */
const LINES_MAX = 5_000;

/** The last number of each line, and the first: `north: 120`, `120 north`. */
function lineLists(lines: readonly string[]): readonly Omit<FigureList, 'from'>[] {
  const numbers = lines.slice(0, LINES_MAX).map((it) => figuresIn(it, '').map(({ value }) => value));
  const told = numbers.filter((it) => it.length > 0);
  return [
    { name: 'last numbers of the lines', values: told.flatMap((it) => it.at(-1) ?? []) },
    { name: 'first numbers of the lines', values: told.flatMap((it) => it[0] ?? []) },
  ];
}
