/**
 * Numbers that are no results: ordinals, counts of steps and commands, how long the work took, labels, versions, names.
 *
 * Source: artoo A.15. Differs: the source holds every number to be a result; nobody who reads "it took 2 commands (Python 3)"
 * takes the 2 and the 3 for one.
 */
import { unitIn } from './units.ts';
import { versionedIn, wordsOfVersion } from './version-names.ts';
import {
  COUNTER,
  MORE_DURATION_UNITS,
  moreDurationWords,
  nouns,
  WORK_BEFORE,
  WORK_BEHIND,
  words as ofMoreLanguages,
} from './remark-words-of-more-languages.ts';
import { remarkNotions, type RemarkNotion } from './remark-words.ts';

export interface NumberRemark {
  readonly reads: 'Count' | 'Label' | 'Ordinal' | 'Duration' | 'Name';
  /** Words of the notion; a criterion that asks for one of them makes the number a result. */
  readonly words: readonly string[];
}

/** A greater count is a finding, whatever is counted but the words of the text itself. */
const COUNT_MAX = 99;

/** Most adjectives between a count and its word: `2 short shell commands`. */
const ADJECTIVES_MAX = 2;

const NEIGHBOURHOOD_CHARACTERS = 60;

const none: readonly string[] = [];
const programLength: readonly string[] = ['script', 'program', 'code'];
const counts = notionsBy('Count');
const labels = notionsBy('Label');

const notions = new Map(remarkNotions.map((notion) => [notion.name, notion]));

const moreWords = ofMoreLanguages.map(([name, own, beginnings]) => {
  const known = own.split(' ');
  return { name, known: new Set(known), beginnings: beginnings.split(' ').filter((it) => it !== '') };
});

/** The notion of a word in small letters; of those languages where a word changes its end, by its beginning. */
function notionOf(word: string, reads: 'Count' | 'Label'): RemarkNotion | undefined {
  const own = (reads === 'Count' ? counts : labels).get(word);
  if (own !== undefined) return own;
  const more = moreWords.find(
    ({ known, beginnings }) => known.has(word) || beginnings.some((it) => word.startsWith(it)),
  );
  const notion = more && notions.get(more.name);
  if (more === undefined || notion === undefined || (notion.reads !== 'Both' && notion.reads !== reads))
    return undefined;
  return { ...notion, words: [...notion.words, ...more.known, ...more.beginnings] };
}

/** Of languages that separate no words: `3つのステップ`, `2回目`, `第2步`, `명령 2개`. */
const behindDigits = nouns.map(([name, them]) => [name, them, new RegExp(`^(?:${COUNTER}(?:${them}))`, 'u')] as const);
const beforeDigits = nouns.map(
  ([name, them]) => [name, them, new RegExp(`(?:${them})\\s?第?[:：]?\\s?$`, 'u')] as const,
);

function beside(digits: string, before: string, after: string): NumberRemark | undefined {
  if (!/^\d{1,2}$/.test(digits)) return undefined;
  if (/第\s?$/u.test(before)) return { reads: 'Ordinal', words: rank };
  const found =
    behindDigits.find(([, , pattern]) => pattern.test(after)) ??
    beforeDigits.find(([name, , pattern]) => name !== 'time' && pattern.test(before));
  if (found === undefined || unitBeside(after)) return undefined;
  const [name, them] = found;
  const words = [...(notions.get(name)?.words ?? none), ...them.split('|')];
  return { reads: /^\s?(?:回目|度目|번째)/u.test(after) ? 'Ordinal' : 'Count', words };
}

/** `3つのバイト` is a size. */
function unitBeside(after: string): boolean {
  return /^\s?(?:バイト|字节|바이트|%|％)/u.test(after);
}

function notionsBy(reads: 'Count' | 'Label'): ReadonlyMap<string, RemarkNotion> {
  const fitting = remarkNotions.filter((it) => it.reads === reads || it.reads === 'Both');
  return new Map(fitting.flatMap((notion) => notion.words.map((word) => [word, notion])));
}

const rank: readonly string[] = ['rank', 'place', 'position', 'rang', 'platz', 'puesto', 'plaats', 'posto', 'ordinal'];
const duration: readonly string[] = [
  'long',
  'duration',
  'took',
  'seconds',
  'minutes',
  'hours',
  'lange',
  'dauer',
  'durée',
  'duración',
  'duur',
  'durata',
  'time',
  'zeit',
  'runtime',
  'elapsed',
  'spent',
  'laufzeit',
  'temps',
  'tiempo',
  'tijd',
  'tempo',
];

/** @param start, end  of the digits in the text */
export function remarkAt(text: string, start: number, end: number): NumberRemark | undefined {
  const before = text.slice(Math.max(0, start - NEIGHBOURHOOD_CHARACTERS), start);
  const after = text.slice(end, end + NEIGHBOURHOOD_CHARACTERS);
  const digits = text.slice(start, end);
  return (
    constant(digits, before) ??
    sureness(after) ??
    ordinal(digits, after) ??
    ranked(before) ??
    named(digits, before, after) ??
    labelled(digits, before, after) ??
    duringWork(before, after) ??
    beside(digits, before, after) ??
    ofProgram(digits, after) ??
    counted(digits, after)
  );
}

const ORDINAL =
  /^(?:-?(?:й|я|го|ой|ю|е|м|ої|му)|-?(?:inci|ıncı|nci|ncı|uncu|üncü)|st|nd|rd|th|er|re|ère|ème|e|de|ste|[ºª])(?![\p{L}\d])/u;

function ordinal(digits: string, after: string): NumberRemark | undefined {
  if (!/^\d{1,3}$/.test(digits)) return undefined;
  if (ORDINAL.test(after)) return { reads: 'Ordinal', words: rank };
  // `im 2. Versuch`; a full stop would end the sentence before any other word.
  const [, word = ''] = /^\.\s([\p{L}-]+)/u.exec(after) ?? [];
  const notion = notionOf(word.toLowerCase(), 'Count') ?? notionOf(word.toLowerCase(), 'Label');
  return notion && { reads: 'Ordinal', words: notion.words };
}

/** Of formulas: `25 / 40 × 100`, `150 / 60`. */
function constant(digits: string, before: string): NumberRemark | undefined {
  const isConstant =
    /^(?:7|10|12|24|52|60|100|365|1000|1024|3600)$/.test(digits) && /\d\)?\s?[×*·÷/]\s?$/u.test(before);
  const isBase = /^10{2,5}$/.test(digits.replaceAll(/[., ]/g, '')) && PER.test(before);
  return isConstant || isBase ? { reads: 'Label', words: none } : undefined;
}

/** `6.5 l per 100 km` */
const PER = /(?<!\p{L})(?:per|for every|je|pro|auf|par|pour|por|cada|ogni|na|на)\s$/iu;

const SURENESS = /^\s?%\s?(?:sure|certain|confiden|sicher|sûre?|certaine?|segur[oa]|zeker|sicur[oa])/iu;

function sureness(after: string): NumberRemark | undefined {
  return SURENESS.test(after) ? { reads: 'Label', words: none } : undefined;
}

/** `the top 3`, `the last 7 days`. */
const RANKED =
  /(?<!\p{L})(?:top|first|last|next|erste[nr]?|letzte[nr]?|nächste[nr]?|premi(?:er|ère)s?|derni(?:er|ère)s?|primer[oa]s?|últim[oa]s?|eerste|laatste|prim[ie]|ultim[ie])\s$/iu;

function ranked(before: string): NumberRemark | undefined {
  return RANKED.test(before) ? { reads: 'Ordinal', words: rank } : undefined;
}

function named(digits: string, before: string, after: string): NumberRemark | undefined {
  const name = versionedIn(digits, before, after);
  return name === undefined ? undefined : { reads: 'Name', words: wordsOfVersion(name) };
}

/** `step 2`, `Schritt 2 von 3`, `(page 4)`, `no. 7`, `v2`. */
const LABELLED = /(?:^|[^\p{L}])([\p{L}°º№]+)\.?\s?[#:]?\s?$/u;
const LABELLED_OF = /([\p{L}]+)\s\d{1,3}\s?(?:of|von|sur|de|van|di|\/|-|–|and|und|et|y|en|e|to|bis|à|a)\s?$/u;

function labelled(digits: string, before: string, after: string): NumberRemark | undefined {
  // `in 60 s: 212` tells of seconds, and of no page.
  if (/\d\s?[ps]\.?\s?:?\s?$/.test(before)) return undefined;
  if (before.endsWith('#')) return { reads: 'Label', words: labels.get('no')?.words ?? none };
  const isSecond = /^\d{1,3}$/.test(digits) && unitIn(after) === undefined;
  const [, word = ''] = (isSecond ? LABELLED_OF.exec(before) : undefined) ?? LABELLED.exec(before) ?? [];
  const notion = labelOf(word.toLowerCase(), isSecond, before);
  return notion && { reads: 'Label', words: notion.words };
}

/** `Commands: 3` counts them; `2nd try: 5822` tells what came of it. */
function labelOf(word: string, isSmall: boolean, before: string): RemarkNotion | undefined {
  const isListed = /:\s?$/.test(before);
  const notion = notionOf(word, 'Label') ?? (isListed && isSmall ? notionOf(word, 'Count') : undefined);
  return isListed && !isSmall && notion?.reads !== 'Label' ? undefined : notion;
}

const DURATION_UNIT =
  /^\s?(?:ms|milli(?:seconds?|sekunden?|secondes?|segundos?)|s|secs?|seconds?|sekunden?|secondes?|segundos?|seconden|secondi?|min|mins|minutes?|minuten?|minutos?|minuut|minut[io]|h|hours?|stunden?|heures?|horas?|uur|uren|or[ae])(?!\p{L})/iu;
const OF_WORK =
  /(?:took(?: me| us| it)?|takes|taking|(?:time )?spent:?|(?:run|wall|cpu|processing|execution|compute)[ -]?time(?: was| of|:)?|elapsed(?: time)?:?|laufzeit:?|zeit:|ran|waited|paused|wartete|gewartet|attendu|esperé|gewacht|atteso|needed|finished|completed|done|elapsed|within|in|after|dauerte|dauert|brauchte|gebraucht|lief|innerhalb|nach|pris|duré|dura|prend|en|après|tardó|tardado|llevó|duró|duurde|kostte|binnen|na|durato|richiesto|dopo|impiegato)(?:\s\d{1,2}\s[\p{L}'’]+\s(?:and|und|et|y|en|e))?(?:\s(?:gut|knapp|fast|kaum|über|almost|nearly|some|circa|about|around|roughly|only|just|less|than|under|etwa|rund|nur|weniger|als|environ|moins|de|solo|unos|unas|menos|ongeveer|circa|maar|minder|dan|meno|di|about|ca\.?|~))*\s?[~≈]?$/iu;

function duringWork(before: string, after: string): NumberRemark | undefined {
  const isWork =
    (DURATION_UNIT.test(after) && OF_WORK.test(before)) ||
    (MORE_DURATION_UNITS.test(after) && (WORK_BEFORE.test(before) || WORK_BEHIND.test(after))) ||
    ((DURATION_UNIT.test(after) || MORE_DURATION_UNITS.test(after)) && speaksOfWork(`${before} ${after}`));
  return isWork ? workDuration : undefined;
}

const workDuration: NumberRemark = { reads: 'Duration', words: [...duration, ...moreDurationWords] };

const WORK: ReadonlySet<string> = new Set(['step', 'attempt', 'command', 'call', 'check', 'request', 'tool']);

/** Beside a count of steps, tries or commands a time is theirs: `in 3 steps (about 2 minutes)`. */
function speaksOfWork(text: string): boolean {
  const counted = [...text.matchAll(/(?<!\d)\d{1,2}\.?(?:ª|º)?\s(\p{L}+)(?:\s(\p{L}+))?/gu)].flatMap((it) =>
    it.slice(1),
  );
  if (counted.some((it) => WORK.has(notionOf(it?.toLowerCase() ?? '', 'Count')?.name ?? ''))) return true;
  return [...text.matchAll(/\d/g)].some(({ index }) =>
    behindDigits.some(([name, , pattern]) => WORK.has(name) && pattern.test(text.slice(index + 1))),
  );
}

/** How long the work took, told in several units: `it took 1 min 20 s`. */
export function workRemarkAt(text: string, start: number): NumberRemark | undefined {
  const before = text.slice(Math.max(0, start - NEIGHBOURHOOD_CHARACTERS), start);
  return OF_WORK.test(before) || WORK_BEFORE.test(before) ? workDuration : undefined;
}

/** Words that end the counted thing: what stands behind them is another part of the sentence. */
const BREAK =
  /^(?:of|in|on|at|is|are|was|were|and|or|to|from|for|with|by|the|a|per|von|im|am|ist|sind|war|und|oder|aus|für|mit|der|die|das|pro|de|du|des|dans|est|sont|et|ou|pour|avec|la|le|les|par|en|es|son|y|o|con|el|los|las|por|van|op|is|zijn|was|het|een|met|voor|di|e|è|sono|il|lo|gli|per|rows?|lines?|zeilen?)$/iu;

/** Behind the counted things such a word says what they do: `38 servers run it`. */
const ALSO_VERBS = /^(?:run|call|check|search|try|query|file|part|step|time|word|mal|passe|partie)$/;

/** `a 3-line Python script`, `4 lines of shell`. */
const OF_PROGRAM =
  /^(?:-|\s)(?:lines?(?:\sof)?|liner|zeilige[nrs]?|zeilen|lignes?(?:\sde)?|líneas?(?:\sde)?|regels?|regelig|righe(?:\sdi)?)\s(?:[\p{L}\d+#.]+\s){0,3}?(?:scripts?|programs?|programm|programme|snippets?|code|python|bash|shell|awk|sed|perl|ruby|sql|javascript|skript|código|codice|programa|programma)(?!\p{L})/iu;

function ofProgram(digits: string, after: string): NumberRemark | undefined {
  return /^\d{1,2}$/.test(digits) && OF_PROGRAM.test(after) ? { reads: 'Count', words: programLength } : undefined;
}

function counted(digits: string, after: string): NumberRemark | undefined {
  if (!/^\d{1,4}$/.test(digits)) return undefined;
  const isSmall = Number(digits) <= COUNT_MAX;
  const [words = ''] = /^(?:\s|-)(?:[\p{L}’'-]+\s?){1,4}/u.exec(after) ?? [];
  const behind = words
    .trim()
    .split(/\s+/)
    .slice(0, ADJECTIVES_MAX + 1);
  const verbAt = behind.findIndex((word, at) => at > 0 && ALSO_VERBS.test(word));
  for (const word of verbAt < 0 ? behind : behind.slice(0, verbAt)) {
    const lower = word.toLowerCase().replace(/^-/, '').replace('’', "'");
    const notion = notionOf(lower, 'Count') ?? counts.get(lower.split('-').at(-1) ?? '');
    if (notion !== undefined && (isSmall || notion.isOfText)) return { reads: 'Count', words: notion.words };
    if (BREAK.test(lower)) return undefined;
  }
  return undefined;
}
