/** The result of the score step: verdict, action, and their record. */
import { sha256Hex } from '@retainer/contract/std/hash';
import { scoredPart } from '../score/score-request.ts';
import type { Verdict } from '../verdict.ts';
import type { Exemption, GateRecord, Intervention, PolicyRecord } from './gate-record.ts';
import type { Decided, GateAction, GateSubject, Inquiry } from './inquiry.ts';
import type { RuleReading } from './rule-reading.ts';
import type { Forecast } from '../../request/answers/forecasts.ts';

export interface Ending {
  readonly verdict: Verdict;
  /** Absent: the default action for the kind of verdict. */
  readonly action?: GateAction;
  /** Why the scorer was not asked. */
  readonly exemption?: Exemption;
  /** Why the scorer gave no usable answer. */
  readonly fault?: string;
  readonly intervention?: Intervention;
  /** D′. */
  readonly score?: number;
  readonly forecasts?: readonly Forecast[];
  readonly policies?: readonly PolicyRecord[];
}

/** An inquiry, and the findings of the rules. */
export interface RuledInquiry {
  readonly characterDigest: string;
  readonly inquiry: Inquiry;
  readonly reading: RuleReading;
}

export function decide({ characterDigest, inquiry, reading }: RuledInquiry, ending: Ending): Decided {
  const { subject, context, answers } = inquiry;
  const { verdict, exemption, fault, intervention = 'None', score, forecasts = [], policies = [] } = ending;
  const record: GateRecord = {
    gate: subject.gate,
    characterDigest,
    subjectDigest: digestOf(subject),
    agent: context.agent,
    autonomous: context.autonomous,
    alarm: reading.alarm,
    points: reading.points,
    findings: reading.findings,
    ...(reading.detector === undefined ? {} : { detector: reading.detector }),
    ...(answers.probes === undefined ? {} : { probes: answers.probes }),
    ...scorerOf({ exemption, fault }),
    ...(answers.scorings === undefined ? {} : { scorings: answers.scorings }),
    ...(policies.length === 0 ? {} : scoredCharacters(subject)),
    forecasts,
    ...(policies.length === 0 ? {} : { reactive: Math.max(...policies.map((policy) => policy.reactive)) }),
    ...(score === undefined ? {} : { score }),
    policies,
    decidedBy: verdict.rule,
    intervention,
  };
  return { kind: 'Decided', verdict, action: ending.action ?? actionOf(verdict), record };
}

function scorerOf({
  exemption,
  fault,
}: Pick<{ [K in keyof Ending]: Ending[K] | undefined }, 'exemption' | 'fault'>): Pick<
  GateRecord,
  'scorer' | 'exemption' | 'scorerFault'
> {
  if (fault !== undefined) return { scorer: 'Unavailable', scorerFault: fault };
  return exemption === undefined ? { scorer: 'Available' } : { scorer: 'NotAsked', exemption };
}

function scoredCharacters(subject: GateSubject): Pick<GateRecord, 'scoredCharacters'> {
  const { text, isCut } = scoredPart(subject);
  return isCut ? { scoredCharacters: text.length } : {};
}

function digestOf(subject: GateSubject): string {
  return subject.gate === 'Tool' ? subject.call.argumentsDigest : sha256Hex(subject.text);
}

function actionOf({ kind }: Verdict): GateAction {
  if (kind === 'Accept') return { kind: 'Proceed' };
  return { kind: kind === 'Escalate' ? 'AskApproval' : 'Refuse' };
}
