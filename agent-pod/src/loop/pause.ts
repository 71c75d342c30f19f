/**
 * The reasons for a pause of the agent's work. Work continues when no reason is left: free space on the volume does not restore a
 * lost Lease.
 */

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

  /** Stops all effects at once. A repeated reason counts once. */
  begin(reason: string): void {
    this.#reasons.add(reason);
    this.#work().stop().catch(this.#onFault);
  }

  /** Continues the work from the record, if this was the last reason. */
  end(reason: string): void {
    this.#reasons.delete(reason);
    if (this.#reasons.size === 0) this.#work().start().catch(this.#onFault);
  }
}
