/**
 * The bus of an agent that is alone: queues in memory. It is lost with the process, and then published anew from the journal.
 *
 * Source: artoo A.2, C.
 */
import { invariant } from '@retainer/contract/std/invariant';
import type { BusMessage } from '@retainer/contract/wire/bus/envelope';
import type { BusRole } from '@retainer/contract/wire/bus/roles';
import { BusUnavailableError, type Bus, type BusHandler, type BusObserver } from './bus.ts';
import { encodeMessage } from './message-text.ts';
import { Receiver, type Surroundings } from './receiver.ts';

/** Not yet acknowledged messages of one role, as many as a stream of Redis keeps. What is over it is refused, not dropped. */
const QUEUE_MESSAGES_MAX = 100_000;
/** Not yet seen messages of one observer: some seconds of many busy runs. What is over it is lost. */
const OBSERVER_MESSAGES_MAX = 1024;

export interface InProcessBusOptions extends Omit<Surroundings, 'signal'> {
  readonly queueMessagesMax?: number;
  readonly observerMessagesMax?: number;
}

interface Inbox {
  receiver: Receiver | undefined;
  /** Before somebody consumes; oldest first. */
  readonly waiting: string[];
  /** Taken and not acknowledged, those that wait included. */
  messages: number;
}

export class InProcessBus implements Bus {
  readonly #options: InProcessBusOptions;
  readonly #closing = new AbortController();
  readonly #inboxes = new Map<BusRole, Inbox>();
  readonly #observers = new Map<string, Inbox & { readonly receiver: Receiver }>();

  constructor(options: InProcessBusOptions) {
    this.#options = options;
  }

  async publish(message: BusMessage): Promise<void> {
    const text = encodeMessage(message);
    const { queueMessagesMax = QUEUE_MESSAGES_MAX, report } = this.#options;
    if (this.#closing.signal.aborted) throw new BusUnavailableError(message.id, 'the bus is closed');
    const inbox = this.#inboxOf(message.to);
    if (inbox.messages >= queueMessagesMax) {
      throw new BusUnavailableError(message.id, `${String(inbox.messages)} messages wait for ${message.to} already`);
    }
    inbox.messages += 1;
    report({ kind: 'Published', type: message.type });
    // Later, so that no handler runs inside of whoever publishes.
    queueMicrotask(() => {
      this.#show(text);
      if (inbox.receiver === undefined) inbox.waiting.push(text);
      else hand(inbox, inbox.receiver, text);
    });
  }

  consume(role: BusRole, handler: BusHandler): void {
    const inbox = this.#inboxOf(role);
    invariant(inbox.receiver === undefined, `${role} is consumed twice on one bus`);
    const receiver = Receiver.ofRole(role, handler, this.#surroundings());
    inbox.receiver = receiver;
    for (const text of inbox.waiting.splice(0)) hand(inbox, receiver, text);
  }

  tap(name: string, observer: BusObserver): void {
    invariant(!this.#observers.has(name), `the bus has an observer ${name} already`);
    const receiver = Receiver.ofObserver(name, observer, this.#surroundings());
    this.#observers.set(name, { receiver, waiting: [], messages: 0 });
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the bus is closed'));
    const inboxes: readonly Inbox[] = [...this.#inboxes.values(), ...this.#observers.values()];
    await Promise.all(inboxes.flatMap(({ receiver }) => (receiver === undefined ? [] : [receiver.settled()])));
  }

  #inboxOf(role: BusRole): Inbox {
    const inbox = this.#inboxes.get(role) ?? { receiver: undefined, waiting: [], messages: 0 };
    this.#inboxes.set(role, inbox);
    return inbox;
  }

  #surroundings(): Surroundings {
    return { ...this.#options, signal: this.#closing.signal };
  }

  #show(text: string): void {
    const { observerMessagesMax = OBSERVER_MESSAGES_MAX, report } = this.#options;
    for (const [name, observer] of this.#observers) {
      if (observer.messages >= observerMessagesMax) {
        report({ kind: 'Lost', receiver: name, messages: 1 });
        continue;
      }
      observer.messages += 1;
      hand(observer, observer.receiver, text);
    }
  }
}

function hand(inbox: Inbox, receiver: Receiver, text: string): void {
  void receiver.take(text).then(() => {
    inbox.messages -= 1;
  });
}
