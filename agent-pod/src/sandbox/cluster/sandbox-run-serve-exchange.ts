/**
 * One request to a served port, signed for the runner, which forwards it. Any number of requests may run concurrently.
 *
 * The runner accepts sequences in order, so the next request waits for the arrival of this one. A request asks for
 * `100 Continue` before its body: the runner sends it when it takes the sequence, long before the code answers.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { sha256Hex } from '@retainer/contract/std/hash';
import { http } from '@retainer/contract/std/node-http';
import { RUNNER_PATHS } from '@retainer/contract/wire/runner';
import type { ServedAnswer, ServedConnection, ServedRequest } from '../../ports/serving-port.ts';
import {
  RunnerUnreachable,
  type SandboxRunClient,
  type SigningAddress,
  type TurnedExchange,
} from './sandbox-run-client.ts';

/** Without a byte in either direction; then the stream counts as dead. */
const SILENCE_MS = 60_000;
/** A request that has not arrived by then no longer blocks the others. */
const ARRIVAL_MS = 5_000;

export function forwardServed(
  client: SandboxRunClient,
  name: string,
  request: ServedRequest,
  signal: AbortSignal,
): Promise<ServedAnswer> {
  return client.inTurn((address) => {
    const sent = begin(address, { name, request, own: { expect: '100-continue' } }, signal);
    const answer = new Promise<ServedAnswer>((resolve, reject) => {
      sent.on('response', (message) => resolve(answerOf(message)));
      sent.on('error', (cause) => reject(unreachable(cause)));
      sent.on('close', () => reject(unreachable('closed')));
    });
    sent.on('continue', () => sent.end(request.body));
    return exchangeOf(sent, answer);
  });
}

/** Returns the connection itself if the code agreed to the upgrade. */
export function upgradeServed(
  client: SandboxRunClient,
  name: string,
  request: ServedRequest,
  signal: AbortSignal,
): Promise<ServedAnswer | ServedConnection> {
  return client.inTurn((address) => {
    const sent = begin(address, { name, request, own: { connection: 'Upgrade' } }, signal);
    const answer = new Promise<ServedAnswer | ServedConnection>((resolve, reject) => {
      sent.on('response', (message) => resolve(answerOf(message)));
      sent.on('upgrade', ({ headers }: IncomingMessage, socket: Duplex, head: Buffer) => {
        socket.on('error', () => undefined);
        const end = (): void => void socket.destroy();
        signal.addEventListener('abort', end, { once: true });
        socket.on('close', () => signal.removeEventListener('abort', end));
        resolve({ headers, socket, head });
      });
      sent.on('error', (cause) => reject(unreachable(cause)));
      sent.on('close', () => reject(unreachable('closed')));
    });
    sent.end();
    return exchangeOf(sent, answer);
  });
}

interface Message {
  readonly name: string;
  readonly request: ServedRequest;
  /** Headers of this connection. */
  readonly own: Readonly<Record<string, string>>;
}

function begin(
  { host, port, sign }: SigningAddress,
  { name, request, own }: Message,
  signal: AbortSignal,
): ClientRequest {
  const { method, path: rest, headers, body } = request;
  const path = `${RUNNER_PATHS.serve}${name}${rest}`;
  const signed = sign(method, path, `sha256:${sha256Hex(body)}`);
  const all = { ...headers, 'content-length': String(body.length), ...own, ...signed };
  const sent = http.request({ host, port, path, method, headers: all, signal, agent: false, timeout: SILENCE_MS });
  sent.on('timeout', () => sent.destroy(new Error('silence')));
  return sent;
}

function exchangeOf<T>(sent: ClientRequest, answer: Promise<T>): TurnedExchange<T> {
  const hasArrived = new Promise<void>((resolve) => {
    for (const event of ['continue', 'response', 'upgrade', 'error', 'close']) sent.once(event, () => resolve());
    AbortSignal.timeout(ARRIVAL_MS).addEventListener('abort', () => resolve());
  });
  return { hasArrived, answer };
}

function answerOf(message: IncomingMessage): ServedAnswer {
  // Its reader sees the error; without a reader the error must not end the process.
  message.on('error', () => undefined);
  return { status: message.statusCode ?? 502, headers: message.headers, body: message };
}

function unreachable(cause: unknown): RunnerUnreachable {
  return new RunnerUnreachable('the served code cannot be reached', { cause });
}
