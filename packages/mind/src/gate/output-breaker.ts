/**
 * Holds outgoing texts when one after the other is rejected: another try would be rejected as well, so a person has to look.
 *
 * A text that is held counts on: the row ends when a text is accepted, which any cycle may try.
 *
 * Source: springdrift 15: every reply was rejected and revised for hours.
 */
import type { Decided, Inquiry } from './chain/inquiry.ts';
import type { GateName, VerdictKind } from './verdict.ts';

/** Rejections in a row, of all cycles of the agent: once may be the text, twice its topic, three times is the policy or the model. */
export const OUTPUT_REJECTIONS_MAX = 3;

/** Rule of the verdict on a text that would have been revised. */
const OUTPUT_HELD = 'output-breaker/held';

const HELD_REASON =
  'The texts before it were rejected one after the other, so it is held for a person and not revised; retainer explain shows it.';

/** Where texts are held for a person, nothing is revised: the text stays in the record. */
export function holdOutput(decided: Decided, { outputsHeld }: Inquiry): Decided {
  if (outputsHeld !== true || decided.action.kind !== 'Revise') return decided;
  const reason = `${decided.verdict.reason} ${HELD_REASON}`;
  return {
    ...decided,
    verdict: { gate: 'Output', kind: 'Reject', rule: OUTPUT_HELD, reason },
    action: { kind: 'Refuse' },
  };
}

/** @returns rejections in a row after this verdict; only a text that is accepted ends the row */
export function rejectionsInRow(
  before: number,
  { gate, verdict }: { readonly gate: GateName; readonly verdict: VerdictKind },
): number {
  if (gate !== 'Output') return before;
  if (verdict === 'Reject') return before + 1;
  return verdict === 'Accept' ? 0 : before;
}
