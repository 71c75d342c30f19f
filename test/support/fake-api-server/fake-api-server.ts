/**
 * A small API server in the test's own process, spoken to over plain HTTP on the loopback interface. Test equipment only.
 *
 * It keeps the promises that controllers build on: revisions, optimistic concurrency, server-side apply with its owners,
 * generations, finalizers, selectors, pages, watches; and it can break each of them on purpose (`faults`). Which promises these
 * are is written down in the contract suite, which the real API server passes as well.
 *
 * Not here: admission webhooks and policies, quotas, most validation of built-in kinds, conversion, field types of built-in
 * kinds, and every controller. Tests bring the controllers they need; `collectGarbage` is one pass of the collector.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ApiRequest, Verb } from './api-request.ts';
import { Faults, type RequestFault } from './faults.ts';
import { ObjectServer, type ObjectServerOptions } from './object-server.ts';
import { selectorOf } from './reads.ts';
import { ApiRefusal, refusals, statusOf } from './refusal.ts';
import { WatchStream } from './watch-stream.ts';
import type { Answer } from './writes.ts';

/** As large as the real server takes a request. */
const BODY_BYTES_MAX = 3_145_728;
/** The real server sends a bookmark about once a minute. */
const BOOKMARK_PERIOD_MS = 60_000;
export interface FakeApiServerOptions extends ObjectServerOptions {
  /** User of a bearer token. By default the token itself, and `anonymous` without one. */
  readonly userOf?: (token: string | undefined) => string;
  readonly bookmarkPeriodMs?: number;
}

/** One request, as it went. */
export interface AuditEntry {
  readonly index: number;
  readonly atMs: number;
  readonly user: string;
  readonly verb: Verb;
  readonly group: string;
  /** Plural name; the path for verb `other`. */
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly namespace: string;
  readonly name: string;
  readonly query: string;
  readonly body: unknown;
  /** HTTP status; 0 where no answer was sent. */
  readonly code: number;
  /** Whether something was stored or removed. */
  readonly isChange: boolean;
}

export class FakeApiServer extends ObjectServer {
  readonly faults = new Faults(() => this.#pump());
  /** All requests, in the order in which they were answered. */
  readonly audit: AuditEntry[] = [];
  readonly #options: FakeApiServerOptions;
  readonly #watches = new Set<WatchStream>();
  readonly #sockets = new Map<Socket, string>();
  readonly #http: Server;
  #requests = 0;
  #inFlight = 0;
  #events = 0;

  constructor(options: FakeApiServerOptions = {}) {
    super(options);
    this.#options = options;
    this.#http = createServer((message, reply) => void this.#serve(message, reply));
    this.#http.keepAliveTimeout = 60_000;
    this.#http.on('connection', (socket) => {
      this.#sockets.set(socket, '');
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.store.onChange(() => this.#pump());
  }

  /** @param port  0 for any free one */
  async start(port = 0): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen(port, '127.0.0.1', resolve);
    });
  }

  /** Breaks every connection and frees the port. Objects stay: `start` again is an API server that came back. */
  async stop(): Promise<void> {
    for (const watch of this.#watches) watch.close();
    for (const socket of this.#sockets.keys()) socket.destroy();
    await new Promise<void>((resolve) => void this.#http.close(() => resolve()));
  }

  /** Takes connections of another protocol, as `pods/exec` has it. */
  onUpgrade(take: (message: IncomingMessage, socket: Duplex) => void): void {
    this.#http.on('upgrade', take);
  }

  get isUp(): boolean {
    return this.#http.listening;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  /** Grows with everything that happens: requests, answers, events. Unchanged for a while means quiet. */
  get activity(): number {
    return this.#requests + this.audit.length + this.#events + this.store.revision;
  }

  /** Requests that have no answer yet, watches apart. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Watches that are open. */
  get watches(): readonly ApiRequest[] {
    return [...this.#watches].map(({ request }) => request);
  }

  /** Destroys connections, of one user or of all. */
  breakConnections(user?: string): void {
    for (const [socket, owner] of this.#sockets) if (user === undefined || owner === user) socket.destroy();
  }

  #pump(): void {
    for (const watch of this.#watches) void watch.pump();
  }

  async #serve(message: IncomingMessage, reply: ServerResponse): Promise<void> {
    this.#requests += 1;
    this.#inFlight += 1;
    const index = this.#requests;
    try {
      const request = await this.#read(message, index);
      if (request !== undefined) await this.#meetFaults(request, reply);
    } catch (error) {
      if (!(error instanceof ApiRefusal)) throw error;
      send(reply, { status: error.status, body: statusOf(error) });
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** @returns undefined where the client went away */
  async #read(message: IncomingMessage, index: number): Promise<ApiRequest | undefined> {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    try {
      for await (const chunk of message) {
        sizeBytes += (chunk as Buffer).length;
        if (sizeBytes > BODY_BYTES_MAX)
          throw new ApiRefusal({ status: 413, reason: 'RequestEntityTooLarge', message: 'the request is too large' });
        chunks.push(chunk as Buffer);
      }
    } catch (error) {
      if (error instanceof ApiRefusal) throw error;
      return undefined;
    }
    const text = Buffer.concat(chunks).toString('utf8');
    const token = /^Bearer (.+)$/.exec(message.headers.authorization ?? '')?.[1];
    const user = (this.#options.userOf ?? ((given) => given ?? 'anonymous'))(token);
    this.#sockets.set(message.socket, user);
    const { method = '', url = '', headers } = message;
    const contentType = headers['content-type'] ?? '';
    const userAgent = headers['user-agent'] ?? '';
    return this.parse({ index, user, method, url, contentType, userAgent, body: parseBody(text) });
  }

  async #meetFaults(request: ApiRequest, reply: ServerResponse): Promise<void> {
    const fault = this.faults.ofRequest(request);
    switch (fault?.type) {
      case 'Hang':
        return this.#hang(request, reply);
      case 'Drop':
        this.#record(request, 0, false);
        fault.onDone?.();
        return void reply.destroy();
      case 'LoseReply':
        this.#carryOut(request, fault);
        fault.onDone?.();
        return void reply.destroy();
      case 'Hold':
        await fault.until.catch(() => undefined);
        break;
      default:
    }
    const answer = this.#carryOut(request, fault);
    if (fault?.type === 'Tell') fault.onDone();
    if (answer === 'Watch') return this.#watch(request, reply);
    return send(reply, answer);
  }

  #carryOut(request: ApiRequest, fault: RequestFault | undefined): Answer | 'Watch' {
    const { revision } = this.store;
    const answer = this.answerTo(request, fault);
    const status = answer === 'Watch' ? 200 : answer.status;
    this.#record(request, fault?.type === 'LoseReply' ? 0 : status, this.store.revision > revision);
    return answer;
  }

  #hang(request: ApiRequest, reply: ServerResponse): void {
    this.#record(request, 0, false);
    if (request.verb !== 'watch') return;
    reply.writeHead(200, { 'content-type': 'application/json' });
    reply.flushHeaders();
  }

  #watch(request: ApiRequest, reply: ServerResponse): void {
    const { served } = request;
    if (served === undefined) return;
    reply.writeHead(200, { 'content-type': 'application/json' });
    reply.flushHeaders();
    const version = request.query.get('resourceVersion') ?? '';
    const target = {
      request,
      served,
      isSelected: selectorOf(served, request),
      since: version === '' || version === '0' ? undefined : Number(version),
    };
    const world = {
      store: this.store,
      clock: this.clock,
      faults: this.faults,
      bookmarkPeriodMs: this.#options.bookmarkPeriodMs ?? BOOKMARK_PERIOD_MS,
      nextEventIndex: () => (this.#events += 1),
    };
    const stream = new WatchStream(world, target, {
      write: (text) => void reply.write(text),
      end: () => void reply.end(),
      destroy: () => void reply.destroy(),
    });
    this.#watches.add(stream);
    reply.on('close', () => {
      stream.close();
      this.#watches.delete(stream);
    });
    stream.start();
  }

  #record(request: ApiRequest, code: number, isChange: boolean): void {
    const { index, user, verb, served, subresource, namespace, name, query, body, path } = request;
    this.audit.push({
      index,
      atMs: this.clock.nowMs(),
      user,
      verb,
      group: served?.resource.group ?? '',
      resource: served?.resource.plural ?? path,
      subresource,
      namespace,
      name,
      query: query.toString(),
      body,
      code,
      isChange,
    });
  }
}

function parseBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw refusals.badRequest('the body is not JSON');
  }
}

function send(reply: ServerResponse, { status, body, retryAfterSeconds }: Answer): void {
  const isText = typeof body === 'string';
  reply.writeHead(status, {
    'content-type': isText ? 'text/plain' : 'application/json',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  });
  reply.end(isText ? body : JSON.stringify(body));
}

/** A server that listens on a free port of the loopback interface. */
export async function startFakeApiServer(options: FakeApiServerOptions = {}): Promise<FakeApiServer> {
  const server = new FakeApiServer(options);
  await server.start();
  return server;
}
