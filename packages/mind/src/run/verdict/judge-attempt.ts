/**
 * Judges one attempt at a subtask: matched, corrected, or failed. This follows from the verdicts; the validator's own
 * conclusion does not count.
 *
 * Source: artoo A.6 (corrections are counted; the verdict is recomputed).
 */
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { BusCriterion, CriteriaVerdict, GapTrajectoryPoint } from '@retainer/contract/wire/bus/payloads';
import { recordedAnswer } from '../../request/answers.ts';
import { withOwnIds } from '../../assemble/shown-ids.ts';
import type { KnownTools } from '../../gate/tool-facts.ts';
import { aggregateClass, classOf, type FailureClass } from './failure-class.ts';
import { UNSEEN, type RunTrace } from './acts.ts';
import { bearingOf, type Missing } from './bearing.ts';
import { isUnshownReason, type OpenClaims } from './hangs-on.ts';
import { areRequiredMet, fallen, judgeCriteria, unproven, unverified, type Judgement } from './judgement.ts';
import { circleAdvice } from './circle-advice.ts';
import { isCircle, preGate, type ExecutionResult } from './pre-gates.ts';

export interface Attempt {
  readonly criteria: readonly BusCriterion[];
  readonly result: ExecutionResult;
  /** Corrections of one subtask, without the first attempt. */
  readonly maxRetries: number;
  /** What the output states and nothing shows. */
  readonly open?: OpenClaims;
  /** A correction for such words was made before: they cost one, and no more. */
  readonly isToldUnshown?: boolean;
  /** Intents of the subtask and of the task: they say which files shall be made. */
  readonly wishes?: readonly string[];
  /** Tools that the worker has, and did not use; absent: nobody knows. */
  readonly otherTools?: readonly string[];
  /** Absent: the calls of the attempt are all that is known of the run. */
  readonly trace?: RunTrace;
  readonly known: KnownTools;
}

export type CorrectionSignal = BusPayload<'CorrectionSignal'>;

export type AttemptEnd =
  | { readonly kind: 'Matched' }
  | { readonly kind: 'Retry'; readonly signal: CorrectionSignal }
  | { readonly kind: 'Failed'; readonly reason: string; readonly failureClass: FailureClass };

export interface AttemptJudgement {
  readonly end: AttemptEnd;
  readonly verdicts: readonly CriteriaVerdict[];
  readonly point: GapTrajectoryPoint;
  /** Faults of the validator's own account. */
  readonly corrections: readonly string[];
}

/** @returns undefined when a validator must be asked */
export function judgeWithoutValidator(attempt: Attempt): AttemptJudgement | undefined {
  const { criteria, result, known } = attempt;
  const gate = preGate(result, criteria, known);
  switch (gate.kind) {
    case 'AsksValidator':
      return withoutAnyShown(attempt);
    case 'Matches':
      return settle(attempt, judged([]));
    case 'ProvesNothing':
      return settle(attempt, judged(unproven(criteria, result.calls, known)));
    case 'Falls':
      return settle(attempt, judged(fallen(criteria, gate.reason, gate.failureClass)), {
        fallen: gate,
        ...adviceOf(attempt),
      });
    case 'Fails': {
      const { reason, failureClass } = gate;
      const verdicts = unverified(criteria, `not judged: ${reason}`).map((it) => ({ ...it, failureClass }));
      const point = pointOf(result.attempt, verdicts, false);
      return { end: { kind: 'Failed', reason, failureClass }, verdicts, point, corrections: [] };
    }
  }
}

/** Where code knows what to try instead. */
function adviceOf({ result, otherTools = [] }: Attempt): Pick<Circumstance, 'advice'> {
  const advice = isCircle(result) ? circleAdvice(result.calls, otherTools) : undefined;
  return advice === undefined ? {} : { advice };
}

function judged(verdicts: readonly CriteriaVerdict[]): Judgement {
  return { verdicts, corrections: [], fixes: new Map() };
}

/** What criteria name and no call of the attempt shows, by index: no validator can find them met. */
export function missingIn(attempt: Omit<Attempt, 'maxRetries'>): ReadonlyMap<number, Missing> {
  const { criteria, result, wishes = [], trace = { calls: result.calls, stood: UNSEEN }, known } = attempt;
  const found = criteria.flatMap((criterion, position) => {
    const bearing = bearingOf({ criterion, wishes, calls: result.calls, trace, known });
    return bearing.kind === 'Missing' ? [[position + 1, bearing] as const] : [];
  });
  return new Map(found);
}

/** If no call shows anything that is named, there is nothing to ask about. */
function withoutAnyShown(attempt: Attempt): AttemptJudgement | undefined {
  const missing = missingIn(attempt);
  const { criteria, result, known } = attempt;
  if (missing.size < criteria.length) return undefined;
  const verdicts = [...missing].flatMap(([index, { reason }]) =>
    fallen(criteria, reason, classOf(undefined, reason, result.calls, known)).filter((it) => it.index === index),
  );
  const fixes = new Map([...missing].map(([index, { fix }]) => [index, fix] as const));
  return settle(attempt, { verdicts, corrections: [], fixes });
}

/** @param answer  of the validator, parsed; else it failed for good: nothing is verified, no correction helps */
export function judgeAttempt(attempt: Attempt, answer: unknown): AttemptJudgement {
  const settled = judgeWithoutValidator(attempt);
  if (settled !== undefined) return settled;
  const said = recordedAnswer('AttemptVerdicts', answer);
  if (said === undefined) return unjudged(attempt);
  const { result, ...question } = attempt;
  const { calls } = result;
  const claims = withOwnIds(said.verdicts, calls);
  const judgement = judgeCriteria({ ...question, claims, calls });
  return settle(attempt, judgement, { advice: said });
}

function unjudged({ criteria, result }: Attempt): AttemptJudgement {
  const reason = 'the result could not be verified: the validator gave no usable verdicts';
  const verdicts = unverified(criteria, reason);
  return {
    end: { kind: 'Failed', reason, failureClass: 'Unverified' },
    verdicts,
    point: pointOf(result.attempt, verdicts, false),
    corrections: [reason],
  };
}

interface Advice {
  readonly whatWasWrong: string;
  readonly whatToDo: string;
}

interface Circumstance {
  /** The validator's, or that of code. */
  readonly advice?: Advice;
  /** The attempt counts for nothing. */
  readonly fallen?: Pick<Gap, 'reason' | 'failureClass'>;
}

function settle(
  attempt: Attempt,
  { verdicts, corrections, fixes }: Judgement,
  { advice, fallen: cause }: Circumstance = {},
): AttemptJudgement {
  const { criteria, result, maxRetries, isToldUnshown = false } = attempt;
  const isWhole = cause === undefined && (criteria.length > 0 || result.status === 'Completed');
  const isMatched = isWhole && areRequiredMet(criteria, verdicts);
  const point = pointOf(result.attempt, verdicts, isMatched);
  const decided = { verdicts, point, corrections };
  if (isMatched) return { ...decided, end: { kind: 'Matched' } };
  const gap = gapOf(attempt, verdicts, cause);
  const fix = gap.index === undefined ? undefined : fixes.get(gap.index);
  // What code found is corrected in code's words: the validator may have said that nothing is wrong.
  const said = fix === undefined ? advice : { whatWasWrong: gap.reason, whatToDo: fix };
  const isToldAgain = isToldUnshown && isUnshownReason(gap.reason);
  if (result.attempt <= maxRetries && !isToldAgain) {
    return { ...decided, end: { kind: 'Retry', signal: signalOf(attempt, gap, said) } };
  }
  return {
    ...decided,
    end: {
      kind: 'Failed',
      reason: `${gap.criterion.replace(/\.$/, '')}: ${gap.reason}`,
      failureClass: gap.failureClass,
    },
  };
}

/** A subtask without criteria has one: that it was done. Source: artoo A.9 (empty success criteria). */
function pointOf(attempt: number, verdicts: readonly CriteriaVerdict[], isDone: boolean): GapTrajectoryPoint {
  const unmet = verdicts.filter((it) => it.verdict !== 'Met').map((it) => it.index);
  const score = verdicts.length === 0 ? Number(isDone) : (verdicts.length - unmet.length) / verdicts.length;
  return { attempt, score, unmet, failureClass: aggregateClass(verdicts) };
}

interface Gap {
  /** Of the criterion; absent: none of them is the reason. */
  readonly index?: number;
  readonly criterion: string;
  readonly reason: string;
  readonly failureClass: FailureClass;
}

/** The first unmet required criterion. */
function gapOf(
  { criteria, result, known }: Attempt,
  verdicts: readonly CriteriaVerdict[],
  cause: Circumstance['fallen'],
): Gap {
  const first = verdicts.find((it, position) => criteria[position]?.required === true && it.verdict !== 'Met');
  const failureClass = first?.failureClass ?? classOf(undefined, result.reason ?? '', result.calls, known);
  if (first !== undefined) {
    const { index, reason } = first;
    return { index, criterion: criteria[index - 1]?.text ?? '', reason, failureClass };
  }
  if (cause !== undefined) return { criterion: 'The subtask is done', ...cause };
  return { criterion: 'The subtask is done', reason: result.reason ?? 'the executor did not finish it', failureClass };
}

/** Advice when the validator gives none. Source: artoo A.4 (guidance by class). */
const usualAdvice: Readonly<Record<FailureClass, string>> = {
  Logical: 'Do it in another way; do not repeat the same calls. Prove it by the output of a tool.',
  Environmental: 'Do the same on another target, or make sure first that what is needed is there.',
  Policy: 'Do nothing that was refused.',
  Infrastructure: 'Do it again.',
  Unverified: 'Show it plainly: make the call whose output proves it, and name what it shows.',
};

/** Most characters of each text of a correction. */
const ADVICE_CHARACTERS = 2000;

function signalOf({ result }: Attempt, gap: Gap, advice: Advice | undefined): CorrectionSignal {
  const wrong = advice?.whatWasWrong.trim() ?? '';
  const todo = advice?.whatToDo.trim() ?? '';
  return {
    subtaskId: result.subtaskId,
    attempt: result.attempt + 1,
    failedCriterion: gap.criterion,
    failureClass: gap.failureClass,
    whatWasWrong: (wrong === '' ? gap.reason : wrong).slice(0, ADVICE_CHARACTERS),
    whatToDo: (todo === '' ? usualAdvice[gap.failureClass] : todo).slice(0, ADVICE_CHARACTERS),
  };
}
