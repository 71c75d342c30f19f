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
  readonly #onFault: (runId: string, error: unknown) => void;
  #isStopped = false;

  constructor(onFault: (runId: string, error: unknown) => void) {
    super();
    this.#onFault = onFault;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  states(): readonly State[] {
    return [...this.values()].flatMap(({ instance }) => (instance.state === undefined ? [] : [instance.state]));
  }

  /** Gives every machine the same input. */
  feedAll(input: Input): void {
    for (const { instance } of this.values()) this.guard(instance.ids.runId, instance.feed(input));
  }

  /** A failed effect is a fault of its run, unless the set is stopped. */
  guard(runId: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => (this.#isStopped ? undefined : this.#onFault(runId, error)));
  }

  /** Ends the machines of one run without a further record. Resolves when nothing of them can reach the record any more. */
  async drop(runId: string): Promise<void> {
    const dropped = [...this].filter(([, { instance }]) => instance.ids.runId === runId);
    for (const [id] of dropped) this.delete(id);
    await halt(dropped.map(([, running]) => running));
  }

  /** Stops all effects at once. Resolves when none of them can reach the record any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const stopped = [...this.values()];
    this.clear();
    await halt(stopped);
  }
}

/** One append announces its events together: the end of the machine may directly follow the request for an effect. */
export async function isCancelled({ abort }: { readonly abort: AbortController }): Promise<boolean> {
  await Promise.resolve();
  return abort.signal.aborted;
}

interface Halted {
  readonly abort: AbortController;
  readonly alarm: Pick<Alarm, 'set'>;
  readonly instance: { stop(): Promise<void> };
}

async function halt(stopped: readonly Halted[]): Promise<void> {
  for (const { abort, alarm } of stopped) {
    alarm.set(undefined);
    abort.abort();
  }
  await Promise.all(stopped.map(({ instance }) => instance.stop()));
}
