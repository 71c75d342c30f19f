import { ApprovalRequest, REQUEST_APPROVAL } from '@retainer/mind/gate/approval-request';
import { controlTool } from '../../tools/control-tool.ts';
import type { ToolDescriptor } from '../../tools/tool.ts';

export const requestApproval: ToolDescriptor<ApprovalRequest> = controlTool(REQUEST_APPROVAL, false, {
  description:
    'Asks a person to approve one call of another tool, with exactly the arguments given here. Use it before a call that ' +
    'cannot be undone or that changes something outside. The approval holds for that call only and for a short time; ' +
    'no answer means no.',
  input: ApprovalRequest,
});
