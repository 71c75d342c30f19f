/**
 * P: how much the failures speak against the approach itself, 0 (the environment) to 1 (its logic).
 *
 * Source: artoo A.9 (P), A.6, A.7.
 */
import type { SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import { isFailed } from './judged.ts';
import { isAbove, isBelow } from './threshold.ts';

/** No evidence for either. */
export const NEUTRAL = 0.5;

/** Words of a reason that blame logic or environment, in lower case. Source: artoo A.9; permission errors are left out. */
const words = {
  logical: ['logic', 'wrong approach', 'incorrect', 'invalid', 'cannot', 'not possible'],
  environmental: [
    'network',
    'timeout',
    'context deadline',
    'connection',
    'unavailable',
    'not found',
    'no such file',
    'temporary',
    'rate limit',
  ],
} as const;

interface Votes {
  readonly logical: number;
  readonly environmental: number;
}

/** Classes of failed criteria decide. The words of the reasons decide only when there are no classes. */
export function processImplausibility(outcomes: readonly SubTaskOutcome[]): number {
  const blameable = outcomes.filter((it) => isFailed(it) && it.started);
  return shareOf(classVotes(blameable)) ?? shareOf(wordVotes(blameable)) ?? NEUTRAL;
}

/** P in words for people and planners. The decision compares P with a threshold instead. */
export function shownFailureClass(p: number): 'Logical' | 'Environmental' | 'Mixed' {
  if (isAbove(p, NEUTRAL)) return 'Logical';
  return isBelow(p, NEUTRAL) ? 'Environmental' : 'Mixed';
}

function shareOf({ logical, environmental }: Votes): number | undefined {
  const all = logical + environmental;
  return all === 0 ? undefined : logical / all;
}

function classVotes(outcomes: readonly SubTaskOutcome[]): Votes {
  const classes = outcomes.flatMap(failureClasses);
  return {
    logical: classes.filter((it) => it === 'Logical').length,
    environmental: classes.filter((it) => it === 'Environmental').length,
  };
}

/** Classes of the failed criteria; the outcome's class when it failed before they were judged. */
function failureClasses({ verdicts, failureClass }: SubTaskOutcome): readonly (string | undefined)[] {
  if (verdicts.length === 0) return [failureClass];
  return verdicts.filter((it) => it.verdict === 'Unmet').map((it) => it.failureClass);
}

function wordVotes(outcomes: readonly SubTaskOutcome[]): Votes {
  const votes = outcomes.filter(mayVote).map((outcome) => {
    const text = reasonText(outcome);
    return {
      logical: words.logical.some((word) => text.includes(word)),
      environmental: words.environmental.some((word) => text.includes(word)),
    };
  });
  return {
    logical: votes.filter((it) => it.logical && !it.environmental).length,
    environmental: votes.filter((it) => it.environmental && !it.logical).length,
  };
}

/** A reason about the machinery or a prohibition says nothing about the approach, whatever its words. */
function mayVote({ verdicts, failureClass }: SubTaskOutcome): boolean {
  if (failureClass === 'Policy' || failureClass === 'Infrastructure' || failureClass === 'Unverified') return false;
  return verdicts.length === 0 || verdicts.some((it) => it.verdict === 'Unmet' && it.failureClass === undefined);
}

function reasonText({ failureReason, trajectory, criteria }: SubTaskOutcome): string {
  const unmet = trajectory.flatMap((it) => it.unmet.map((index) => criteria[index - 1]?.text ?? ''));
  return [failureReason ?? '', ...unmet].join(' ').toLowerCase();
}
