/**
 * Chooses the route of a subject through its gate by the rules alone: decided at once, to the probes, or to the scorer.
 *
 * Source: springdrift 2; design 5.
 */
import type { Scoring } from '../score/scoring.ts';
import type { CallFacts, EffectClass, GateContext, Verdict } from '../verdict.ts';
import type { Exemption } from './gate-record.ts';
import type { GateSubject } from './inquiry.ts';
import { withoutScore, type RuleReading } from './rule-reading.ts';

export type GateRoute =
  /** The rules decide; no model is asked. */
  | { readonly kind: 'Settled'; readonly verdict: Verdict; readonly exemption: Exemption }
  /** Only the probes can still refuse. */
  | { readonly kind: 'Probed'; readonly verdict: Verdict; readonly exemption: Exemption }
  /** The probes, then the scorer. */
  | { readonly kind: 'Scored' };

/** From this effect class on, a tool is never a pure read, even if the character's `unscoredTools` name it. */
const WRITING_EFFECT_CLASS: EffectClass = 3;

/** @param hasFeatures  a policy in force has features to score */
export function gateRouteOf(
  subject: GateSubject,
  reading: RuleReading,
  context: GateContext,
  { scoring, hasFeatures }: { readonly scoring: Scoring; readonly hasFeatures: boolean },
): GateRoute {
  if (subject.gate === 'Tool') return callRoute(subject.call, reading, context, { scoring, hasFeatures });
  const verdict = withoutScore(reading, context);
  if (!context.autonomous) {
    if (verdict.kind === 'Reject') return settled(verdict, 'Decided');
    return { kind: subject.gate === 'Input' ? 'Probed' : 'Settled', verdict, exemption: 'Interactive' };
  }
  if (reading.alarm === 'Block') return settled(verdict, 'Decided');
  if (subject.gate === 'Input' && reading.alarm === 'None')
    return { kind: 'Probed', verdict, exemption: 'NothingFound' };
  return hasFeatures ? { kind: 'Scored' } : unscored(verdict);
}

function callRoute(
  call: CallFacts,
  reading: RuleReading,
  context: GateContext,
  { scoring, hasFeatures }: { readonly scoring: Scoring; readonly hasFeatures: boolean },
): GateRoute {
  const verdict = withoutScore(reading, context);
  const isBlocked = reading.ruled.kind === 'Reject' || reading.shipped.alarm === 'Block';
  if (isBlocked) return settled(verdict, 'Decided');
  const exemption = reading.shipped.alarm === 'None' ? exemptionOf(call, scoring) : undefined;
  if (exemption !== undefined) return settled(verdict, exemption);
  return hasFeatures ? { kind: 'Scored' } : unscored(verdict);
}

/** Anything that the shipped rules doubt is scored regardless. */
function exemptionOf({ tool, effectClass }: CallFacts, scoring: Scoring): Exemption | undefined {
  if (effectClass < scoring.scoreFromClass) return 'EffectClass';
  return effectClass < WRITING_EFFECT_CLASS && scoring.isUnscoredTool(tool) ? 'UnscoredTool' : undefined;
}

function unscored(verdict: Verdict): GateRoute {
  return { kind: verdict.kind === 'Reject' ? 'Settled' : 'Probed', verdict, exemption: 'NoFeatures' };
}

function settled(verdict: Verdict, exemption: Exemption): GateRoute {
  return { kind: 'Settled', verdict, exemption };
}
