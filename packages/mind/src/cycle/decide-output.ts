/**
 * Decides whether a reply leaves: the output gate judges the part of it that people will read.
 *
 * I1  A revision goes back to the model with the original. Nothing resets the count of revisions.
 *
 * Source: springdrift 2.
 */
import { invariant } from '@retainer/contract/std/invariant';
import type { Decided } from '../gate/chain/inquiry.ts';
import { decideRequest } from './decide-request.ts';
import { endCycle, push, type Draft } from './draft.ts';
import { inquire, recordDecided } from './inquire.ts';
import { endRefused } from './refusal.ts';
import { withWarning, type Reply } from './reply.ts';

export function decideOutput(draft: Draft): void {
  const { reply } = draft.state;
  invariant(reply !== undefined, 'an answer without calls is a reply');
  if (reply.outgoing === '') return endReplied(draft, reply);
  const decided = inquire(draft, { subject: { gate: 'Output', text: reply.outgoing } });
  if (decided === undefined) return;
  recordDecided(draft, decided.verdict, { record: decided.record });
  return act(draft, decided, reply);
}

function act(draft: Draft, { verdict, action }: Decided, reply: Reply): void {
  const { original = reply, spec } = draft.state;
  switch (action.kind) {
    case 'Proceed':
      return endReplied(draft, reply);
    case 'Revise':
      push(draft, {
        kind: 'Nudged',
        why: 'Revision',
        text: `[gate] ${action.text}\n\nThe text as it was:\n${original.text}`,
      });
      return decideRequest(draft);
    case 'DeliverWithWarning':
      return endReplied(draft, withWarning(spec.role, original, action.text));
    case 'AskApproval':
    case 'Caution':
    case 'Refuse':
      return endRefused(draft, verdict);
  }
}

function endReplied(draft: Draft, { text, value }: Omit<Reply, 'outgoing'>): void {
  endCycle(draft, { outcome: 'Replied', text, ...(value === undefined ? {} : { value: value as never }) });
}
