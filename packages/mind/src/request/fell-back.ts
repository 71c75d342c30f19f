/** A model out of reach, and the one that goes on in its place. */
import { z } from 'zod';
import { OUT_OF_REACH } from './model-request.ts';

export const FellBack = z.object({ from: z.string(), to: z.string(), why: z.enum(OUT_OF_REACH) });
export type FellBack = z.infer<typeof FellBack>;

const WHY = {
  Overloaded: 'was overloaded',
  Network: 'could not be reached',
  Timeout: 'did not answer in time',
} as const satisfies Readonly<Record<FellBack['why'], string>>;

/** Without a full stop. */
export function fellBackSentence({ from, to, why }: FellBack): string {
  return `the model ${from} ${WHY[why]}, so ${to} went on in its place`;
}
