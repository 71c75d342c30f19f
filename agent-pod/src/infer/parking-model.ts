/**
 * Lets calls wait while their provider cannot be asked, so that nothing passing ends their work.
 *
 * I1  A call that fails in a way that passes waits and asks again, however long that takes. It ends early by its signal, or when its
 *     answer was cut again and again.
 * I2  While a provider or a model is out, one call at a time tries it. Every other call waits with it, or fails without a request
 *     where its caller does not wait.
 * I3  A provider is not tried before the moment that it named itself.
 *
 * Source: design 7 (no usable provider).
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { Result } from '@retainer/contract/std/result';
import { err } from '@retainer/contract/std/result';
import type { ModelAnswer, ModelFailure, ModelRequest } from '@retainer/mind/request/model-request';
import { parkedReason, type Parked } from '@retainer/mind/request/parked';
import type { InferOptions, ModelPort } from '../ports/ports.ts';
import type { TriedFailure, TryingModel } from './model-attempt.ts';
import { isOfProvider, isReplaced, parkMs, passes } from './park.ts';

export interface ParkingOptions {
  readonly clock: Clock;
  /** 0 to 1. */
  readonly random: () => number;
}

/** Longest single sleep: the wall clock may be set, or the machine may sleep, so the moment is looked at again. */
const SLEEP_MS_MAX = 30_000;

/**
 * Answers of one call that began and were cut. Each may be paid for, and what cuts so many of them, such as a limit of a proxy, would
 * cut the next.
 */
const CUT_ANSWERS_MAX = 8;

/** The key of an outage of the whole provider; those of models are their ids, which are never empty. */
const PROVIDER = '';

interface Outage {
  readonly parked: Parked;
  readonly failedTries: number;
  /** On the monotonic clock. */
  readonly dueMs: number;
  /** A call tries the provider now. */
  readonly isTried: boolean;
}

interface Change {
  readonly ended: AbortController;
}

/** Shared abort reason: an error for each change would cost more than the change. */
const changed = new Error('the outage has changed');

export function parkingModel(model: TryingModel, options: ParkingOptions): ModelPort {
  const outages = new Outages(options);
  return {
    name: model.name,
    infer: async (request, asked) => settled(await new Call(model, outages, request, asked).end()),
  };
}

/** Without what only this file reads. */
function settled(result: Result<ModelAnswer, TriedFailure>): Result<ModelAnswer, ModelFailure> {
  if (result.ok) return result;
  const { kind, message, attempts, latencyMs } = result.error;
  return err({ kind, message, attempts, latencyMs });
}

/** The server said something about the request. */
function isAnswer(failure: TriedFailure): boolean {
  return failure.kind !== 'Cancelled' && !passes(failure);
}

class Outages {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #open = new Map<string, Outage & Change>();

  constructor({ clock, random }: ParkingOptions) {
    this.#clock = clock;
    this.#random = random;
  }

  /** What keeps a call of this model from being made. @param hasStandIn  an outage of the model alone then may not */
  of(model: string, hasStandIn: boolean): readonly [string, Outage] | undefined {
    for (const key of [PROVIDER, model]) {
      const outage = this.#open.get(key);
      if (outage === undefined) continue;
      if (key === PROVIDER || !hasStandIn || !isReplaced(outage.parked.why)) return [key, outage];
    }
    return undefined;
  }

  isDue({ dueMs, parked, isTried }: Outage): boolean {
    return !isTried && (this.#clock.monotonicMs() >= dueMs || this.#clock.nowMs() >= parked.nextTryAtMs);
  }

  begin(key: string): void {
    this.#change(key, { isTried: true });
  }

  /** The try came to no end: another call may make it at once. */
  release(key: string): void {
    this.#change(key, { isTried: false });
  }

  /** @param tried  the outage that the call was to end; only its failure counts as a further one */
  failed(model: string, failure: TriedFailure, tried: string | undefined): void {
    const key = isOfProvider(failure.kind) ? PROVIDER : model;
    if (tried !== undefined && tried !== key) this.#settle(tried);
    const before = this.#open.get(key);
    if (before !== undefined && tried !== key && failure.retryAfterMs === undefined) return;
    const outage = this.#after(failure, before);
    // A call that was under way before says nothing about the try of another.
    this.#set(key, { ...outage, isTried: tried !== key && before?.isTried === true });
  }

  #after(failure: TriedFailure, before: Outage | undefined): Omit<Outage, 'isTried'> {
    const failedTries = (before?.failedTries ?? 0) + 1;
    const waitMs = parkMs(failure, failedTries, this.#random());
    const nowMs = this.#clock.nowMs();
    const parked = { sinceMs: before?.parked.sinceMs ?? nowMs, why: failure.kind, nextTryAtMs: nowMs + waitMs };
    return { parked, failedTries, dueMs: this.#clock.monotonicMs() + waitMs };
  }

  /** The provider answered, whatever it said. */
  reached(model: string): void {
    this.#end(PROVIDER);
    this.#end(model);
  }

  /** Another failure came than the one that the try was to end: a provider that answers for one model is not out. */
  #settle(tried: string): void {
    if (tried === PROVIDER) this.#end(tried);
    else this.release(tried);
  }

  #end(key: string): void {
    const outage = this.#open.get(key);
    this.#open.delete(key);
    outage?.ended.abort(changed);
  }

  /** Ends early when the outage changes, or the signal is aborted. */
  async wait(key: string, signal: AbortSignal): Promise<void> {
    const outage = this.#open.get(key);
    if (outage === undefined) return;
    const leftMs = outage.isTried ? SLEEP_MS_MAX : outage.dueMs - this.#clock.monotonicMs();
    const either = AbortSignal.any([signal, outage.ended.signal]);
    await this.#clock.sleep(Math.max(0, Math.min(leftMs, SLEEP_MS_MAX)), either).catch(() => undefined);
  }

  #change(key: string, change: Partial<Outage>): void {
    const outage = this.#open.get(key);
    if (outage !== undefined) this.#set(key, { ...outage, ...change });
  }

  #set(key: string, outage: Outage): void {
    const before = this.#open.get(key);
    this.#open.set(key, { ...outage, ended: new AbortController() });
    before?.ended.abort(changed);
  }
}

/** One call, from its arrival to its answer. */
class Call {
  readonly #model: TryingModel;
  readonly #outages: Outages;
  readonly #request: ModelRequest;
  readonly #options: InferOptions;
  #told: Parked | undefined;
  #attempts = 0;
  #begun = 0;

  constructor(model: TryingModel, outages: Outages, request: ModelRequest, options: InferOptions) {
    this.#model = model;
    this.#outages = outages;
    this.#request = request;
    this.#options = options;
  }

  async end(): Promise<Result<ModelAnswer, TriedFailure>> {
    if (this.#options.onParked === undefined) return this.#unlessOut();
    for (;;) {
      const tried = await this.#untilDue();
      const result = await this.#try(tried);
      if (!result.ok && (this.#waitsOut(result.error, tried) || this.#isTriedAlone(result.error, tried))) continue;
      this.#tell(undefined);
      if (result.ok) return { ...result, value: { ...result.value, attempts: this.#attempts } };
      return { ...result, error: { ...result.error, attempts: this.#attempts } };
    }
  }

  /** A call that waits for nobody is not made while its provider is out. */
  #unlessOut(): Promise<Result<ModelAnswer, TriedFailure>> {
    const found = this.#outages.of(this.#request.model, this.#options.hasStandIn === true);
    if (found === undefined) return this.#model.infer(this.#request, this.#options);
    const { parked } = found[1];
    return Promise.resolve(err({ kind: parked.why, message: parkedReason(parked), attempts: 0, latencyMs: 0 }));
  }

  /** The try ended the outage with an answer that is none. Tried once and no more, the call has all its retries yet. */
  #isTriedAlone({ kind }: TriedFailure, tried: string | undefined): boolean {
    return tried !== undefined && kind === 'MalformedAnswer' && !this.#options.signal.aborted;
  }

  /** @returns the outage that this call tries to end; undefined where there is none */
  async #untilDue(): Promise<string | undefined> {
    const { signal } = this.#options;
    for (;;) {
      const found = this.#outages.of(this.#request.model, this.#options.hasStandIn === true);
      if (found === undefined) {
        this.#tell(undefined);
        return undefined;
      }
      const [key, outage] = found;
      this.#tell(outage.parked);
      if (signal.aborted) return undefined;
      if (this.#outages.isDue(outage)) {
        this.#outages.begin(key);
        return key;
      }
      await this.#outages.wait(key, signal);
    }
  }

  /** A call that is to end an outage is made once: its failure says all that its repetition would. */
  async #try(tried: string | undefined): Promise<Result<ModelAnswer, TriedFailure>> {
    const once = tried === undefined ? {} : { retriesMax: 0 };
    try {
      const before = { attemptsBefore: this.#attempts };
      const result = await this.#model.infer(this.#request, { ...this.#options, ...before, ...once });
      this.#attempts += result.ok ? result.value.attempts : result.error.attempts;
      if (result.ok || isAnswer(result.error)) this.#outages.reached(this.#request.model);
      return result;
    } finally {
      if (tried !== undefined) this.#outages.release(tried);
    }
  }

  /** @returns whether the call goes on after this failure */
  #waitsOut(failure: TriedFailure, tried: string | undefined): boolean {
    const { signal, hasStandIn, failsAtTimeout } = this.#options;
    if (!passes(failure) || signal.aborted) return false;
    if (failsAtTimeout === true && failure.kind === 'Timeout') return false;
    this.#begun += failure.begun ?? 0;
    if (this.#begun >= CUT_ANSWERS_MAX) return false;
    // What stands in is asked first; only where the provider itself is out does it make no difference.
    const isProviderOut = tried === PROVIDER && isOfProvider(failure.kind);
    if (hasStandIn === true && isReplaced(failure.kind) && !isProviderOut) {
      if (tried !== undefined) this.#outages.reached(this.#request.model);
      return false;
    }
    this.#outages.failed(this.#request.model, failure, tried);
    return true;
  }

  /** Each change once. */
  #tell(parked: Parked | undefined): void {
    if (parked?.nextTryAtMs === this.#told?.nextTryAtMs && parked?.sinceMs === this.#told?.sinceMs) return;
    this.#told = parked;
    this.#options.onParked?.(parked);
  }
}
