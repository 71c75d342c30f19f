/**
 * One running state machine and its record: the only place where a decision becomes an event on the disk.
 *
 * I1  `feed` decides and appends. Only then it changes the state and calls the listener, which starts the effects. So an intent
 *     is always on the disk before its effect.
 * I2  Inputs are decided one at a time, in the order of `feed`, each on the state that the previous one leaves. Inputs that wait
 *     together share one append; if it fails, the state stays as it was before all of them.
 * I3  A group of events is an input and its decisions. A crash may keep only the first part of a group. `restoreInstance` decides
 *     the input again, compares the recorded part, and returns the missing part.
 * I4  Secrets are removed from an input before the decision. So a live run and its replay have the same state.
 *
 * Source: design 5.
 */
import { setImmediate as otherWork } from 'node:timers/promises';
import { canonicalJson, mapTexts, type Json } from '@retainer/contract/std/canonical-json';
import { invariant } from '@retainer/contract/std/invariant';
import type { Redact } from '../infer/secrets.ts';
import type { Journal } from '@retainer/journal/journal';

interface AnyEvent {
  readonly kind: string;
}

/** A pure decider over its own events. */
export interface Machine<State, Input extends Event, Event extends AnyEvent> {
  readonly store: string;
  isInput(event: Event): event is Input;
  /** The slow part of a decision that needs no decision, in slices; the loop does other work between them. */
  readAhead?(state: State | undefined, input: Input): Iterator<undefined, void, undefined>;
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

interface Fed<Input> {
  readonly input: Input;
  readonly principal: string;
  readonly resolve: (isRecorded: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** The events of one input; none when the input is stale. */
interface Group<State, Event> {
  readonly events: readonly Event[];
  readonly principal: string;
  readonly state: State | undefined;
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
  /** Inputs without a decision yet, in order. */
  #waiting: Fed<Input>[] = [];
  /** Never rejects. */
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
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.push({ input, principal, resolve, reject });
      if (waiting === 1) this.#tail = this.#tail.then(() => this.#takeWaiting());
    });
  }

  /** Takes nothing more. Resolves when everything in flight has reached the record or failed. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#tail;
  }

  /** Sets the state without events. */
  adopt(state: State): void {
    this.#state = state;
  }

  /** Continues from a restored state, and appends the part of a group that a crash cut off. */
  resume(restored: Restored<State, Event>): Promise<void> {
    this.#state = restored.state;
    const completed = this.#complete(restored);
    this.#tail = completed.catch(() => undefined);
    return completed;
  }

  async #complete({ missing, state }: Restored<State, Event>): Promise<void> {
    if (missing.length === 0) return;
    const group = { events: missing, principal: 'agent', state: foldEvents(this.#machine, state, missing) };
    await this.#append([group]);
    this.#enter(group);
  }

  /** Never rejects: each caller of `feed` gets its own result. */
  async #takeWaiting(): Promise<void> {
    const inputs = this.#waiting;
    this.#waiting = [];
    // An input that the journal refuses must not take others with it.
    if (inputs.length > 1 && (await succeeds(this.#take(inputs)))) return;
    for (const fed of inputs) await this.#take([fed]).catch(fed.reject);
  }

  /** Rejects when nothing was recorded. */
  async #take(inputs: readonly Fed<Input>[]): Promise<void> {
    const groups = this.#isStopped ? [] : await this.#decide(inputs);
    await this.#append(groups);
    for (const { resolve } of inputs.slice(groups.length)) resolve(false);
    for (const group of groups) this.#tell(group);
  }

  /** Decides each input on the state that the previous one leaves. Nothing else sets the state meanwhile: inputs wait for `#tail`. */
  async #decide(inputs: readonly Fed<Input>[]): Promise<readonly (Group<State, Event> & Fed<Input>)[]> {
    const groups: (Group<State, Event> & Fed<Input>)[] = [];
    let state = this.#state;
    for (const fed of inputs) {
      const input = this.#redacted(fed.input);
      const reading = this.#machine.readAhead?.(state, input);
      while (reading?.next().done === false) await otherWork();
      const events = this.#machine.decide(state, input);
      state = foldEvents(this.#machine, state, events);
      groups.push({ ...fed, events, state });
    }
    return groups;
  }

  #tell(group: Group<State, Event> & Fed<Input>): void {
    if (group.events.length === 0) return group.resolve(false);
    try {
      this.#enter(group);
      return group.resolve(true);
    } catch (error) {
      return group.reject(error);
    }
  }

  /** Redacts text by text, as the journal does: the decision sees exactly what is recorded. */
  #redacted(input: Input): Input {
    return mapTexts(input as unknown as Json, this.#redact) as unknown as Input;
  }

  async #append(groups: readonly Group<State, Event>[]): Promise<void> {
    const machine = this.#machine;
    // A person causes the input; what the machine makes of it is the agent's.
    const records = groups.flatMap(({ events, principal }) =>
      events.map((event) => {
        const { kind, ...payload } = event;
        const who = machine.isInput(event) ? principal : 'agent';
        return { store: machine.store, kind, principal: who, payload: payload as Json, ...this.ids };
      }),
    );
    if (records.length > 0) await this.#journal.append(records);
  }

  #enter({ events, state }: Group<State, Event>): void {
    invariant(state !== undefined, 'a recorded group leaves a state');
    this.#state = state;
    this.#listener(events, state);
  }
}

export interface Restored<State, Event> {
  /** The state after the events on the disk. */
  readonly state: State;
  /** Decisions of the last input that are not on the disk. */
  readonly missing: readonly Event[];
  /** The present decider decides the last input differently from the record: another version wrote the record. */
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

function succeeds(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
