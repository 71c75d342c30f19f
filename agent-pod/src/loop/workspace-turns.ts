/**
 * Whose turn it is in the workspace. Calls that change something take turns, because they share one workspace: each finds the
 * files of the call before it, and what a program changed can be told from what other calls changed.
 *
 * I1  At most one call has the workspace at a time.
 * I2  Calls of one run follow each other in the order of their requests, each after the end of the one before it.
 * I3  At most `codeMax` calls that run code have begun and not ended.
 * I4  A call whose turn is over never gets the workspace again.
 *
 * A program in a pod of its own works on a copy, so its call may leave the workspace meanwhile. Then calls of other runs go on. With
 * `codeMax` 1, all calls run one after the other.
 *
 * Source: springdrift 7 (tools run in sequence). Differs: calls of different runs, which know nothing of each other, run side by
 * side where each has a copy; else one slow program would hold up everybody.
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { WorkspaceTurn } from '../ports/sandbox-run.ts';
import { InTurn } from './in-turn.ts';

/**
 * How long a program that has ended waits for those that began before it, so that changes come back in the order of the
 * beginnings. A program of the usual length ends within it; one that hangs holds up nobody longer.
 */
export const ORDER_WAIT_MS = 5_000;

export interface TurnOf {
  readonly runId: string;
  readonly runsCode: boolean;
}

export class WorkspaceTurns {
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #isSerial: boolean;
  readonly #workspace = new Slots(1);
  readonly #code: Slots;
  readonly #lines = new InTurn();
  /** Programs that run beside others, in the order of their beginnings, each until its call ends. */
  readonly #beside = new Set<Promise<void>>();

  /** @param codeMax  calls that may run code at the same time: `spec.sandbox.pool.maxConcurrent` on a cluster, else 1 */
  constructor(clock: Pick<Clock, 'sleep'>, codeMax: number) {
    this.#clock = clock;
    this.#isSerial = codeMax === 1;
    this.#code = new Slots(codeMax);
  }

  /** Calls `work` when it is the call's turn. Settles as it does. */
  take({ runId, runsCode }: TurnOf, work: (turn: WorkspaceTurn) => Promise<void>): Promise<void> {
    const line = this.#isSerial ? '' : runId;
    const call = (): Promise<void> => (runsCode ? this.#code.hold(() => this.#turn(work)) : this.#turn(work));
    return this.#lines.take(line, call);
  }

  async #turn(work: (turn: WorkspaceTurn) => Promise<void>): Promise<void> {
    let release = await this.#workspace.take();
    const ends: (() => void)[] = [];
    let isOver = false;
    const leave = async <T>(step: () => Promise<T>, comeBack: () => Promise<void>): Promise<T> => {
      release();
      release = nothing;
      const stepped = await Promise.allSettled([step()]);
      if (!isOver) await comeBack();
      const again = await this.#workspace.take();
      if (isOver) {
        again();
        throw new Error('the call is over');
      }
      release = again;
      const [result] = stepped;
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    };
    const turn: WorkspaceTurn = {
      leave: (step) => leave(step, () => Promise.resolve()),
      leaveInOrder: (step) => {
        const earlier = [...this.#beside];
        ends.push(this.#goesBeside());
        return leave(step, () => this.#untilEnded(earlier));
      },
    };
    try {
      await work(turn);
    } finally {
      isOver = true;
      release();
      for (const end of ends) end();
    }
  }

  /** @returns  to be called when the call ends */
  #goesBeside(): () => void {
    let end = nothing;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#beside.add(ended);
    return () => {
      this.#beside.delete(ended);
      end();
    };
  }

  async #untilEnded(calls: readonly Promise<void>[]): Promise<void> {
    if (calls.length === 0) return;
    const timer = new AbortController();
    const late = this.#clock.sleep(ORDER_WAIT_MS, timer.signal).catch(() => undefined);
    await Promise.race([Promise.all(calls), late]);
    timer.abort(orderKept);
  }
}

const orderKept = new Error('the calls before it have ended');

const nothing = (): void => undefined;

/** Places that are handed out in the order of the requests. */
class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(free: number) {
    this.#free = free;
  }

  /** @returns  gives the place back; may be called again without effect */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }

  async hold<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.take();
    return work().finally(release);
  }
}
