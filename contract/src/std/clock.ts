/**
 * The only source of time. Pure code takes `nowMs` as an argument instead.
 *
 * `monotonicMs` is for timers and durations: it never goes backwards and has no relation to the date.
 */
export interface Clock {
  /** Wall clock, milliseconds since 1970 in UTC. May jump. */
  nowMs(): number;
  /** Milliseconds since an arbitrary start. */
  monotonicMs(): number;
  /** Resolves after `durationMs`; rejects with the signal's reason when it is aborted first. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}
