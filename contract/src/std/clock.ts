/** A sleep ends so late only where the process stood, milliseconds: no work of its own keeps the loop for so long. */
export const STOOD_MS_MIN = 10_000;

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
