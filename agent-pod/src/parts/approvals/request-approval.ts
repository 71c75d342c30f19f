/**
 * The control tool by which a model asks a person in advance. The cycle answers it; nothing executes it.
 *
 * Source: reliability-security 4; artoo A.15 (Law 1).
 */
import { invariant } from '@retainer/contract/std/invariant';
import { ApprovalRequest, REQUEST_APPROVAL } from '@retainer/mind/gate/approval-request';
import type { ToolDescriptor } from '../../tools/tool.ts';

export const requestApproval: ToolDescriptor<ApprovalRequest> = {
  facts: {
    name: REQUEST_APPROVAL,
    effectClass: 0,
    reachesOutside: false,
    runsCode: false,
    showsPeople: false,
    writes: 'Nothing',
    output: { source: 'Tool', trust: 'Trusted', readers: 'Everyone' },
    target: { kind: 'Place', parts: [] },
  },
  offer: () => ({
    description:
      'Asks a person to approve one call of another tool, with exactly the arguments given here. Use it before a call that ' +
      'cannot be undone or that changes something outside. The approval holds for that call only and for a short time; ' +
      'no answer means no.',
    input: ApprovalRequest,
    timeoutMs: 0,
    touches: () => ({ readPaths: [], writePaths: [], domains: [] }),
    run: () => {
      invariant(false, 'request_approval is answered by the cycle and never executed');
      return Promise.reject(new Error('never executed'));
    },
  }),
};
