/** What `/healthz` and `/readyz` say: reasons for programs and sentences for people, as JSON. */
import type { Clock } from '@retainer/contract/std/clock';
import type { Component } from '../loop/supervisor.ts';
import type { Answer } from './serve.ts';

/** One thing that must hold. */
export interface Check {
  /** PascalCase: what is wrong where it does not hold. */
  readonly reason: string;
  /** @returns why it does not hold, or undefined where it does */
  fault(): string | undefined | Promise<string | undefined>;
}

/** 200 where every check holds, else 503 with all that do not. */
export async function checked(checks: readonly Check[]): Promise<Answer> {
  const all = await Promise.all(checks.map(async (check) => ({ check, message: await check.fault() })));
  const reasons = all.flatMap(({ check, message }) =>
    message === undefined ? [] : [{ reason: check.reason, message }],
  );
  const isWell = reasons.length === 0;
  return {
    status: isWell ? 200 : 503,
    contentType: 'application/json',
    body: `${JSON.stringify({ ok: isWell, reasons })}\n`,
  };
}

const TICK_MS = 1_000;
/** A tick so late means that something holds the event loop. */
const LATE_MS = 2_000;
/** Late ticks in a row after which the process is better started anew. */
const LATE_TICKS_MAX = 10;

/** Ticks for as long as the process lives, and knows when it came late. */
export class EventLoopWatch {
  #lateTicks = 0;

  component(clock: Clock): Component {
    return {
      name: 'event-loop-watch',
      restart: 'Permanent',
      run: async (signal) => {
        while (!signal.aborted) {
          const beforeMs = clock.monotonicMs();
          // An aborted sleep rejects; the loop's condition ends it.
          await clock.sleep(TICK_MS, signal).catch(() => undefined);
          const isLate = clock.monotonicMs() - beforeMs > TICK_MS + LATE_MS;
          this.#lateTicks = isLate ? this.#lateTicks + 1 : 0;
        }
      },
    };
  }

  fault(): string | undefined {
    return this.#lateTicks < LATE_TICKS_MAX
      ? undefined
      : `the event loop was held up ${this.#lateTicks} times in a row`;
  }
}
