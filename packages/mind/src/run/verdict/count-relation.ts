/** How many lines or rows a criterion says that a file has, and whether a text has so many. */
import { parseJson } from '@retainer/contract/std/parse-json';
import { readingsOf } from './number-reading.ts';

export interface Count {
  readonly count: number;
  readonly bound: 'Exactly' | 'AtLeast' | 'AtMost';
  readonly of: 'Lines' | 'Rows';
  /** The number as the criterion writes it. */
  readonly told: string;
}

const HAVE =
  '(?:has|have|contains?|holds?|consists? of|counts?|comprises?|includes?|lists?|is|hat|enthält|besteht aus|zählt|umfasst|a|contient|compte|comporte|tiene|contiene|consta de|cuenta con|heeft|bevat|telt|ha|conta)';
const AT_LEAST =
  'at least|no fewer than|no less than|not less than|mindestens|wenigstens|au moins|al menos|por lo menos|minstens|ten minste|almeno';
const AT_MOST =
  'at most|no more than|not more than|up to|höchstens|maximal|au plus|como máximo|hoogstens|maximaal|al massimo';
const LINES = 'lines?|zeilen|lignes?|líneas?|regels?|righe|riga';
const ROWS =
  'rows?|records?|entries|entry|items?|bullets?|bullet points|elements?|tasks?|punkte|aufgaben|éléments?|tâches?|puntos|elementos|tareas|punten|taken|elementi|datensätze|datenzeilen|einträge|enregistrements?|entrées?|filas?|registros?|entradas?|rijen|rij|voci|record';
const KIND = '(?:(?:data|text|non-empty|total|de datos|de données|di dati)\\s+)?';
/** A condition behind it counts only some of them. */
const WHOLE =
  '(?=\\s*(?:$|[.;,:()\u2013\u2014]|long|in total|in all|of data|de datos|de données|and|und|et|y|e|en|plus|including|excluding|without|besides|insgesamt|lang|au total|en total|in totaal|in totale))';

const TOLD = new RegExp(
  `^["'\u0060»”)]*\\s+(?:[^.;:!?\\n]{0,30}?(?<!\\p{L}))?${HAVE}\\s+(?:(?:now|still|only|just|also|exactly|precisely|genau|exactement|exactamente|precies|esattamente|then|nur|noch)\\s+)*(?:(?<least>${AT_LEAST})|(?<most>${AT_MOST})\\s+)?\\s*(?<number>\\d[\\d.,]*|\\p{L}+)\\s+${KIND}(?:(?<lines>${LINES})|(?:${ROWS}))(?!\\p{L})${WHOLE}`,
  'iu',
);
/** `there are 12 lines in F` */
const THERE_ARE = new RegExp(
  `(?:there are|es gibt|il y a|hay|er zijn|ci sono)\\s+(?:exactly\\s+|genau\\s+|exactement\\s+|exactamente\\s+|precies\\s+|esattamente\\s+)?(?<number>\\d[\\d.,]*)\\s+${KIND}(?:(?<lines>${LINES})|(?:${ROWS}))\\s+(?:in|dans|en)\\s+["'\u0060]?$`,
  'iu',
);

/** `the number of lines in F is 12` */
const NUMBER_OF = new RegExp(
  `(?:number of|anzahl der|nombre de|número de|aantal|numero di)\\s+${KIND}(?:(?<lines>${LINES})|(?:${ROWS}))\\s+(?:in|of|von|de|dans|en|van|di)\\s+["'\u0060]?$`,
  'iu',
);
const IS_SO_MANY = /^["'`»”)]*\s+(?:is|ist|beträgt|est|es|è|bedraagt)\s+(?:exactly\s+|genau\s+)?(?<number>\d[\d.,]*)/iu;
/** `12 lines are written to F` */
const WRITTEN_TO = new RegExp(
  `(?<number>\\d[\\d.,]*)\\s+${KIND}(?:(?<lines>${LINES})|(?:${ROWS}))\\s+(?:are|were|is|was|have been|sind|wurden|sont|están|zijn|sono)\\s+(?:(?:written|saved|stored|exported|geschrieben|écrites?|escrit[oa]s|geschreven|scritt[ei])\\s+)?(?:in|to|into|nach|dans|en|naar)\\s+["'\u0060]?$`,
  'iu',
);

const WORDS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    'no null keine ningún geen nessuna',
    'one eine une una één una',
    'two zwei deux dos twee due',
    'three drei trois tres drie tre',
    'four vier quatre cuatro vier quattro',
    'five fünf cinq cinco vijf cinque',
    'six sechs six seis zes sei',
    'seven sieben sept siete zeven sette',
    'eight acht huit ocho acht otto',
    'nine neun neuf nueve negen nove',
    'ten zehn dix diez tien dieci',
    'eleven elf onze once elf undici',
    'twelve zwölf douze doce twaalf dodici',
  ].flatMap((line, value) => line.split(' ').map((word) => [word, value] as const)),
);

/** @param before  the text before the file  @param rest  the text behind it */
export function countOf(before: string, rest: string): Count | undefined {
  const groups = groupsIn(before, rest);
  if (groups === undefined) return undefined;
  const { number = '', least, most, lines } = groups;
  const told = number.replace(/[.,]+$/, '');
  const count = WORDS[told.toLowerCase()] ?? wholeOf(told);
  if (count === undefined) return undefined;
  const bound = least !== undefined ? 'AtLeast' : most !== undefined ? 'AtMost' : 'Exactly';
  return { count, bound, of: lines === undefined ? 'Rows' : 'Lines', told };
}

function groupsIn(before: string, rest: string): Partial<Record<string, string>> | undefined {
  const told = TOLD.exec(rest)?.groups ?? THERE_ARE.exec(before)?.groups ?? WRITTEN_TO.exec(before)?.groups;
  const kind = NUMBER_OF.exec(before)?.groups;
  const count = IS_SO_MANY.exec(rest)?.groups;
  return told ?? (kind === undefined || count === undefined ? undefined : { ...kind, ...count });
}

function wholeOf(told: string): number | undefined {
  const reading = readingsOf(told).find((it) => it.decimals === 0);
  return reading === undefined ? undefined : Number(reading.value);
}

/** Whether a text has so many. A heading may count as a row or not, and empty lines may count as lines or not. */
export function hasSoMany(text: string, { count, bound, of }: Count): boolean {
  const counts = of === 'Lines' ? linesIn(text) : rowsIn(text);
  switch (bound) {
    case 'Exactly':
      return counts.includes(count);
    case 'AtLeast':
      return Math.max(...counts) >= count;
    case 'AtMost':
      return Math.min(...counts) <= count;
  }
}

/** All ways in which the lines may be counted. */
export function linesIn(text: string): readonly number[] {
  const lines = text.replace(/\r?\n$/, '').split('\n');
  if (text === '') return [0];
  return [lines.length, lines.filter((it) => it.trim() !== '').length];
}

/** All ways in which the rows, or the entries of a list, may be counted. */
export function rowsIn(text: string): readonly number[] {
  const lines = text.split('\n').filter((it) => it.trim() !== '');
  const marked = lines.filter((it) => /^\s*(?:[-*+•]|\d+[.)])\s/.test(it)).length;
  const table = lines.filter((it) => /^\s*\|.*\|\s*$/.test(it) && !/^[\s|:-]+$/.test(it)).length;
  const own = [lines.length, Math.max(0, lines.length - 1), ...elementsIn(text)];
  return [...own, ...(marked > 0 ? [marked] : []), ...(table > 0 ? [table, table - 1] : [])];
}

/** Of a list in JSON, or of the lists in its members. */
function elementsIn(text: string): readonly number[] {
  if (!/^\s*[[{]/.test(text)) return [];
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return [];
  const lists = [value, ...Object.values(value)].filter((it): it is unknown[] => Array.isArray(it));
  return [...lists.map((it) => it.length), Object.keys(value).length];
}
