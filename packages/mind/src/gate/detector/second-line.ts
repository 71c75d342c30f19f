/**
 * The statistical layer as a second line behind the shipped rules.
 *
 * I1  It never changes a block, and nothing but the alarm of the shipped rules: no rule of a character, no law, no flow of data.
 * I2  It lowers a doubt only where the rules found plain words: what was hidden or encoded, it may not have read.
 *
 * Source: reliability-security 4.
 */
import { ESCALATE_POINTS, type Finding, type Screening } from '../text/screen-text.ts';
import type { Sliced } from '../text/pace.ts';
import { scoreText, type Model } from './score-text.ts';

/** What the layer said of a text, kept in the gate's record. */
export interface DetectorReading {
  /** Of the weights. */
  readonly version: number;
  /** Of the most suspicious part, in hundredths. */
  readonly score: number;
  readonly effect: 'None' | 'Raised' | 'Lowered';
}

export interface Detector extends Model {
  readonly version: number;
  /** From this score on, a text without an alarm raises one. In hundredths. */
  readonly raiseFrom: number;
  /** Below this score, a doubt of the rules is none. In hundredths. */
  readonly lowerBelow: number;
}

export interface SecondScreening extends Screening {
  readonly detector: DetectorReading;
}

const RAISED_RULE = 'detector/raised';

/** @param screening  of the shipped rules, for the same text */
export function* secondLine(detector: Detector, text: string, screening: Screening): Sliced<SecondScreening> {
  const { score, start, end } = yield* scoreText(detector, text);
  const reading = (effect: DetectorReading['effect']): DetectorReading => ({
    version: detector.version,
    score,
    effect,
  });
  const { alarm, findings } = screening;
  if (alarm === 'None' && score >= detector.raiseFrom) {
    const raised: Finding = { rule: RAISED_RULE, points: ESCALATE_POINTS, start, end };
    return { alarm: 'Escalate', points: ESCALATE_POINTS, findings: [raised], detector: reading('Raised') };
  }
  if (alarm === 'Escalate' && score < detector.lowerBelow && findings.every(isPlain))
    return { ...screening, alarm: 'None', points: ESCALATE_POINTS - 1, detector: reading('Lowered') };
  return { ...screening, detector: reading('None') };
}

/** Families whose findings are not the words themselves. */
const NOT_WORDS = /^(?:hidden|encoding|filler|exfiltration|boundary)\//;

function isPlain({ rule, isDisguised }: Finding): boolean {
  return !NOT_WORDS.test(rule) && isDisguised !== true;
}
