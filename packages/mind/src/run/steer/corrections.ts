/**
 * Whether a correction may change anything.
 *
 * A time-out may pass. If only the proof is missing, code can say which call would show it. It asks for that call until corrections of this
 * run have mostly led to the same calls. Anything else asks for another way, which a planner's new plan brings as well: it is corrected
 * once they have mostly led to other calls.
 *
 * Source: design 5; artoo A.6. Differs: the source corrects every failed attempt.
 */
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { Attempt, RunHistory } from './parts.ts';
import { blamedCall, isTimeOut } from './trials.ts';

/** What one correction that led to other calls, and one that did not, count before any was seen. */
const PRIOR = 1;

/** A correction pays if it changes the calls more often than not. */
const EVEN = 0.5;

/**
 * @param calls  of the attempt that failed
 * @param lacksProof  code found that they do not show what a criterion names
 */
export function isWorthCorrecting(history: RunHistory, calls: readonly ToolCallRecord[], lacksProof = false): boolean {
  const blamed = blamedCall(calls);
  if (blamed !== undefined && isTimeOut(blamed)) return true;
  const isPromising = lacksProof || blamed === undefined;
  const pairs = history.steps.flatMap(({ attempts }) =>
    attempts.slice(1).flatMap((next, at) => correctionOf(attempts[at], next)),
  );
  const changed = pairs.filter((it) => it === 'Changed').length;
  const chance = (PRIOR + changed) / (2 * PRIOR + pairs.length);
  return isPromising ? chance >= EVEN : chance > EVEN;
}

/** Corrections of time-outs say nothing: the same again is what they are for. Nor does a second attempt at what was met. */
function correctionOf(before: Attempt | undefined, next: Attempt): readonly ('Changed' | 'Repeated')[] {
  const blamed = blamedCall(before?.calls ?? []);
  if (before === undefined || before.score === 1 || (blamed !== undefined && isTimeOut(blamed))) return [];
  const made = new Set(before.calls.map(callText));
  return [next.calls.some((it) => !made.has(callText(it))) ? 'Changed' : 'Repeated'];
}

/** Equal for calls that come to the same. */
export function callText({ tool, input }: ToolCallRecord): string {
  return `${tool} ${input}`;
}
