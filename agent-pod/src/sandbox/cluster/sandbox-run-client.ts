/**
 * The claimant's client for one runner. It signs every request with its own sequence, and bounds and checks every answer.
 *
 * It sends a request only after the answer to the previous one began. Otherwise one could overtake another, and the runner would
 * refuse the other's sequence.
 */
import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sha256Hex } from '@retainer/contract/std/hash';
import { http } from '@retainer/contract/std/node-http';
import { parseJson } from '@retainer/contract/std/parse-json';
import {
  RUNNER_HEADERS,
  RUNNER_HEARTBEAT_MS,
  RUNNER_PATHS,
  RunEvent,
  RunnerError,
  signedText,
  type Claim,
  type RunRequest,
} from '@retainer/contract/wire/runner';

/** The runner refused. `reason` is the runner's word. */
export class RunnerRefusal extends Error {
  override readonly name = 'RunnerRefusal';
  readonly status: number;
  readonly reason: string;

  constructor(status: number, { reason, message }: RunnerError) {
    super(`${reason}: ${message}`);
    this.status = status;
    this.reason = reason;
  }
}

/** No valid answer. Retry it, because every request may arrive twice. */
export class RunnerUnreachable extends Error {
  override readonly name = 'RunnerUnreachable';
}

export interface RunnerAddress {
  readonly host: string;
  readonly port: number;
  readonly podUid: string;
  /** PKCS8, base64. */
  readonly privateKey: string;
  /** Higher than in every earlier client. */
  readonly epoch: number;
}

/** Requests of one epoch. */
const EPOCH_REQUESTS_MAX = 1_000_000_000;
/** Three heartbeats. */
const SILENCE_MS = 3 * RUNNER_HEARTBEAT_MS;
/** For answers other than archives and output. */
const ANSWER_CHARACTERS_MAX = 8192;
/** An event holds at most 64 KiB, a third more in base64. */
const LINE_CHARACTERS_MAX = 131_072;
const NO_BODY_DIGEST = `sha256:${sha256Hex('')}`;

interface Body {
  readonly digest: string;
  readonly bytes: () => AsyncIterable<Uint8Array>;
}

/** A request made by the caller and signed by the client. */
export interface TurnedExchange<T> {
  /** Settles when the runner has taken the sequence, so that the next request may follow. */
  readonly hasArrived: Promise<unknown>;
  readonly answer: Promise<T>;
}

export interface SigningAddress extends Pick<RunnerAddress, 'host' | 'port'> {
  readonly sign: (method: string, path: string, digest: string) => Record<string, string>;
}

export class SandboxRunClient {
  readonly #address: RunnerAddress;
  readonly #key: KeyObject;
  #requests = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(address: RunnerAddress) {
    this.#address = address;
    this.#key = createPrivateKey({ key: Buffer.from(address.privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  }

  async claim(claim: Claim, signal: AbortSignal): Promise<void> {
    await this.#plain('POST', RUNNER_PATHS.claim, signal, jsonBody(claim));
  }

  async sendFiles(archive: Body, signal: AbortSignal): Promise<void> {
    await this.#plain('POST', RUNNER_PATHS.files, signal, archive);
  }

  async run(request: RunRequest, signal: AbortSignal): Promise<void> {
    await this.#plain('POST', RUNNER_PATHS.run, signal, jsonBody(request));
  }

  async stop(signal: AbortSignal): Promise<void> {
    await this.#plain('POST', RUNNER_PATHS.stop, signal);
  }

  /** Events from number `from` on, until the last one or the end of the connection. */
  async *output(from: number, signal: AbortSignal): AsyncGenerator<RunEvent> {
    const answer = await this.#send('GET', `${RUNNER_PATHS.output}?from=${from}`, signal);
    for await (const line of linesOf(answer)) {
      if (line === '') continue;
      const event = parseEvent(line);
      if (event === undefined) throw new RunnerUnreachable('the sandbox sent something that is no event');
      yield event;
    }
  }

  /** The unchecked archive of changes. */
  async files(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    return bytesOf(await this.#send('GET', RUNNER_PATHS.files, signal));
  }

  async inTurn<T>(exchange: (address: SigningAddress) => TurnedExchange<T>): Promise<T> {
    const leave = await this.#takeTurn();
    const { host, port } = this.#address;
    const { hasArrived, answer } = exchange({ host, port, sign: (...facts) => this.#headers(...facts) });
    void hasArrived.then(leave, leave);
    return answer;
  }

  async #takeTurn(): Promise<() => void> {
    const before = this.#turn;
    let leave: () => void = () => undefined;
    this.#turn = new Promise<void>((resolve) => {
      leave = resolve;
    });
    await before;
    return leave;
  }

  async #plain(method: string, path: string, signal: AbortSignal, body?: Body): Promise<void> {
    const answer = await this.#send(method, path, signal, body);
    answer.resume();
  }

  async #send(method: string, path: string, signal: AbortSignal, body?: Body): Promise<IncomingMessage> {
    const leave = await this.#takeTurn();
    try {
      const answer = await this.#exchange({ method, path, body }, signal);
      const status = answer.statusCode ?? 0;
      if (status >= 200 && status < 300) return answer;
      throw await refusalOf(answer, status);
    } finally {
      leave();
    }
  }

  #exchange(
    { method, path, body }: { readonly method: string; readonly path: string; readonly body: Body | undefined },
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { host, port } = this.#address;
    const headers = this.#headers(method, path, body?.digest ?? NO_BODY_DIGEST);
    return new Promise((resolve, reject) => {
      const request = http.request({ host, port, path, method, headers, signal, agent: false, timeout: SILENCE_MS });
      const fail = (cause: unknown): void => reject(new RunnerUnreachable('the sandbox does not answer', { cause }));
      request.on('timeout', () => request.destroy(new Error('silence')));
      request.on('response', (answer) => {
        answer.on('error', () => undefined);
        resolve(answer);
      });
      request.on('error', fail);
      if (body === undefined) request.end();
      // A refusal before the end of the body also ends the sending, and takes precedence over its error.
      else pipeline(Readable.from(body.bytes(), { objectMode: false }), request).catch(fail);
    });
  }

  #headers(method: string, path: string, digest: string): Record<string, string> {
    this.#requests += 1;
    const sequence = this.#address.epoch * EPOCH_REQUESTS_MAX + this.#requests;
    const text = signedText({ podUid: this.#address.podUid, method, path, sequence, digest });
    return {
      [RUNNER_HEADERS.sequence]: String(sequence),
      [RUNNER_HEADERS.digest]: digest,
      [RUNNER_HEADERS.signature]: sign(null, Buffer.from(text), this.#key).toString('base64'),
    };
  }
}

function jsonBody(value: unknown): Body {
  const bytes = Buffer.from(JSON.stringify(value));
  return {
    digest: `sha256:${sha256Hex(bytes)}`,
    bytes: async function* () {
      yield await Promise.resolve(bytes);
    },
  };
}

async function refusalOf(answer: IncomingMessage, status: number): Promise<Error> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of bytesOf(answer)) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > ANSWER_CHARACTERS_MAX) break;
  }
  answer.destroy();
  const parsed = RunnerError.safeParse(parseJson(text));
  if (parsed.success) return new RunnerRefusal(status, parsed.data);
  // The answer does not come from our runner.
  return new RunnerUnreachable(`the sandbox answered ${status}`);
}

async function* bytesOf(answer: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) yield chunk;
  } catch (cause) {
    throw new RunnerUnreachable('the connection to the sandbox broke', { cause });
  }
}

async function* linesOf(answer: IncomingMessage): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytesOf(answer)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_CHARACTERS_MAX) throw new RunnerUnreachable('the sandbox sent a line without an end');
    yield* lines;
  }
}

function parseEvent(line: string): RunEvent | undefined {
  const parsed = RunEvent.safeParse(parseJson(line));
  return parsed.success ? parsed.data : undefined;
}
