/**
 * Tries an adapter, with retries, the time limit of the whole call, the stall watchdog and cancellation in
 * one place for all models. What an adapter brings is made whole here, before anybody sees it.
 *
 * I1  A call ends by its time limit even if the adapter ignores its signal, because the attempt races the watchdog.
 * I2  No attempt or delay starts that could not end before the time limit.
 * I3  Each attempt ends in one value; later actions of the adapter are ignored.
 */
import { STOOD_MS_MIN, type Clock } from '@retainer/contract/std/clock';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { ModelAnswer, ModelRequest } from '@retainer/mind/request/model-request';
import type { AttemptAnswer, AttemptFailure, ModelAttempter, TriedFailure, TryingModel } from './model-attempt.ts';
import { DEFAULT_RETRIES_MAX, retryDelayMs } from './retry.ts';
import { wholeAnswer } from './whole-answer.ts';

/**
 * Longest silence within an answer, if the Agent sets none. A working server pings every few seconds: a silent minute is a dead
 * connection. Before its first part an answer may take as long as the call: a local model reads a long prompt for minutes.
 */
export const DEFAULT_SILENCE_MS = 60_000;

export interface RetryingModelOptions {
  readonly clock: Clock;
  /** 0 to 1. */
  readonly random: () => number;
  /** Tries after the first; see `retry.ts` for the default. */
  readonly maxRetries?: number;
  readonly silenceMs?: number;
}

type Outcome = Result<AttemptAnswer, AttemptFailure>;

interface Call {
  readonly adapter: ModelAttempter;
  readonly clock: Clock;
  readonly request: ModelRequest;
  readonly callId: string;
  readonly signal: AbortSignal;
  readonly attemptsBefore: number;
  readonly deadlineMs: number;
  readonly silenceMs: number;
}

/** Shared abort reason, because creating one per call costs more than the watchdog itself. */
const attemptEnded = new Error('the attempt has ended');

const cancelled: AttemptFailure = { kind: 'Cancelled', message: 'the model call was cancelled' };

/** Has the adapter's name. Answers and failures count all tries and the time from the first to the last. */
export function retryingModel(adapter: ModelAttempter, options: RetryingModelOptions): TryingModel {
  const { clock, silenceMs = DEFAULT_SILENCE_MS } = options;
  return {
    name: adapter.name,
    infer: async (request, { callId, signal, timeoutMs, retriesMax = Infinity, attemptsBefore = 0 }) => {
      const startMs = clock.monotonicMs();
      const limits = { silenceMs, deadlineMs: startMs + timeoutMs };
      const call = { adapter, clock, request, callId, signal, attemptsBefore, ...limits };
      const maxRetries = Math.min(options.maxRetries ?? DEFAULT_RETRIES_MAX, retriesMax);
      const { attempts, begun, outcome } = await attemptUntilDone(call, options.random, maxRetries);
      const latencyMs = Math.round(clock.monotonicMs() - startMs);
      return report(call, outcome, { attempts, begun, latencyMs });
    },
  };
}

function report(
  { request, callId }: Call,
  outcome: Result<AttemptAnswer, AttemptFailure>,
  { begun, ...effort }: { readonly attempts: number; readonly begun: number; readonly latencyMs: number },
): Result<ModelAnswer, TriedFailure> {
  return outcome.ok
    ? ok({ ...wholeAnswer(outcome.value, request, callId), ...effort })
    : err({ ...outcome.error, ...effort, begun });
}

async function attemptUntilDone(
  call: Call,
  random: () => number,
  maxRetries: number,
): Promise<{ readonly attempts: number; readonly begun: number; readonly outcome: Outcome }> {
  for (let [attempts, begun] = [0, 0]; ;) {
    if (call.signal.aborted) return { attempts, begun, outcome: err(cancelled) };
    attempts += 1;
    const { outcome, hasBegun } = await watchedAttempt(call, attempts);
    begun += hasBegun ? 1 : 0;
    if (outcome.ok) return { attempts, begun, outcome };
    const delayMs = retryDelayMs(outcome.error, attempts, random(), maxRetries);
    if (delayMs === undefined || call.clock.monotonicMs() + delayMs >= call.deadlineMs)
      return { attempts, begun, outcome };
    await pause(call, delayMs);
  }
}

/** Ends early and without an error on cancellation, because the loop above checks the signal. */
async function pause(call: Call, delayMs: number): Promise<void> {
  try {
    await call.clock.sleep(delayMs, call.signal);
  } catch (error) {
    if (!call.signal.aborted) throw error;
  }
}

async function watchedAttempt(
  call: Call,
  attempt: number,
): Promise<{ readonly outcome: Outcome; readonly hasBegun: boolean }> {
  const { adapter, clock, request, callId, signal } = call;
  const stop = new AbortController();
  let progressMs: number | undefined;
  const cut = whenAborted(signal);
  const work = adapter.attempt(request, {
    callId,
    attempt: call.attemptsBefore + attempt,
    signal: stop.signal,
    progress: () => {
      progressMs = clock.monotonicMs();
    },
  });
  const bitten = watch(call, stop.signal, { isFirst: attempt === 1, progressMs: () => progressMs });
  try {
    const outcome = await Promise.race([work, cut.aborted, bitten]);
    return { outcome, hasBegun: progressMs !== undefined };
  } finally {
    cut.forget();
    stop.abort(attemptEnded);
    // The race is over, so ignore a late rejection of the loser.
    work.catch(() => undefined);
    bitten.catch(() => undefined);
  }
}

function whenAborted(signal: AbortSignal): {
  readonly aborted: Promise<Result<never, AttemptFailure>>;
  readonly forget: () => void;
} {
  let onAbort = (): void => undefined;
  const aborted = new Promise<Result<never, AttemptFailure>>((resolve) => {
    onAbort = () => resolve(err(cancelled));
  });
  signal.addEventListener('abort', onAbort, { once: true });
  return { aborted, forget: () => signal.removeEventListener('abort', onAbort) };
}

/** Resolves when the time is up or the silence too long, or, with an unused value, when the attempt ends. */
async function watch(
  call: Call,
  ended: AbortSignal,
  { isFirst, progressMs }: { readonly isFirst: boolean; readonly progressMs: () => number | undefined },
): Promise<Result<never, AttemptFailure>> {
  let { deadlineMs } = call;
  let wokeMs = 0;
  while (!ended.aborted) {
    const nowMs = call.clock.monotonicMs();
    const begunMs = progressMs();
    const lastMs = begunMs === undefined ? undefined : Math.max(begunMs, wokeMs);
    if (nowMs >= deadlineMs) {
      if (lastMs === undefined) return timeout('no answer began within the time limit');
      // A later attempt had less time than the limit allows.
      return timeout('the answer was not whole within the time limit', isFirst);
    }
    const stallMs = lastMs === undefined ? Infinity : lastMs + call.silenceMs;
    if (nowMs >= stallMs) return timeout(`nothing more came from the model for ${call.silenceMs} ms`);
    // Before the answer begins, this looks at times whether it has.
    const lookMs = Math.min(deadlineMs, stallMs, nowMs + call.silenceMs);
    try {
      await call.clock.sleep(lookMs - nowMs, ended);
    } catch (error) {
      if (!ended.aborted) throw error;
    }
    // The process stood, and with it the answer: what came meanwhile is read first.
    const lateMs = call.clock.monotonicMs() - lookMs;
    if (lateMs < STOOD_MS_MIN) continue;
    deadlineMs += lateMs;
    wokeMs = call.clock.monotonicMs();
  }
  return err(cancelled);
}

function timeout(message: string, isFinal = false): Result<never, AttemptFailure> {
  return err({ kind: 'Timeout', message, ...(isFinal ? { isFinal: true } : {}) });
}
