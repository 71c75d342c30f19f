/** How a model asks a person ahead: the name of the tool and its arguments, once for the cycle and the catalog. */
import { z } from 'zod';

/** The control tool that the cycle answers itself; it is never executed. Source: reliability-security 4. */
export const REQUEST_APPROVAL = 'request_approval';

/** Characters. A person reads it among other things; the effect itself is shown by us from the arguments. */
const MAX_REASON_CHARACTERS = 1000;

export const ApprovalRequest = z.strictObject({
  tool: z.string().min(1).max(128).describe('Name of the tool that needs the approval.'),
  input: z.record(z.string(), z.json()).describe('Exactly the arguments of the call to be approved.'),
  reason: z.string().min(1).max(MAX_REASON_CHARACTERS).describe('Why it is needed, for the person who decides.'),
});
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;
