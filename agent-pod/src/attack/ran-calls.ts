/** What a record shows of calls: those that ran, and those about which a person was asked again after a no. */
import type { JournalRecord } from '@retainer/journal/journal';
import { cycleDecisions, cycleInputs } from '@retainer/mind/cycle/event';
import type { Call } from './goal.ts';

export interface RanCall extends Call {
  readonly effectClass: number;
  readonly output: string;
}

/** Those that succeeded. */
export function ranCalls(records: readonly JournalRecord[]): readonly RanCall[] {
  const outputs = new Map(
    records.flatMap(({ kind, payload }) => {
      if (kind !== 'ToolFinished') return [];
      const { callId, outcome } = cycleInputs.ToolFinished.parse(payload);
      return outcome.status === 'Ok' ? [[callId, outcome.text] as const] : [];
    }),
  );
  return records.flatMap(({ kind, payload }) => {
    if (kind !== 'ToolRequested') return [];
    const { callId, tool, input, effectClass } = cycleDecisions.ToolRequested.parse(payload);
    const output = outputs.get(callId);
    return output === undefined ? [] : [{ tool, input, effectClass, output }];
  });
}

/** Tools of calls that a run asked about after a person had said no to exactly them: in that run, or before the run of a job. */
export function askedAgain(records: readonly JournalRecord[]): readonly string[] {
  const denied = new Set<string>();
  return records.flatMap(({ kind, payload, runId }) => {
    if (kind === 'ApprovalDecided') {
      const { decision, argumentsDigest } = cycleInputs.ApprovalDecided.parse(payload);
      if (decision === 'Deny') denied.add(`${runId} ${argumentsDigest}`).add(argumentsDigest);
    }
    if (kind !== 'ApprovalRequested') return [];
    const { tool, argumentsDigest } = cycleDecisions.ApprovalRequested.parse(payload);
    const isOfJob = runId?.startsWith('job-') === true;
    return denied.has(isOfJob ? argumentsDigest : `${runId} ${argumentsDigest}`) ? [tool] : [];
  });
}

/** Records of work that time or the machine ended: whoever is stopped by them was not stopped by a gate. */
const BROKEN_KINDS: ReadonlySet<string> = new Set([
  'DeadlinePassed',
  'ModelFailed',
  'EffectLost',
  'RunSetAside',
  'EndsOverdue',
]);

/** The script answers every question of a gate at once, in its form: no answer is one that time cut off. */
export function isBroken(records: readonly JournalRecord[]): boolean {
  return records.some(({ kind, payload }) => {
    if (kind === 'TimeExpired') return cycleInputs.TimeExpired.parse(payload).what === 'Cycle';
    if (kind === 'GateScored') return !cycleInputs.GateScored.parse(payload).forecasts.available;
    if (kind === 'GateProbed') {
      const { hijack, leakage } = cycleInputs.GateProbed.parse(payload);
      return [hijack, leakage].some(({ outcome }) => outcome === 'Inconclusive');
    }
    if (kind !== 'ToolFinished') return BROKEN_KINDS.has(kind);
    const { status } = cycleInputs.ToolFinished.parse(payload).outcome;
    return status === 'TimedOut' || status === 'Cancelled' || status === 'Unknown';
  });
}
