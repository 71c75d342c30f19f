/** The JSON answers of `/healthz` and `/readyz`: reasons for programs, sentences for people. */
import type { Clock } from '@retainer/contract/std/clock';
import type { Component } from '../ports/component.ts';
import type { Page } from '@retainer/kube/listen';

export interface Check {
  /** PascalCase word for the fault. */
  readonly reason: string;
  /** @returns undefined if the check passes */
  fault(): string | undefined | Promise<string | undefined>;
}

/** 200 if every check passes, else 503 with all faults. */
export async function checked(checks: readonly Check[]): Promise<Page> {
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
/** A tick this late shows that something blocks the event loop. */
const LATE_MS = 2_000;
/** After this many late ticks in a row, the kubelet should restart the process. */
const LATE_TICKS_MAX = 10;

/** Counts late timer ticks in a row. */
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
    return this.#lateTicks < LATE_TICKS_MAX ? undefined : `the event loop was late ${this.#lateTicks} times in a row`;
  }
}
