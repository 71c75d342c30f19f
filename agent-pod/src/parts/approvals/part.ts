/** Approvals: the tool by which the agent asks for one, a person's decision, and how long people take. */
import type { PodPart } from '../pod-part.ts';
import { approvalMetrics } from './approval-metrics.ts';
import { requestApproval } from './request-approval.ts';

export const approvalsPod: PodPart = {
  name: 'approvals',
  tools: [requestApproval],
  carries: {
    DecideApproval: (machines, command) =>
      machines.guarded(machines.runOf(command.requestId) ?? '', () => machines.decideApproval(command)),
  },
  metrics: approvalMetrics,
};
