/**
 * Numbers that are no results: ordinals, counts of steps and commands, how long the work took, labels, versions, names.
 *
 * Source: artoo A.15. Differs: the source holds every number to be a result; nobody who reads "it took 2 commands (Python 3)"
 * takes the 2 and the 3 for one.
 */
import { unitIn } from './units.ts';
import { remarkNotions, namedWithNumber, type RemarkNotion } from './remark-words.ts';

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
const counts = notionsBy('Count');
const labels = notionsBy('Label');

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
    named(before, after) ??
    labelled(digits, before, after) ??
    duringWork(before, after) ??
    counted(digits, after)
  );
}

const ORDINAL = /^(?:st|nd|rd|th|er|re|ère|ème|e|de|ste|[ºª])(?![\p{L}\d])/u;

function ordinal(digits: string, after: string): NumberRemark | undefined {
  if (!/^\d{1,3}$/.test(digits)) return undefined;
  if (ORDINAL.test(after)) return { reads: 'Ordinal', words: rank };
  // `im 2. Versuch`; a full stop would end the sentence before any other word.
  const [, word = ''] = /^\.\s([\p{L}-]+)/u.exec(after) ?? [];
  const notion = counts.get(word.toLowerCase()) ?? labels.get(word.toLowerCase());
  return notion && { reads: 'Ordinal', words: notion.words };
}

/** Of formulas: `25 / 40 × 100`, `150 / 60`. */
function constant(digits: string, before: string): NumberRemark | undefined {
  const isConstant =
    /^(?:7|10|12|24|52|60|100|365|1000|1024|3600)$/.test(digits) && /\d\)?\s?[×*·÷/]\s?$/u.test(before);
  return isConstant ? { reads: 'Label', words: none } : undefined;
}

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

function named(before: string, after: string): NumberRemark | undefined {
  const [, word = ''] = /([\p{L}][\p{L}+.]*)[\s/-]?v?$/u.exec(before) ?? [];
  // A share of Firefox is not a version of it.
  if (/^\s?%/.test(after) || unitIn(after) !== undefined) return undefined;
  return namedWithNumber.has(word.toLowerCase()) && /\p{Lu}|^(?:utf|sha|awk|sed|git|npm|pip|bash)/u.test(word)
    ? { reads: 'Name', words: [word.toLowerCase(), 'version', 'versión', 'versie', 'versione'] }
    : undefined;
}

/** `step 2`, `Schritt 2 von 3`, `(page 4)`, `no. 7`, `v2`. */
const LABELLED = /(?:^|[^\p{L}])([\p{L}°º№]+)\.?\s?[#:]?\s?$/u;
const LABELLED_OF = /([\p{L}]+)\s\d{1,3}\s?(?:of|von|sur|de|van|di|\/|-|–|and|und|et|y|en|e|to|bis|à|a)\s?$/u;

function labelled(digits: string, before: string, after: string): NumberRemark | undefined {
  if (before.endsWith('#')) return { reads: 'Label', words: labels.get('no')?.words ?? none };
  const isSecond = /^\d{1,3}$/.test(digits) && unitIn(after) === undefined;
  const [, word = ''] = (isSecond ? LABELLED_OF.exec(before) : undefined) ?? LABELLED.exec(before) ?? [];
  const notion = labels.get(word.toLowerCase());
  return notion && { reads: 'Label', words: notion.words };
}

const DURATION_UNIT =
  /^\s?(?:ms|milli(?:seconds?|sekunden?|secondes?|segundos?)|s|secs?|seconds?|sekunden?|secondes?|segundos?|seconden|secondi?|min|mins|minutes?|minuten?|minutos?|minuut|minut[io]|h|hours?|stunden?|heures?|horas?|uur|uren|or[ae])(?!\p{L})/iu;
const OF_WORK =
  /(?:took|takes|taking|ran|waited|paused|wartete|gewartet|attendu|esperé|gewacht|atteso|needed|finished|completed|done|elapsed|within|in|after|dauerte|dauert|brauchte|gebraucht|lief|innerhalb|nach|pris|duré|dura|prend|en|après|tardó|tardado|llevó|duró|duurde|kostte|binnen|na|durato|richiesto|dopo|impiegato)(?:\s\d{1,2}\s[\p{L}'’]+\s(?:and|und|et|y|en|e))?(?:\s(?:about|around|roughly|only|just|less|than|under|etwa|rund|nur|weniger|als|environ|moins|de|solo|unos|unas|menos|ongeveer|circa|maar|minder|dan|meno|di|about|ca\.?|~))*\s?[~≈]?$/iu;

function duringWork(before: string, after: string): NumberRemark | undefined {
  return DURATION_UNIT.test(after) && OF_WORK.test(before) ? { reads: 'Duration', words: duration } : undefined;
}

/** Words that end the counted thing: what stands behind them is another part of the sentence. */
const BREAK =
  /^(?:of|in|on|at|is|are|was|were|and|or|to|from|for|with|by|the|a|per|von|im|am|ist|sind|war|und|oder|aus|für|mit|der|die|das|pro|de|du|des|dans|est|sont|et|ou|pour|avec|la|le|les|par|en|es|son|y|o|con|el|los|las|por|van|op|is|zijn|was|het|een|met|voor|di|e|è|sono|il|lo|gli|per|rows?|lines?|zeilen?)$/iu;

function counted(digits: string, after: string): NumberRemark | undefined {
  if (!/^\d{1,4}$/.test(digits)) return undefined;
  const isSmall = Number(digits) <= COUNT_MAX;
  const [words = ''] = /^(?:\s|-)(?:[\p{L}’'-]+\s?){1,4}/u.exec(after) ?? [];
  for (const word of words
    .trim()
    .split(/\s+/)
    .slice(0, ADJECTIVES_MAX + 1)) {
    const lower = word.toLowerCase().replace(/^-/, '').replace('’', "'");
    const notion = counts.get(lower) ?? counts.get(lower.split('-').at(-1) ?? '');
    if (notion !== undefined && (isSmall || notion.isOfText)) return { reads: 'Count', words: notion.words };
    if (BREAK.test(lower)) return undefined;
  }
  return undefined;
}
