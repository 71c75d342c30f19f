/**
 * `/serve/`: forwards requests to the ports that the agent's code serves. The NetworkPolicy decides who reaches it.
 *
 *   GET /serve/               the served ports, as JSON
 *   any /serve/ID/NAME/PATH   forwarded to the port of that name, upgrades too; 404 if nothing serves there
 *
 * I1  The code neither receives nor sets credentials and cookies: see `serve-forward-headers.ts`.
 * I2  Exchanges use bounded resources of the agent: bytes of body and answer, time, and number at once.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Transform, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ServedAnswer, ServedPlace, ServedRequest, Serving, ServingPort } from '../ports/serving-port.ts';
import type { Subtree } from '@retainer/kube/listen';
import {
  answerHeaders,
  guardedHeaders,
  requestHeaders,
  upgradedHeaders,
  upgradeRequestHeaders,
  type ServedAddress,
} from './serve-forward-headers.ts';

const PREFIX = '/serve/';
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The body is held in memory for signing. */
const BODY_BYTES_MAX = 1_048_576;
/** Streamed; a longer answer is cut off. */
const ANSWER_BYTES_MAX = 67_108_864;
/** Requests and connections at once: a page with images, for a few people. */
const EXCHANGES_MAX = 32;
/** From the request to the first byte of its answer. */
const ANSWER_TIMEOUT_MS = 60_000;

export class ServeForward implements Subtree {
  readonly #serving: () => ServingPort | undefined;
  readonly #open = new Set<Duplex>();
  #exchanges = 0;

  /** @param serving  called for every request: the agent may not have started yet */
  constructor(serving: () => ServingPort | undefined) {
    this.#serving = serving;
  }

  isFor(request: IncomingMessage): boolean {
    return request.url?.startsWith(PREFIX) === true;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    if (url === PREFIX && method === 'GET') return this.#list(response);
    const target = this.#target(request);
    if (target === undefined) return plain(response, 404, 'nothing serves here');
    if (target.path === '') return redirect(response, `${target.address.prefix}/`);
    if (!METHODS.has(method)) return plain(response, 405, 'this method is not supported');
    if (this.#exchanges >= EXCHANGES_MAX) return plain(response, 503, 'too many requests at once: try again');
    this.#exchanges += 1;
    try {
      await this.#forward(target, request, response);
    } finally {
      this.#exchanges -= 1;
    }
  }

  async upgrade(request: IncomingMessage, socket: Duplex, head: Uint8Array): Promise<void> {
    socket.on('error', () => undefined);
    const target = this.#target(request);
    if (target === undefined || target.path === '' || request.method !== 'GET') return refuse(socket, '404 Not Found');
    if (this.#exchanges >= EXCHANGES_MAX) return refuse(socket, '503 Service Unavailable');
    this.#exchanges += 1;
    this.#open.add(socket);
    try {
      await this.#join(target, request, { socket, head });
    } finally {
      this.#exchanges -= 1;
      this.#open.delete(socket);
      socket.destroy();
    }
  }

  /** Ends upgraded connections, which the HTTP server no longer closes. */
  close(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #list(response: ServerResponse): void {
    const serving = (this.#serving()?.list() ?? []).map(({ id, ports, deadlineMs }) => ({
      id,
      until: new Date(deadlineMs).toISOString(),
      ports: ports.map(({ name, port }) => ({ name, port, path: `${PREFIX}${id}/${name}/` })),
    }));
    const headers = { ...guardedHeaders, 'content-type': 'application/json' };
    response.writeHead(200, headers).end(`${JSON.stringify({ serving })}\n`);
  }

  #target({ url = '', headers }: IncomingMessage): Target | undefined {
    const [, id = '', name = '', path = ''] = ADDRESS.exec(url) ?? [];
    const port = this.#find(id)?.ports.find((one) => one.name === name)?.port;
    if (port === undefined) return undefined;
    return { place: { id, name }, path, address: { prefix: `${PREFIX}${id}/${name}`, host: headers.host, port } };
  }

  #find(id: string): Serving | undefined {
    return this.#serving()
      ?.list()
      .find((one) => one.id === id);
  }

  async #forward({ place, path, address }: Target, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (body === undefined) return plain(response, 413, `a body may have ${BODY_BYTES_MAX} bytes`);
    const { method = 'GET' } = request;
    const served: ServedRequest = { method, path, headers: requestHeaders(request.headers), body };
    const gone = new AbortController();
    response.on('close', () => gone.abort(new Error('the client has gone')));
    const answer = await this.#inTime(gone, (signal) => this.#serving()?.forward(place, served, signal));
    if (answer === 'Unreachable') return plain(response, 502, 'nothing answers at this port');
    if (answer === undefined) return plain(response, 404, 'nothing serves here');
    await pass(answer, address, response);
  }

  async #join(
    { place, path, address }: Target,
    request: IncomingMessage,
    { socket, head }: { readonly socket: Duplex; readonly head: Uint8Array },
  ): Promise<void> {
    const headers = upgradeRequestHeaders(request.headers);
    const served: ServedRequest = { method: 'GET', path, headers, body: new Uint8Array() };
    const gone = new AbortController();
    socket.on('close', () => gone.abort(new Error('the client has gone')));
    const answer = await this.#inTime(gone, (signal) => this.#serving()?.upgrade(place, served, signal));
    if (answer === 'Unreachable') return refuse(socket, '502 Bad Gateway');
    if (answer === undefined) return refuse(socket, '404 Not Found');
    if (!('socket' in answer)) {
      answer.body.destroy();
      return refuse(socket, `${refusedStatus(answer.status)} Not Upgraded`, answerHeaders({}, address));
    }
    const other = answer.socket;
    other.on('close', () => socket.destroy());
    socket.write(headOf('101 Switching Protocols', upgradedHeaders(answer.headers)));
    socket.write(answer.head);
    other.write(head);
    await Promise.all([pipeline(socket, other), pipeline(other, socket)]).catch(() => undefined);
    other.destroy();
  }

  /** @param gone  also aborted at the timeout */
  async #inTime<T>(
    gone: AbortController,
    ask: (signal: AbortSignal) => Promise<T> | undefined,
  ): Promise<T | undefined | 'Unreachable'> {
    const timer = setTimeout(() => gone.abort(new Error('no answer in time')), ANSWER_TIMEOUT_MS);
    try {
      return await ask(gone.signal);
    } catch {
      return 'Unreachable';
    } finally {
      clearTimeout(timer);
    }
  }
}

interface Target {
  readonly place: ServedPlace;
  /** Includes the query; begins with `/` or is empty. */
  readonly path: string;
  readonly address: ServedAddress;
}

/** Valid final answers; 1xx statuses are interim. */
const STATUS_MIN = 200;
const STATUS_MAX = 599;

const ADDRESS = /^\/serve\/([a-z0-9-]{1,63})\/([a-z0-9-]{1,15})(\/.*)?$/;

async function pass(answer: ServedAnswer, address: ServedAddress, response: ServerResponse): Promise<void> {
  if (answer.status < STATUS_MIN || answer.status > STATUS_MAX) {
    answer.body.destroy();
    return plain(response, 502, 'the answer is not HTTP');
  }
  response.writeHead(answer.status, answerHeaders(answer.headers, address));
  // On an error the client sees an incomplete answer: the connection ends first.
  await pipeline(answer.body, limited(ANSWER_BYTES_MAX), response).catch(() => response.destroy());
}

function limited(bytesMax: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.length;
      if (bytes > bytesMax) done(new Error('the answer is too long'));
      else done(null, chunk);
    },
  });
}

/** Undefined if it is too long. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function plain(response: ServerResponse, status: number, text: string): void {
  // Closes the connection: nobody reads the rest of a refused body.
  response.writeHead(status, { ...guardedHeaders, 'content-type': 'text/plain', connection: 'close' }).end(`${text}\n`);
}

/** Adds the final slash: a page's links are relative to its directory. */
function redirect(response: ServerResponse, location: string): void {
  response.writeHead(308, { ...guardedHeaders, location }).end();
}

/** An answer that refuses the upgrade is an error, whatever its status. */
function refusedStatus(status: number): number {
  return status >= 400 && status <= STATUS_MAX ? status : 502;
}

function refuse(socket: Duplex, status: string, headers = guardedHeaders): void {
  socket.end(headOf(status, { ...headers, connection: 'close', 'content-length': '0' }));
}

function headOf(status: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status}`, ...lines, '', ''].join('\r\n');
}
