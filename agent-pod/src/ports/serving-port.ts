/** Code that keeps ports open until a deadline, and how others reach it. All that comes from a port is data of untrusted code. */
import type { Duplex, Readable } from 'node:stream';
import type { SandboxRequest, SandboxResult } from './sandbox-run.ts';

export interface ServedPort {
  /** Lower-case letters, digits and hyphens; names the port in addresses. */
  readonly name: string;
  /** Where the code listens, on its own loopback address or on all. */
  readonly port: number;
}

/** `limits.timeoutMs` is the time from the start of the code until its deadline. What it writes to files is not kept. */
export interface ServeRequest extends SandboxRequest {
  readonly ports: readonly ServedPort[];
}

export interface Serving {
  /** Letters, digits and hyphens; names it in addresses. The same for the same idempotency key. */
  readonly id: string;
  readonly ports: readonly ServedPort[];
  /** Milliseconds since 1970. */
  readonly deadlineMs: number;
}

export type ServeStart =
  /** `isAnswering`: a port has answered HTTP. A code that speaks something else, or is slow, runs all the same. */
  | { readonly type: 'Serving'; readonly serving: Serving; readonly isAnswering: boolean }
  | { readonly type: 'Ended'; readonly result: SandboxResult };

export interface ServedRequest {
  readonly method: string;
  /** With the query; begins with `/`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface ServedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Unbounded: whoever reads it counts. Destroying it ends the exchange. */
  readonly body: Readable;
}

/** Bytes in both directions, after a 101. */
export interface ServedConnection {
  readonly headers: ServedAnswer['headers'];
  readonly socket: Duplex;
  /** What came right after the headers. */
  readonly head: Uint8Array;
}

export interface ServingPort {
  /**
   * Begins it once per key; the same key again is told of the same code.
   *
   * @throws SandboxRefusal  it cannot be begun; nothing has run
   */
  serve(request: ServeRequest, signal: AbortSignal): Promise<ServeStart>;
  /** What became of an earlier `serve` with this key, if it is known. */
  lookup(idempotencyKey: string): Promise<ServeStart | undefined>;
  /** Resolves once it is no longer reached. False: nothing of this id serves. */
  stop(id: string): Promise<boolean>;
  /** What serves now. */
  list(): readonly Serving[];
  /** Undefined: nothing of this id and name serves. Ends with the signal and with the deadline. Rejects where no answer comes. */
  forward(to: ServedPlace, request: ServedRequest, signal: AbortSignal): Promise<ServedAnswer | undefined>;
  /** As `forward`, for a request that asks for another protocol; an answer without one is an ordinary answer. */
  upgrade(
    to: ServedPlace,
    request: ServedRequest,
    signal: AbortSignal,
  ): Promise<ServedAnswer | ServedConnection | undefined>;
}

export interface ServedPlace {
  readonly id: string;
  readonly name: string;
}
