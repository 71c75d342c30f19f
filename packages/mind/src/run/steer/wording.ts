/**
 * The sentences about a decision, made by code from its numbers.
 *
 * Source: artoo A.9 (rationale, FinalResult), A.15 (law 0: an end that is not an acceptance never reads like one).
 */
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { oneLine } from '../../request/lines.ts';
import type { SteerExplanation } from './explanation.ts';
import { isFailed } from './judged.ts';

export type AbandonCause = NonNullable<BusPayload<'FinalResult'>['cause']>;

/** Most characters of a gap in a sentence; the verdicts hold all of it. */
const GAP_CHARACTERS_MAX = 600;

/** Most characters of one intent in a list. */
const INTENT_CHARACTERS_MAX = 120;

/** Most listed intents; the others are counted. */
const LISTED_INTENTS_MAX = 8;

const causes: Readonly<Record<AbandonCause, { readonly why: string; readonly advice: string }>> = {
  Policy: {
    why: 'what the task needs is not allowed',
    advice: 'Ask for the authority, or change the task so that it is not needed.',
  },
  Infrastructure: {
    why: 'the machinery failed, not the work',
    advice: 'Run the task again when models and tools can be reached.',
  },
  Aborted: { why: 'it was stopped', advice: 'Start it again if it is still wanted.' },
  Deadline: { why: 'the time is over', advice: 'Give the task more time, or ask for less.' },
  Budget: {
    why: 'what it may use is used up',
    advice: 'Give it more time, tokens, money or replans, or ask for less.',
  },
  Worsening: {
    why: 'each plan came out worse than the one before',
    advice: 'Say what the result must look like, or split the task.',
  },
  Replans: {
    why: 'no plan of those allowed met the criteria',
    advice: 'Check whether the criteria can be met at all.',
  },
  Planning: { why: 'no plan could be made', advice: 'Say more clearly what is wanted.' },
  Distance: {
    why: 'the result is too far from what was asked for',
    advice: 'Check whether the criteria can be met at all.',
  },
};

/** For a result that is near enough but not accepted, and says so. */
export function successSummary(outcomes: readonly SubTaskOutcome[], { loss }: SteerExplanation, gap: string): string {
  return `Near enough, not fully met (distance ${shown(loss.d)}): ${counts(outcomes)}.${gapPart(gap)}`;
}

/** @param isNear  the result would have sufficed with budget left. Source: artoo A.9 */
export function abandonSummary(
  cause: AbandonCause,
  outcomes: readonly SubTaskOutcome[],
  { isNear, gap }: { readonly isNear: boolean; readonly gap: string },
): string {
  const { why, advice } = causes[cause];
  const near = isNear ? ' The result is within threshold, over budget.' : '';
  const done = listed(
    'Done',
    outcomes.filter((it) => !isFailed(it)),
  );
  const failed = listed('Not done', outcomes.filter(isFailed));
  return `Abandoned: ${why}.${near} ${counts(outcomes)}.${done}${failed}${gapPart(gap)} ${advice}`;
}

/** For the planner and for people: the numbers, the decision, and the gap. */
export function rationale(explanation: SteerExplanation, gap: string): string {
  const { loss, gradL, gradQ, gradient, trend, cell, byTable, successBar } = explanation;
  const bar = { TaskCriterion: 'a criterion of the whole failed', Infrastructure: 'part of it was not judged' };
  const barred = successBar === undefined ? '' : ` Not a success at any distance: ${bar[successBar]}.`;
  return (
    `Round ${explanation.rounds}: D ${shown(loss.d)}, P ${shown(loss.p)}, Ω ${shown(loss.omega)}, L ${shown(loss.l)}; ` +
    `change of L ${signed(gradL)}, of Q ${signed(gradQ)}; by ${gradient}: ${trend.toLowerCase()}. ` +
    `Cell ${cell ?? '-'}: ${byTable}.${barred}${gapPart(gap)}`
  );
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
  const text = oneLine(headAndTail(gap, GAP_CHARACTERS_MAX));
  return text === '' ? '' : ` Gap: ${text}${/[.!?]$/.test(text) ? '' : '.'}`;
}

function shown(value: number): string {
  return value.toFixed(3);
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(3)}`;
}
