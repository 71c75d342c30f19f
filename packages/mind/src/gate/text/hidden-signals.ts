/** Suspicious signs other than words: links that carry data out, active markup, mere filler. */
import type { Signal } from './find-signals.ts';
import type { Family } from './signals.ts';

interface Sign {
  readonly id: string;
  readonly points: number;
  readonly sign: RegExp;
  /** The address must also match this. */
  readonly holds?: RegExp;
  /** Also applies to outgoing texts. */
  readonly isOutgoing?: true;
}

/** An address that is fetched as soon as the text is shown, and one that a person must follow. */
const IMAGE = /(?:!\[[^\]\n]{0,200}\]\(\s{0,4}<?|<img\s[^>]{0,200}?src\s?=\s?["']?)https?:\/\/[^\s)"']{1,2000}/gim;
const LINK = /(?:(?<!!)\[[^\]\n]{0,200}\]\(|^\[[^\]\n]{1,100}\]:)\s{0,4}https?:\/\/[^\s)"']{1,2000}/gim;
/** A placeholder for data: `{data}`, `${data}`, `[DATA]`, `<data>`. */
const PLACE = /[?/=][^?/=]{0,100}(?:\{|\[[A-Z_ ]|%7[Bb]|<[A-Za-z_])/;
/** Placeholders that a repository fills in, as in the address of a badge; they hold nobody's data. */
const HARMLESS_PLACE =
  /[{<](?:branch|version|tag|ref|name|repo|repository|owner|org|user|package|id|sha|commit|workflow)[}>]/gi;
/** A parameter with a long value. */
const CARRIED = /[?&](?:data|d|q|secret|token|key|c|content|text|msg|message|info|log|leak|exfil|payload|x)=[^&]{24}/i;

/** Every repetition is bounded, so the search is linear. */
export const signs: readonly Sign[] = [
  { id: 'exfiltration/image-place', points: 4, sign: IMAGE, holds: PLACE, isOutgoing: true },
  { id: 'exfiltration/image-data', points: 4, sign: IMAGE, holds: CARRIED, isOutgoing: true },
  { id: 'exfiltration/link-place', points: 3, sign: LINK, holds: PLACE, isOutgoing: true },
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

export function hiddenSignals(text: string, scope: 'Incoming' | 'Outgoing'): readonly Signal[] {
  return signs
    .filter((row) => scope === 'Incoming' || row.isOutgoing === true)
    .flatMap(({ id, points, sign, holds }) =>
      Array.from(text.matchAll(sign))
        .filter(([part]) => holds === undefined || holds.test(part.replaceAll(HARMLESS_PLACE, '')))
        .map((found) => ({
          rule: id,
          family: id.slice(0, id.indexOf('/')) as Family,
          points,
          start: found.index,
          end: found.index + found[0].length,
          excuse: 'None' as const,
        })),
    );
}
