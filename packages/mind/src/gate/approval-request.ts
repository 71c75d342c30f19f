/**
 * The arguments of `request_approval`, the tool by which a model asks a person in advance. The cycle and the catalog share them.
 */
import { z } from 'zod';

/** A control tool. The cycle answers it and never executes it. Source: reliability-security 4. */
export const REQUEST_APPROVAL = 'request_approval';

/** Characters. The person reads the reason beside the effect, which the agent renders from the arguments. */
const MAX_REASON_CHARACTERS = 1000;

export const ApprovalRequest = z.strictObject({
  tool: z.string().min(1).max(128).describe('Name of the tool that needs the approval.'),
  input: z.record(z.string(), z.json()).describe('Exactly the arguments of the call to be approved.'),
  reason: z.string().min(1).max(MAX_REASON_CHARACTERS).describe('Why it is needed, for the person who decides.'),
});
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;
