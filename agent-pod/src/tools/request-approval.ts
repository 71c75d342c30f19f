/**
 * The control tool by which a model asks a person ahead. The cycle answers it; it is never executed.
 *
 * Source: reliability-security 4.9; artoo A.15 (Law 1).
 */
import type { Result } from '@retainer/contract/std/result';
import { invariant } from '@retainer/contract/std/invariant';
import { ApprovalRequest, REQUEST_APPROVAL } from '@retainer/mind/gate/approval-request';
import { parseArguments } from './parse-arguments.ts';
import type { Tool } from '../ports/tool.ts';

export const requestApproval: Tool<ApprovalRequest> = {
  name: REQUEST_APPROVAL,
  description:
    'Asks a person to approve one call of another tool, with exactly the arguments given here. Use it before a call that ' +
    'cannot be undone or that changes something outside. The approval holds for that call only and for a short time; ' +
    'no answer means no.',
  input: ApprovalRequest,
  effectClass: 0,
  timeoutMs: 0,
  touches: () => ({ readPaths: [], writePaths: [], domains: [] }),
  run: () => {
    invariant(false, 'request_approval is answered by the cycle and never executed');
    return Promise.reject(new Error('never executed'));
  },
};

/** @returns  the request, or a sentence for the model naming field and fix */
export function parseApprovalRequest(input: unknown): Result<ApprovalRequest, string> {
  const parsed = parseArguments(requestApproval, input);
  return parsed.ok ? { ok: true, value: parsed.value.input as ApprovalRequest } : parsed;
}
