/** Suspicious signs other than words: links that carry data out, active markup, mere filler. */
import type { Signal } from './find-signals.ts';
import { Pace, type Sliced } from './pace.ts';
import type { Family } from './signals.ts';

interface Sign {
  readonly id: string;
  readonly points: number;
  readonly sign: RegExp;
  /** The address must also match this. */
  readonly holds?: RegExp;
  /** Every such part contains this; the check for it is quicker, and a text of open brackets takes the search long. */
  readonly mark?: string;
  /** Also applies to outgoing texts. */
  readonly isOutgoing?: true;
}

/** An address that is fetched as soon as the text is shown, and one that a person must follow. */
const IMAGE = /(?:!\[[^\]\n]{0,200}\]\(\s{0,4}<?|<img\s[^>]{0,200}?src\s?=\s?["']?)https?:\/\/[^\s)"']{1,2000}/gim;
const LINK = /(?:(?<!!)\[[^\]\n]{0,200}\]\(|^\[[^\]\n]{1,100}\]:)\s{0,4}https?:\/\/[^\s)"']{1,2000}/gim;
/** Of both. */
const ADDRESS = '://';
/** A placeholder for data: `{data}`, `${data}`, `[DATA]`, `<data>`. */
const PLACE = /[?/=][^?/=]{0,100}(?:\{|\[[A-Z_ ]|%7[Bb]|<[A-Za-z_])/;
/** Placeholders that a repository fills in, as in the address of a badge; they hold nobody's data. */
const HARMLESS_PLACE =
  /[{<](?:branch|version|tag|ref|name|repo|repository|owner|org|user|package|id|sha|commit|workflow)[}>]/gi;
/** A parameter with a long value. */
const CARRIED = /[?&](?:data|d|q|secret|token|key|c|content|text|msg|message|info|log|leak|exfil|payload|x)=[^&]{24}/i;

/** Every repetition is bounded, so the search is linear. */
export const signs: readonly Sign[] = [
  { id: 'exfiltration/image-place', points: 4, sign: IMAGE, mark: ADDRESS, holds: PLACE, isOutgoing: true },
  { id: 'exfiltration/image-data', points: 4, sign: IMAGE, mark: ADDRESS, holds: CARRIED, isOutgoing: true },
  { id: 'exfiltration/link-place', points: 3, sign: LINK, mark: ADDRESS, holds: PLACE, isOutgoing: true },
  {
    id: 'exfiltration/active-address',
    points: 4,
    sign: /\]\(\s{0,4}(?:javascript|vbscript|data:text\/html)\s{0,4}[:;,]|(?:href|src)\s{0,4}=\s{0,4}["']?\s{0,4}(?:javascript|vbscript):/gi,
    isOutgoing: true,
  },
  {
    id: 'hidden/unseen-style',
    points: 2,
    sign: /style\s{0,4}=\s{0,4}["'][^"']{0,200}(?:display\s{0,4}:\s{0,4}none|font-size\s{0,4}:\s{0,4}0|visibility\s{0,4}:\s{0,4}hidden|opacity\s{0,4}:\s{0,4}0(?![.\d])|color\s{0,4}:\s{0,4}(?:white|#fff))/gi,
  },
  { id: 'hidden/comment', points: 1, sign: /<!--/g },
  { id: 'filler/one-letter', points: 4, sign: /[A-Za-z]{40,}/g, holds: /([A-Za-z])\1{39}/ },
];

export function* hiddenSignals(text: string, scope: 'Incoming' | 'Outgoing'): Sliced<readonly Signal[]> {
  const signals: Signal[] = [];
  const pace = new Pace();
  for (const { id, points, sign, holds, mark } of signs.filter(
    (it) => scope === 'Incoming' || it.isOutgoing === true,
  )) {
    if (mark !== undefined && !text.includes(mark)) continue;
    yield;
    for (const found of text.matchAll(sign)) {
      if (pace.isFull()) yield;
      if (holds !== undefined && !holds.test(found[0].replaceAll(HARMLESS_PLACE, ''))) continue;
      const [start, end] = [found.index, found.index + found[0].length];
      signals.push({ rule: id, family: familyOf(id), points, start, end, excuse: 'None' });
    }
  }
  return signals;
}

function familyOf(id: string): Family {
  return id.slice(0, id.indexOf('/')) as Family;
}
