/**
 * The times at which the bus was watched: windows of the agent's wall clock in which no message can have passed unseen. The last
 * window is open while the auditor watches.
 */

/** One append lies between deciding on a message and publishing it; it may take seconds on a busy disk. */
export const MARGIN_MS = 10_000;
/** Hours for an agent that restarts every minute. Older times count as not watched. */
const WINDOWS_MAX = 1_000;

export interface Window {
  readonly fromMs: number;
  /** Undefined while open. */
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

  /** Opens a window that starts at `fromMs`. */
  begin(fromMs: number): void {
    this.#windows = [...this.#windows, { fromMs }].slice(-WINDOWS_MAX);
  }

  /** Reopens the last window, because no message was missed meanwhile. */
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

  /** Whether the publication of a message decided on at `atMs` fell into a window. */
  covers(atMs: number, wallMs: number): boolean {
    return this.#windows.some(({ fromMs, toMs = wallMs }) => fromMs <= atMs && atMs + MARGIN_MS <= toMs);
  }

  /** Closes the open window, because an ended auditor watches nothing. */
  save(wallMs: number): readonly Window[] {
    return this.#windows.map(({ fromMs, toMs = wallMs }) => ({ fromMs, toMs }));
  }
}
