/** Every pair of a scheme with the rule that fires: 84 × 84 = 7,056 pairs in the default scheme. Source: springdrift 1. */
import type { LevelSchemeName } from '@retainer/contract/api/levels';
import { normsOf, type Norm } from './norm.ts';
import {
  PAIR_RULES,
  resolvePair,
  SEVERITY_ORDINALS,
  type PairRule,
  type PairRuleId,
  type Severity,
} from './pair-rules.ts';

export interface PairTable {
  /** Order of the user's norms (rows) and of the system's norms (columns). */
  readonly norms: readonly Norm[];
  readonly rows: readonly (readonly PairRule[])[];
  readonly pairs: number;
  /** How often each rule fires, in the order of the rules. */
  readonly byRule: readonly { readonly rule: PairRuleId; readonly pairs: number }[];
  /** From mildest to most severe. */
  readonly bySeverity: readonly { readonly severity: Severity; readonly pairs: number }[];
}

export function pairTable(scheme: LevelSchemeName): PairTable {
  const norms = normsOf(scheme);
  const rows = norms.map((user) => norms.map((system) => resolvePair(user, system)));
  const fired = rows.flat();
  const severities = Object.keys(SEVERITY_ORDINALS) as Severity[];
  return {
    norms,
    rows,
    pairs: fired.length,
    byRule: PAIR_RULES.map(({ id }) => ({ rule: id, pairs: fired.filter((rule) => rule.id === id).length })),
    bySeverity: severities.map((severity) => ({
      severity,
      pairs: fired.filter((rule) => rule.severity === severity).length,
    })),
  };
}
