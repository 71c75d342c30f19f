/** Why the agent's work stands still. It goes on when no reason is left: a volume with space again does not undo a lost Lease. */

export interface Workable {
  start(): Promise<void>;
  stop(): Promise<void>;
}

export class Pause {
  readonly #work: () => Workable;
  readonly #onFault: (error: unknown) => void;
  readonly #reasons = new Set<string>();

  constructor(work: () => Workable, onFault: (error: unknown) => void) {
    this.#work = work;
    this.#onFault = onFault;
  }

  /** Stops all effects at once. Twice for one reason is once. */
  begin(reason: string): void {
    this.#reasons.add(reason);
    this.#work().stop().catch(this.#onFault);
  }

  /** Takes the work up from the record, if this was the last reason. */
  end(reason: string): void {
    this.#reasons.delete(reason);
    if (this.#reasons.size === 0) this.#work().start().catch(this.#onFault);
  }
}
