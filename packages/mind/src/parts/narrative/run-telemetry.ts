/**
 * What code counted of a run: no word of a model, so that nothing in it needs a label.
 *
 * Source: springdrift 4 (metrics, delegations). Differs: it comes from the record, never from a model's account of itself.
 */
import { z } from 'zod';
import { RunLabels } from '../threads/thread-rules.ts';

export const RunTelemetry = z.object({
  /** Ids of the models that worked, in the order of their first cycles. */
  models: z.array(z.string()),
  modelCalls: z.number(),
  usage: z.object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cacheReadTokens: z.number(),
    cacheWriteTokens: z.number(),
  }),
  /** US dollars. */
  costUsd: z.number(),
  /** Whether the price of every call was known. */
  isCostComplete: z.boolean(),
  /** Plans that were worked on. */
  rounds: z.number(),
  /** By tool, in the order of first use. */
  calls: z.array(
    z.object({
      tool: z.string(),
      /** Calls that ran; `failed` of them ended in an error or ran out of time. */
      ran: z.number(),
      failed: z.number(),
      /** Calls that did not run. */
      unrun: z.number(),
      durationMs: z.number(),
    }),
  ),
  /** Who worked on each subtask, in the order of their first cycles. */
  delegations: z.array(
    z.object({
      round: z.number(),
      subtaskId: z.string(),
      /** `Executor`, or the worker that the plan named. */
      worker: z.string(),
      /** Absent: nobody judged it. */
      status: z.enum(['Matched', 'Failed']).exactOptional(),
      attempts: z.number(),
      calls: z.number(),
      tokens: z.number(),
    }),
  ),
  /** Last verdicts on the criteria of the whole. */
  verdicts: z.object({ met: z.number(), unmet: z.number(), unverified: z.number() }),
  /** Texts and calls that gates rejected. */
  rejections: z.number(),
  /** Time waited for people, milliseconds. */
  waitedMs: z.number(),
  /** What the run is about, by code: the input of its thread. */
  labels: RunLabels,
});
export type RunTelemetry = z.infer<typeof RunTelemetry>;
