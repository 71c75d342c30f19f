/**
 * A run in virtual time, without journal, models or tools: a mind answers for every role that thinks. Timers and the watchdog are
 * those of the runtime. With a bus it is a run as older versions admitted it, and the bus does to each message what a test wants.
 */
import { noUsage } from '@retainer/mind/cycle/state';
import type { CycleSpec } from '@retainer/mind/cycle/event';
import { decideRun } from '@retainer/mind/run/decide';
import type { CyclePurpose, RunEvent, RunEventOf, RunInput, RunSpec } from '@retainer/mind/run/event';
import { evolveRun } from '@retainer/mind/run/evolve';
import { nextRunTimer } from '@retainer/mind/run/timer';
import type { RunState } from '@retainer/mind/run/state';
import type { BusMessage } from '@retainer/contract/wire/bus/envelope';
import type { MemoryAnswer } from '@retainer/contract/wire/bus/payloads';
import type { RecalledCase } from '@retainer/contract/wire/bus/recalled-case';
import { UNSEEN } from '@retainer/mind/run/verdict/acts';
import type { Label } from '@retainer/mind/gate/provenance/label';
import { drawn } from './cycles.ts';
import { testTools } from './known-tools.ts';

type Concluded = RunEventOf<'CycleConcluded'>;

/** What a cycle comes back with; whatever is left out is that of an ordinary end after a second. */
export type Thinking = Partial<Omit<Concluded, 'kind' | 'atMs' | 'cycleId'>> & { readonly takesMs?: number };

/** Undefined: it never comes back. */
export type Mind = (purpose: CyclePurpose, spec: CycleSpec) => Thinking | undefined;

/** When a message arrives, milliseconds after it was sent: none, once, or several times. */
export type BusFault = (message: BusMessage) => readonly number[];

export const faultless: BusFault = () => [1];

/** How long a run that an older version admitted waited for its bus before it handed a message over by itself. */
const MESSAGE_WAIT_MS = 1_000;

/** Half of what a cycle that comes back uses. */
const cancelledHalfway = (): Thinking => ({
  outcome: 'Cancelled',
  usage: { ...noUsage, inputTokens: 50, outputTokens: 5 },
  takesMs: 1,
});

const unread: Label = { source: { kind: 'Task' }, trust: 'Trusted', readers: ['owner'] };

export interface WorldOptions {
  readonly spec: RunSpec;
  readonly mind: Mind;
  /** What stood in the workspace when the run began; absent: nobody knows, as in runs of older versions. */
  readonly stood?: RunState['stood'];
  /** Absent: messages are passed inline. */
  readonly bus?: BusFault;
  readonly memory?: readonly MemoryAnswer[];
  /** That memory finds for each plan. */
  readonly cases?: readonly RecalledCase[];
  /** How a cycle ends that is given up; undefined: it never says. */
  readonly givenUp?: (cycleId: string) => Thinking | undefined;
  /** What else happens, by the moment. */
  readonly happenings?: readonly { readonly atMs: number; readonly input: RunInput }[];
}

interface Coming {
  readonly atMs: number;
  readonly order: number;
  readonly input: (atMs: number) => RunInput;
}

/** More inputs than any run of a test takes: beyond it the run hangs in a circle. */
const INPUTS_MAX = 20_000;

export class RunWorld {
  readonly events: RunEvent[] = [];
  readonly #options: WorldOptions;
  #state: RunState | undefined;
  #coming: Coming[] = [];
  /** Of each message that was sent, by id. */
  readonly #types = new Map<string, string>();
  #order = 0;
  nowMs = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
    for (const { atMs, input } of options.happenings ?? []) this.#later(atMs, () => input);
  }

  get state(): RunState {
    if (this.#state === undefined) throw new Error('the run has not begun');
    return this.#state;
  }

  /** Plays until the run is closed. @throws when it never is */
  play(): this {
    const { spec, bus, stood } = this.#options;
    const form = { messagePassing: bus === undefined ? 'Inline' : 'Received' } as const;
    const { files, isWhole } = stood ?? UNSEEN;
    const before = { stood: { files: files.map((it) => ({ ...it })), isWhole }, ...drawn };
    this.#feed({ kind: 'RunAdmitted', atMs: 0, spec, ...form, ...before });
    for (let inputs = 0; !this.state.closed; inputs += 1) {
      if (inputs > INPUTS_MAX) throw new Error(`the run goes round in circles at ${this.nowMs} ms`);
      const next = this.#next();
      if (next === undefined) throw new Error(`the run waits for nothing at ${this.nowMs} ms`);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      this.#feed(next.input(this.nowMs));
    }
    return this;
  }

  of<K extends RunEvent['kind']>(kind: K): readonly RunEventOf<K>[] {
    return this.events.filter((event) => event.kind === kind) as unknown as readonly RunEventOf<K>[];
  }

  messages(): readonly BusMessage[] {
    return this.of('MessageSent').flatMap((it) => it.messages);
  }

  get concluded(): RunEventOf<'RunConcluded'> {
    const [concluded] = this.of('RunConcluded');
    if (concluded === undefined) throw new Error('the run did not conclude');
    return concluded;
  }

  #next(): Coming | undefined {
    const timer = nextRunTimer(this.state, MESSAGE_WAIT_MS);
    const waking = timer === undefined ? [] : [{ ...timer, order: Infinity }];
    const next = [...this.#coming, ...waking].toSorted((a, b) => a.atMs - b.atMs || a.order - b.order)[0];
    this.#coming = this.#coming.filter((it) => it !== next);
    return next;
  }

  #feed(input: RunInput): void {
    const events = decideRun(this.#state, input, testTools);
    for (const event of events) this.#state = evolveRun(this.#state, event);
    this.events.push(...events);
    for (const event of events) this.#happen(event);
  }

  #happen(event: RunEvent): void {
    const { mind, givenUp = cancelledHalfway } = this.#options;
    switch (event.kind) {
      case 'MessageSent':
        for (const message of event.messages) this.#send(message);
        return;
      case 'MessageReceived':
        return this.#askMemory(event.messageId);
      case 'CycleRequested':
        return this.#think(event.spec.cycleId, mind(event.purpose, event.spec));
      case 'CycleAbandoned':
        return this.#think(event.cycleId, givenUp(event.cycleId));
      case 'DeliveryRequested':
        return this.#later(this.nowMs + 1, (atMs) => ({ kind: 'Delivered', atMs, deliveryId: event.deliveryId }));
      case 'ArchiveRequested':
        return this.#later(this.nowMs + 1, (atMs) => ({ kind: 'Archived', atMs }));
      default:
        return undefined;
    }
  }

  #send(message: BusMessage): void {
    const { id, type } = message;
    const { bus } = this.#options;
    this.#types.set(id, type);
    if (bus === undefined) return this.#askMemory(id);
    for (const delayMs of bus(message))
      this.#later(this.nowMs + delayMs, (atMs) => ({ kind: 'MessageReceived', atMs, messageId: id }));
  }

  #askMemory(messageId: string): void {
    const { memory = [], cases } = this.#options;
    const found = cases === undefined ? {} : { cases: [...cases] };
    const type = this.#types.get(messageId);
    if (type === 'MemoryWrite') this.#later(this.nowMs + 1, (atMs) => ({ kind: 'Remembered', atMs, messageId }));
    if (type === 'MemoryRead')
      this.#later(this.nowMs + 1, (atMs) => ({
        kind: 'MemoryRecalled',
        atMs,
        messageId,
        answers: [...memory],
        ...found,
      }));
  }

  #think(cycleId: string, thinking: Thinking | undefined): void {
    if (thinking === undefined) return;
    const { takesMs = 1000, ...end } = thinking;
    this.#later(this.nowMs + takesMs, (atMs) => ({
      kind: 'CycleConcluded',
      atMs,
      cycleId,
      outcome: 'Replied',
      text: '',
      calls: [],
      rejections: [],
      usage: { ...noUsage, inputTokens: 100, outputTokens: 10 },
      costUsd: 0,
      isCostComplete: true,
      modelCalls: 1,
      label: unread,
      ...end,
    }));
  }

  #later(atMs: number, input: Coming['input']): void {
    this.#order += 1;
    this.#coming.push({ atMs, order: this.#order, input });
  }
}
