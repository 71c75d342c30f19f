/**
 * The only step of a verdict that may ask a model: returns the next question, or the decision by the score.
 *
 * The rules decide most subjects (`gate-route.ts`). For the others, the gate may ask two probes and then the scorer. The policies
 * judge the forecasts; then the rules, a person's approval and earlier verdicts apply (`weigh.ts`).
 *
 * I1  Pure: the same inquiry has the same step, so a verdict can be recomputed from the record.
 * I2  An additional rule, denial, policy or detection never makes the verdict milder. An additional feature can: it counts in its
 *     policy's mean, and only floors prevent it from diluting the others.
 * I3  A missing score is never permission. On autonomous paths it is a refusal; with a person in the conversation, the verdict
 *     says so.
 *
 * Source: springdrift 2; design 5.
 */
import type { GateFeature } from '@retainer/contract/api/gate-policy';
import { judgePolicy, readForecasts, strictest } from '../score/judge-forecasts.ts';
import { SCORE_RETRIES, scoredPart, scoreRequest } from '../score/score-request.ts';
import { featuresOf, policiesInForce, type Scoring, type ScoringPolicy } from '../score/scoring.ts';
import type { EffectClass, GateContext, Verdict } from '../verdict.ts';
import { heldWords } from '../provenance/held-words.ts';
import { firstUntrusted } from '../provenance/read-so-far.ts';
import { gateRouteOf } from './gate-route.ts';
import { decide, type Ending, type RuledInquiry } from './decide.ts';
import type { PolicyRecord } from './gate-record.ts';
import type { GateStep, GateSubject } from './inquiry.ts';
import type { RuleReading } from './rule-reading.ts';
import type { Forecast } from '../../request/answers/forecasts.ts';
import type { Probes } from './answers.ts';
import { isTooShort, weigh, type Weighed } from './weigh.ts';
import { cautionText, scoreReason, withWarning } from './wording.ts';

/** Lowest effect class of a call whose commitments the calculus weighs. Source: design 5. */
const WEIGHED_EFFECT_CLASS: EffectClass = 3;

/** An inquiry after the rules, and the scoring that applies to it. */
export interface ScoringInquiry extends RuledInquiry {
  readonly scoring: Scoring;
}

interface ScoredInquiry extends ScoringInquiry {
  readonly policies: readonly ScoringPolicy[];
  readonly features: readonly GateFeature[];
}

/** The question to ask before the verdict, or the verdict. */
export function scoreStep(judged: ScoringInquiry): GateStep {
  const { scoring, inquiry, reading } = judged;
  const { subject, context, past, answers } = inquiry;
  const policies = policiesInForce(scoring, subject.gate, context, inquiry.tightening ?? 1);
  const features = featuresOf(policies);
  const asked: ScoredInquiry = { ...judged, policies, features };
  const route = gateRouteOf(subject, reading, context, { scoring, hasFeatures: features.length > 0 });
  if (route.kind === 'Settled') return decide(asked, { verdict: route.verdict, exemption: route.exemption });
  if (subject.gate === 'Output' && isTooShort(subject.text, past)) return keepOriginal(asked, past.original ?? '');
  const probed = policies.some(({ canary }) => canary) ? probedText(subject, reading, context) : undefined;
  if (probed !== undefined) {
    if (answers.probes === undefined) return { kind: 'Probe', text: probed };
    const detected = detectedBy(answers.probes);
    if (detected !== undefined)
      return decide(asked, { verdict: detection(subject, detected), exemption: 'Decided', score: 1 });
  }
  if (route.kind === 'Scored') return scored(asked);
  const { verdict, exemption } = route;
  return decide(asked, { verdict, exemption, ...(exemption === 'NothingFound' ? { score: 0 } : {}) });
}

/**
 * The part of a subject that the probes test: all of it if the rules found something, or if all of it may be from others; else the
 * words of others that it holds. A call is tested as a whole.
 *
 * @returns undefined: nothing in it is from others
 */
function probedText(subject: GateSubject, { findings }: RuleReading, { read }: GateContext): string | undefined {
  const { text } = scoredPart(subject);
  if (findings.length > 0 || read === undefined) return text;
  const held = heldWords(text, read.items);
  if (held?.length === 0) return undefined;
  return held === undefined || subject.gate !== 'Input' ? text : held.join('\n\n');
}

/** A call that others may have dictated, or that the rules doubt, must not stand beside another one before the scorer. */
function isAlone({ findings }: RuleReading, { read }: GateContext): boolean {
  return findings.length > 0 || read === undefined || firstUntrusted(read.items) !== undefined;
}

function detectedBy({ hijack, leakage }: Probes): keyof Probes | undefined {
  if (hijack === 'Detected') return 'hijack';
  return leakage === 'Detected' ? 'leakage' : undefined;
}

function detection({ gate }: GateSubject, probe: keyof Probes): Verdict {
  const what = probe === 'hijack' ? 'follow it against its orders' : 'give a secret away';
  return { gate, kind: 'Reject', rule: `probe/${probe}`, reason: `It made a probe model ${what}.` };
}

/** The revision has lost most of the text, so the original leaves with a warning. */
function keepOriginal(asked: ScoredInquiry, original: string): GateStep {
  const rule = 'revision/too-short';
  const reason = 'The revision is much shorter than the text it should correct, so the original leaves with a warning.';
  return decide(asked, {
    verdict: { gate: 'Output', kind: 'Accept', rule, reason },
    action: { kind: 'DeliverWithWarning', text: withWarning(original, []) },
    exemption: 'Decided',
    intervention: 'RevisionTooShort',
  });
}

function scored(asked: ScoredInquiry): GateStep {
  const { inquiry, scoring, features, reading } = asked;
  const { subject, answers, background, context } = inquiry;
  if (scoredPart(subject).isCut && reading.shipped.alarm !== 'None')
    return withoutScorer(asked, 'the rules found something, and it is longer than what is scored');
  const { forecasts, scorings = 0 } = answers;
  const question = { subject, features, scale: scoring.scale, background };
  const ask = (attempt: number): GateStep => {
    const request = scoreRequest({ ...question, isRepeated: attempt > 1 });
    return { kind: 'Score', attempt, request, features, scale: scoring.scale, isAlone: isAlone(reading, context) };
  };
  if (forecasts === undefined) return ask(1);
  const read = readForecasts(forecasts, features, scoring.scale);
  if (read.ok) return judgedStep(asked, read.value);
  return read.error.isMalformed && scorings <= (inquiry.scoreRetries ?? SCORE_RETRIES)
    ? ask(scorings + 1)
    : withoutScorer(asked, read.error.reason);
}

/** Source: springdrift 2, 17. */
function withoutScorer(asked: ScoredInquiry, fault: string): GateStep {
  const { context, subject } = asked.inquiry;
  const { ruled } = asked.reading;
  const { gate } = subject;
  const rule = 'scorer/unavailable';
  if (context.autonomous) {
    const reason = `It could not be scored (${fault}), and nobody is there to see it.`;
    return decide(asked, { verdict: { gate, kind: 'Reject', rule, reason }, fault });
  }
  if (ruled.kind === 'Escalate') return decide(asked, { verdict: ruled, fault });
  const reason = `Accepted without a score (${fault}), because a person is in the conversation.`;
  return decide(asked, { verdict: { gate, kind: 'Accept', rule, reason }, fault });
}

function judgedStep(asked: ScoredInquiry, forecasts: readonly Forecast[]): GateStep {
  const { inquiry, scoring, reading } = asked;
  const { subject, past } = inquiry;
  const options = {
    // Source: springdrift 2: calls and input have a reactive layer, outgoing texts have none.
    isReactive: subject.gate !== 'Output',
    isWeighing:
      scoring.agentGates.calculus && (subject.gate !== 'Tool' || subject.call.effectClass >= WEIGHED_EFFECT_CLASS),
  };
  const [first, ...others] = asked.policies
    .filter(({ features }) => features.length > 0)
    .map((policy) => judgePolicy(policy, forecasts, scoring, options));
  if (first === undefined) return withoutScorer(asked, 'there is nothing to score');
  const policies = [first, ...others];
  const strict = strictest(first, ...others);
  const score = Math.max(...policies.map((policy) => policy.score));
  const weighed = weigh({ gate: subject.gate, reading, verdict: strict.verdict, score, past }, scoring);
  return decide(asked, {
    ...sayOf(asked, { weighed, strict, forecasts }),
    intervention: weighed.intervention,
    score,
    forecasts,
    policies,
  });
}

interface ScoreResult {
  readonly weighed: Weighed;
  readonly strict: PolicyRecord;
  readonly forecasts: readonly Forecast[];
}

function sayOf(asked: ScoredInquiry, { weighed, strict, forecasts }: ScoreResult): Pick<Ending, 'verdict' | 'action'> {
  const { subject, past } = asked.inquiry;
  const { gate } = subject;
  const { outcome, intervention } = weighed;
  if (outcome === 'Ruled') return { verdict: asked.reading.ruled };
  const rule = `score/${strict.policy}/${strict.decidedBy}`;
  const why = scoreReason(strict, forecasts, asked.scoring.scale);
  const reason = intervention === 'None' ? why : `${why} ${INTERVENTIONS[intervention]}`;
  if (outcome === 'Deliver' && subject.gate === 'Output') {
    const text = withWarning(past.original ?? subject.text, forecasts);
    return { verdict: { gate, kind: 'Accept', rule, reason }, action: { kind: 'DeliverWithWarning', text } };
  }
  const kind = outcome === 'Deliver' ? 'Reject' : outcome;
  const verdict: Verdict = { gate, kind, rule, reason };
  if (kind !== 'Modify') return { verdict };
  const caution = cautionText(gate, forecasts, asked.features);
  if (gate === 'Input') return { verdict, action: { kind: 'Proceed', caution } };
  return { verdict, action: { kind: gate === 'Tool' ? 'Caution' : 'Revise', text: caution } };
}

const INTERVENTIONS: Readonly<Record<Exclude<Weighed['intervention'], 'None'>, string>> = {
  Stalled: 'It has been doubtful too often, so a change is no longer asked for.',
  IterationsUsedUp: 'The cycle has had its cautions, so a change is no longer asked for.',
  RevisionsUsedUp: 'It has been revised as often as allowed, so the original leaves with a warning.',
  RevisionTooShort: 'The revision is much shorter than the original.',
};
