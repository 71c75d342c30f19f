/**
 * The verdict of the deterministic rules alone on a text or a call, without a score. Used to try out a gate.
 *
 * I1  The reason never quotes a pattern or the text.
 *
 * Source: springdrift 2; design 5.
 */
import { findInCall, readingOf, withoutScore, type RuleReading } from './chain/rule-reading.ts';
import type { Gate } from './gate.ts';
import type { CallFacts, GateContext, VerdictKind } from './verdict.ts';
import { ruledText } from './verdict-steps.ts';

export interface Check extends Pick<RuleReading, 'alarm' | 'points' | 'findings' | 'detector'> {
  readonly verdict: VerdictKind;
  readonly rule: string;
  readonly reason: string;
}

export function checkText(
  { texts }: Pick<Gate, 'texts'>,
  name: 'Input' | 'Output',
  text: string,
  context: GateContext,
): Check {
  const found = texts.found(name, text, context.agent);
  const ruled = ruledText({ gate: name, text, matched: found.matched }, context);
  return checkOf(readingOf(ruled, found), context);
}

/** Checks a call at the tool gate, including the texts in its arguments. */
export function checkCall(gate: Pick<Gate, 'texts' | 'tool'>, call: CallFacts, context: GateContext): Check {
  return checkOf(readingOf(gate.tool(call, context), findInCall(gate.texts, call, context.agent)), context);
}

function checkOf(reading: RuleReading, context: GateContext): Check {
  const { kind, rule, reason } = withoutScore(reading, context);
  const { alarm, points, findings, detector } = reading;
  return { verdict: kind, rule, reason, alarm, points, findings, ...(detector === undefined ? {} : { detector }) };
}
