/**
 * The whole deterministic layer over one text or one call: the rules of the character and the rules that are shipped.
 *
 * I1  Shipped rules only add to what the character's rules say; they never make a verdict milder.
 * I2  Without a score, what escalates is refused on autonomous paths, and accepted with a visible note where a person is in the
 *     conversation, or was asked about this call. Only what a person says is noted when it blocks: a call and a reply are refused.
 * I3  The reason never quotes a pattern or the text.
 *
 * Source: springdrift 2.6, 2.7, 2.11; design 5.4.
 * Differs: springdrift skips structure and payloads in what an operator says; here they are read everywhere, and noted there.
 */
import { judgeReply } from './provenance/reply-policy.ts';
import { decideRules } from './text-rule.ts';
import { GRANTED } from './tool-policies.ts';
import { screenText, type Alarm, type Finding, type Screening } from './text/screen-text.ts';
import type { Gate } from './gate.ts';
import type { CallFacts, CheckFinding, GateContext, MatchedRule, Verdict, VerdictKind } from './verdict.ts';

export interface Check {
  readonly verdict: VerdictKind;
  /** The rule that decided. */
  readonly rule: string;
  readonly reason: string;
  readonly alarm: Alarm;
  /** Of the shipped rules. */
  readonly points: number;
  readonly findings: readonly CheckFinding[];
}

/** What the rules say, before it is decided what that means here. */
export interface RuleReading extends Pick<Check, 'alarm' | 'points' | 'findings'> {
  /** Of the character's rules alone. */
  readonly ruled: Verdict;
  /** Of the shipped rules alone, and which of them is the strongest. */
  readonly shipped: { readonly alarm: Alarm; readonly rule: string };
}

/** One text at the input or the output gate, as if no score were to be had. */
export function checkText(
  gate: Pick<Gate, 'rulesIn'>,
  name: 'Input' | 'Output',
  text: string,
  context: GateContext,
): Check {
  return checkOf(readText(gate, name, text, context), context);
}

/** One call at the tool gate, as if no score were to be had. What its arguments say is read as well. */
export function checkCall(gate: Pick<Gate, 'rulesIn' | 'tool'>, call: CallFacts, context: GateContext): Check {
  return checkOf(readCall(gate, call, context), context);
}

function checkOf(reading: RuleReading, context: GateContext): Check {
  const { kind, rule, reason } = withoutScore(reading, context);
  const { alarm, points, findings } = reading;
  return { verdict: kind, rule, reason, alarm, points, findings };
}

export function readText(
  gate: Pick<Gate, 'rulesIn'>,
  name: 'Input' | 'Output',
  text: string,
  context: GateContext,
): RuleReading {
  const matched = gate.rulesIn(name, text, context.agent);
  const screening = screenText(text, name === 'Input' ? 'Incoming' : 'Outgoing');
  const flow = name === 'Output' ? judgeReply(text, context) : undefined;
  return {
    ruled: flow ?? decideRules(name, matched, context),
    shipped: shippedOf(screening),
    // Where data may not flow no score is asked: it could only let it pass.
    alarm: worst([...(flow === undefined ? [] : [alarmOfKind(flow.kind)]), ...matched.map(alarmOf), screening.alarm]),
    points: screening.points,
    findings: [...matched.map(findingOf), ...screening.findings.map(shippedFinding)],
  };
}

export function readCall(gate: Pick<Gate, 'rulesIn' | 'tool'>, call: CallFacts, context: GateContext): RuleReading {
  const ruled = gate.tool(call, context);
  const parts = textsOf(call.argumentsText).map(({ at, text }) => ({
    at,
    matched: gate.rulesIn('Tool', text, context.agent),
    screening: screenText(text, 'Incoming'),
  }));
  const screening = parts.map((part) => part.screening).reduce((a, b) => (b.points > a.points ? b : a), NOTHING);
  const matched = parts.flatMap((part) => part.matched.map(alarmOf));
  return {
    ruled,
    shipped: shippedOf(screening),
    alarm: worst([alarmOfKind(ruled.kind), ...matched, screening.alarm]),
    points: screening.points,
    findings: parts.flatMap(({ at, matched: own, screening: { findings: shipped } }) =>
      [...own.map(findingOf), ...shipped.map(shippedFinding)].map((finding) => ({ ...finding, at })),
    ),
  };
}

function shippedOf({ alarm, findings }: Screening): RuleReading['shipped'] {
  const strongest = findings.reduce<Finding | undefined>(
    (best, next) => (best === undefined || next.points > best.points ? next : best),
    undefined,
  );
  return { alarm, rule: `text/${strongest?.rule ?? 'none'}` };
}

const NOTHING: Screening = { alarm: 'None', points: 0, findings: [] };
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
 * The character's verdict stands unless the shipped rules are stricter: what they block is refused, and what they doubt where
 * nobody is there to see it. A person who was asked, or has approved exactly this call, has seen it.
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

/** Every string of the arguments with its place. */
function textsOf(argumentsText: string): readonly ArgumentText[] {
  return textsIn(JSON.parse(argumentsText) as unknown, '');
}

function textsIn(value: unknown, at: string): readonly ArgumentText[] {
  if (typeof value === 'string') return [{ at, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    textsIn(member, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}
