/**
 * What the tries at one part show of its tools and targets: one trial for each execution.
 *
 * Source: design 5
 */
import type { ToolCallRecord, WorkPair } from '@retainer/contract/wire/bus/payloads';
import type { Attempt, Part } from './parts.ts';

/**
 * `TimedOut`: by chance. `NotThere`: the tool would do it, but what is wanted is elsewhere. `Wrong`: something else came out.
 * `Right`: it is shown.
 */
export type Symptom = 'Right' | 'TimedOut' | 'NotThere' | 'Wrong';

export interface Trial extends WorkPair {
  readonly symptom: Symptom;
  /** More criteria of the part were met than by this pair before, and still it is open. */
  readonly isPartly: boolean;
}

/** Oldest first. Attempts whose calls say nothing are left out. */
export function trialsOf(part: Part): readonly Trial[] {
  const best = new Map<string, number>();
  return part.steps.flatMap((step) =>
    step.attempts.flatMap((attempt, at): readonly Trial[] => {
      const call = blamedCall(attempt.calls);
      if (call === undefined) return [];
      const pair = pairOf(call);
      if (step.isMatched && at === step.attempts.length - 1 && !part.isWithdrawn)
        return [{ ...pair, symptom: 'Right', isPartly: false }];
      const key = JSON.stringify(pair);
      const isPartly = attempt.score > (best.get(key) ?? 0);
      best.set(key, Math.max(attempt.score, best.get(key) ?? 0));
      return [{ ...pair, symptom: symptomOf(call, attempt), isPartly }];
    }),
  );
}

/** The last call that did not succeed, or else the last that ran. A call that was refused or stopped is no evidence. */
export function blamedCall(calls: readonly ToolCallRecord[]): ToolCallRecord | undefined {
  const ran = calls.filter((it) => it.status !== 'Unrun' && it.status !== 'Cancelled');
  return ran.findLast((it) => it.status !== 'Ok') ?? ran.at(-1);
}

export function pairOf({ tool, target = '' }: ToolCallRecord): WorkPair {
  return { tool, target };
}

export function isTimeOut({ status }: ToolCallRecord): boolean {
  return status === 'TimedOut' || status === 'Unknown';
}

function symptomOf(call: ToolCallRecord, { failureClass }: Attempt): Symptom {
  if (isTimeOut(call)) return 'TimedOut';
  return failureClass === 'Environmental' ? 'NotThere' : 'Wrong';
}

export function isPair(a: WorkPair, b: WorkPair): boolean {
  return a.tool === b.tool && a.target === b.target;
}

/** Pairs that failed by themselves, not by chance, each once, in the order of their failures. */
export function failedPairs(trials: readonly Trial[]): readonly WorkPair[] {
  const failed = trials.filter((it) => !it.isPartly && (it.symptom === 'NotThere' || it.symptom === 'Wrong'));
  return failed
    .filter((it, at) => failed.findIndex((other) => isPair(it, other)) === at)
    .map(({ tool, target }) => ({ tool, target }));
}

/** Targets that a call of the part's steps wrote to. */
export function writtenTargets({ steps }: Part): ReadonlySet<string> {
  const calls = steps.flatMap((it) => it.attempts.flatMap((attempt) => attempt.calls));
  return new Set(calls.flatMap(({ files, target }) => (files.length > 0 && target !== undefined ? [target] : [])));
}

/**
 * Pairs that the next round refuses for a part. What people named and what a call wrote stays open: without it no plan could
 * succeed. Source: artoo A.17.
 */
export function refusable(pairs: readonly WorkPair[], part: Part, given: string): WorkPair[] {
  const written = writtenTargets(part);
  return pairs.filter(({ target }) => target !== '' && !written.has(target) && !given.includes(target));
}
