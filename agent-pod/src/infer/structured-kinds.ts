/** The structures of answers, by the name in a cycle's spec. */
import { err, type Result } from '@retainer/contract/std/result';
import { abandonReport } from './abandon-report.ts';
import { attemptVerdicts } from './attempt-verdicts.ts';
import { forecasts } from './forecasts.ts';
import { merge } from './merge.ts';
import { plan } from './plan.ts';
import { reading } from './reading.ts';
import { parseStructured, renderFaults, type StructuredSchema } from './structured.ts';
import { taskSpec } from './task-spec.ts';

export const structuredKinds = {
  TaskSpec: taskSpec,
  Plan: plan,
  AttemptVerdicts: attemptVerdicts,
  Merge: merge,
  AbandonReport: abandonReport,
  Forecasts: forecasts,
  Reading: reading,
} as const satisfies Readonly<Record<string, StructuredSchema<unknown>>>;

export type StructuredKind = keyof typeof structuredKinds;

/** The value of an answer, or the correction sent to the model. */
export async function parseStructuredKind(kind: StructuredKind, text: string): Promise<Result<unknown, string>> {
  const parsed = await parseStructured<unknown>(structuredKinds[kind], text);
  return parsed.ok ? parsed : err(renderFaults(parsed.error));
}
