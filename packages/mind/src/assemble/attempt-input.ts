/**
 * The agent validator's input: one attempt at one subtask, as claim and evidence.
 *
 * Source: artoo A.6 (input, grounding), A.5.
 */
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { SubTask, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { EvidenceView } from './evidence-lines.ts';
import { shownId } from './shown-ids.ts';
import { utcDate } from '@retainer/contract/std/utc-date';
import { assembleValidatorInput } from './validator-input.ts';

export interface AttemptQuestion {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly subtask: SubTask;
  readonly result: BusPayload<'ExecutionResult'>;
  /** Criteria that code found unmet, each with the reason. */
  readonly missing?: ReadonlyMap<number, string>;
}

export function assembleAttemptInput({ nowMs, subtask, result, missing }: AttemptQuestion): string {
  const { intent, context, criteria } = subtask;
  const text = assembleValidatorInput({
    intent: context.trim() === '' ? intent : `${intent}\n\nWhat was known:\n${context}`,
    criteria,
    reply: result.output,
    evidence: result.calls.map((call, position) => evidenceOf(call, position)),
    ...(missing === undefined ? {} : { missing }),
  });
  return `Today is ${utcDate(nowMs)} (UTC).\n\n${text}`;
}

/** A call that did not run proves nothing, but the reason may show what to correct. @param position  among all shown calls, from 0 */
export function evidenceOf(call: ToolCallRecord, position: number): EvidenceView {
  const { tool, input, status, output, exitCode, refusal } = call;
  const base = { callId: shownId(position), tool, arguments: input };
  if (status === 'Unrun') {
    const text = refusal === undefined ? output : `${refusal.rule}: ${refusal.reason}`;
    return { ...base, unrun: { why: refusal?.rule ?? status, text } };
  }
  const outcome = exitCode === undefined ? { status, text: output } : { status, text: output, exitCode };
  return { ...base, outcome, files: call.files, ...(call.gone === undefined ? {} : { gone: call.gone }) };
}
