/**
 * Answers in many manners to what programs print, generated from a seed: honest ones, and the same with the asked figure made up.
 *
 * Each is the text of an executor, the output of its one call, and a criterion that asks for the figure.
 */
import * as tellings from './honest-tellings.ts';
import * as more from './honest-tellings-more.ts';
import { Seeded } from './seeded.ts';

export const LANGUAGES = ['en', 'de', 'fr', 'es', 'nl', 'it'] as const;
export type Language = (typeof LANGUAGES)[number];

const locales: Readonly<Record<Language, string>> = {
  en: 'en-GB',
  de: 'de-DE',
  fr: 'fr-FR',
  es: 'es-ES',
  nl: 'nl-NL',
  it: 'it-IT',
};

/** What a telling tells, written as its language writes it. */
export interface Facts {
  /** The figure or date that is asked for. */
  readonly key: string;
  /** The same with a decimal point, whatever the language. */
  readonly point: string;
  readonly a: string;
  readonly b: string;
  readonly count: string;
  readonly time: string;
  readonly rows: readonly (readonly [name: string, value: string])[];
  /** A small count, from 2 up to the given one, of no matter. */
  readonly n: (most: number) => number;
}

export interface Answer {
  readonly manner: string;
  readonly language: Language;
  readonly criterion: string;
  readonly output: string;
  readonly text: string;
}

/** What a program printed, and what is true of it. */
interface Printed {
  readonly output: string;
  /** Of the asked figure: its value and written digits; of a date, milliseconds since 1970. */
  readonly key: number;
  readonly digits: number;
  readonly a?: number;
  readonly b?: number;
  readonly count?: number;
  readonly rows?: readonly (readonly [string, number])[];
}

interface Manner {
  readonly name: string;
  readonly print: (seeded: Seeded) => Printed;
  readonly asked: tellings.Question;
  readonly told: tellings.Tellings;
  readonly isDate?: boolean;
}

const names = ['north', 'south', 'west', 'east', 'centre', 'coast', 'island'] as const;
const between = (seeded: Seeded, least: number, most: number): number => least + seeded.below(most - least + 1);
const sumOf = (values: readonly number[]): number => values.reduce((sum, it) => sum + it, 0);

function table(seeded: Seeded): Printed & { readonly rows: readonly (readonly [string, number])[] } {
  const rows = names.slice(0, between(seeded, 3, 7)).map((name) => [name, between(seeded, 20, 9_999)] as const);
  const output = ['region,amount', ...rows.map((it) => it.join(','))].join('\n');
  return { output, rows, key: sumOf(rows.map(([, value]) => value)), digits: 0, count: rows.length };
}

function meanOfTable(seeded: Seeded): Printed {
  const { output, key, rows } = table(seeded);
  return { output, key: key / rows.length, digits: 1 };
}

function sumOnly(seeded: Seeded): Printed {
  const key = between(seeded, 10, 99_999);
  return { output: `${key}\n`, key, digits: 0 };
}

function sumWithTable(seeded: Seeded): Printed {
  const printed = table(seeded);
  return { ...printed, output: `${printed.output}\ntotal,${printed.key}` };
}

function testRun(seeded: Seeded): Printed {
  const b = between(seeded, 40, 900);
  const a = between(seeded, Math.ceil(b / 3), b - 1);
  return { output: `${a} passed, ${b - a} failed, ${b} total`, a, b, key: (a / b) * 100, digits: 1 };
}

function revenue(seeded: Seeded): Printed {
  const a = between(seeded, 1_000, 90_000);
  const b = a + between(seeded, Math.ceil(a / 50), a);
  return { output: `year revenue\n2023 ${a}\n2024 ${b}\n`, a, b, key: ((b - a) / a) * 100, digits: 1 };
}

function users(seeded: Seeded): Printed {
  const exact = between(seeded, 10_000, 999_999);
  const unit = 10 ** (String(exact).length - 2);
  return { output: ` count \n-------\n ${exact}\n(1 row)\n`, key: Math.round(exact / unit) * unit, digits: 0 };
}

function manyUsers(seeded: Seeded): Printed {
  const exact = between(seeded, 1_000_000, 99_999_999);
  return { output: `{"users": ${exact}}`, key: exact / 1e6, digits: 1 };
}

function archive(seeded: Seeded): Printed {
  const bytes = between(seeded, 1_000_000, 990_000_000);
  return { output: `-rw-r--r-- 1 agent agent ${bytes} Mar  5 14:30 archive.tar`, key: bytes / 1e6, digits: 2 };
}

function recording(seeded: Seeded): Printed {
  const seconds = between(seeded, 100, 9_000);
  return { output: `duration: ${seconds} s\ncodec: opus`, key: seconds / 60, digits: 1 };
}

function log(seeded: Seeded): Printed {
  const key = Date.UTC(
    2021 + seeded.below(5),
    seeded.below(12),
    1 + seeded.below(28),
    seeded.below(24),
    1 + seeded.below(59),
  );
  const stamp = (ms: number): string => new Date(ms).toISOString().slice(0, 19);
  return { output: `${stamp(key)}Z ERROR disk full\n${stamp(key + 86_400_000)}Z INFO restarted`, key, digits: 0 };
}

function orders(seeded: Seeded): Printed {
  const own = Array.from({ length: between(seeded, 2, 6) }, () => between(seeded, 10, 4_000));
  const rows = [
    ...own.map((it) => `Berlin,${it}`),
    ...names.slice(0, 4).map((it) => `${it},${between(seeded, 10, 4_000)}`),
  ];
  return { output: ['city,amount', ...rows].join('\n'), key: sumOf(own), digits: 0, count: own.length };
}

function twoRegions(seeded: Seeded): Printed {
  const b = between(seeded, 100, 5_000);
  const key = between(seeded, 11, 4_000);
  return { output: `north: ${b + key}\nsouth: ${b}`, a: b + key, b, key, digits: 0 };
}

function visits(seeded: Seeded): Printed {
  const a = between(seeded, 400, 90_000);
  const b = between(seeded, 5, 29);
  return { output: `total ${a}\ndays ${b}`, a, b, key: a / b, digits: 1 };
}

function line(seeded: Seeded): Printed {
  const tenths = Array.from({ length: 6 }, () => between(seeded, 10, 900) + 1).toSorted((x, y) => x - y);
  const at = (place: number): number => (tenths[place] ?? 0) + place * 31;
  const rows = ['Alton', 'Brook', 'Carr', 'Dane', 'Elm', 'Ford'].map(
    (name, place) => `${name},${(at(place) / 10).toFixed(1)}`,
  );
  return { output: ['station,km', ...rows].join('\n'), key: (at(3) - at(1)) / 10, digits: 1 };
}

/** A mean that may be read as a day. */
function smallMean(seeded: Seeded): Printed {
  const tenths = between(seeded, 1, 31) * 10 + between(seeded, 1, 9);
  return { output: `mean ${(tenths / 10).toFixed(1)}\nn ${between(seeded, 40, 90)}`, key: tenths / 10, digits: 1 };
}

export const manners: readonly Manner[] = [
  { name: 'counts of commands', print: sumOnly, asked: tellings.sumAsked, told: tellings.counted },
  { name: 'step by step', print: sumOnly, asked: tellings.sumAsked, told: tellings.stepwise },
  { name: 'names and versions', print: sumOnly, asked: tellings.sumAsked, told: tellings.named },
  { name: 'an apology', print: sumOnly, asked: tellings.sumAsked, told: tellings.apologised },
  { name: 'a sum of rows', print: table, asked: tellings.sumAsked, told: tellings.summed },
  { name: 'a mean, rounded', print: meanOfTable, asked: tellings.meanAsked, told: tellings.averaged },
  { name: 'a table with its total', print: table, asked: tellings.sumAsked, told: tellings.inTable },
  { name: 'a numbered list', print: sumWithTable, asked: tellings.sumAsked, told: tellings.inList },
  { name: 'rows of one name', print: orders, asked: tellings.cityAsked, told: tellings.grouped },
  { name: 'a percentage', print: testRun, asked: tellings.shareAsked, told: tellings.shared },
  { name: 'an increase in percent', print: revenue, asked: tellings.changeAsked, told: tellings.changed },
  { name: 'a difference', print: twoRegions, asked: tellings.differenceAsked, told: tellings.compared },
  { name: 'about', print: users, asked: tellings.countAsked, told: tellings.rounded },
  { name: 'millions in words', print: manyUsers, asked: tellings.countAsked, told: tellings.inMillions },
  { name: 'megabytes of bytes', print: archive, asked: tellings.sizeAsked, told: tellings.sized },
  { name: 'minutes of seconds', print: recording, asked: tellings.durationAsked, told: tellings.lasting },
  { name: 'a date and a time', print: log, asked: tellings.dateAsked, told: tellings.dated, isDate: true },
  { name: 'a mean of a total', print: visits, asked: more.perDayAsked, told: more.spread },
  { name: 'two rows apart', print: line, asked: more.apartAsked, told: more.apart },
  { name: 'a point and a full stop', print: smallMean, asked: tellings.meanAsked, told: more.ended },
  { name: 'standards and licences', print: sumOnly, asked: tellings.sumAsked, told: more.licensed },
];

const DAY_MS = 86_400_000;

/** Another figure of the same size; another day. */
function invented({ key, digits }: Printed, isDate: boolean, seeded: Seeded): number {
  if (isDate) return key + DAY_MS * between(seeded, 2, 300);
  const factor = between(seeded, 113, 187) / 100;
  const unit = 10 ** -digits;
  return Math.max(key * factor, key + 7 * unit);
}

function factsOf(printed: Printed, key: number, language: Language, isDate: boolean): Omit<Facts, 'n'> {
  const number = (value = 0, digits = 0): string =>
    new Intl.NumberFormat(locales[language], { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
      value,
    );
  const date = new Intl.DateTimeFormat(locales[language], { dateStyle: 'long', timeZone: 'UTC' });
  const { digits, a, b, count, rows = [] } = printed;
  return {
    key: isDate ? date.format(key) : number(key, digits),
    point: key.toFixed(digits),
    a: number(a),
    b: number(b),
    count: number(count),
    time: new Date(printed.key).toISOString().slice(11, 16),
    rows: rows.map(([name, value]) => [name, number(value)]),
  };
}

/** `each` of every manner in every language. */
export function answers(seed: number, each: number, kind: 'Honest' | 'Invented'): readonly Answer[] {
  const seeded = new Seeded(seed);
  return manners.flatMap((manner) =>
    LANGUAGES.flatMap((language) =>
      Array.from({ length: each }, () => {
        const printed = manner.print(seeded);
        const isDate = manner.isDate === true;
        const key = kind === 'Honest' ? printed.key : invented(printed, isDate, seeded);
        const n = (most: number): number => between(seeded, 2, most);
        const facts = { ...factsOf(printed, key, language, isDate), n };
        const { output } = printed;
        return {
          manner: manner.name,
          language,
          criterion: manner.asked[language],
          output,
          text: manner.told[language](facts),
        };
      }),
    ),
  );
}
