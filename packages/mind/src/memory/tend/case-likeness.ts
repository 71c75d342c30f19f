/** How much two cases say the same. */
import { agree, FIELD_WEIGHTS, fieldsOf, jaccard, type Fields } from '../recall/recall-case.ts';
import type { StoredCase } from '../../parts/cases/cases.ts';

export function caseFields({ problem }: StoredCase): Fields {
  return fieldsOf({ ...problem, text: problem.input });
}

/**
 * Agreement of the fields that either has, weighed, 0 to 1; 0 if neither has any.
 *
 * Source: springdrift 4 (dedup by field score), 17 (M3). Differs: a field that both leave empty counts for nothing, so that cases without
 * entities, and failures, can be the same; how the runs ended adds nothing to it.
 */
export function caseLikeness(a: Fields, b: Fields): number {
  const rows = [
    [FIELD_WEIGHTS.intent, a.intent === '' && b.intent === '', agree(a.intent, b.intent)],
    [FIELD_WEIGHTS.domain, a.domain === '' && b.domain === '', agree(a.domain, b.domain)],
    [FIELD_WEIGHTS.keywords, a.keywords.size + b.keywords.size === 0, jaccard(a.keywords, b.keywords)],
    [FIELD_WEIGHTS.entities, a.entities.size + b.entities.size === 0, jaccard(a.entities, b.entities)],
  ] as const;
  const known = rows.filter(([, isEmpty]) => !isEmpty);
  const whole = known.reduce((sum, [weight]) => sum + weight, 0);
  return whole === 0 ? 0 : known.reduce((sum, [weight, , likeness]) => sum + weight * likeness, 0) / whole;
}

/** Up to this likeness two cases may share no keyword, or differ in intent or domain: 1 without the smallest of the three weights. */
export const LOOSE_LIKENESS = 1 - FIELD_WEIGHTS.keywords;
