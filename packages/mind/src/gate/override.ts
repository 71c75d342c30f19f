/**
 * A principal overrules a refusal: which verdicts that may be, and what becomes of them.
 *
 * I1  It holds for one rule and for exactly what that rule refused, by its digest, in the run of the Task that carries it.
 * I2  What the character never does, denials, budgets, secrets, probes and what needs leave for an effect are never overruled.
 * I3  A call that is overruled does not run by that: a person is asked to approve exactly it.
 *
 * Source: design 3 (override), 5; springdrift 2.
 */
import { usableApproval } from './approval.ts';
import type { Decided, Inquiry } from './chain/inquiry.ts';
import type { GateContext, GateName, Verdict } from './verdict.ts';

/** Rules of each gate that may be overruled, by what their ids begin with. Everything that is not here may not. */
const OVERRIDABLE: Readonly<Record<GateName, readonly string[]>> = {
  Input: ['input-rules/', 'score/'],
  Tool: ['score/'],
  Output: ['output-rules/', 'score/'],
};

/** Stands for the rule in the verdict; the record of the gate keeps the rule that was overruled. */
export const OVERRIDE_GRANTED = 'override/granted';

/** Whether a principal may overrule a refusal by this rule. */
export function isOverridable(gate: GateName, rule: string): boolean {
  return OVERRIDABLE[gate].some((prefix) => rule.startsWith(prefix));
}

/** What a person may do about a refusal, with the command where there is one. No text of the Task is in it. */
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

/** @param digest  of what is judged; that of the input is the digest of the Task's words */
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

/** The verdict, and what is done about it; the record keeps the rule that was overruled. */
export function overrule(decided: Decided, { context }: Inquiry): Decided {
  const verdict = overruled(decided.verdict, context, decided.record.subjectDigest);
  if (verdict === decided.verdict) return decided;
  return { ...decided, verdict, action: { kind: verdict.kind === 'Accept' ? 'Proceed' : 'AskApproval' } };
}
