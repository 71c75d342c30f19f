import { z } from 'zod';
import { findingKinds } from './finding.ts';

const count = z.int().nonnegative();

export const FindingRecord = z.object({
  kind: z.enum(findingKinds),
  store: z.string(),
  message: z.string().optional(),
  seq: count.optional(),
  file: z.string().optional(),
  line: count.optional(),
  detail: z.string(),
});
