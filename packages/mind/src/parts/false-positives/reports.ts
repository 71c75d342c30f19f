import { z } from 'zod';
import { gateNames } from '../../gate/verdict.ts';

export const refusedFields = {
  cycleId: z.string(),
  gate: z.enum(gateNames),
  rule: z.string(),
  /** Digest of what was refused; absent if the record has none. */
  subjectDigest: z.string().exactOptional(),
};

export const reportKinds = {
  /** Source: springdrift 2. */
  FalsePositiveReported: z.object({ ...refusedFields, by: z.string(), reason: z.string() }),
} as const;
