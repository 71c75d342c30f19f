/** Code that keeps ports open until a deadline, and the way to them. Everything from a port is data of untrusted code. */
import type { Duplex, Readable } from 'node:stream';
import type { SandboxRequest, SandboxResult } from './sandbox-run.ts';

export interface ServedPort {
  /** Lower-case letters, digits and hyphens; names the port in addresses. */
  readonly name: string;
  /** The code listens here, on its own loopback address or on all addresses. */
  readonly port: number;
}

/** `limits.timeoutMs` is the time from the start of the code to its deadline. Files that it writes are not kept. */
export interface ServeRequest extends SandboxRequest {
  readonly ports: readonly ServedPort[];
}

export interface Serving {
  /** Letters, digits and hyphens; names the serving code in addresses. The same idempotency key gives the same id. */
  readonly id: string;
  readonly ports: readonly ServedPort[];
  /** Milliseconds since 1970. */
  readonly deadlineMs: number;
}

export type ServeStart =
  /** `isAnswering`: a port has answered HTTP. Code that is slow, or speaks another protocol, runs all the same. */
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
  /** Unbounded: the reader must count. Destroying it ends the exchange. */
  readonly body: Readable;
}

/** Bytes in both directions, after a 101. */
export interface ServedConnection {
  readonly headers: ServedAnswer['headers'];
  readonly socket: Duplex;
  /** The bytes directly after the headers. */
  readonly head: Uint8Array;
}

export interface ServingPort {
  /** Starts the code once per key, and then returns the same. @throws SandboxRefusal  nothing has run */
  serve(request: ServeRequest, signal: AbortSignal): Promise<ServeStart>;
  /** The result of an earlier `serve` with this key, if it is known. */
  lookup(idempotencyKey: string): Promise<ServeStart | undefined>;
  /** Resolves when the code can no longer be reached. False: no code with this id serves. */
  stop(id: string): Promise<boolean>;
  /** The code that serves now. */
  list(): readonly Serving[];
  /** Undefined: no code with this id and port name serves. The signal and the deadline end it. Rejects when no answer comes. */
  forward(to: ServedPlace, request: ServedRequest, signal: AbortSignal): Promise<ServedAnswer | undefined>;
  /** Like `forward`, for a request that asks for another protocol. An answer that keeps HTTP is an ordinary answer. */
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
