/**
 * Turns for agents that must restart because of a change: a fixed number at once, however far the caches lag.
 *
 * A turn lasts until the restarted agent is ready again, but only for a bounded time. An agent that does not come up holds the
 * others back for that long: enough for a person to notice, but not forever.
 */
import type { Clock } from '@retainer/contract/std/clock';

/** Enough time to attach a large volume elsewhere and to read a long record. */
const TURN_MS_MAX = 600_000;
/** Rate of repeated requests from all waiting agents together. */
const LOOKS_PER_SECOND = 10;
const LOOK_AGAIN_MS_MIN = 2000;

interface Turn {
  readonly sinceMs: number;
  /** Generation of the StatefulSet that brought the change; undefined until it is written. */
  readonly generation: number | undefined;
}

export type TurnAnswer =
  | { readonly type: 'Granted' }
  | { readonly type: 'Later'; readonly waiting: number; readonly afterMs: number };

interface SeenSet {
  readonly isRolling: boolean;
  readonly generation: number;
}

export class RollingTurns {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #turns = new Map<string, Turn>();
  readonly #waiting = new Set<string>();

  constructor(clock: Clock, max: number) {
    this.#clock = clock;
    this.#max = max;
  }

  /** Asks for a turn; an agent that has one gets no second one. */
  take(key: string): TurnAnswer {
    const others = [...this.#turns].filter(([other, turn]) => other !== key && !this.#isOver(turn)).length;
    if (others < this.#max) {
      this.#waiting.delete(key);
      if (!this.#turns.has(key)) this.#begin(key, undefined);
      return { type: 'Granted' };
    }
    this.#waiting.add(key);
    const afterMs = LOOK_AGAIN_MS_MIN + (this.#waiting.size * 1000) / LOOKS_PER_SECOND;
    return { type: 'Later', waiting: this.#waiting.size, afterMs };
  }

  /** Somebody withdrew the change, or it reached the agent otherwise. */
  stopWaiting(key: string): void {
    this.#waiting.delete(key);
  }

  written(key: string, generation: number | undefined): void {
    const turn = this.#turns.get(key);
    if (turn !== undefined) this.#turns.set(key, { ...turn, generation });
  }

  /** Called at every pass. A restart under way is a turn, even if another process began it; a finished restart ends the turn. */
  seen(key: string, set: SeenSet | undefined): void {
    const turn = this.#turns.get(key);
    if (set?.isRolling === true) {
      if (turn === undefined) this.#begin(key, set.generation);
      return;
    }
    const isDone = turn?.generation !== undefined && (set === undefined || set.generation >= turn.generation);
    if (isDone) this.#turns.delete(key);
  }

  /** The agent is gone, or the change was not written. */
  forget(key: string): void {
    this.#turns.delete(key);
    this.#waiting.delete(key);
  }

  #begin(key: string, generation: number | undefined): void {
    this.#turns.set(key, { sinceMs: this.#clock.monotonicMs(), generation });
  }

  /** An expired turn is kept, so that an agent that never comes up does not begin turn after turn. */
  #isOver({ sinceMs }: Turn): boolean {
    return this.#clock.monotonicMs() - sinceMs > TURN_MS_MAX;
  }
}
