/** What a reader computes of a table, of a list or of lines: wholes, the rows of one name, shares, changes from row to row. */
import { isSameWord } from './content-words.ts';
import { cellValue, columnsOf, listsOf, type Figure, type Source } from './evidence-figures.ts';
import { aggregatesOf, pairsOf, type Candidate } from './operations.ts';
import { holdsApart } from './shown-spellings.ts';

/** The sentence of a told figure, and its words. */
export interface Said {
  readonly said: string;
  readonly words: ReadonlySet<string>;
}

/** Every whole column or list, and the number of lines with and without a heading. */
export function wholesOf(source: Source): readonly Candidate[] {
  const { from, lines, table } = source;
  const hasHeading = lines.length > 1 && !/\d/.test(lines[0] ?? '') && lines.slice(1).some((it) => /\d/.test(it));
  const counts = hasHeading ? [lines.length, lines.length - 1] : [lines.length];
  const columns = (table?.rows[0] ?? []).map((_, at) => table?.rows.map((row) => row[at]) ?? []);
  const distinctCells = [lines, ...columns].map((it) => new Set(it).size);
  return [
    ...listsOf(source).flatMap(({ name, values }) => aggregatesOf(name, values, from)),
    ...counts.map((value) => ({ operation: 'Count', value, text: `count of ${value} lines`, from: [from] }) as const),
    ...distinctCells.map(
      (value) => ({ operation: 'Count', value, text: `${value} different cells`, from: [from] }) as const,
    ),
  ];
}

const COLUMN =
  /(?<!\p{L})(?:columns?|fields?|spalten?|felder|colonn[eai]s?|champs|columnas?|campos|kolom(?:men)?|velden|campi|колон|столб|kolumn|sloup|sütun)|列|열/iu;

/** How many cells the rows have, or a heading alone, where the sentence speaks of columns. */
export function columnCountsOf({ from, table, lines }: Source, { said }: Said): readonly Candidate[] {
  if (!COLUMN.test(said)) return [];
  const [heading = ''] = lines;
  const width = table?.rows[0]?.length ?? Math.max(...[';', '\t', '|', ','].map((it) => heading.split(it).length));
  return width < 2 ? [] : [{ operation: 'Count', value: width, text: `count of ${width} columns`, from: [from] }];
}

const TOTAL = /(?<!\p{L})(?:sum|total|summe|gesamt|somme|suma|totaal|somma|soma|toplam|сумма)(?!\p{L})|合計|总/iu;
const COUNT =
  /(?<!\p{L})(?:count|number|n|num|rows?|items?|values|samples?|entries|records?|anzahl|nombre|cantidad|aantal|numero|número|liczba)(?!\p{L})|件数|数量/iu;
const LABELLED = /([\p{L}_ ]{1,40}?)["']?\s*[:=]?\s*(-?\d[\d.,]*\d|\d)/gu;

const TOTAL_LINE = /^\s*(-?\d[\d.,]*)\s+(?:total|insgesamt|итого)\s*$/iu;

/** Without the last line of `wc` and `du -c`, which only sums up the others. */
export function withoutTotal({ lines, figures }: Source): readonly Figure[] {
  const [, digits] = TOTAL_LINE.exec(lines.at(-1) ?? '') ?? [];
  const total = digits === undefined ? undefined : cellValue(digits);
  return total === undefined || figures.at(-1)?.value !== total ? figures : figures.slice(0, -1);
}

/** A total by a count, where the output calls both so: `count=48`, `sum=3456`. */
export function labelledMeansOf({ from, text }: Source): readonly Candidate[] {
  const told = [...text.matchAll(LABELLED)].map(([, label = '', digits = '']) => ({ label, value: cellValue(digits) }));
  const valuesOf = (pattern: RegExp): readonly number[] =>
    told.flatMap(({ label, value }) =>
      value !== undefined && pattern.test(label.replaceAll('_', ' ')) ? [value] : [],
    );
  const [totals, counts] = [valuesOf(TOTAL), valuesOf(COUNT)];
  const [total = 0] = totals;
  const [count = 0] = counts;
  if (totals.length !== 1 || counts.length !== 1 || count === 0) return [];
  return [{ operation: 'Mean', value: total / count, text: `${total} / ${count}`, from: [from] }];
}

/** Most columns of figures in a table in which two rows are compared without a word for the column. */
const COMPARED_COLUMNS_MAX = 2;

/** What the sentence, or it and the task, say of exactly two rows: their difference, their sum. */
export function comparedRows({ from, table, text }: Source, said: Said, asked: string): readonly Candidate[] {
  const rows = table?.rows ?? entriesOf(text);
  const inSaid = rows.filter((row) => row.some((cell) => isMentioned(cell, said.said)));
  const compared =
    inSaid.length === 2 ? inSaid : rows.filter((row) => row.some((cell) => isMentioned(cell, `${said.said} ${asked}`)));
  const [one, other] = compared;
  if (compared.length !== 2 || one === undefined || other === undefined) return [];
  const columns = one.flatMap((cell, at) => {
    const [a, b] = [cellValue(cell), cellValue(other[at] ?? '')];
    return a === undefined || b === undefined ? [] : [{ name: table?.header[at] ?? '', a, b }];
  });
  const isNamedColumn = ({ name }: { readonly name: string }): boolean => isMentioned(name, `${said.said} ${asked}`);
  const chosen = columns.some(isNamedColumn) ? columns.filter(isNamedColumn) : columns;
  if (chosen.length > COMPARED_COLUMNS_MAX) return [];
  const figure = (value: number): Figure => ({ value, text: String(value), from, isPercent: false, unit: undefined });
  return chosen.flatMap(({ a, b }) => pairsOf(figure(a), figure(b), false));
}

/** As it is spelt, apart from other words; a number names no row. */
function isMentioned(cell: string, text: string): boolean {
  const name = cell.replaceAll(/^["'\s]+|["'\s:=]+$/g, '').toLowerCase();
  if (name.length < 2 || cellValue(cell) !== undefined || !/\p{L}/u.test(name)) return false;
  return holdsApart(text.toLowerCase(), name, /[\p{L}\p{N}_]/u, /[\p{L}\p{N}_]/u);
}

/** `"north": 140, "south": 128` */
function entriesOf(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(/([\p{L}][\p{L}\p{N} _.-]{0,30}?)["']?\s*[:=]\s*(-?\d[\d.,]*\d|-?\d)/gu)].map(
    ([, label = '', digits = '']) => [label, digits],
  );
}

/** Rows of a table by a cell that the sentence names: how many, and what their columns come to. */
export function groupsOf({ from, table, lines }: Source, said: Said): readonly Candidate[] {
  const rows = table?.rows ?? lines.map((it) => [it]);
  const cells = new Set(rows.flatMap((row) => row.filter((it) => isNamed(it, said))));
  return [...cells].flatMap((cell) => {
    const own = rows.filter((row) => row.includes(cell));
    const count = { operation: 'Count', value: own.length, text: `count of ${cell}`, from: [from] } as const;
    const columns = columnsOf({ header: table?.header ?? [], rows: own });
    const all = columnsOf({ header: table?.header ?? [], rows });
    return [
      count,
      ...shareOf(count, rows.length, from),
      ...own.flatMap((row) => productsOf(row, from)),
      ...columns.flatMap(({ name, values }) => {
        const whole = all.find((it) => it.name === name)?.values ?? [];
        const [sum, ...others] = aggregatesOf(`${name} of ${cell}`, values, from);
        return sum === undefined ? [] : [sum, ...others, ...shareOf(sum, sumOf(whole), from)];
      }),
    ];
  });
}

/** Most words of a sentence that are counted in an output. */
const COUNTED_WORDS_MAX = 6;

const WORDS = /\p{L}[\p{L}\p{M}]*/gu;
const QUOTED_WORD = /["“„«‘'`]([\p{L}\p{N}]+)["”“»’'`]/gu;

/** How often a word of the sentence stands in the output, and in how many lines. */
export function occurrencesOf({ from, text, lines }: Source, { said, words }: Said): readonly Candidate[] {
  const told = text.toLowerCase().match(WORDS) ?? [];
  const quoted = [...said.toLowerCase().matchAll(QUOTED_WORD)].map(([, word = '']) => word);
  return [...new Set([...quoted, ...words])].slice(0, COUNTED_WORDS_MAX).flatMap((word) => {
    const isOwn = (it: string): boolean => isSameWord(it, word);
    const times = told.filter(isOwn).length;
    const within = lines.filter((it) => (it.toLowerCase().match(WORDS) ?? []).some(isOwn)).length;
    return [times, within].flatMap((value): readonly Candidate[] =>
      value === 0 ? [] : [{ operation: 'Count', value, text: `count of ${word}`, from: [from] }],
    );
  });
}

/** By its words, or spelt as it is: `IT`, `Q3`. */
function isNamed(cell: string, { words, said }: Said): boolean {
  if (cellValue(cell) !== undefined) return false;
  const own = cell.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
  if (own.length > 0 && own.length <= 4) return own.every((it) => [...words].some((word) => isSameWord(word, it)));
  // `a: 15`, `a,15`: the line is about the row.
  if (
    said.replace(/^[\s>*+•–|-]+/, '').startsWith(cell) &&
    !/^[\p{L}\p{N}]/u.test(said.slice(said.indexOf(cell) + cell.length))
  )
    return true;
  return /^\p{Lu}[\p{L}\d]{1,9}$/u.test(cell) && said.split(/[^\p{L}\d]+/u).includes(cell);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, it) => sum + it, 0);
}

/** In percent; none of a whole that is nought. */
function shareOf(
  { value, text }: Pick<Candidate, 'value' | 'text'>,
  whole: number,
  from: string,
): readonly Candidate[] {
  if (whole === 0) return [];
  return [{ operation: 'Share', value: (value / whole) * 100, text: `${text} / ${whole} × 100`, from: [from] }];
}

/** Quantity times price, in one row. */
function productsOf(row: readonly string[], from: string): readonly Candidate[] {
  const cells = row.flatMap((it) => cellValue(it) ?? []);
  return cells.flatMap((one, at) =>
    cells.slice(at + 1).map((other): Candidate => ({
      operation: 'Product',
      value: one * other,
      text: `${one} × ${other}`,
      from: [from],
    })),
  );
}

/** Columns that are multiplied row by row; a wider table has another shape. */
const FACTOR_COLUMNS_MAX = 4;

/** Quantity times price, over all rows. */
export function sumOfProducts({ from, table }: Source): readonly Candidate[] {
  const columns = (table === undefined ? [] : columnsOf(table)).filter((it) => it.values.length === table?.rows.length);
  if (columns.length > FACTOR_COLUMNS_MAX) return [];
  return columns.flatMap((one, at) =>
    columns.slice(at + 1).map((other): Candidate => {
      const value = sumOf(one.values.map((it, row) => it * (other.values[row] ?? 0)));
      return { operation: 'Sum', value, text: `sum of ${one.name} × ${other.name}`, from: [from] };
    }),
  );
}

/** What a figure of the same sentence is in its column: its share of the sum, the sum so far, its change from the row before. */
export function placesOf({ from, table }: Source, near: readonly Figure[]): readonly Candidate[] {
  const columns = table === undefined ? [] : columnsOf(table);
  return near.flatMap((figure) =>
    columns.flatMap(({ values }) => {
      const at = values.indexOf(figure.value);
      if (figure.value === sumOf(values)) return shareOf(figure, figure.value, from);
      if (at < 0) return [];
      const before = values[at - 1];
      const until = sumOf(values.slice(0, at + 1));
      const running = { operation: 'Sum', value: until, text: `sum up to ${figure.text}`, from: [from] } as const;
      return [...shareOf(figure, sumOf(values), from), running, ...changeFrom(before, figure, from)];
    }),
  );
}

function changeFrom(before: number | undefined, { value, text }: Figure, from: string): readonly Candidate[] {
  if (before === undefined || before === 0) return [];
  const gap = value - before;
  return [
    { operation: 'Difference', value: gap, text: `${text} - ${before}`, from: [from] },
    { operation: 'Change', value: (gap / before) * 100, text: `(${text} - ${before}) / ${before} × 100`, from: [from] },
  ];
}
