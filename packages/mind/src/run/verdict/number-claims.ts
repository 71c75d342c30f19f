/** Numbers that a text states, with the words around them that change their value or say that they are no results. */
import { remarkAt, workRemarkAt, type NumberRemark } from './number-remarks.ts';
import { contentWords } from './content-words.ts';
import { masked } from './date-reading.ts';
import { durationsIn } from './duration-reading.ts';
import { numberWordsIn } from './number-words.ts';
import { NUMBER, readingsOf, type NumberReading } from './number-reading.ts';
import { currencyIn, unitIn, type Unit } from './units.ts';

export interface NumberClaim {
  readonly kind: 'Number';
  readonly text: string;
  /** UTF-16 code units from the start. */
  readonly start: number;
  readonly readings: readonly NumberReading[];
  /** Its single groups, when blanks may separate two numbers as well as digits of one. */
  readonly pieces: readonly string[];
  readonly isNegative: boolean;
  readonly isPercent: boolean;
  /** Powers of ten from a word after it: `million` is 6. */
  readonly scale: number;
  readonly unit: Unit | undefined;
  /** A whole number with a word behind it: it may count anything. */
  readonly isCount: boolean;
  /** So many times as much. */
  readonly isFactor: boolean;
  /** Of how many it is told: `6.5 l per 100 km`. */
  readonly per: number;
  /** A word before it says that it is only near. */
  readonly isAbout: boolean;
  /** Present where no reader takes the number for a result. */
  readonly remark: NumberRemark | undefined;
}

/** Powers of ten by the word or letter after a number. Longer words first. */
const scales: readonly (readonly [pattern: RegExp, powers: number])[] = [
  [/^\s?mil\smillones(?!\p{L})/iu, 9],
  [/^\s?(?:тыс\.?|тисяч\p{L}*|tys\.?|tysi\p{L}+|tisíc\p{L}*|bin|tusen|tuhat\p{L}*)(?!\p{L})|^\s?천(?!\p{L}{2})/iu, 3],
  [
    /^\s?(?:млн\.?|миллион\p{L}*|мільйон\p{L}*|mln\.?|milion\p{L}*|milh(?:ão|ões)|milyon|miljon(?:er)?|miljoon\p{L}*)(?!\p{L})/iu,
    6,
  ],
  [
    /^\s?(?:млрд\.?|миллиард\p{L}*|мільярд\p{L}*|mld\.?|miliard\p{L}*|bilh(?:ão|ões)|milyar|miljarder|miljard\p{L}*)(?!\p{L})/iu,
    9,
  ],
  [/^\s?(thousand|tausend|tsd\.?|duizend|mille|mila|mil|千)(?!\p{L})|^[kK](?!\p{L})|^\s?[kK]€/iu, 3],
  [/^\s?[万萬만]/u, 4],
  [/^\s?(millions?|million(en|i)|millón|millones|milion[ei]|miljoen|mio|mln)(?!\p{L})/iu, 6],
  [/^M(?![\p{L}])|^\s?M€/u, 6],
  [/^\s?[亿億억]/u, 8],
  [/^\s?(billions?|bn|milliarden?|milliards?|miliard[oi]|miljard|mrd|mld)(?!\p{L})/iu, 9],
];

/** Whatever such a word begins with: most numbers of an output have none behind them, and cost no further look. */
const SCALE = /^\s?\p{L}/u;

/** Characters after a number that may hold its word. */
export const AFTER_NUMBER_CHARACTERS = 24;

const FACTOR =
  /^\s?[x×](?![\p{L}\s\d])|^\s?[x×]\s\p{L}|^[\s-]?(?:fold|fach|times as|mal so|fois plus|veces más|keer zo|volte più)(?!\p{L})/iu;

/** `6.02 × 10^23`, as far as the power. */
const POWER = /^\s?[×x*·]\s?10(?:\^|\*\*)([-−]?\d{1,2})/u;

const PER =
  /^\s?(?:\p{L}+\s){0,2}(?:per|for every|je|pro|auf|par|pour|por|cada|ogni|na|на|об)\s(10{1,2}[., ]000|10{2,5}|1[., ]000)(?=\s\p{L}|[.,;)](?!\d)|$)/iu;

/** @param after  the text after the number */
export function scaleIn(after: string): number {
  const [, power] = POWER.exec(after) ?? [];
  if (power !== undefined) return Number(power.replace('−', '-'));
  return SCALE.test(after) ? (scales.find(([pattern]) => pattern.test(after))?.[1] ?? 0) : 0;
}

export function isPercentIn(after: string): boolean {
  return /^\s?(%|％|パーセント|퍼센트|проц|відсот|per cent|prozent|por ?ciento|pour ?cent|per ?cento|procent)/i.test(
    after,
  );
}

const ABOUT =
  /(?:[~≈]|(?:^|[^\p{L}])(?:about|around|roughly|approximately|approx\.?|circa|ca\.?|nearly|almost|close to|some|over|above|under|below|(?:more|less|fewer) than|just (?:under|over)|etwa|ungefähr|rund|knapp|fast|gut|über|unter|(?:mehr|weniger) als|environ|à peu près|près de|quelque|presque|(?:plus|moins) de|(?:un peu )?plus d['’]|un[oa]s|alrededor de|aproximadamente|casi|cerca de|(?:más|menos) de|ongeveer|bijna|ruim|(?:meer|minder) dan|zo['’]n|quasi|all['’]incirca|(?:più|meno) di|intorno a|около|примерно|приблизительно|почти|близько|приблизно|около|około|ok\.|prawie|ponad|niemal|asi|přibližně|yaklaşık|neredeyse|aproximadamente|quase|ungefär|omtrent|cirka|noin)|約|およそ|大约|約|大約|약|대략)\s?(?:[€$£]\s?)?$/iu;

const ABOUT_CHARACTERS = 24;

/** `%75`, as Turkish writes it. */
const PERCENT_BEFORE = /(?:^|[\s(])%\s?$|(?:yüzde|百分之)\s?$/iu;

/** Spelled out, up to twelve, a number mostly counts what nobody asked for: `two ways`. */
const IDLE_WORD_MAX = 12;

/** Words behind such a number that may name what it counts. */
const COUNTED_CHARACTERS = 40;

/** @param text  without what other readers have read: their places are blank */
export function numberClaimsIn(text: string): readonly NumberClaim[] {
  const durations = durationsIn(text);
  const claims = durations.map(({ start, text: told, value, unit }) => ({
    ...claimAt(text, { start, text: told }),
    readings: [{ value: String(value), decimals: 0 }],
    pieces: [],
    unit,
    remark: workRemarkAt(text, start),
  }));
  const ratios = ratioClaimsIn(text);
  return [...claims, ...ratios, ...digitClaimsIn(masked(text, [...durations, ...ratios])), ...wordClaimsIn(text)];
}

/** Digits of a ratio that count: more than anybody tells. */
const RATIO_DECIMALS = 4;

/** `3:2` */
function ratioClaimsIn(text: string): readonly NumberClaim[] {
  return [...text.matchAll(/(?<![\d:.,])(\d{1,3}):([1-9]\d{0,2})(?![\d:.,]*\d)/g)].map(
    ({ 0: told, 1: one, 2: other, index: start }) => {
      const value = (Number(one) / Number(other)).toFixed(RATIO_DECIMALS);
      const readings = [{ value: String(Number(value)), decimals: RATIO_DECIMALS }];
      return { ...claimAt(text, { start, text: told }), readings, pieces: [], isFactor: true };
    },
  );
}

function digitClaimsIn(text: string): readonly NumberClaim[] {
  let end = 0;
  return [...text.matchAll(NUMBER)].flatMap(({ 0: digits, index: start }) => {
    const before = text.slice(Math.max(0, start - 2), start);
    const rest = text.slice(start + digits.length, start + digits.length + AFTER_NUMBER_CHARACTERS);
    const isPart = start < end || /[\p{Script=Latin}_]$/u.test(before) || /^\uFE0F?\u20E3/.test(rest);
    if (isPart) return [];
    end = start + digits.length + (POWER.exec(rest)?.[0].length ?? 0);
    return claimAt(text, { start, text: digits });
  });
}

/** What the digits at a place of a text tell, read with the words around them. */
export function claimAt(text: string, { start, text: told }: Pick<NumberClaim, 'start' | 'text'>): NumberClaim {
  const end = start + told.length;
  const before = text.slice(Math.max(0, start - ABOUT_CHARACTERS), start);
  const after = text.slice(end, end + AFTER_NUMBER_CHARACTERS);
  const readings = readingsOf(told);
  return {
    kind: 'Number',
    text: told,
    start,
    readings,
    pieces: told.split(/[ \u00a0\u2009\u202f]/),
    isNegative: /(^|[\s(=:|])[-−]$/.test(before),
    isPercent: isPercentIn(after) || PERCENT_BEFORE.test(before),
    scale: scaleIn(after),
    unit: unitIn(after) ?? currencyIn(before),
    isCount: readings[0]?.decimals === 0 && /^\s\p{L}{3,}/u.test(after),
    isFactor: FACTOR.test(after),
    per: Number(PER.exec(after)?.[1]?.replaceAll(/\D/g, '') ?? 1),
    isAbout: ABOUT.test(before),
    remark: remarkAt(text, start, end),
  };
}

function wordClaimsIn(text: string): readonly NumberClaim[] {
  return numberWordsIn(text).map(({ text: word, start, value }) => {
    const claim = claimAt(text, { start, text: word });
    const end = start + word.length;
    const isIdle = value <= IDLE_WORD_MAX && claim.scale === 0 && !claim.isPercent && claim.remark === undefined;
    const words = isIdle ? [...contentWords(text.slice(end, end + COUNTED_CHARACTERS))].slice(0, 2) : [];
    const remark = isIdle ? ({ reads: 'Count', words } as const) : claim.remark;
    return { ...claim, readings: [{ value: String(value), decimals: 0 }], pieces: [], remark };
  });
}
