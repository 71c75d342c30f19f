/** What is known of one copy of the record: when it was made last, what has failed, and since when a record is not in it. */
import type { Clock } from '@retainer/contract/std/clock';
import { isCopyLate } from './backup-schedule.ts';

/** `Late`: a record has not been in the copy for too long. `Diverged`: the branch at the remote has another history. */
export type CopyTrouble = 'Late' | 'Diverged';

/** Moments are of the wall clock, milliseconds since 1970. */
export interface CopyFigures {
  /** Since the last success, or since the start while there was none. */
  readonly ageMs: number;
  readonly intervalMs: number;
  /** Of the last success; undefined: none since the start. */
  readonly lastMs: number | undefined;
  /** Of the last success that found something new, or else of the first; undefined: none since the start. */
  readonly changedMs: number | undefined;
  /** When the oldest durable record came that is not in the copy; undefined: all are. */
  readonly unsavedSinceMs: number | undefined;
  /** Since then; 0: all are in it. */
  readonly lagMs: number;
  /** Undefined: none. */
  readonly trouble: CopyTrouble | undefined;
}

export class CopyState {
  readonly #clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly #startedMs: number;
  #lastSuccessMs: number | undefined;
  #lastMs: number | undefined;
  #changedMs: number | undefined;
  #unsavedSinceMs: number | undefined;
  /** When the first record came since the copying began that is under way. */
  #newSinceMs: number | undefined;
  /** The last try, of a monotonic clock; undefined: none yet. */
  lastTryMs: number | undefined;
  /** In a row. */
  failures = 0;
  /** What was told last; undefined: nothing is wrong. */
  told: string | undefined;
  isDiverged = false;

  constructor(clock: Pick<Clock, 'nowMs' | 'monotonicMs'>) {
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
  }

  /** @param atMs  of a record that is durable, milliseconds since 1970 */
  see(atMs: number): void {
    this.#unsavedSinceMs ??= atMs;
    this.#newSinceMs ??= atMs;
  }

  /** What an earlier process had recorded of the copy. @param sinceMs  when the oldest record came that was not in it */
  takeUp(why: CopyTrouble, sinceMs: number): void {
    this.#unsavedSinceMs = Math.min(sinceMs, this.#unsavedSinceMs ?? sinceMs);
    this.isDiverged = why === 'Diverged';
  }

  get unsavedSinceMs(): number | undefined {
    return this.#unsavedSinceMs;
  }

  /** What comes from now on belongs to the next copying. */
  begin(): void {
    this.#newSinceMs = undefined;
  }

  /**
   * @param isNew  whether there was something to copy
   * @param missingSinceMs  when the first record came that was not to be copied, though it came before the copying began
   */
  succeed(isNew: boolean, missingSinceMs?: number): void {
    const nowMs = this.#clock.nowMs();
    this.#lastSuccessMs = this.#clock.monotonicMs();
    this.#lastMs = nowMs;
    if (isNew) this.#changedMs = nowMs;
    this.#changedMs ??= nowMs;
    Object.assign(this, { failures: 0, told: undefined, isDiverged: false });
    this.hasAllUntil(missingSinceMs ?? this.#newSinceMs);
  }

  /** @param unsavedSinceMs  when the first record came that is not in the copy; undefined: all are */
  hasAllUntil(unsavedSinceMs: number | undefined): void {
    this.#unsavedSinceMs = unsavedSinceMs;
  }

  figures(intervalMs: number): CopyFigures {
    const nowMs = this.#clock.nowMs();
    const since = this.#unsavedSinceMs;
    const isLate = isCopyLate(since, intervalMs, nowMs);
    return {
      ageMs: this.#clock.monotonicMs() - (this.#lastSuccessMs ?? this.#startedMs),
      intervalMs,
      lastMs: this.#lastMs,
      changedMs: this.#changedMs,
      unsavedSinceMs: since,
      lagMs: since === undefined ? 0 : Math.max(0, nowMs - since),
      trouble: this.isDiverged ? 'Diverged' : isLate ? 'Late' : undefined,
    };
  }
}
