/** The running machines of one kind, by id, with their parts. Each start has one set for its cycles and one for its runs. */
import type { Alarm } from './alarm.ts';
import type { Instance } from './instance.ts';

export interface Running<State, Input extends Event, Event extends { readonly kind: string }> {
  readonly instance: Instance<State, Input, Event>;
  readonly alarm: Alarm;
  /** Ends the effects of this machine. */
  readonly abort: AbortController;
}

/** @typeParam More  what its driver keeps with each machine besides */
export class RunningSet<
  State,
  Input extends Event,
  Event extends { readonly kind: string },
  More = unknown,
> extends Map<string, Running<State, Input, Event> & More> {
  readonly #onFault: (error: unknown) => void;
  #isStopped = false;

  constructor(onFault: (error: unknown) => void) {
    super();
    this.#onFault = onFault;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  states(): readonly State[] {
    return [...this.values()].flatMap(({ instance }) => (instance.state === undefined ? [] : [instance.state]));
  }

  /** A failed effect is a fault of the process, unless the set is stopped. */
  guard(work: Promise<unknown>): void {
    work.catch((error: unknown) => (this.#isStopped ? undefined : this.#onFault(error)));
  }

  /** Stops all effects at once. Resolves when none of them can reach the record any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const stopped = [...this.values()];
    this.clear();
    for (const { abort, alarm } of stopped) {
      alarm.set(undefined);
      abort.abort();
    }
    await Promise.all(stopped.map(({ instance }) => instance.stop()));
  }
}
