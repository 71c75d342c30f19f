/**
 * A principal overrules a refusal: which verdicts can be overruled, and the verdicts that replace them.
 *
 * I1  An override holds for one rule and for exactly the subject that it refused, by digest, in one run: the first that carries it.
 * I2  A heuristic can be overruled: the shipped rules of texts, a probe, a score. Nobody can overrule a law: what the character never
 *     does, denials, budgets, secrets, rules of data flow, or missing permission for an effect.
 * I3  An overruled call does not run because of the override alone: a person must also approve exactly this call.
 *
 * Source: design 3 (override), 5; springdrift 2.
 */
import { z } from 'zod';
import { usableApproval } from './approval.ts';
import type { Decided, Inquiry } from './chain/inquiry.ts';
import type { GateContext, GateName, Override, Verdict } from './verdict.ts';

/** Prefixes of the rule ids that can be overruled at each gate. No other rule can be overruled. */
const OVERRIDABLE: Readonly<Record<GateName, readonly string[]>> = {
  Input: ['input-rules/', 'text/', 'probe/', 'score/'],
  Tool: ['text/', 'probe/', 'score/'],
  Output: ['output-rules/', 'text/', 'probe/', 'score/'],
};

/** An `Override` in the record. */
export const OverrideRecord = z.object({
  of: z.string(),
  rule: z.string(),
  subjectDigest: z.string(),
  by: z.string(),
  reason: z.string(),
  coversTask: z.boolean(),
});

/** What makes two overrides the same: it is one answer to one refusal, whatever Task carries it. */
export function overrideKey({ of, rule, subjectDigest }: Pick<Override, 'of' | 'rule' | 'subjectDigest'>): string {
  return `${of}\n${rule}\n${subjectDigest}`;
}

/** Replaces the rule in the verdict; the gate record keeps the overruled rule. */
export const OVERRIDE_GRANTED = 'override/granted';

/** Whether a principal may overrule a refusal by this rule. */
export function isOverridable(gate: GateName, rule: string): boolean {
  return OVERRIDABLE[gate].some((prefix) => rule.startsWith(prefix));
}

/** A person's options after a refusal, with the command if there is one. It contains no text of the Task. */
export function appealOf(
  { gate, rule, subjectDigest }: { readonly gate: string; readonly rule: string; readonly subjectDigest?: string },
  task: string,
): string {
  if (rule.startsWith('approval/'))
    return 'A person refused, or did not answer in time: create a new Task and approve the call when it asks.';
  if (subjectDigest !== undefined && gate in OVERRIDABLE && isOverridable(gate as GateName, rule))
    return `A principal may overrule it, once: retainer override ${task} -f MANIFEST --rule ${rule} --reason "…" prints the Task that does, to be applied.`;
  return 'Nobody may overrule this rule: have the character changed, or ask for what it allows. See docs/gates.md.';
}

/** @param digest  digest of the subject; for the input, the digest of the Task's words */
export function overruled(verdict: Verdict, context: GateContext, digest: string): Verdict {
  const { override } = context;
  const { gate, kind, rule } = verdict;
  if (override === undefined || kind === 'Accept' || rule !== override.rule || !isOverridable(gate, rule))
    return verdict;
  const isCovered = gate === 'Input' ? override.coversTask : override.subjectDigest === digest;
  if (!isCovered) return verdict;
  const reason = `${override.by} overruled ${rule}, which refused ${override.of}: ${override.reason}`;
  if (gate !== 'Tool' || usableApproval(digest, context) !== undefined)
    return { gate, kind: 'Accept', rule: OVERRIDE_GRANTED, reason };
  const asked = `${reason}. A person has to approve exactly this call.`;
  return { gate, kind: 'Escalate', rule: OVERRIDE_GRANTED, reason: asked };
}

/** Replaces the verdict and the action; the record keeps the overruled rule. */
export function overrule(decided: Decided, { context }: Inquiry): Decided {
  const verdict = overruled(decided.verdict, context, decided.record.subjectDigest);
  if (verdict === decided.verdict) return decided;
  return { ...decided, verdict, action: { kind: verdict.kind === 'Accept' ? 'Proceed' : 'AskApproval' } };
}
