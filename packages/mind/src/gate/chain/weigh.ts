/**
 * Combines the policies' judgement with the rules, a person's approval and the cycle's earlier verdicts.
 *
 * I1  Nothing here makes Reject milder. A person's approval permits anything below Reject.
 * I2  Revisions end: after a maximum number, or if a revision is too short, the original leaves with a warning.
 *
 * Source: springdrift 2, 15.
 */
import { GRANTED } from '../approval.ts';
import type { Scoring } from '../score/scoring.ts';
import type { GateName, VerdictKind } from '../verdict.ts';
import type { Intervention, PolicyRecord } from './gate-record.ts';
import type { GatePast } from './inquiry.ts';
import type { RuleReading } from './rule-reading.ts';

/** The outcome for a scored subject. `Ruled`: the verdict of the rules and the person. `Deliver`: leaves with a warning. */
export interface Weighed {
  readonly outcome: Exclude<VerdictKind, 'Escalate'> | 'Ruled' | 'Deliver';
  readonly intervention: Intervention;
}

export interface Scored {
  readonly gate: GateName;
  readonly reading: RuleReading;
  readonly verdict: PolicyRecord['verdict'];
  readonly score: number;
  readonly past: GatePast;
}

export function weigh(scored: Scored, { agentGates }: Scoring): Weighed {
  const { gate, reading, verdict, past } = scored;
  const { ruled } = reading;
  if (verdict !== 'Modify')
    return { outcome: verdict === 'Accept' ? acceptedAs(ruled.kind, ruled.rule) : verdict, intervention: 'None' };
  if (ruled.rule === GRANTED) return { outcome: 'Ruled', intervention: 'None' };
  if (isStalled(past.scores, scored.score, agentGates.stall)) return { outcome: 'Reject', intervention: 'Stalled' };
  if (gate === 'Tool' && past.iterations >= agentGates.maxIterations)
    return { outcome: 'Reject', intervention: 'IterationsUsedUp' };
  if (ruled.kind === 'Escalate') return { outcome: 'Ruled', intervention: 'None' };
  if (gate === 'Output' && past.modifications >= agentGates.maxModifications)
    return { outcome: 'Deliver', intervention: 'RevisionsUsedUp' };
  return { outcome: 'Modify', intervention: 'None' };
}

/** The verdict keeps a person's question or approval visible. */
function acceptedAs(kind: VerdictKind, rule: string): 'Ruled' | 'Accept' {
  return kind === 'Escalate' || rule === GRANTED ? 'Ruled' : 'Accept';
}

function isStalled(
  scores: readonly number[],
  score: number,
  { window, threshold }: { readonly window: number; readonly threshold: number },
): boolean {
  const last = [...scores, score].slice(-window);
  return last.length === window && last.reduce((sum, it) => sum + it, 0) >= threshold * window;
}

/** Part of the original. A revision this short has lost its content; most are apologies. */
const REVISION_PART_MIN = 1 / 3;

/** Whether a revision is much shorter than the original. Source: springdrift 2 (revisions collapsed to one-line apologies). */
export function isTooShort(text: string, { original }: GatePast): boolean {
  return original !== undefined && text.trim().length < original.trim().length * REVISION_PART_MIN;
}
