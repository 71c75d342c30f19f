/**
 * The tools by which who works asks a person: for an answer, or for leave in advance. The cycle answers them; nothing executes them.
 *
 * Source: reliability-security 4; artoo A.15 (Law 1).
 */
import { invariant } from '@retainer/contract/std/invariant';
import { ApprovalRequest, REQUEST_APPROVAL } from '@retainer/mind/gate/approval-request';
import { ASK_PERSON, PersonQuestion } from '@retainer/mind/gate/person-question';
import type { z } from 'zod';
import { ownFacts, touchesNothing } from './plain-tool.ts';
import type { OfferedTool, ToolDescriptor } from './tool.ts';

function controlTool<Input>(
  name: string,
  showsPeople: boolean,
  offered: Pick<OfferedTool<Input>, 'description' | 'input'>,
): ToolDescriptor<Input> {
  return {
    facts: { ...ownFacts, name, effectClass: 0, showsPeople, target: { kind: 'Place', parts: [] } },
    offer: () => ({
      ...offered,
      timeoutMs: 0,
      touches: touchesNothing,
      run: () => {
        invariant(false, `${name} is answered by the cycle and never executed`);
        return Promise.reject(new Error('never executed'));
      },
    }),
  };
}

export const askPerson: ToolDescriptor<z.infer<typeof PersonQuestion>> = controlTool(ASK_PERSON, true, {
  description:
    'Asks the person whose task this is, and waits for the answer. Use it only where every guess would be useless and no ' +
    'tool can find it out; a person may take hours, or not answer at all.',
  input: PersonQuestion,
});

export const requestApproval: ToolDescriptor<ApprovalRequest> = controlTool(REQUEST_APPROVAL, false, {
  description:
    'Asks a person to approve one call of another tool, with exactly the arguments given here. Use it before a call that ' +
    'cannot be undone or that changes something outside. The approval holds for that call only and for a short time; ' +
    'no answer means no.',
  input: ApprovalRequest,
});
