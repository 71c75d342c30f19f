/**
 * One running state machine and its record: the only place where a decision becomes an event on the disk.
 *
 * I1  `feed` decides, appends, and only then changes the state and tells the listener, which starts the effects: an intent is
 *     always on the disk before its effect.
 * I2  Inputs are taken one at a time, in the order in which they were fed.
 * I3  A group of events is an input and its decisions. A crash may keep only the first part of a group; `restoreInstance` decides
 *     the input again, compares the part that is there, and hands back what is missing.
 * I4  Secrets are taken out of an input before it is decided on, so that the state is the same whether it was lived or replayed.
 *
 * Source: design 5.1, 5.15.
 */
import { canonicalJson, mapTexts, type Json } from '@retainer/contract/std/canonical-json';
import { invariant } from '@retainer/contract/std/invariant';
import type { Redact } from '../infer/secrets.ts';
import type { Journal } from '../journal/journal.ts';

interface AnyEvent {
  readonly kind: string;
}

/** A pure decider over its own events. */
export interface Machine<State, Input extends Event, Event extends AnyEvent> {
  /** Store that its events live in. */
  readonly store: string;
  isInput(event: Event): event is Input;
  decide(state: State | undefined, input: Input): readonly Event[];
  evolve(state: State | undefined, event: Event): State;
}

export interface InstanceIds {
  readonly runId: string;
  readonly cycleId?: string;
}

export interface InstanceParts {
  readonly journal: Pick<Journal, 'append'>;
  readonly redact: Redact;
}

export type EventListener<State, Event> = (events: readonly Event[], state: State) => void;

export class Instance<State, Input extends Event, Event extends AnyEvent> {
  readonly #machine: Machine<State, Input, Event>;
  readonly #journal: Pick<Journal, 'append'>;
  readonly #redact: Redact;
  readonly #listener: EventListener<State, Event>;
  readonly ids: InstanceIds;
  #state: State | undefined;
  #isStopped = false;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(
    machine: Machine<State, Input, Event>,
    ids: InstanceIds,
    { journal, redact }: InstanceParts,
    listener: EventListener<State, Event>,
  ) {
    this.#machine = machine;
    this.ids = ids;
    this.#journal = journal;
    this.#redact = redact;
    this.#listener = listener;
  }

  get state(): State | undefined {
    return this.#state;
  }

  /**
   * Resolves once the input's events are durable.
   *
   * @returns false when the input was stale or the instance is stopped: nothing was recorded
   * @throws when the journal takes no more records; the state is as before then
   */
  feed(input: Input, principal = 'agent'): Promise<boolean> {
    const fed = this.#tail.then(() => this.#take(input, principal));
    this.#tail = fed.catch(() => undefined);
    return fed;
  }

  /** Takes nothing more; resolves when what was in flight has reached the record or failed. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#tail;
  }

  /** Takes up a state as it is. */
  adopt(state: State): void {
    this.#state = state;
  }

  /** Takes up a restored state, and completes the group that a crash cut off. */
  resume(restored: Restored<State, Event>): Promise<void> {
    this.#state = restored.state;
    const completed = restored.missing.length > 0 ? this.#record(restored.missing, 'agent') : Promise.resolve();
    this.#tail = completed.catch(() => undefined);
    return completed;
  }

  async #take(input: Input, principal: string): Promise<boolean> {
    const events = this.#machine.decide(this.#state, this.#redacted(input));
    if (events.length === 0 || this.#isStopped) return false;
    await this.#record(events, principal);
    return true;
  }

  /** Text by text, as the journal does: what is decided on is what is recorded. */
  #redacted(input: Input): Input {
    return mapTexts(input as unknown as Json, this.#redact) as unknown as Input;
  }

  async #record(events: readonly Event[], principal: string): Promise<void> {
    await this.#journal.append(
      events.map(({ kind, ...payload }) => ({
        store: this.#machine.store,
        kind,
        principal,
        payload: payload as Json,
        ...this.ids,
      })),
    );
    const state = foldEvents(this.#machine, this.#state, events);
    invariant(state !== undefined, 'a recorded group leaves a state');
    this.#state = state;
    this.#listener(events, state);
  }
}

export interface Restored<State, Event> {
  /** After the events that are on the disk. */
  readonly state: State;
  /** Decisions of the last input that the disk does not have. */
  readonly missing: readonly Event[];
  /** Today's decider decides the last input otherwise than the record says: another version wrote it. */
  readonly hasDiverged: boolean;
}

/** Folds recorded events, oldest first. */
export function restoreInstance<State, Input extends Event, Event extends AnyEvent>(
  machine: Machine<State, Input, Event>,
  events: readonly Event[],
): Restored<State, Event> {
  const lastInput = events.findLastIndex((event) => machine.isInput(event));
  invariant(lastInput >= 0, 'a record begins with an input');
  const before = foldEvents(machine, undefined, events.slice(0, lastInput));
  const group = events.slice(lastInput);
  const decided = machine.decide(before, group[0] as Input);
  const hasDiverged = group.some((event, position) => {
    const expected = decided[position];
    return expected === undefined || canonicalJson(expected) !== canonicalJson(event);
  });
  const state = foldEvents(machine, before, group);
  invariant(state !== undefined, 'a record leaves a state');
  return { state, missing: hasDiverged ? [] : decided.slice(group.length), hasDiverged };
}

function foldEvents<State, Input extends Event, Event extends AnyEvent>(
  machine: Machine<State, Input, Event>,
  initial: State | undefined,
  events: readonly Event[],
): State | undefined {
  let state = initial;
  for (const event of events) state = machine.evolve(state, event);
  return state;
}
