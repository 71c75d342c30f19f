/** How a cycle ends that a gate refused: with the reason, the rule, and what can be done about it. */
import type { Verdict } from '../gate/verdict.ts';
import { endCycle, type Draft } from './draft.ts';

/** Said to people; nobody is asked by it. */
export const HOW_TO_APPEAL =
  'To appeal, name the rule in spec.override of a new Task, or have the character changed: see docs/gates.md#appeal.';

export function endRefused(draft: Draft, { reason, rule }: Verdict): void {
  endCycle(draft, { outcome: 'Refused', text: `${reason} (rule ${rule}) ${HOW_TO_APPEAL}`, reason: rule });
}
