/**
 * A result that one attempt came to is worked out a second time, by an attempt that is told nothing of it, where nobody knows how good
 * the model is that came to it. It stands if the second one came to it too.
 *
 * I1  A run without `spec.selfConsistency`, as all older ones, is judged without this.
 * I2  Work is done again only if that changes nothing but what the attempt itself made, and asks no person again.
 * I3  An attempt that failed, or that looked at what an earlier one had left, confirms nothing.
 *
 * Source: arXiv 2203.11171 (self-consistency).
 */
import type { BusMessageOf, BusPayload } from '@retainer/contract/wire/bus/envelope';
import { utcDate } from '@retainer/contract/std/utc-date';
import type { KnownTools } from '../gate/tool-facts.ts';
import { answersInWork } from './people-answers.ts';
import { callsOf, received, sent, type RunJudgement, type RunState } from './state.ts';
import { differenceText, hasLookedAt, hasResults, isConfirmed, type Surroundings } from './verdict/agreement.ts';
import type { AttemptJudgement, CorrectionSignal } from './verdict/judge-attempt.ts';
import { areRequiredMet, fallen } from './verdict/judgement.ts';
import { FILES_MAX } from './verdict/tool-calls.ts';

type Result = BusMessageOf<'ExecutionResult'>;

/** Attempts at a subtask beyond its corrections, so that a last correction can be confirmed, too. */
const BLIND_ATTEMPTS = 1;

/** Effects of this class and above leave the workspace: nobody repeats them. */
const OUTSIDE_CLASS = 3;

const CRITERION = 'Two attempts come to the same result';
const NOT_YET = 'nobody has worked it out a second time';
const LOOKED = 'this attempt looked at what an earlier one had left, so it came to nothing by itself';

/** The texts that the worker of a subtask was given; the day of the run is given to everyone. */
export function givenTo(
  state: RunState,
  { intent, context }: Pick<BusPayload<'SubTask'>, 'intent' | 'context'>,
): readonly string[] {
  const answers = answersInWork(state).map(({ text }) => text);
  return [intent, context, state.spec.input, utcDate(state.startedAtMs), ...answers];
}

/** An earlier attempt that would have matched, and what was found about it. */
interface Earlier {
  readonly result: Result;
  readonly judgement: RunJudgement;
}

export interface Confirmed extends Earlier {
  readonly confirmed: AttemptJudgement;
}

/** Attempts at a subtask that its corrections do not pay for. */
export function unpaidAttempts(state: RunState, subtaskId: string): number {
  const blind = signalsOf(state, subtaskId).filter((it) => it.selfConsistency === 'Blind');
  return Math.min(blind.length, BLIND_ATTEMPTS);
}

/** The number of the blind attempt that this one goes back to; undefined: it knows of all attempts before it. */
export function blindSince(state: RunState, subtaskId: string, attempt: number): number | undefined {
  const marked = signalsOf(state, subtaskId).findLast(
    (it) => it.attempt <= attempt && it.selfConsistency !== undefined,
  );
  return marked?.selfConsistency === 'Blind' ? marked.attempt : undefined;
}

/** The earlier result that a blind attempt came to, so that no validator needs to look at the attempt. */
export function confirmedBy(state: RunState, result: Result, known: KnownTools): Confirmed | undefined {
  const { subtaskId, attempt } = result.payload;
  if (blindSince(state, subtaskId, attempt) === undefined || hasLooked(state, result, known)) return undefined;
  const surroundings = surroundingsOf(state, subtaskId, known);
  const undisputed = wholeBefore(state, result).filter((it) => it.judgement.selfConsistency === undefined);
  const found = undisputed.find((it) => isConfirmed(it.result.payload, result.payload, surroundings));
  if (found === undefined) return undefined;
  const { verdicts, point } = found.judgement;
  const score = point?.score ?? 1;
  return {
    ...found,
    confirmed: {
      end: { kind: 'Matched' },
      verdicts,
      point: { attempt, score, unmet: point?.unmet ?? [], failureClass: point?.failureClass ?? 'None' },
      corrections: [],
    },
  };
}

export interface Compared {
  readonly judgement: AttemptJudgement;
  readonly selfConsistency?: NonNullable<RunJudgement['selfConsistency']>;
}

/** What becomes of an attempt that would match by itself. @param retriesMax  corrections of the subtask */
export function compared(
  state: RunState,
  result: Result,
  judgement: AttemptJudgement,
  { known, retriesMax }: { readonly known: KnownTools; readonly retriesMax: number },
): Compared {
  const { subtaskId, attempt } = result.payload;
  if (judgement.end.kind !== 'Matched' || !isDoubted(state, result)) return { judgement };
  const surroundings = surroundingsOf(state, subtaskId, known);
  const isComparable = hasResults(result.payload, surroundings);
  const isRepeatable = mayBeRepeated(state, result, known);
  const others = wholeBefore(state, result);
  const [first] = others;
  if (first === undefined && !hasLooked(state, result, known)) {
    const isEnough = !isComparable || !isRepeatable;
    return { judgement: isEnough ? judgement : again(judgement, signalOf(result, 'Blind', NOT_YET)) };
  }
  const isLast = !isRepeatable || attempt > retriesMax + BLIND_ATTEMPTS;
  const falls = (kind: Kind, reason: string): AttemptJudgement =>
    fell(
      judgement,
      { reason, criteria: subtaskOf(state, subtaskId)?.criteria ?? [], attempt },
      isLast ? undefined : signalOf(result, kind, reason),
    );
  if (first === undefined || hasLooked(state, result, known)) return { judgement: falls('Blind', LOOKED) };
  const other = others.find((it) => isComparable && isConfirmed(result.payload, it.result.payload, surroundings));
  if (other !== undefined)
    return { judgement, selfConsistency: { attempt: other.result.payload.attempt, agrees: true } };
  const reason = differenceText([...others.map((it) => it.result.payload), result.payload], surroundings);
  const selfConsistency = { attempt: first.result.payload.attempt, agrees: false };
  return { judgement: falls('Differs', reason), selfConsistency };
}

function again(judgement: AttemptJudgement, signal: CorrectionSignal): AttemptJudgement {
  return { ...judgement, end: { kind: 'Retry', signal } };
}

interface Fall {
  readonly reason: string;
  readonly criteria: BusPayload<'SubTask'>['criteria'];
  readonly attempt: number;
}

/** No criterion is met by a result that no other attempt came to. @param signal  undefined: this was the last attempt */
function fell(
  judgement: AttemptJudgement,
  { reason, criteria, attempt }: Fall,
  signal: CorrectionSignal | undefined,
): AttemptJudgement {
  const failureClass = 'Logical';
  const verdicts = fallen(criteria, reason, failureClass);
  const point = { attempt, score: 0, unmet: verdicts.map((it) => it.index), failureClass } as const;
  const fallenAs = { ...judgement, verdicts, point };
  return signal === undefined
    ? { ...fallenAs, end: { kind: 'Failed', reason, failureClass } }
    : again(fallenAs, signal);
}

type Kind = NonNullable<CorrectionSignal['selfConsistency']>;

const WHAT_TO_DO: Readonly<Record<Kind, string>> = {
  Blind: 'Work it out.',
  Differs: 'Print what these results are made of, and find the one that is right.',
};

function signalOf({ payload: { subtaskId, attempt } }: Result, kind: Kind, whatWasWrong: string): CorrectionSignal {
  return {
    subtaskId,
    attempt: attempt + 1,
    failedCriterion: CRITERION,
    failureClass: kind === 'Blind' ? 'Unverified' : 'Logical',
    whatWasWrong,
    whatToDo: WHAT_TO_DO[kind],
    selfConsistency: kind,
  };
}

/** Whether nobody knows how good the model is that came to the result. */
function isDoubted({ spec, roleCycles }: RunState, { cycleId = '' }: Result): boolean {
  const roleCycle = roleCycles.get(cycleId);
  const model = roleCycle?.end?.fellBack?.to ?? roleCycle?.spec.model;
  return model !== undefined && spec.selfConsistency?.includes(model) === true;
}

/** Earlier attempts that met their criteria, oldest first. One that looked at what it was not to know of met none. */
function wholeBefore(state: RunState, result: Result): readonly Earlier[] {
  const { subtaskId, attempt } = result.payload;
  const criteria = subtaskOf(state, subtaskId)?.criteria ?? [];
  return resultsOf(state, subtaskId)
    .filter((it) => it.payload.attempt < attempt)
    .flatMap((it) => {
      const judgement = state.judged.find((own) => own.subtaskId === subtaskId && own.attempt === it.payload.attempt);
      const isWhole =
        judgement !== undefined && (isMet(criteria, judgement) || judgement.selfConsistency !== undefined);
      return isWhole ? [{ result: it, judgement }] : [];
    });
}

function isMet(criteria: BusPayload<'SubTask'>['criteria'], { verdicts, point }: RunJudgement): boolean {
  return criteria.length === 0 ? point?.score === 1 : areRequiredMet(criteria, verdicts);
}

/** Whether a blind attempt looked at what attempts had left that it was not to know of. */
function hasLooked(state: RunState, { payload }: Result, known: KnownTools): boolean {
  const { subtaskId, attempt } = payload;
  const since = blindSince(state, subtaskId, attempt);
  if (since === undefined) return false;
  return resultsOf(state, subtaskId).some(
    (it) => it.payload.attempt < since && hasLookedAt(payload, it.payload, known),
  );
}

/** Whether the attempt asked nobody, and changed nothing outside and no file that others than the attempts at this subtask made. */
function mayBeRepeated(
  state: RunState,
  { payload: { subtaskId, calls }, cycleId = '' }: Result,
  known: KnownTools,
): boolean {
  if ((state.asked.get(cycleId)?.requests ?? 0) > 0) return false;
  const own = new Set(resultsOf(state, subtaskId).flatMap((it) => it.payload.calls.map(({ callId }) => callId)));
  const { files, isWhole } = state.stood;
  const ofOthers = callsOf(state).filter((it) => !own.has(it.callId));
  const stood = new Set([...files, ...ofOthers.flatMap((it) => it.files)].map(({ path }) => path));
  const ran = calls.filter((it) => it.status !== 'Unrun');
  return ran.every(
    (call) =>
      known.factsOf(call.tool).effectClass < OUTSIDE_CLASS &&
      call.files.length < FILES_MAX &&
      call.files.every(({ path }) => isWhole && !stood.has(path)),
  );
}

function surroundingsOf(state: RunState, subtaskId: string, known: KnownTools): Surroundings {
  const subtask = subtaskOf(state, subtaskId);
  const criteria = subtask?.criteria.map(({ text }) => text) ?? [];
  return { given: [...(subtask === undefined ? [] : givenTo(state, subtask)), ...criteria], known };
}

function subtaskOf(state: RunState, subtaskId: string): BusPayload<'SubTask'> | undefined {
  return sent(state, 'SubTaskDispatch').find((it) => it.payload.subtaskId === subtaskId)?.payload;
}

function resultsOf(state: RunState, subtaskId: string): readonly Result[] {
  return received(state, 'ExecutionResult').filter((it) => it.payload.subtaskId === subtaskId);
}

function signalsOf(state: RunState, subtaskId: string): readonly CorrectionSignal[] {
  return sent(state, 'CorrectionSignal').flatMap(({ payload }) => (payload.subtaskId === subtaskId ? [payload] : []));
}
