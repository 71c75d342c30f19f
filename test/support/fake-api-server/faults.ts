/**
 * What can go wrong between a client and the server. A rule looks at each request, or at each event of a watch, and says what
 * happens to it; the first rule that says anything wins.
 */
import type { ApiRequest } from './api-request.ts';
import type { StoredObject } from './json.ts';

export type RequestFault =
  /** Not carried out, and answered so. */
  | {
      readonly type: 'Refuse';
      readonly status: number;
      readonly reason: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** Not carried out; the connection is destroyed. */
  | { readonly type: 'Drop'; readonly onDone?: () => void }
  /** Carried out; the connection is destroyed before a byte of the answer is sent. */
  | { readonly type: 'LoseReply'; readonly onDone?: () => void }
  /** Carried out and answered; `onDone` is called before the answer is sent. */
  | { readonly type: 'Tell'; readonly onDone: () => void }
  /** Carried out once the promise is settled. */
  | { readonly type: 'Hold'; readonly until: Promise<unknown> }
  /** Neither carried out nor answered; the connection stays open. Of a watch: headers are sent, and nothing after them. */
  | { readonly type: 'Hang' }
  /** Reads and watches as of so many revisions ago. A watch goes on lagging as long as the rule says so. */
  | { readonly type: 'Stale'; readonly revisions: number }
  /** Watches: the revision is too old, said inside the stream. For a status of 410 use `Refuse`. */
  | { readonly type: 'GoneInStream' }
  /** Watches: no event but bookmarks. */
  | { readonly type: 'BookmarksOnly' };

export type EventFault =
  | { readonly type: 'Drop' }
  /** Half of the line, then the end of the line; the stream goes on. */
  | { readonly type: 'HalfLine' }
  /** Half of the line, then the connection is destroyed. */
  | { readonly type: 'Break' }
  /** A line that is no JSON in place of the event; the stream goes on. */
  | { readonly type: 'Garbage' }
  /** 410 in place of the event, and the end of the stream. */
  | { readonly type: 'Gone' }
  /** The end of the stream in place of the event. */
  | { readonly type: 'End' }
  /** The event and all after it come so much later, by the server's clock. */
  | { readonly type: 'Delay'; readonly delayMs: number };

/** An event that is about to be sent. */
export interface SentEvent {
  /** Place among all events of all watches, from 1. */
  readonly index: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: StoredObject;
  /** Who caused the change. */
  readonly user: string;
  readonly watch: ApiRequest;
}

export type RequestRule = (request: ApiRequest) => RequestFault | undefined;
export type EventRule = (event: SentEvent) => EventFault | undefined;

export class Faults {
  readonly #requestRules = new Set<RequestRule>();
  readonly #eventRules = new Set<EventRule>();
  readonly #onChange: () => void;

  /** @param onChange  called after rules came or went: what was held back by one may be sent now */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** @returns how to take the rule away */
  onRequest(rule: RequestRule): () => void {
    return this.#add(this.#requestRules, rule);
  }

  /** @returns how to take the rule away */
  onEvent(rule: EventRule): () => void {
    return this.#add(this.#eventRules, rule);
  }

  #add<T>(rules: Set<T>, rule: T): () => void {
    rules.add(rule);
    this.#onChange();
    return () => {
      rules.delete(rule);
      this.#onChange();
    };
  }

  clear(): void {
    this.#requestRules.clear();
    this.#eventRules.clear();
    this.#onChange();
  }

  ofRequest(request: ApiRequest): RequestFault | undefined {
    return firstOf(this.#requestRules, request);
  }

  ofEvent(event: SentEvent): EventFault | undefined {
    return firstOf(this.#eventRules, event);
  }
}

function firstOf<In, Out>(rules: Iterable<(input: In) => Out | undefined>, input: In): Out | undefined {
  for (const rule of rules) {
    const fault = rule(input);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
