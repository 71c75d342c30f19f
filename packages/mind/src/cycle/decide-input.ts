/** Decides whether the cycle begins: the input gate judges the cycle's input. */
import { roleRow } from '@retainer/contract/api/roles';
import { decideRequest } from './decide-request.ts';
import { push, type Draft } from './draft.ts';
import { inquire, recordDecided } from './inquire.ts';
import { endRefused } from './refusal.ts';

/** Input that the run makes from its own record was gated before, and so were earlier turns: neither passes the input gate again. */
export function decideInput(draft: Draft): void {
  const { spec } = draft.state;
  if (roleRow(spec.role).told === 'Record') return decideRequest(draft);
  const decided = inquire(draft, { subject: { gate: 'Input', text: spec.judged ?? spec.input } });
  if (decided === undefined) return;
  const { verdict, action, record } = decided;
  recordDecided(draft, verdict, { record });
  if (action.kind !== 'Proceed') return endRefused(draft, verdict);
  if (action.caution !== undefined)
    push(draft, { kind: 'Nudged', why: 'InputFlagged', text: `[gate] ${action.caution}` });
  return decideRequest(draft);
}
