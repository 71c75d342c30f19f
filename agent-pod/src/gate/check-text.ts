/**
 * The whole deterministic layer over one text or one call: the rules of the character and the rules that are shipped.
 *
 * I1  Shipped rules only add to what the character's rules say; they never make a verdict milder.
 * I2  Without a score, what escalates is refused on autonomous paths, and accepted with a visible note where a person is in the
 *     conversation. Only what a person says is noted when it blocks: a call and a reply are refused.
 * I3  The reason never quotes a pattern or the text.
 *
 * Source: springdrift 2.6, 2.7, 2.11; design 5.4.
 * Differs: springdrift skips structure and payloads in what an operator says; here they are read everywhere, and noted there.
 */
import { decideRules } from './text-rule.ts';
import { screenText, type Alarm, type Finding, type Screening } from './text/screen-text.ts';
import type { CallFacts, Gate, GateContext, MatchedRule, Verdict, VerdictKind } from './verdict.ts';

/** A finding of either kind; `points` are those of shipped rules. */
export interface CheckFinding {
  readonly rule: string;
  /** Where in a call's arguments, as a JSON pointer; absent in a text. */
  readonly at?: string;
  /** UTF-16 units of the text, or of that argument. */
  readonly start: number;
  readonly end: number;
  readonly points?: number;
}

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

/** One text at the input or the output gate. */
export function checkText(
  gate: Pick<Gate, 'rulesIn'>,
  name: 'Input' | 'Output',
  text: string,
  context: GateContext,
): Check {
  const matched = gate.rulesIn(name, text, context.agent);
  const verdict = decideRules(name, matched, context);
  const screening = screenText(text, name === 'Input' ? 'Incoming' : 'Outgoing');
  const findings = [...matched.map(findingOf), ...screening.findings.map(shippedFinding)];
  const alarm = worst([...matched.map(alarmOf), screening.alarm]);
  return { ...decided(verdict, screening, context), alarm, points: screening.points, findings };
}

/** One call at the tool gate. What its arguments say is read as well. */
export function checkCall(gate: Pick<Gate, 'rulesIn' | 'tool'>, call: CallFacts, context: GateContext): Check {
  const verdict = gate.tool(call, context);
  const parts = textsOf(call.argumentsText).map(({ at, text }) => ({
    at,
    matched: gate.rulesIn('Tool', text, context.agent),
    screening: screenText(text, 'Incoming'),
  }));
  const screening = parts.map((part) => part.screening).reduce((a, b) => (b.points > a.points ? b : a), NOTHING);
  const findings = parts.flatMap(({ at, matched, screening: { findings: shipped } }) =>
    [...matched.map(findingOf), ...shipped.map(shippedFinding)].map((finding) => ({ ...finding, at })),
  );
  const alarm = worst([
    alarmOfKind(verdict.kind),
    ...parts.flatMap((part) => part.matched.map(alarmOf)),
    screening.alarm,
  ]);
  return { ...decided(verdict, screening, context), alarm, points: screening.points, findings };
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

/** The character's verdict stands unless it accepts and the shipped rules alarm. */
function decided(
  verdict: Verdict,
  screening: Screening,
  context: GateContext,
): Pick<Check, 'verdict' | 'rule' | 'reason'> {
  const { gate, kind, rule, reason } = verdict;
  if (kind !== 'Accept' || screening.alarm === 'None') return { verdict: kind, rule, reason };
  const strongest = screening.findings.reduce<Finding | undefined>(
    (best, next) => (best === undefined || next.points > best.points ? next : best),
    undefined,
  );
  const shipped = `text/${strongest?.rule ?? 'none'}`;
  if (!context.autonomous && (gate === 'Input' || screening.alarm === 'Escalate')) {
    return { verdict: 'Accept', rule: shipped, reason: 'Noted, not refused, because a person is in the conversation.' };
  }
  return {
    verdict: 'Reject',
    rule: shipped,
    reason:
      screening.alarm === 'Block'
        ? 'It reads like an attack on the instructions.'
        : 'It could be an attack on the instructions, and no score is to be had that could clear it.',
  };
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
