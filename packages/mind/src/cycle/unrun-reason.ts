import { z } from 'zod';

/** Why a tool use was answered without running the tool. */
export const UnrunReason = z.enum([
  'Refused',
  'Cautioned',
  'Denied',
  'UnknownTool',
  'InvalidArguments',
  'LimitReached',
  'Repeated',
  'Blocked',
  'CutOff',
  'Approved',
  'Answered',
  'Unanswered',
  'CycleEnded',
]);
export type UnrunReason = z.infer<typeof UnrunReason>;
