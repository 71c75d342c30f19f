/**
 * The findings of the character's rules and the shipped rules in a subject, and the verdict that they give without a score.
 *
 * I1  Shipped rules only add to the character's rules; they never make a verdict milder.
 * I2  Without a score, an escalation is refused on autonomous paths. If a person is in the conversation, or was asked about this
 *     call, it is accepted with a visible note. A block in a person's own words is only noted; a blocked call or reply is
 *     refused.
 *
 * Source: springdrift 2; design 5.
 * Differs: springdrift does not check an operator's words for structure and payloads. Here the rules check all texts, and only
 * note findings in an operator's words.
 */
import { GRANTED } from '../approval.ts';
import { shippedDetector } from '../detector/detector.ts';
import { secondLine, type DetectorReading } from '../detector/second-line.ts';
import type { Sliced } from '../text/pace.ts';
import { screenSliced, type Alarm, type Finding, type Screening } from '../text/screen-text.ts';
import type { CallFacts, CheckFinding, GateContext, GateName, MatchedRule, Verdict, VerdictKind } from '../verdict.ts';

/** What a gate looks for in texts. */
interface RulesForTexts {
  /** The character's rules of one gate that match a text, in their order. At the tool gate, only the rules for this agent. */
  readonly rulesIn: (gate: GateName, text: string, agent: string) => Sliced<readonly MatchedRule[]>;
  /** The statistical layer reads incoming texts after the shipped rules. */
  readonly hasDetector: boolean;
}

/** The findings, before their consequences at this gate. */
export interface RuleFindings {
  readonly matched: readonly MatchedRule[];
  /** Alarm of the shipped rules alone, and the strongest of them. */
  readonly shipped: { readonly alarm: Alarm; readonly rule: string };
  /** Points of the shipped rules. */
  readonly points: number;
  readonly findings: readonly CheckFinding[];
  /** What the statistical layer said; of a call, of the argument that decided. */
  readonly detector?: DetectorReading;
}

export interface RuleReading extends RuleFindings {
  /** The verdict of the character's rules and of a person's approval. */
  readonly ruled: Verdict;
  /** Highest alarm of all rules. */
  readonly alarm: Alarm;
}

/** Reads the texts in a call's arguments as incoming texts. */
export function* findInText(
  { rulesIn, hasDetector }: RulesForTexts,
  gate: GateName,
  text: string,
  agent: string,
): Sliced<RuleFindings> {
  const matched = yield* rulesIn(gate, text, agent);
  const rules = yield* screenSliced(text, gate === 'Output' ? 'Outgoing' : 'Incoming');
  const second = hasDetector && gate !== 'Output' ? yield* secondLine(shippedDetector(), text, rules) : undefined;
  const screening = second ?? rules;
  return {
    matched,
    shipped: shippedOf(screening),
    points: screening.points,
    findings: [...matched.map(findingOf), ...screening.findings.map(shippedFinding)],
    ...(second === undefined ? {} : { detector: second.detector }),
  };
}

/** Whoever knows what the rules find in a text. */
interface FindingsByText {
  found(gate: GateName, text: string, agent: string): RuleFindings;
}

export function findInCall(texts: FindingsByText, call: CallFacts, agent: string): RuleFindings {
  const parts = textsIn(JSON.parse(call.argumentsText)).map(({ at, text }) => {
    return { at, ...texts.found('Tool', text, agent) };
  });
  const strongest = parts.reduce<RuleFindings>((a, b) => (isStronger(b, a) ? b : a), NOTHING_FOUND);
  return {
    matched: parts.flatMap(({ matched }) => matched),
    shipped: strongest.shipped,
    points: strongest.points,
    findings: parts.flatMap(({ at, findings }) => findings.map((finding) => ({ ...finding, at }))),
    ...(strongest.detector === undefined ? {} : { detector: strongest.detector }),
  };
}

/** By points, then by what the layer said. */
function isStronger(one: RuleFindings, other: RuleFindings): boolean {
  if (one.points !== other.points) return one.points > other.points;
  return (one.detector?.score ?? -Infinity) > (other.detector?.score ?? -Infinity);
}

/** Joins the rules' verdict and findings. A matched rule raises its alarm whatever the verdict is. */
export function readingOf(ruled: Verdict, found: RuleFindings): RuleReading {
  const { matched, shipped } = found;
  const own = matched.some(({ rule }) => rule === ruled.rule) ? 'None' : alarmOfKind(ruled.kind);
  return { ...found, ruled, alarm: worst([own, ...matched.map(alarmOf), shipped.alarm]) };
}

function shippedOf({ alarm, findings }: Screening): RuleReading['shipped'] {
  const strongest = findings.reduce<Finding | undefined>(
    (best, next) => (best === undefined || next.points > best.points ? next : best),
    undefined,
  );
  return { alarm, rule: `text/${strongest?.rule ?? 'none'}` };
}

export const NOTHING_FOUND: RuleFindings = {
  matched: [],
  shipped: { alarm: 'None', rule: 'text/none' },
  points: 0,
  findings: [],
};
const BY_ALARM: readonly Alarm[] = ['None', 'Escalate', 'Block'];

function worst(alarms: readonly Alarm[]): Alarm {
  return BY_ALARM[Math.max(0, ...alarms.map((alarm) => BY_ALARM.indexOf(alarm)))] ?? 'None';
}

function alarmOf({ verdict }: MatchedRule): Alarm {
  return verdict === 'Reject' ? 'Block' : 'Escalate';
}

function alarmOfKind(kind: VerdictKind): Alarm {
  if (kind === 'Accept') return 'None';
  return kind === 'Reject' ? 'Block' : 'Escalate';
}

function findingOf({ rule, start, end }: MatchedRule): CheckFinding {
  return { rule, start, end };
}

function shippedFinding({ rule, start, end, points }: Finding): CheckFinding {
  return { rule: `text/${rule}`, start, end, points };
}

/**
 * The character's verdict holds unless the shipped rules are stricter. A block of theirs is a refusal; a doubt is one only if
 * nobody is there to see it. A person who was asked, or who approved exactly this call, has seen it.
 */
export function withoutScore({ ruled, shipped }: RuleReading, { autonomous }: GateContext): Verdict {
  const { gate, kind } = ruled;
  if (kind === 'Reject' || shipped.alarm === 'None') return ruled;
  const { rule } = shipped;
  if (shipped.alarm === 'Block' && (autonomous || gate !== 'Input'))
    return { gate, kind: 'Reject', rule, reason: 'It reads like an attack on the instructions.' };
  if (kind === 'Escalate' || ruled.rule === GRANTED) return ruled;
  if (!autonomous)
    return { gate, kind: 'Accept', rule, reason: 'Noted, not refused, because a person is in the conversation.' };
  const reason = 'It could be an attack on the instructions, and no score is to be had that could clear it.';
  return { gate, kind: 'Reject', rule, reason };
}

interface ArgumentText {
  readonly at: string;
  readonly text: string;
}

/** Every string of the arguments with its JSON pointer. */
export function textsIn(value: unknown, at = ''): readonly ArgumentText[] {
  if (typeof value === 'string') return [{ at, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    textsIn(member, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}
