/**
 * The sentences about a decision, made by code from its numbers.
 *
 * Source: artoo A.9 (rationale, FinalResult), A.15 (law 0: an end that is not an acceptance never reads like one).
 */
import type { SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { says } from '@retainer/contract/std/said-once';
import { oneLine } from '../../request/lines.ts';
import type { SteerExplanation } from './explanation.ts';
import { isFailed } from './judged.ts';
import { earlierRounds, lastWords, type AbandonCause, type LastEnd } from './last-words.ts';

/** Most characters of a gap in a sentence; the verdicts hold all of it. */
const GAP_CHARACTERS_MAX = 600;

/** Most characters of one intent in a list. */
const INTENT_CHARACTERS_MAX = 120;

/** Most listed intents; the others are counted. */
const LISTED_INTENTS_MAX = 8;

/** The Task's outcome, and the first word on it. */
export const endings: Readonly<Record<AbandonCause, 'Abandoned' | 'Refused' | 'Failed' | 'Cancelled'>> = {
  Policy: 'Refused',
  Infrastructure: 'Failed',
  Aborted: 'Cancelled',
  Deadline: 'Abandoned',
  Budget: 'Abandoned',
  Worsening: 'Abandoned',
  Replans: 'Abandoned',
  Planning: 'Abandoned',
  Distance: 'Abandoned',
};

/** For a result that is near enough but not accepted, and says so. */
export function successSummary(outcomes: readonly SubTaskOutcome[], { loss }: SteerExplanation, gap: string): string {
  return `Near enough, not fully met (distance ${shown(loss.d)}): ${counts(outcomes)}.${gapPart(gap)}`;
}

/** @param isNear  the result would have sufficed with budget left. Source: artoo A.9 */
export function abandonSummary(end: LastEnd, isNear: boolean): string {
  const { cause, outcomes, gap, soFar } = end;
  const { why, advice } = lastWords(end);
  const near = isNear ? ' The result is within threshold, over budget.' : '';
  const counted = outcomes.length === 0 ? '' : ` ${counts(outcomes)}.`;
  const done = listed(
    'Done',
    outcomes.filter((it) => !isFailed(it)),
  );
  const failed = listed('Not done', outcomes.filter(isFailed));
  const told = says(why, gap) ? '' : gapPart(gap);
  const advised = advice === '' ? '' : ` ${advice}`;
  return `${endings[cause]}: ${shortened(why)}.${near}${counted}${done}${failed}${told}${earlierRounds(soFar, gap)}${advised}`;
}

/** For the planner and for people: the numbers, the decision, and the gap. */
export function rationale(explanation: SteerExplanation, gap: string): string {
  const { loss, gradL, gradQ, gradient, trend, cell, byTable, successBar } = explanation;
  const bar = { TaskCriterion: 'a criterion of the whole failed', Infrastructure: 'part of it was not judged' };
  const barred = successBar === undefined ? '' : ` Not a success at any distance: ${bar[successBar]}.`;
  const worth = explanation.evidence === undefined ? '' : ` ${worthSentence(explanation.evidence)}`;
  return (
    `Round ${explanation.rounds}: D ${shown(loss.d)}, P ${shown(loss.p)}, Ω ${shown(loss.omega)}, L ${shown(loss.l)}; ` +
    `change of L ${signed(gradL)}, of Q ${signed(gradQ)}; by ${gradient}: ${trend.toLowerCase()}. ` +
    `Cell ${cell ?? '-'}: ${byTable}.${worth}${barred}${gapPart(gap)}`
  );
}

/** What going on promises, and what it may cost. */
export function worthSentence({ chance, tokens, worth }: NonNullable<SteerExplanation['evidence']>): string {
  const promise = `All done within what is left: ${chance.toFixed(2)}, for about ${tokens} tokens`;
  if (worth === undefined) return `${promise}.`;
  const price = chance > 0 ? `${Math.round(tokens / chance)} tokens` : 'more than there are';
  return `${promise}, ${price} for an acceptance that is worth ${worth}.`;
}

function counts(outcomes: readonly SubTaskOutcome[]): string {
  const failed = outcomes.filter(isFailed).length;
  const notStarted = outcomes.filter((it) => !it.started).length;
  const waiting = notStarted === 0 ? '' : `, ${notStarted} of them not started`;
  return `${outcomes.length - failed} of ${outcomes.length} subtasks matched, ${failed} failed${waiting}`;
}

function listed(heading: string, outcomes: readonly SubTaskOutcome[]): string {
  if (outcomes.length === 0) return '';
  const intents = outcomes
    .slice(0, LISTED_INTENTS_MAX)
    .map((it) => oneLine(headAndTail(it.intent, INTENT_CHARACTERS_MAX)).replace(/\.$/, ''));
  const more = outcomes.length - intents.length;
  return ` ${heading}: ${[...intents, ...(more === 0 ? [] : [`${more} more`])].join('; ')}.`;
}

function gapPart(gap: string): string {
  const text = shortened(gap);
  return text === '' ? '' : ` Gap: ${text}${/[.!?]$/.test(text) ? '' : '.'}`;
}

function shortened(text: string): string {
  return oneLine(headAndTail(text, GAP_CHARACTERS_MAX));
}

function shown(value: number): string {
  return value.toFixed(3);
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(3)}`;
}
