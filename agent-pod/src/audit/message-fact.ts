/** The facts that the auditor counts in a message's payload: numbers and table words, no free text. Pure. Source: artoo A.12. */
import { z } from 'zod';

export type MessageFact =
  /** An executor finished one attempt at a subtask; counted from 1. */
  | { readonly kind: 'Attempt'; readonly attempt: number; readonly isFailed: boolean }
  | { readonly kind: 'Correction'; readonly failureClass: string }
  | { readonly kind: 'Replan'; readonly corrections: number }
  /** `isFinal`: ends the run. */
  | {
      readonly kind: 'Steering';
      readonly directive: string;
      readonly gradL: number;
      readonly d: number;
      readonly isFinal: boolean;
    };

const word = z.string().max(64);
const steering = z.object({ directive: word, gradL: z.number(), loss: z.object({ d: z.number() }) });
const asSteering =
  (isFinal: boolean) =>
  ({ directive, gradL, loss }: z.infer<typeof steering>): MessageFact => ({
    kind: 'Steering',
    directive,
    gradL,
    d: loss.d,
    isFinal,
  });

const readers: Readonly<Record<string, z.ZodType<MessageFact>>> = {
  ExecutionResult: z
    .object({ attempt: z.number(), status: word })
    .transform(({ attempt, status }) => ({ kind: 'Attempt' as const, attempt, isFailed: status === 'Failed' })),
  CorrectionSignal: z
    .object({ failureClass: word, selfConsistency: word.optional() })
    // A second attempt that hears nothing of the first corrects nothing.
    .refine((it) => it.selfConsistency !== 'Blind')
    .transform(({ failureClass }) => ({ kind: 'Correction' as const, failureClass })),
  ReplanRequest: z
    .object({ corrections: z.number() })
    .transform(({ corrections }) => ({ kind: 'Replan' as const, corrections })),
  PlanDirective: steering.transform(asSteering(false)),
  FinalResult: steering.transform(asSteering(true)),
};

/** Undefined for types that are not counted, and for malformed payloads. */
export function messageFact(type: string, payload: unknown): MessageFact | undefined {
  const reader = Object.hasOwn(readers, type) ? readers[type] : undefined;
  const parsed = reader?.safeParse(payload);
  return parsed?.success === true ? parsed.data : undefined;
}
