/** A person's yes or no to one call. */
import { z } from 'zod';
import { defineCommand, definePart } from '../../part/part.ts';

export const approvalsPart = definePart({
  name: 'approvals',
  commands: {
    DecideApproval: defineCommand({
      schema: z.object({
        requestId: z.string(),
        argumentsDigest: z.string(),
        decision: z.enum(['Approve', 'Deny']),
        reason: z.string(),
      }),
      isOverPodsExec: false,
    }),
  },
});
