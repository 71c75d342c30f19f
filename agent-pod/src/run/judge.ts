/**
 * Recomputes the validator's verdicts from the record: the model proposes, the evidence decides.
 *
 * Source: artoo RES-14 (matched by index, missing is unmet), A.6 (evidence grounding), RES-16 (unverified).
 */
import { z } from 'zod';
import type { Criterion, CriterionVerdict, Evidence } from './event.ts';

/** What the validator hands in. Bounded by the XSD that it was parsed with. */
export const ValidatorAnswer = z.object({
  verdicts: z.array(
    z.object({
      criterion: z.number(),
      met: z.boolean(),
      evidence: z.array(z.string()),
      reason: z.string(),
    }),
  ),
});

export interface Judgement {
  readonly criteria: readonly CriterionVerdict[];
  readonly corrections: readonly string[];
}

/** @param answer  the parsed structure, or undefined when the validator gave none */
export function judgeCriteria(
  criteria: readonly Criterion[],
  answer: unknown,
  evidence: readonly Evidence[],
): Judgement {
  const parsed = ValidatorAnswer.safeParse(answer);
  if (!parsed.success) return unverified(criteria, 'the validator gave no usable verdicts');
  const { verdicts } = parsed.data;
  const citable = new Set(evidence.filter((it) => it.outcome?.status === 'Ok').map((it) => it.callId));
  const judged = criteria.map((criterion, position) => {
    const index = position + 1;
    const own = verdicts.filter((it) => it.criterion === index);
    return judgeOne({ criterion, index, own, citable });
  });
  const unknown = verdicts
    .filter((it) => it.criterion < 1 || it.criterion > criteria.length)
    .map((it) => `verdict on criterion ${it.criterion}, which does not exist, was ignored`);
  return {
    criteria: judged.map((it) => it.verdict),
    corrections: [...unknown, ...judged.flatMap((it) => (it.correction === undefined ? [] : [it.correction]))],
  };
}

interface Question {
  readonly criterion: Criterion;
  readonly index: number;
  readonly own: z.infer<typeof ValidatorAnswer>['verdicts'];
  readonly citable: ReadonlySet<string>;
}

function judgeOne({ criterion, index, own, citable }: Question): {
  readonly verdict: CriterionVerdict;
  readonly correction?: string;
} {
  const [only] = own;
  const base = { index, text: criterion.text, required: criterion.required };
  const unmet = (reason: string): { readonly verdict: CriterionVerdict; readonly correction: string } => ({
    verdict: { ...base, verdict: 'Unmet', evidence: [], reason },
    correction: `criterion ${index}: ${reason}`,
  });
  if (only === undefined) return unmet('the validator gave no verdict');
  if (own.length > 1) return unmet(`the validator gave ${own.length} verdicts`);
  if (!only.met) return { verdict: { ...base, verdict: 'Unmet', evidence: [], reason: only.reason } };
  const cited = [...new Set(only.evidence)].filter((id) => citable.has(id));
  if (cited.length === 0) return unmet('the verdict cites no tool call that ran and succeeded');
  return { verdict: { ...base, verdict: 'Met', evidence: cited, reason: only.reason } };
}

/** Nothing ran that could prove anything: no model needs to be asked. Source: artoo RES-15. */
export function unproven(criteria: readonly Criterion[]): Judgement {
  return allOf(criteria, 'Unmet', 'no tool call ran and succeeded, so nothing proves it');
}

/** Nobody judged, for the given reason. */
export function unverified(criteria: readonly Criterion[], reason: string): Judgement {
  return allOf(criteria, 'Unverified', reason);
}

function allOf(criteria: readonly Criterion[], verdict: CriterionVerdict['verdict'], reason: string): Judgement {
  const same = criteria.map((criterion, position) => ({
    index: position + 1,
    text: criterion.text,
    required: criterion.required,
    verdict,
    evidence: [],
    reason,
  }));
  return { criteria: same, corrections: [reason] };
}
