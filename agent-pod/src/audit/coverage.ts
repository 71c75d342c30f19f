/**
 * When the bus was watched: stretches of the agent's wall clock in which no message can have come by unseen.
 *
 * The last one is open while the watching goes on.
 */

/** From the decision that makes a message to its publication lies one append, which may take seconds on a busy disk. */
export const MARGIN_MS = 10_000;
/** Hours of an agent that restarts every minute; what is older is not held against the bus. */
const WINDOWS_MAX = 1_000;

export interface Window {
  readonly fromMs: number;
  /** Undefined: it goes on. */
  readonly toMs?: number | undefined;
}

export class Coverage {
  #windows: readonly Window[];

  constructor(saved: readonly Window[]) {
    this.#windows = saved;
  }

  get isOpen(): boolean {
    const last = this.#windows.at(-1);
    return last !== undefined && last.toMs === undefined;
  }

  /** From now on all is seen, and what came since `fromMs`. */
  begin(fromMs: number): void {
    this.#windows = [...this.#windows, { fromMs }].slice(-WINDOWS_MAX);
  }

  /** Nothing came by meanwhile: the last one goes on. */
  goOn(fromMs: number): void {
    const last = this.#windows.at(-1);
    if (last === undefined) this.begin(fromMs);
    else this.#windows = [...this.#windows.slice(0, -1), { fromMs: last.fromMs }];
  }

  end(atMs: number): void {
    const last = this.#windows.at(-1);
    if (last === undefined || last.toMs !== undefined) return;
    this.#windows = [...this.#windows.slice(0, -1), { fromMs: last.fromMs, toMs: atMs }];
  }

  /** Whether a message that was decided on then was published, or not, under our eyes. */
  covers(atMs: number, wallMs: number): boolean {
    return this.#windows.some(({ fromMs, toMs = wallMs }) => fromMs <= atMs && atMs + MARGIN_MS <= toMs);
  }

  /** An auditor that ends watches no longer. */
  save(wallMs: number): readonly Window[] {
    return this.#windows.map(({ fromMs, toMs = wallMs }) => ({ fromMs, toMs }));
  }
}
