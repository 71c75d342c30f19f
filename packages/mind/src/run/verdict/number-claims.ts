/** Numbers that a text states, with the words around them that change their value or say that they are no results. */
import { asideAt, type Aside } from './asides.ts';
import { NUMBER, readingsOf, type NumberReading } from './number-reading.ts';

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
  /** The text after it, for its unit. */
  readonly after: string;
  /** A word before it says that it is only near. */
  readonly isAbout: boolean;
  /** Present where no reader takes the number for a result. */
  readonly aside: Aside | undefined;
}

/** Powers of ten by the word or letter after a number. Longer words first. */
const scales: readonly (readonly [pattern: RegExp, powers: number])[] = [
  [/^\s?mil\smillones(?!\p{L})/iu, 9],
  [/^\s?(thousand|tausend|tsd\.?|duizend|mille|mila|mil|千)(?!\p{L})|^[kK](?!\p{L})|^\s?[kK]€/iu, 3],
  [/^\s?万/u, 4],
  [/^\s?(millions?|million(en|i)|millón|millones|milion[ei]|miljoen|mio|mln)(?!\p{L})/iu, 6],
  [/^M(?![\p{L}])|^\s?M€/u, 6],
  [/^\s?[亿億]/u, 8],
  [/^\s?(billions?|bn|milliarden?|milliards?|miliard[oi]|miljard|mrd|mld)(?!\p{L})/iu, 9],
];

/** Characters after a number that may hold its word. */
export const AFTER_NUMBER_CHARACTERS = 20;

/** @param after  the text after the number */
export function scaleIn(after: string): number {
  return scales.find(([pattern]) => pattern.test(after))?.[1] ?? 0;
}

export function isPercentIn(after: string): boolean {
  return /^\s?(%|percent|per cent|prozent|por ?ciento|pour ?cent|per ?cento|procent)/i.test(after);
}

const ABOUT =
  /(?:[~≈]|(?:^|[^\p{L}])(?:about|around|roughly|approximately|approx\.?|circa|ca\.?|nearly|almost|close to|some|over|above|under|below|(?:more|less|fewer) than|just (?:under|over)|etwa|ungefähr|rund|knapp|fast|gut|über|unter|(?:mehr|weniger) als|environ|à peu près|près de|quelque|presque|(?:plus|moins) de|(?:un peu )?plus d['’]|un[oa]s|alrededor de|aproximadamente|casi|cerca de|(?:más|menos) de|ongeveer|bijna|ruim|(?:meer|minder) dan|zo['’]n|quasi|all['’]incirca|(?:più|meno) di|intorno a))\s?(?:[€$£]\s?)?$/iu;

const ABOUT_CHARACTERS = 24;

/** @param text  without what other readers have read: their places are blank */
export function numberClaimsIn(text: string): readonly NumberClaim[] {
  return [...text.matchAll(NUMBER)].flatMap((match) => {
    const [digits] = match;
    const start = match.index;
    const before = text.slice(Math.max(0, start - 2), start);
    if (/[\p{Script=Latin}_]$/u.test(before) || /^\uFE0F?\u20E3/.test(text.slice(start + digits.length))) return [];
    const after = text.slice(start + digits.length, start + digits.length + AFTER_NUMBER_CHARACTERS);
    return {
      kind: 'Number',
      text: digits,
      start,
      readings: readingsOf(digits),
      pieces: digits.split(/[ \u00a0\u2009\u202f]/),
      isNegative: /(^|[\s(=:|])[-−]$/.test(before),
      isPercent: isPercentIn(after),
      scale: scaleIn(after),
      after,
      isAbout: ABOUT.test(text.slice(Math.max(0, start - ABOUT_CHARACTERS), start)),
      aside: asideAt(text, start, start + digits.length),
    } satisfies NumberClaim;
  });
}
