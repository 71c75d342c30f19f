/**
 * Finds how a told figure follows from figures that tools showed, by one or two operations.
 *
 * Enough figures make any figure. So what a reader would compute is looked for first (a whole column, the figures of the same
 * sentence, the rows that the sentence names), and whatever else is tried only while an invented figure would hardly be met:
 * I1  The share of its decades that the told figure covers, multiplied by the number of candidates that nothing names, stays below
 *     `ACCIDENT_MAX`.
 *
 * Source: artoo A.15. Differs: the source wants each number word for word in an output.
 */
import { isSameWord } from './content-words.ts';
import { linesIn, rowsIn } from './count-relation.ts';
import type { Figure, Source } from './evidence-figures.ts';
import { operationsIn, pairsOf, type Candidate, type Operation } from './operations.ts';
import {
  columnCountsOf,
  comparedRows,
  groupsOf,
  labelledMeansOf,
  occurrencesOf,
  placesOf,
  sumOfProducts,
  wholesOf,
  withoutTotal,
} from './table-candidates.ts';
import { gapsAmong } from './told-moments.ts';
import { BYTE, convertedTo, DAY, SECOND, type Unit } from './units.ts';

export interface Target {
  /** As told, for the record. */
  readonly text: string;
  /** Each possible meaning, without its sign; the first without any conversion. */
  readonly forms: readonly { readonly value: number; readonly slack: number; readonly by: number }[];
  readonly isPercent: boolean;
  readonly isNegative: boolean;
  /** A whole number with a word behind it: it may count anything. */
  readonly isCount: boolean;
  /** So many times as much. */
  readonly isFactor: boolean;
  readonly unit: Unit | undefined;
}

export interface Material {
  readonly sources: readonly Source[];
  /** Of the task's own words. */
  readonly given: readonly Figure[];
  /** Shown ones in the sentence of the told figure. */
  readonly sentence: readonly Figure[];
  /** Shown labels of that sentence: `line 14`, `page 52`. */
  readonly marks: readonly number[];
  /** What the run wrote into files. */
  readonly written: readonly string[];
  /** Shown ones of the whole reply. */
  readonly reply: readonly Figure[];
  /** Shown days of the sentence, else those of the outputs, as `dayNumber` counts them. */
  readonly days: readonly number[];
  /** Times of day in the outputs, in seconds since midnight. */
  readonly times: readonly number[];
  /** The task in its own words. */
  readonly asked: string;
  /** The sentence itself, its part around the figure, and its words. */
  readonly said: string;
  readonly clause: string;
  readonly words: ReadonlySet<string>;
}

/** Greatest chance at which an invented figure may be met by accident. */
export const ACCIDENT_MAX = 0.02;

/** Decades among which an invented figure lies: who makes one up keeps to the order of magnitude. As a natural logarithm. */
const DECADES = Math.log(1000);

/** Most figures of a sentence that are taken for its operands. */
const SENTENCE_FIGURES_MAX = 4;

/** Most figures that are combined two by two without a word that names them: forty make anything. */
export const PAIRED_FIGURES_MAX = 20;

/** Most figures that are combined by two operations. */
const TWICE_FIGURES_MAX = 4;

interface Tier {
  readonly candidates: () => readonly Candidate[];
  /** Named by the reply or by the shape of the output: these are no search. */
  readonly isNamed: boolean;
  /** Whether results are converted to the unit of the told figure as well. */
  readonly converts: boolean;
}

/** @returns for example `12.4 = 37.2 / 3 (t2, t2)`; undefined: nothing makes the figure */
export function derivationOf(target: Target, material: Material): string | undefined {
  const [told] = target.forms;
  if (told === undefined || told.value === 0) return undefined;
  const operations = operationsIn(material.clause) ?? withPlain(operationsIn(material.said));
  const isMeant = ({ operation }: Candidate): boolean => isFitting(operation, operations, target);
  let tried = 0;
  for (const { candidates, isNamed, converts } of tiersOf(target, material)) {
    const forms = converts ? target.forms : [told];
    const meant = candidates().filter(isMeant);
    if (!isNamed) tried += meant.reduce((sum, it) => sum + forms.length - (it.operation === 'Itself' ? 1 : 0), 0);
    if (tried * ((2 * told.slack) / told.value / DECADES) > ACCIDENT_MAX) return undefined;
    for (const candidate of meant) {
      const form = forms.find((it) => isMet(candidate, it, target));
      if (form !== undefined) return tell(target, candidate, form.by);
    }
  }
  return undefined;
}

/** A fall may be told without its sign; nothing else gains or loses one. A figure as it is needs no derivation. */
function isMet(
  { value, operation }: Candidate,
  form: Target['forms'][number],
  { isNegative }: Pick<Target, 'isNegative'>,
): boolean {
  if (operation === 'Itself' && form.by === 1) return false;
  const isTurned = isNegative && value > 0 && operation !== 'Difference' && operation !== 'Change';
  return !isTurned && Math.abs(Math.abs(value) - form.value) <= form.slack;
}

function tell({ text }: Target, candidate: Candidate, by: number): string {
  return `${text} = ${scaled(candidate.text, by)} (${candidate.from.join(', ')})`;
}

/** Digits of a factor that a reader checks. */
const FACTOR_DIGITS = 6;

function scaled(text: string, by: number): string {
  if (by === 1) return text;
  return `${text} ${by >= 1 ? '/' : '×'} ${Number((by >= 1 ? by : 1 / by).toPrecision(FACTOR_DIGITS))}`;
}

/** So many times as much is a quotient, and a share is told in percent or as a ratio. */
function isBarred(operation: Operation, { isPercent, isFactor, forms, unit }: Target): boolean {
  if (isFactor) return operation !== 'Quotient';
  // So many kilometres are no number of rows; so many days may be.
  if (operation === 'Count' && unit !== undefined && unit.dimension !== 'time') return true;
  return operation === 'Share' && !isPercent && forms.every((it) => it.by !== 100);
}

/** A percentage is a share or a change, whatever else the sentence speaks of, and a number of things a count. */
function isFitting(operation: Operation, meant: ReadonlySet<Operation> | undefined, target: Target): boolean {
  const { isPercent, isCount } = target;
  if (isBarred(operation, target)) return false;
  if (operation === 'Itself' || operation === 'Conversion' || (isCount && operation === 'Count')) return true;
  if (isPercent && (operation === 'Share' || operation === 'Change')) return true;
  // `2.4x faster` is a quotient, although faster tells of a difference.
  if (target.isFactor) return true;
  return meant?.has(operation) ?? true;
}

const PLAIN: ReadonlySet<Operation> = new Set(['Sum', 'Count', 'Share', 'Product']);

/** Another part of the sentence may speak of another figure. */
function withPlain(operations: ReadonlySet<Operation> | undefined): ReadonlySet<Operation> | undefined {
  return operations && new Set([...operations, ...PLAIN]);
}

/** Years are operands only if there is nothing else to compute with. */
function withoutYears(figures: readonly Figure[], fewest = 1): readonly Figure[] {
  const others = figures.filter((it) => !isYear(it));
  return others.length < fewest ? figures : others;
}

function isYear({ text }: Figure): boolean {
  return /^(?:19|20)\d\d$/.test(text);
}

function tiersOf(target: Target, material: Material): readonly Tier[] {
  const { sources, given, sentence } = material;
  const reply = material.reply.filter((it) => !isYear(it));
  const { isPercent } = target;
  const named = (candidates: Tier['candidates'], converts = false): Tier => ({ candidates, isNamed: true, converts });
  const searched = (candidates: Tier['candidates'], converts = false): Tier => ({
    candidates,
    isNamed: false,
    converts,
  });
  const near = withoutYears(distinct(sentence)).slice(0, SENTENCE_FIGURES_MAX);
  // A mean or a range is named; a sum, a number of rows and a share are understood without a word.
  const isNoneSaid = once(() => operationsIn(material.said) === undefined);
  const plainly = (candidates: readonly Candidate[]): readonly Candidate[] =>
    isNoneSaid() && !material.said.includes('=') ? candidates.filter((it) => PLAIN.has(it.operation)) : candidates;
  const shown = once(() => distinct([...sources.flatMap((it) => it.figures), ...given]));
  const others = once(() => withoutYears(distinct([...sources.flatMap(withoutTotal), ...given]), 2));
  const ofTwoRows = once(() => sources.flatMap((it) => comparedRows(it, material, material.asked)));
  const allWholes = once(() => sources.flatMap(wholesOf));
  // Who compares two rows does not tell how far all of them lie apart.
  const wholes = (): readonly Candidate[] =>
    allWholes().filter(({ text }) => !text.startsWith('range ') || ofTwoRows().length === 0);
  const alike = (): readonly Figure[] =>
    target.unit === undefined ? [] : shown().filter((it) => it.unit?.dimension === target.unit?.dimension);
  // Two rows, or two figures of one unit, say nothing of what is done with them.
  const compared = (candidates: () => readonly Candidate[]): readonly Candidate[] =>
    isPercent || isNoneSaid() ? [] : candidates();
  return [
    named(() => plainly(sources.flatMap((it) => groupsOf(it, material)))),
    named(() => sources.flatMap((it) => [...occurrencesOf(it, material), ...columnCountsOf(it, material)])),
    named(() => spansOf(material.marks)),
    named(() => material.written.flatMap(writtenCountsOf)),
    named(() => plainly([...wholes(), ...sources.flatMap(sumOfProducts)])),
    named(() => plainly(sources.flatMap(labelledMeansOf))),
    named(() => compared(ofTwoRows)),
    named(() => compared(() => pairOf(alike(), isPercent))),
    named(() => [...pairsAmong(near, isPercent), ...totalsOf(near), ...restsOf(near)]),
    named(() => totalsOf(reply.filter((it) => it.unit !== undefined && it.unit.dimension === target.unit?.dimension))),
    named(() => pairOf(others(), isPercent)),
    named(() => sources.flatMap((it) => placesOf(it, near))),
    named(() => [...near, ...shown()].flatMap((it) => conversionsOf(it, target.unit))),
    named(() => (target.unit?.dimension === 'time' ? gapsOf(material, target.unit) : [])),
    searched(() => unaryOf(shown().filter((it) => mayBecome(it, target))), true),
    searched(() => (isPercent ? restsOf(shown()) : [])),
    searched(() => twiceAmong(near, isPercent)),
    searched(() => plainly(allWholes().filter(({ operation }) => operation === 'Sum' || operation === 'Mean')), true),
    searched(() => pairsAmong(distinct(sources.flatMap((it) => namedRows(it, material.words))), isPercent)),
    searched(() => pairsAmong(distinct(reply), isPercent)),
    searched(() => sharesOfWholes(sources, reply, isPercent)),
    searched(() => pairsAmong(others(), isPercent)),
    searched(() => twiceAmong(others(), isPercent)),
  ];
}

/** Worked out at the first call, if there is one. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function distinct(figures: readonly Figure[]): readonly Figure[] {
  return [...new Map(figures.map((it) => [it.value, it])).values()];
}

/** Figures of the lines that share a word with the sentence. */
function namedRows({ lines, figures }: Source, words: ReadonlySet<string>): readonly Figure[] {
  const named = lines.filter((line) =>
    (line.toLowerCase().match(/\p{L}{3,}/gu) ?? []).some((it) => hasWord(words, it)),
  );
  if (named.length === 0 || named.length === lines.length) return [];
  const text = named.join('\n');
  return figures.filter((it) => text.includes(it.text));
}

function hasWord(words: ReadonlySet<string>, word: string): boolean {
  return words.has(word) || [...words].some((it) => isSameWord(it, word));
}

/** A percentage is told of a ratio or of another percentage, a ratio of a percentage, an amount of one without unit. */
function mayBecome({ value, isPercent, unit }: Figure, target: Target): boolean {
  if (target.isPercent) return isPercent || Math.abs(value) <= 1;
  return target.unit === undefined ? isPercent : unit === undefined;
}

/** Programs print sizes of files in bytes, without a unit. */
const BARE_BYTES_MIN = 1024;

function conversionsOf({ value, text, from, unit }: Figure, told: Unit | undefined): readonly Candidate[] {
  const shown = unit ?? (told?.dimension === 'data' && value >= BARE_BYTES_MIN ? BYTE : undefined);
  if (shown === undefined || told === undefined) return [];
  return convertedTo(value, shown, told).map((it) => ({
    operation: 'Conversion',
    value: it,
    text: shown.zero === told.zero ? scaled(text, value / it) : `${text}, converted`,
    from: [from],
  }));
}

/** From one day to another, without and with the last, and from one time of day to another. */
function gapsOf({ days, times }: Material, told: Unit): readonly Candidate[] {
  const byDay = gapsAmong(days)
    .flatMap((gap) => [gap, gap + 1])
    .map((gap) => gapOf(gap, DAY, `${gap} days between dates`, told));
  return [...byDay, ...gapsAmong(times).map((gap) => gapOf(gap, SECOND, `${gap} s between times`, told))];
}

function gapOf(gap: number, unit: Unit, text: string, told: Unit): Candidate {
  const [value = gap] = convertedTo(gap, unit, told);
  return { operation: 'Conversion', value, text, from: [] };
}

/** What is left of a whole: of a percentage, and of a ratio. */
function restsOf(figures: readonly Figure[]): readonly Candidate[] {
  return figures.flatMap(({ value, text, from, isPercent }): readonly Candidate[] => {
    if (isPercent) return [{ operation: 'Share', value: 100 - value, text: `100 - ${text}`, from: [from] }];
    const rest = { operation: 'Share', value: (1 - value) * 100, text: `(1 - ${text}) × 100`, from: [from] } as const;
    return value > 0 && value < 1 ? [rest] : [];
  });
}

function unaryOf(figures: readonly Figure[]): readonly Candidate[] {
  return figures.map(({ value, text, from }) => ({ operation: 'Itself', value, text, from: [from] }) as const);
}

function pairsAmong(figures: readonly Figure[], isPercent: boolean): readonly Candidate[] {
  if (figures.length > PAIRED_FIGURES_MAX) return [];
  return figures.flatMap((one, at) => figures.slice(at + 1).flatMap((other) => pairsOf(one, other, isPercent)));
}

/** `from line 14 to line 52`: with both ends, and without one. */
function spansOf(marks: readonly number[]): readonly Candidate[] {
  const [one, other] = [...new Set(marks)];
  if (one === undefined || other === undefined || new Set(marks).size !== 2) return [];
  const gap = Math.abs(other - one);
  return [gap + 1, gap].map((value) => ({
    operation: 'Count',
    value,
    text: `${value} from ${one} to ${other}`,
    from: ['reply'],
  }));
}

/** Lines and entries of a file that the run wrote. */
function writtenCountsOf(text: string): readonly Candidate[] {
  const counts = new Set([...linesIn(text), ...rowsIn(text)]);
  return [...counts].map((value) => ({ operation: 'Count', value, text: `count of ${value} written lines`, from: [] }));
}

function pairOf(figures: readonly Figure[], isPercent: boolean): readonly Candidate[] {
  return figures.length === 2 ? pairsAmong(figures, isPercent) : [];
}

/** Of three and more figures of a sentence. */
function totalsOf(figures: readonly Figure[]): readonly Candidate[] {
  if (figures.length < 3) return [];
  const text = figures.map((it) => it.text);
  const from = figures.map((it) => it.from);
  const sum = figures.reduce((total, it) => total + it.value, 0);
  return [
    { operation: 'Sum', value: sum, text: text.join(' + '), from },
    { operation: 'Mean', value: sum / figures.length, text: `(${text.join(' + ')}) / ${figures.length}`, from },
    { operation: 'Product', value: figures.reduce((total, it) => total * it.value, 1), text: text.join(' × '), from },
  ];
}

function twiceAmong(figures: readonly Figure[], isPercent: boolean): readonly Candidate[] {
  if (figures.length > TWICE_FIGURES_MAX) return [];
  return figures.flatMap((one, at) =>
    figures.slice(at + 1).flatMap((other) => {
      const rest = figures.filter((it) => it !== one && it !== other);
      const first = pairsOf(one, other, false).map((it) => asFigure(it));
      return first.flatMap((it) => rest.flatMap((third) => pairsOf(it, third, isPercent)));
    }),
  );
}

function asFigure({ value, text, from }: Candidate): Figure {
  return { value, text: `(${text})`, from: [...new Set(from)].join(', '), isPercent: false, unit: undefined };
}

/** A told figure beside the sum, the mean or the length of a whole column: `37 of all 250 orders`. */
function sharesOfWholes(
  sources: readonly Source[],
  reply: readonly Figure[],
  isPercent: boolean,
): readonly Candidate[] {
  const wholes = sources.flatMap(wholesOf).filter(({ operation }) => operation === 'Sum' || operation === 'Count');
  return distinct(wholes.map(asFigure)).flatMap((whole) => {
    const parts = distinct(reply).filter((it) => Math.abs(it.value) <= Math.abs(whole.value));
    const found = parts.flatMap((it) => pairsOf(whole, it, isPercent));
    return isPercent ? found.filter((it) => it.operation === 'Share') : found;
  });
}
