/** Whether a text shows a claim, in this or another spelling. */
import { claimsIn, type Claim } from './claims.ts';
import { isShownDay, shownDays } from './date-reading.ts';
import { aboutSlack, readingsOf, roundingSlack, withAsciiDigits } from './number-reading.ts';
import { holdsApart, isNumberShown, shownNumbers, type ShownNumbers } from './shown-spellings.ts';
import { timesIn } from './time-reading.ts';
import { gapsAmong, momentsIn } from './told-moments.ts';

export interface Shown {
  /** In lower case. */
  readonly text: string;
  /** Its own claims, word for word: these need no search. */
  readonly claims: ReadonlySet<string>;
  readonly days: ReadonlySet<string>;
  /** Minutes since midnight. */
  readonly minutes: ReadonlySet<number>;
  /** Seconds from one of few times to another. */
  readonly gaps: ReadonlySet<number>;
  readonly numbers: ShownNumbers;
}

export function indexOf(source: string): Shown {
  const text = withAsciiDigits(source);
  return {
    text: text.toLowerCase(),
    claims: new Set(claimsIn(source).map(keyOf)),
    days: shownDays(text),
    minutes: new Set(timesIn(text).map((it) => it.minute)),
    gaps: new Set(gapsAmong(momentsIn(text))),
    numbers: shownNumbers(text),
  };
}

export function isSupported(claim: Claim, shown: Shown): boolean {
  switch (claim.kind) {
    case 'Url':
      return holds(shown, claim.text.replace(/\/$/, ''), /[\p{L}\p{N}_.-]/u, /[\p{L}\p{N}_%=&-]/u);
    case 'Path':
      return holds(
        shown,
        claim.text.replace(/^\/workspace\/|^\.\//, '').replace(/\/$/, ''),
        /[\p{L}\p{N}_@+-]/u,
        /[\p{L}\p{N}_@+-]/u,
      );
    case 'Identifier':
      return isNameShown(claim.text.replace(/^v(?=\d)/, ''), shown);
    case 'Time':
      return shown.minutes.has(claim.minute) || holds(shown, claim.text, /\d/, /\d/) || isLasting(claim, shown);
    case 'Date':
      return (
        claim.days.some((day) => isShownDay(day, shown.days)) ||
        isShownAsNumber(claim.text, shown) ||
        (claim.figure !== undefined && isSupported(claim.figure, shown))
      );
    case 'Number':
      // `v20.11.1` shows Node 20.
      if (isVersion(claim) && holds(shown, claim.text, /[\d.]/, /\d/)) return true;
      return isNumberShown(claim, shown.numbers, (reading) =>
        claim.isAbout ? aboutSlack(reading, shown.numbers.sorted.length) : roundingSlack(reading),
      );
  }
}

/** Eight digits may be a day or a number: 19340101. */
function isShownAsNumber(text: string, { numbers }: Shown): boolean {
  return /^\d{8}$/.test(text) && readingsOf(text).some((it) => numbers.values.has(it.value));
}

/** A digest may be told by its beginning, and a version be shown with its letter. */
function isNameShown(name: string, shown: Shown): boolean {
  const beside = /[\p{Script=Latin}\p{N}_]/u;
  if (holds(shown, name, beside, beside)) return true;
  if (/^[\da-f]{7,}$/i.test(name)) return holds(shown, name, beside, /[^\da-f\W]/iu);
  return /^\d/.test(name) && holds(shown, `v${name}`, beside, beside);
}

/** `1:23:45` may tell how long something takes, and `3 h 30` how long it is from 8:15 to 11:45. */
function isLasting({ seconds }: Extract<Claim, { kind: 'Time' }>, { numbers, gaps }: Shown): boolean {
  return seconds.some((it) => numbers.values.has(String(it)) || gaps.has(it));
}

function holds({ text }: Shown, wanted: string, before: RegExp, behind: RegExp): boolean {
  return holdsApart(text, wanted.toLowerCase(), before, behind);
}

/** Equal for claims that say the same with the same characters. */
export function keyOf(claim: Claim): string {
  if (claim.kind !== 'Number') return claim.text;
  return `${claim.isNegative ? '-' : ''}${claim.text}${claim.isPercent ? '%' : ''}·${claim.scale}`;
}

export function isVersion(claim: Claim): boolean {
  if (claim.kind === 'Number') return claim.remark?.reads === 'Name';
  return claim.kind === 'Identifier' && /^v?\d+\.\d/.test(claim.text);
}
