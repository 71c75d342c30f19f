/**
 * Holds outgoing texts after several rejections in a row. Another revision would be rejected as well, so a person has to look.
 *
 * A held text counts as a rejection. An accepted text, from any cycle, ends the series.
 *
 * Source: springdrift 15: every reply was rejected and revised for hours.
 */
import type { Decided, Inquiry } from './chain/inquiry.ts';
import type { GateName, VerdictKind } from './verdict.ts';

/** Rejections in a row over all cycles: one may be due to the text, two to its topic, three to the policy or model. */
export const OUTPUT_REJECTIONS_MAX = 3;

/** Rule of the verdict on a text that is held instead of revised. */
const OUTPUT_HELD = 'output-breaker/held';

const HELD_REASON =
  'The texts before it were rejected one after the other, so it is held for a person and not revised; retainer explain shows it.';

/** Refuses a text that would be revised, if texts are held for a person. The text stays in the record. */
export function holdOutput(decided: Decided, { outputsHeld }: Inquiry): Decided {
  if (outputsHeld !== true || decided.action.kind !== 'Revise') return decided;
  const reason = `${decided.verdict.reason} ${HELD_REASON}`;
  return {
    ...decided,
    verdict: { gate: 'Output', kind: 'Reject', rule: OUTPUT_HELD, reason },
    action: { kind: 'Refuse' },
  };
}

/** @returns rejections in a row after this verdict; only an accepted text ends the series */
export function rejectionsInRow(
  before: number,
  { gate, verdict }: { readonly gate: GateName; readonly verdict: VerdictKind },
): number {
  if (gate !== 'Output') return before;
  if (verdict === 'Reject') return before + 1;
  return verdict === 'Accept' ? 0 : before;
}
