/**
 * How a verdict is made: every step, in its order. Each is given the verdict so far, and leaves it or puts another in its place.
 *
 * I1  What refuses stands before what asks, and both before a person's approval: no approval and no added rule undoes a refusal.
 * I2  Adding a policy that refuses, a question or a denial never makes a verdict milder.
 * I3  Only the score asks a model. The chokepoint asks the steps before it again just before a call runs.
 *
 * Source: design 5; springdrift 2.
 */
import {
  demandApproval,
  deniedBeforePolicy,
  grantApproved,
  noJobAfterDenialPolicy,
  refusedApprovalPolicy,
} from './approval.ts';
import type { Decided, GateStep, Inquiry } from './chain/inquiry.ts';
import { findInCall, readingOf, type RuleReading } from './chain/rule-reading.ts';
import { scoreStep, type ScoringInquiry } from './chain/score-step.ts';
import type { TextReader } from './chain/text-reader.ts';
import type { CompiledCharacter } from './compile-character.ts';
import { holdOutput } from './output-breaker.ts';
import { overrule } from './override.ts';
import { choiceBudgetPolicy } from './provenance/choice-budget.ts';
import {
  privateArgumentsPolicy,
  ruleOfTwoPolicy,
  secretsPolicy,
  taintedEffectPolicy,
  untrustedAddressPolicy,
} from './provenance/flow-policies.ts';
import type { KnownTools } from './tool-facts.ts';
import { believedFactPolicy, otherFilePolicy, servingPolicy } from './provenance/inside-policies.ts';
import { exceptLetters, othersReadersPolicy, ownersReadersPolicy } from './provenance/readers-policy.ts';
import { withRecords } from './provenance/own-account.ts';
import { letterPolicy, putOffPolicy, questionPolicy, replyPolicy } from './provenance/reply-policy.ts';
import type { Scoring } from './score/scoring.ts';
import { acceptedText, notedTextPolicy, refusedTextPolicy, type MatchedText } from './text-rule.ts';
import {
  acceptedCall,
  allowListPolicies,
  consultPolicy,
  externalWritePolicy,
  irreversiblePolicy,
  letterRulePolicy,
  neverPolicy,
  toolAsksPolicy,
  toolRulePolicy,
  type ToolPolicy,
} from './tool-policies.ts';
import type { CallFacts, GateContext, Policy, Verdict } from './verdict.ts';

interface Step<Take> {
  readonly name: string;
  /** Why it stands where it stands, for people. */
  readonly why: string;
  readonly take: Take;
}

/** The steps, in the order in which a verdict passes them. It begins as an acceptance. */
export const verdictSteps = {
  /** The rules, and a person's answer to them. */
  ruled: [
    { name: 'refusals', why: 'Only an override (step 5) can undo a refusal.', take: refuse },
    { name: 'questions', why: 'A call that no rule refuses may still need a person.', take: ask },
    {
      name: 'approval',
      why: 'A person answers a question about exactly one call. An approval undoes no refusal.',
      take: grant,
    },
  ],
  /** May need answers of a model first: then the question is what is returned. */
  scored: { name: 'score', why: 'A model forecasts harm if the rules alone do not decide.', take: scoreStep },
  /** What people say of a verdict that is made. */
  settled: [
    { name: 'override', why: 'A principal may overrule a score, or a rule over a text.', take: overrule },
    {
      name: 'approval mode',
      why: 'A Task may demand a person even if no other step asks for one.',
      take: demandApproval,
    },
    {
      name: 'held outputs',
      why: 'After too many rejected texts, a person must look at the next one.',
      take: holdOutput,
    },
  ],
} as const satisfies {
  readonly ruled: readonly Step<<S>(verdict: Verdict, ruling: Ruling<S>) => Verdict>[];
  readonly scored: Step<(judged: ScoringInquiry) => GateStep>;
  readonly settled: readonly Step<(decided: Decided, inquiry: Inquiry) => Decided>[];
};

/** What refuses and what asks at one gate. The first that answers decides. */
interface Policies<Subject> {
  readonly refusing: readonly Policy<Subject>[];
  readonly asking: readonly Policy<Subject>[];
}

const textPolicies: Readonly<Record<MatchedText['gate'], Policies<MatchedText>>> = {
  Input: { refusing: [refusedTextPolicy], asking: [notedTextPolicy] },
  Output: { refusing: [replyPolicy, refusedTextPolicy], asking: [notedTextPolicy] },
};

export function callPolicies(character: CompiledCharacter, known: KnownTools): Policies<CallFacts> {
  const rules = (kind: 'Reject' | 'Escalate'): readonly ToolPolicy[] =>
    character.toolRules.filter((it) => it.rule.verdict === kind).map((it) => toolRulePolicy(it.rule, it.agent));
  const letterRules = (kind: 'Reject' | 'Escalate'): readonly ToolPolicy[] =>
    character.outputRules.filter(({ verdict }) => verdict === kind).map((rule) => letterRulePolicy(rule, known));
  return {
    refusing: [
      secretsPolicy,
      ...character.never.map(neverPolicy),
      ...rules('Reject'),
      ...letterRules('Reject'),
      othersReadersPolicy(known),
      exceptLetters(withRecords(privateArgumentsPolicy(known), known), known),
      withRecords(ruleOfTwoPolicy, known),
      questionPolicy,
      putOffPolicy(known),
      letterPolicy(known),
      refusedApprovalPolicy,
      deniedBeforePolicy,
      noJobAfterDenialPolicy(known),
    ],
    asking: [
      ...rules('Escalate'),
      ...letterRules('Escalate'),
      irreversiblePolicy,
      toolAsksPolicy,
      ...character.consult.map(consultPolicy),
      ownersReadersPolicy(known),
      ...allowListPolicies(character.allowedPaths, character.allowedDomains, known),
      withRecords(untrustedAddressPolicy(character.allowedDomains), known),
      choiceBudgetPolicy(character.allowedDomains),
      taintedEffectPolicy(known),
      externalWritePolicy(character.alone),
      otherFilePolicy(character.alone),
      believedFactPolicy,
      servingPolicy(known),
    ],
  };
}

/** One subject before the rules. */
interface Ruling<Subject> {
  readonly subject: Subject;
  readonly context: GateContext;
  readonly policies: Policies<Subject>;
  /** What an approval is bound to; absent of a text, which nobody is asked about. */
  readonly argumentsDigest?: string;
}

function refuse<S>(verdict: Verdict, { subject, context, policies }: Ruling<S>): Verdict {
  return firstOf(policies.refusing, subject, context) ?? verdict;
}

function ask<S>(verdict: Verdict, { subject, context, policies }: Ruling<S>): Verdict {
  return verdict.kind === 'Reject' ? verdict : (firstOf(policies.asking, subject, context) ?? verdict);
}

function grant<S>(verdict: Verdict, { context, argumentsDigest }: Ruling<S>): Verdict {
  return argumentsDigest === undefined ? verdict : grantApproved(verdict, argumentsDigest, context);
}

function firstOf<S>(policies: readonly Policy<S>[], subject: S, context: GateContext): Verdict | undefined {
  for (const policy of policies) {
    const verdict = policy.judge(subject, context);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

function ruledBy<S>(accepted: Verdict, ruling: Ruling<S>): Verdict {
  return verdictSteps.ruled.reduce((verdict, step) => step.take(verdict, ruling), accepted);
}

/** What the rules and a person's approval say of a call. */
export function ruledCall(policies: Policies<CallFacts>, call: CallFacts, context: GateContext): Verdict {
  const { argumentsDigest } = call;
  return ruledBy(acceptedCall(call), { subject: call, context, policies, argumentsDigest });
}

export function ruledText(text: MatchedText, context: GateContext): Verdict {
  return ruledBy(acceptedText(text), { subject: text, context, policies: textPolicies[text.gate] });
}

/** What people say of a verdict that is made. */
export function settled(decided: Decided, inquiry: Inquiry): Decided {
  return verdictSteps.settled.reduce((so, step) => step.take(so, inquiry), decided);
}

interface JudgingGate {
  readonly texts: TextReader;
  readonly characterDigest: string;
  readonly policies: Policies<CallFacts>;
  readonly scoring: Scoring;
}

/** All steps, as far as the answers of models that are in hand carry: the next question, or the verdict. */
export function nextStep(gate: JudgingGate, inquiry: Inquiry): GateStep {
  const { characterDigest, scoring } = gate;
  const step = verdictSteps.scored.take({ characterDigest, scoring, inquiry, reading: readRules(gate, inquiry) });
  return step.kind === 'Decided' ? settled(step, inquiry) : step;
}

function readRules(gate: JudgingGate, { subject, context }: Inquiry): RuleReading {
  if (subject.gate === 'Tool') {
    const { call } = subject;
    return readingOf(ruledCall(gate.policies, call, context), findInCall(gate.texts, call, context.agent));
  }
  const found = gate.texts.found(subject.gate, subject.text, context.agent);
  return readingOf(ruledText({ ...subject, matched: found.matched }, context), found);
}
