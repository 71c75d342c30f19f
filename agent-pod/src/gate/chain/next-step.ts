/**
 * The chain of a gate: from what is known so far to the next question, or to the verdict.
 *
 * I1  Pure: the same inquiry has the same step, so a verdict can be computed anew from the record.
 * I2  An answer or a rule that is added never makes the verdict milder.
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import { checkCall, checkText, type Check } from '../check-text.ts';
import type { Gate, Verdict } from '../verdict.ts';
import type { GateAction, GateStep, GateSubject, Inquiry } from './inquiry.ts';

/** A gate's rules alone. */
export type RuleGate = Omit<Gate, 'next'>;

export function nextStep(gate: RuleGate, inquiry: Inquiry): GateStep {
  const { subject, context } = inquiry;
  const check = checkOf(gate, inquiry);
  const verdict: Verdict = { gate: subject.gate, kind: check.verdict, rule: check.rule, reason: check.reason };
  return {
    kind: 'Decided',
    verdict,
    action: actionOf(verdict),
    record: {
      gate: subject.gate,
      characterDigest: gate.characterDigest,
      subjectDigest: digestOf(subject),
      agent: context.agent,
      autonomous: context.autonomous,
      alarm: check.alarm,
      points: check.points,
      findings: check.findings,
      scorer: 'NotAsked',
      exemption: 'NoFeatures',
      forecasts: [],
      policies: [],
      decidedBy: check.rule,
      intervention: 'None',
    },
  };
}

function checkOf(gate: RuleGate, { subject, context }: Inquiry): Check {
  return subject.gate === 'Tool'
    ? checkCall(gate, subject.call, context)
    : checkText(gate, subject.gate, subject.text, context);
}

function digestOf(subject: GateSubject): string {
  return subject.gate === 'Tool' ? subject.call.argumentsDigest : sha256Hex(subject.text);
}

function actionOf({ kind }: Verdict): GateAction {
  if (kind === 'Accept') return { kind: 'Proceed' };
  return { kind: kind === 'Escalate' ? 'AskApproval' : 'Refuse' };
}
