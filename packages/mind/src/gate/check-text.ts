/**
 * The verdict of the deterministic rules alone on a text or a call, without a score. Used to try out a gate.
 *
 * I1  The reason never quotes a pattern or the text.
 *
 * Source: springdrift 2; design 5.
 */
import {
  findInCall,
  findInText,
  readingOf,
  withoutScore,
  type RuleReading,
  type RulesOfGate,
} from './chain/rule-reading.ts';
import type { Gate } from './gate.ts';
import type { CallFacts, GateContext, VerdictKind } from './verdict.ts';
import { ruledText } from './verdict-steps.ts';

export interface Check extends Pick<RuleReading, 'alarm' | 'points' | 'findings' | 'detector'> {
  readonly verdict: VerdictKind;
  readonly rule: string;
  readonly reason: string;
}

export function checkText(gate: RulesOfGate, name: 'Input' | 'Output', text: string, context: GateContext): Check {
  const matched = gate.rulesIn(name, text, context.agent);
  const ruled = ruledText({ gate: name, text, matched }, context);
  return checkOf(readingOf(ruled, findInText(gate, name, text, matched)), context);
}

/** Checks a call at the tool gate, including the texts in its arguments. */
export function checkCall(gate: RulesOfGate & Pick<Gate, 'tool'>, call: CallFacts, context: GateContext): Check {
  return checkOf(readingOf(gate.tool(call, context), findInCall(gate, call, context.agent)), context);
}

function checkOf(reading: RuleReading, context: GateContext): Check {
  const { kind, rule, reason } = withoutScore(reading, context);
  const { alarm, points, findings, detector } = reading;
  return { verdict: kind, rule, reason, alarm, points, findings, ...(detector === undefined ? {} : { detector }) };
}
