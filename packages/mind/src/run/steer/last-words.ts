/**
 * The last words on a run without acceptance: what stood in the way, what was tried in which round, and what a person can do.
 * Code makes them from the record; each way in which a run can end has its own line.
 *
 * Source: artoo A.9 (FinalResult), A.15 (law 0: an end that is not an acceptance never reads like one).
 */
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { referringTo } from '@retainer/contract/std/said-once';
import type { EndFault } from '../../cycle/end-fault.ts';
import { oneLine } from '../../request/lines.ts';
import type { SteerExplanation } from './explanation.ts';
import { isFailed } from './judged.ts';

export type AbandonCause = NonNullable<BusPayload<'FinalResult'>['cause']>;

/** A round that failed before the one with which the run ends. */
export interface FailedRound {
  readonly round: number;
  readonly matched: number;
  readonly subtasks: number;
  readonly gap: string;
}

/** What the record tells beside the outcomes of the last round. */
export interface RunSoFar {
  /** Oldest first. */
  readonly failedRounds: readonly FailedRound[];
  readonly stage: 'Understanding' | 'Planning' | 'Working';
  /** The last model call of this round that came to nothing. */
  readonly fault?: { readonly role: string; readonly kind: EndFault };
  /** The last refusal by a gate or a person in this round. */
  readonly refusal?: { readonly gate: string; readonly rule: string };
  readonly waitsFor?: 'Answer' | 'Approval';
  /** The last question that nobody answered. */
  readonly unanswered?: string;
  /** People were asked more often than the Agent allows. */
  readonly isAskingTooOften: boolean;
  /** The deadline of the Task passed; else its wall clock ends the run. */
  readonly isPastDeadline: boolean;
  /** Tokens or money of the Task. */
  readonly isBudgetUsedUp: boolean;
  /** The newest cycle asked for tools until a limit ended it. */
  readonly isStuck: boolean;
}

export const nothingSoFar: RunSoFar = {
  failedRounds: [],
  stage: 'Working',
  isAskingTooOften: false,
  isPastDeadline: false,
  isBudgetUsedUp: false,
  isStuck: false,
};

export interface LastEnd {
  readonly cause: AbandonCause;
  readonly occasion: SteerExplanation['occasion'];
  readonly override?: SteerExplanation['override'];
  readonly outcomes: readonly SubTaskOutcome[];
  readonly gap: string;
  readonly soFar: RunSoFar;
}

export interface Words {
  readonly why: string;
  /** What a person can do; empty when the gap says it. */
  readonly advice: string;
}

/** Most characters of a question in a sentence, and of the gap of an earlier round. */
const SHORT_CHARACTERS_MAX = 160;

/** Most earlier rounds that are told; the newest, and the others are counted. */
const TOLD_ROUNDS_MAX = 3;

const CRITERIA_ADVICE = 'Check whether the criteria can be met at all.';

/** The same command shows the old end again. */
const ANEW = 'Begin its work anew (retainer retry; on a cluster, a new Task)';

const faultWords: Readonly<Record<EndFault, Words>> = {
  Malformed: {
    why: 'was reached, but never answered in the required form',
    advice: 'Choose a more capable model; retainer explain shows its answers.',
  },
  EmptyReply: {
    why: 'was reached, but gave empty answers',
    advice: 'Choose another model; retainer explain shows what it was asked.',
  },
  Truncated: {
    why: 'was reached, but its answers were cut off at the output limit',
    advice: 'Raise limits.outputTokensPerCall of the Agent, or ask for less at once.',
  },
  Declined: {
    why: 'was reached, but its provider declined to answer',
    advice: 'Word the task otherwise, or choose another model.',
  },
  RateLimited: {
    why: 'was refused by its provider: too many requests',
    advice: `${ANEW} later, or raise the rate limit at the provider.`,
  },
  Overloaded: {
    why: 'could not be used: its provider is overloaded',
    advice: `${ANEW} later, or choose another model.`,
  },
  Network: {
    why: 'could not be reached',
    advice: `Check the address of the model and the network. ${ANEW}.`,
  },
  Timeout: {
    why: 'gave no answer in time',
    advice: `${ANEW} later, or choose a faster model.`,
  },
  Authentication: {
    why: 'could not be used: its provider refused the key',
    advice: `Check the key and what it may use. ${ANEW}.`,
  },
  InvalidRequest: {
    why: 'could not be used: its provider refused the request as invalid',
    advice: `Check what the failure says of the request and the settings of the model. ${ANEW}.`,
  },
  MalformedAnswer: {
    why: 'was reached, but what came back is no answer of the Messages API',
    advice: 'Check that the address is one of a server that speaks the Messages API.',
  },
  Cancelled: { why: 'was stopped in the middle of an answer', advice: `${ANEW}.` },
  Misconfigured: {
    why: 'could not be used: the way to it is set wrongly',
    advice: `Change the setting that the failure names. ${ANEW}.`,
  },
};

type Sentence = string | ((end: LastEnd) => string);

interface Line {
  readonly cause: AbandonCause;
  readonly holds?: (end: LastEnd) => boolean;
  readonly why: Sentence;
  readonly advice: Sentence;
}

/** Read from the top; the first line of the cause that holds speaks. The last line of each cause always holds. */
const lines: readonly Line[] = [
  {
    cause: 'Policy',
    holds: ({ soFar }) => soFar.isAskingTooOften,
    why: 'it asked people more often than it may',
    // The gap names the limit and what to do.
    advice: '',
  },
  {
    cause: 'Policy',
    holds: ({ occasion, soFar }) =>
      occasion === 'PerceptionFailure' && soFar.refusal === undefined && soFar.unanswered !== undefined,
    why: ({ soFar }) => `it could not begin without an answer to its question ${quoted(soFar.unanswered)}`,
    advice: 'Run it again and answer in time, put the answer into the task, or set onNoAnswer: Proceed.',
  },
  {
    cause: 'Policy',
    holds: ({ occasion }) => occasion === 'PerceptionFailure',
    why: 'its input was refused before any work began',
    advice: 'Word the task otherwise, or appeal as status.refusal says.',
  },
  {
    cause: 'Policy',
    holds: ({ occasion }) => occasion === 'PlanFailure',
    why: 'a gate refused what the planner was asked or answered',
    advice: 'Change the task so that what the rule forbids is not needed, or appeal as status.refusal says.',
  },
  {
    cause: 'Policy',
    holds: ({ override }) => override === 'NoAdmissibleTool',
    why: 'no tool is left that could do it: each one failed and is blocked',
    advice: 'Give the agent another tool for it, or check whether it can be done at all.',
  },
  {
    cause: 'Policy',
    holds: ({ soFar }) => soFar.refusal?.rule === 'approval/denied',
    why: 'a person denied a call that it needs',
    advice: 'Settle it with the person who denied it, or change the task so that the call is not needed.',
  },
  {
    cause: 'Policy',
    holds: ({ soFar }) => soFar.refusal?.rule === 'approval/timed-out',
    why: 'nobody approved in time a call that it needs',
    advice: 'Run it again when somebody can approve, or change the task so that the call is not needed.',
  },
  {
    cause: 'Policy',
    why: 'what the task needs is not allowed',
    advice: 'Ask for the authority, or change the task so that it is not needed.',
  },

  {
    cause: 'Infrastructure',
    holds: ({ soFar }) => soFar.fault !== undefined,
    why: modelFault,
    advice: ({ soFar: { fault } }) => (fault === undefined ? '' : faultWords[fault.kind].advice),
  },
  {
    cause: 'Infrastructure',
    holds: beforeWork,
    why: ({ occasion }) => `the ${asked(occasion)}'s model ${faultWords.Malformed.why}`,
    advice: faultWords.Malformed.advice,
  },
  {
    cause: 'Infrastructure',
    why: 'a tool or the runtime failed, not the work',
    advice: `Check the agent with retainer doctor. ${ANEW}.`,
  },

  { cause: 'Aborted', why: ({ gap }) => oneLine(gap), advice: 'Start it again if it is still wanted.' },

  {
    cause: 'Deadline',
    holds: ({ soFar }) => soFar.waitsFor === 'Answer',
    why: ({ soFar }) => `${timeOver(soFar)} while it waited for an answer to its question ${quoted(soFar.unanswered)}`,
    advice: 'Run it again and answer sooner, put the answer into the task, or set onNoAnswer: Proceed.',
  },
  {
    cause: 'Deadline',
    holds: ({ soFar }) => soFar.waitsFor === 'Approval',
    why: ({ soFar }) => `${timeOver(soFar)} while a call waited for a person's approval`,
    advice: 'Run it again when somebody can approve, or give the task a later deadline.',
  },
  {
    cause: 'Deadline',
    why: ({ soFar }) => `${timeOver(soFar)}${stageWords[soFar.stage]}`,
    advice: ({ soFar }) =>
      soFar.isPastDeadline
        ? 'Give the task a later deadline, or ask for less.'
        : 'Raise its wall clock, or ask for less.',
  },

  {
    cause: 'Budget',
    holds: ({ occasion }) => occasion === 'BudgetUsedUp',
    why: 'a budget of the Agent is used up',
    advice: 'Run it again when the budget is free again, or raise it.',
  },
  {
    cause: 'Budget',
    holds: ({ soFar }) => soFar.isBudgetUsedUp,
    why: ({ soFar }) => `the tokens or the money of the task are used up${stageWords[soFar.stage]}`,
    advice: 'Raise budget.tokens or budget.costUsd of the task, or ask for less.',
  },
  {
    cause: 'Budget',
    holds: (end) => end.soFar.isStuck && beforeWork(end),
    why: ({ occasion }) => `the ${asked(occasion)}'s model was reached, but asked for tools until a limit ended it`,
    advice: faultWords.Malformed.advice,
  },
  {
    cause: 'Budget',
    holds: beforeWork,
    why: ({ occasion }) => `the ${asked(occasion)} reached a limit of its call before it answered`,
    advice: 'Raise the limits of the Agent for one cycle, or ask for less.',
  },
  {
    cause: 'Budget',
    why: 'what it may use is used up',
    advice: 'Give it more time, tokens, money or replans, or ask for less.',
  },

  ...(['Worsening', 'Replans', 'Distance'] as const).map((cause): Line => ({
    cause,
    holds: isUnverifiedOnly,
    why: 'there are results, but nobody could verify them',
    advice: ({ soFar: { fault } }) =>
      fault === undefined ? 'State the criteria so that a tool can show them.' : faultWords[fault.kind].advice,
  })),
  {
    cause: 'Worsening',
    why: 'each plan came out worse than the one before',
    advice: 'Say what the result must look like, or split the task.',
  },
  { cause: 'Replans', why: 'no plan of those allowed met the criteria', advice: CRITERIA_ADVICE },
  {
    cause: 'Distance',
    holds: ({ override }) => override === 'NotWorthIt',
    why: 'what going on would cost is more than its result would be worth',
    advice:
      'Remove what stood in the way, give another tool or file, or raise control.evidence.worthBudgets of the Agent.',
  },
  {
    cause: 'Distance',
    holds: ({ override }) => override === 'NothingTried',
    why: 'for three rounds no tool call said anything about what is missing',
    advice: 'Check what refused or stopped its calls: retainer explain shows them.',
  },
  { cause: 'Distance', why: 'the result is too far from what was asked for', advice: CRITERIA_ADVICE },

  {
    cause: 'Planning',
    holds: ({ soFar }) => soFar.fault !== undefined,
    why: modelFault,
    advice: ({ soFar: { fault } }) => (fault === undefined ? '' : faultWords[fault.kind].advice),
  },
  {
    cause: 'Planning',
    holds: ({ soFar }) => soFar.failedRounds.length > 0,
    why: ({ soFar: { failedRounds } }) =>
      `after ${failedRounds.length === 1 ? 'a failed round' : `${failedRounds.length} failed rounds`} the planner found no new plan`,
    advice: 'Remove what stood in the way of the rounds, give another tool or file, or name another way.',
  },
  {
    cause: 'Planning',
    holds: ({ occasion }) => occasion === 'PerceptionFailure',
    why: 'its input was not understood',
    advice: 'Say more clearly what is wanted.',
  },
  {
    cause: 'Planning',
    why: 'the planner made no plan that can be carried out',
    advice: 'Say more clearly what the result must be, or split the task.',
  },
];

const stageWords: Readonly<Record<RunSoFar['stage'], string>> = {
  Understanding: ' before its input was understood',
  Planning: ' before a plan was made',
  Working: '',
};

export function lastWords(end: LastEnd): Words {
  const line = lines.find((it) => it.cause === end.cause && (it.holds?.(end) ?? true));
  return { why: spoken(line?.why, end), advice: spoken(line?.advice, end) };
}

/**
 * What was tried before the last round, for a summary; empty when nothing was.
 *
 * @param lastGap  of the last round, which the summary tells before
 */
export function earlierRounds({ failedRounds }: RunSoFar, lastGap: string): string {
  if (failedRounds.length === 0) return '';
  const told = failedRounds.slice(-TOLD_ROUNDS_MAX);
  const more = failedRounds.length - told.length;
  const parts = told.map(({ round, matched, subtasks, gap }, at) => {
    const before = [lastGap, ...told.slice(0, at).map((it) => it.gap)];
    const why = shortened(referringTo(before, gap)).replace(/\.$/, '');
    return `round ${round} matched ${matched} of ${subtasks} subtasks (${why})`;
  });
  return ` Before: ${[...(more === 0 ? [] : [`${more} more failed`]), ...parts].join('; ')}.`;
}

function modelFault({ soFar: { fault } }: LastEnd): string {
  return fault === undefined ? '' : `the ${fault.role}'s model ${faultWords[fault.kind].why}`;
}

function beforeWork({ occasion }: LastEnd): boolean {
  return occasion === 'PerceptionFailure' || occasion === 'PlanFailure';
}

/** Whose cycle brought nothing, if the work had not begun. */
function asked(occasion: LastEnd['occasion']): 'planner' | 'perceiver' {
  return occasion === 'PlanFailure' ? 'planner' : 'perceiver';
}

/** Whether all that failed in the last round was done, and lacks only a verdict. */
function isUnverifiedOnly({ outcomes }: LastEnd): boolean {
  const failed = outcomes.filter((it) => isFailed(it) && it.started);
  return (
    failed.length > 0 &&
    failed.every(({ verdicts }) => {
      const open = verdicts.filter((it) => it.verdict !== 'Met');
      return open.length > 0 && open.every((it) => it.verdict === 'Unverified');
    })
  );
}

function timeOver({ isPastDeadline }: RunSoFar): string {
  return isPastDeadline ? 'its deadline passed' : 'the time is over';
}

function quoted(text = ''): string {
  return JSON.stringify(shortened(text));
}

function shortened(text: string): string {
  return oneLine(headAndTail(text, SHORT_CHARACTERS_MAX));
}

function spoken(sentence: Sentence | undefined, end: LastEnd): string {
  return typeof sentence === 'function' ? sentence(end) : (sentence ?? '');
}
