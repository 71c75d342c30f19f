/** Ends a cycle that a gate refused, with the reason, the rule, and the way to appeal. */
import type { Verdict } from '../gate/verdict.ts';
import { endCycle, type Draft } from './draft.ts';

/** For people; it starts no request. */
export const HOW_TO_APPEAL =
  'To appeal, name the rule in spec.override of a new Task, or have the character changed: see docs/gates.md#appeal.';

export function endRefused(draft: Draft, { reason, rule }: Verdict): void {
  endCycle(draft, { outcome: 'Refused', text: `${reason} (rule ${rule}) ${HOW_TO_APPEAL}`, reason: rule });
}
