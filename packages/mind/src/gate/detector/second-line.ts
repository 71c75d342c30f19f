/**
 * The statistical layer as a second line behind the shipped rules.
 *
 * I1  It never changes a block, and nothing but the alarm of the shipped rules: no rule of a character, no law, no flow of data.
 * I2  It lowers a doubt only where the rules found plain words: what was hidden or encoded, it may not have read.
 * I3  It lowers no order to the reader: a long dull document around an order makes the document harmless, not the order.
 *
 * Source: reliability-security 4.
 */
import { FINDINGS_MAX } from '../text/limits.ts';
import type { Sliced } from '../text/pace.ts';
import { ESCALATE_POINTS, type Finding, type Screening } from '../text/screen-text.ts';
import { familyOf, type Family } from '../text/signals.ts';
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
  if (alarm === 'Escalate' && score < detector.lowerBelow && mayLower(findings))
    return { ...screening, alarm: 'None', points: ESCALATE_POINTS - 1, detector: reading('Lowered') };
  return { ...screening, detector: reading('None') };
}

/**
 * What a finding of each family is. `Order`: it tells the reader what to do, or who to be. `Circumstance`: a subject, or a claim that
 * makes an order weigh more. `Disguise`: not the words themselves.
 */
export const FAMILIES: Readonly<Record<Family, 'Order' | 'Circumstance' | 'Disguise'>> = {
  override: 'Order',
  orders: 'Order',
  role: 'Order',
  unrestricted: 'Order',
  obedience: 'Order',
  reveal: 'Order',
  secrecy: 'Order',
  address: 'Order',
  answer: 'Order',
  harm: 'Circumstance',
  authority: 'Circumstance',
  exfiltration: 'Disguise',
  boundary: 'Disguise',
  hidden: 'Disguise',
  encoding: 'Disguise',
  filler: 'Disguise',
};

/** Not where findings may be left out: an order could be among them. */
function mayLower(findings: readonly Finding[]): boolean {
  return findings.length < FINDINGS_MAX && findings.every((finding) => !isOrder(finding) && isPlain(finding));
}

/** An order that is only told of is none, unless it raises the alarm alone: whoever writes an attack can put quotation marks around it. */
function isOrder({ rule, points, isExcused }: Finding): boolean {
  return FAMILIES[familyOf(rule)] === 'Order' && (isExcused !== true || points >= ESCALATE_POINTS);
}

function isPlain({ rule, isDisguised }: Finding): boolean {
  return FAMILIES[familyOf(rule)] !== 'Disguise' && isDisguised !== true;
}
