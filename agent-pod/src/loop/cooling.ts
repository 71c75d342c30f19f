/** Cycles that begin when the agent has taken up all its work, or when the cool-down of the gates ends. */
import type { Clock } from '@retainer/contract/std/clock';
import type { CycleSpec } from '@retainer/mind/cycle/event';
import { Alarm } from './alarm.ts';

interface Held {
  readonly spec: CycleSpec;
  readonly alarm: Alarm;
}

export class Cooling {
  readonly #clock: Clock;
  readonly #begin: (spec: CycleSpec) => void;
  readonly #held = new Map<string, Held>();
  #isArmed = false;

  constructor(clock: Clock, begin: (spec: CycleSpec) => void) {
    this.#clock = clock;
    this.#begin = begin;
  }

  /** @param untilMs  milliseconds since 1970; undefined: it need not cool. @returns false where the cycle may begin at once */
  hold(spec: CycleSpec, untilMs: number | undefined): boolean {
    if (this.#isArmed && untilMs === undefined) return false;
    const { alarm } = this.#held.get(spec.cycleId) ?? { alarm: this.#alarmOf(spec) };
    this.#held.set(spec.cycleId, { spec, alarm });
    alarm.set(this.#isArmed ? untilMs : undefined);
    return true;
  }

  /** All work is taken up: cycles may begin from now on. */
  arm(): void {
    this.#isArmed = true;
    for (const { spec } of [...this.#held.values()]) {
      this.release(spec.cycleId);
      this.#begin(spec);
    }
  }

  /** @returns the cycle, if it was held; it does not begin by itself any more */
  release(cycleId: string): CycleSpec | undefined {
    const held = this.#held.get(cycleId);
    held?.alarm.set(undefined);
    this.#held.delete(cycleId);
    return held?.spec;
  }

  releaseRun(runId: string): void {
    for (const { spec } of [...this.#held.values()]) if (spec.runId === runId) this.release(spec.cycleId);
  }

  releaseAll(): void {
    for (const cycleId of [...this.#held.keys()]) this.release(cycleId);
  }

  #alarmOf(spec: CycleSpec): Alarm {
    return new Alarm(this.#clock, () => {
      this.#held.delete(spec.cycleId);
      this.#begin(spec);
    });
  }
}
