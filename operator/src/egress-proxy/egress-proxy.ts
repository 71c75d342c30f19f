/**
 * The only way out for sandboxes with egress, and for agents that choose it: a forward proxy that accepts only CONNECT.
 *
 * I1  A tunnel needs a grant that the operator signed and that names the host. A grant for one pod is valid for that pod only.
 *     Nothing in the request can widen it.
 * I2  The proxy connects only to public addresses: see `open-upstream.ts`.
 * I3  Every request gives one log line, with its verdict and without credentials.
 *
 * Source: design 7 (egress by host name); reliability-security 3.
 */
import type { KeyObject } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '@retainer/contract/std/clock';
import { http } from '@retainer/contract/std/node-http';
import type { EgressGrant } from '@retainer/contract/wire/egress-grant';
import { isAllowed, parseTarget, type ConnectTarget } from './connect-target.ts';
import type { Network } from './network.ts';
import { openUpstream } from './open-upstream.ts';
import { HEADER_BYTES_MAX, type ProxyLimits } from './proxy-limits.ts';
import type { ProxyMetrics } from './proxy-metrics.ts';
import { isGrantedTo, isOfAgent, readGrant } from './read-grant.ts';
import { joinSockets, type TunnelEnd } from './tunnel.ts';
import { refusalText, type ProxyRefusal, type ProxyOutcome } from './proxy-outcome.ts';

/** Interval of the search for overdue requests. */
const REQUEST_CHECK_MS = 1000;
const SECOND_MS = 1000;

export interface ProxyLine {
  /** The grant's subject; empty without a readable grant. */
  readonly subject: string;
  /** Empty if unreadable. */
  readonly host: string;
  readonly port: number;
  readonly verdict: ProxyOutcome;
  readonly endedBy: TunnelEnd | undefined;
  readonly address: string | undefined;
  readonly bytesOut: number;
  readonly bytesIn: number;
  readonly durationMs: number;
}

export interface EgressProxyParts {
  readonly clock: Clock;
  readonly network: Network;
  readonly limits: ProxyLimits;
  readonly metrics: ProxyMetrics;
  readonly publicKey: () => Promise<KeyObject | undefined>;
  readonly log: (line: ProxyLine) => void;
}

interface Request {
  readonly startMs: number;
  readonly target: ConnectTarget | undefined;
  readonly grant: EgressGrant | undefined;
}

export class EgressProxy {
  readonly #parts: EgressProxyParts;
  readonly #server: Server;
  readonly #cut = new AbortController();
  readonly #tunnels = new Map<string, number>();
  readonly #connections = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();
  #isDraining = false;

  constructor(parts: EgressProxyParts) {
    this.#parts = parts;
    const { requestMs, connections } = parts.limits;
    this.#server = http.createServer({
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: requestMs,
      requestTimeout: requestMs,
      keepAliveTimeout: requestMs,
      connectionsCheckingInterval: REQUEST_CHECK_MS,
    });
    this.#server.maxConnections = connections;
    this.#server.on('connection', (socket) => this.#countConnection(socket));
    this.#server.on('request', (request, response) => this.#refuseMethod(request, response));
    this.#server.on('upgrade', (_, socket: Socket) => this.#refuse(socket, this.#unread(), 'MethodNotAllowed'));
    this.#server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) =>
      this.#accept(request, socket, head),
    );
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => this.#refuseFault(error, socket));
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** @returns the port */
  async listen(port: number, host?: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ port, host }, resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Accepts no more requests, waits `graceMs` for tunnels to end, then cuts them. Idempotent. */
  async stop(graceMs: number): Promise<void> {
    this.#isDraining = true;
    this.#server.close();
    this.#server.closeIdleConnections();
    const waited = new AbortController();
    const grace = this.#parts.clock.sleep(graceMs, waited.signal).then(
      () => this.#cut.abort(),
      () => undefined,
    );
    await Promise.allSettled(this.#running);
    waited.abort();
    await grace;
    this.#server.closeAllConnections();
  }

  /** One client with idle connections must not keep all others out. */
  #countConnection(socket: Socket): void {
    const { remoteAddress = '' } = socket;
    const count = (this.#connections.get(remoteAddress) ?? 0) + 1;
    if (count > this.#parts.limits.connectionsPerAddress) {
      this.#parts.metrics.answered('TooManyConnections');
      socket.destroy();
      return;
    }
    this.#connections.set(remoteAddress, count);
    socket.once('close', () => {
      const left = (this.#connections.get(remoteAddress) ?? 1) - 1;
      if (left === 0) this.#connections.delete(remoteAddress);
      else this.#connections.set(remoteAddress, left);
    });
  }

  #accept(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const running = this.#serve(request, socket, head);
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  async #serve(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    // The answer to an earlier request of this connection has closed it.
    if (!client.writable) return void client.destroy();
    client.on('error', () => client.destroy());
    const startMs = this.#parts.clock.monotonicMs();
    const target = parseTarget(request.url ?? '');
    const { key, grant } = await this.#grantOf(request);
    const seen: Request = { startMs, target, grant };
    const refusal = this.#firstRefusal(request, { ...seen, key });
    if (refusal !== undefined || target === undefined || grant === undefined)
      return this.#refuse(client, seen, refusal ?? 'Malformed');
    this.#count(grant.subject, 1);
    try {
      await this.#tunnel({ ...seen, target, grant, client, head });
    } finally {
      this.#count(grant.subject, -1);
    }
  }

  async #grantOf({
    headers,
  }: IncomingMessage): Promise<{ key: KeyObject | undefined; grant: EgressGrant | undefined }> {
    const key = await this.#parts.publicKey();
    const grant = key && readGrant(headers['proxy-authorization'], key, this.#parts.clock.nowMs());
    return { key, grant };
  }

  /** The order matters: the client is identified before any answer about the target. */
  #firstRefusal(
    message: IncomingMessage,
    { key, grant, target }: Request & { readonly key: KeyObject | undefined },
  ): ProxyRefusal | undefined {
    if (this.#isDraining) return 'Draining';
    if (isAmbiguous(message)) return 'Malformed';
    if (key === undefined) return 'NoKey';
    if (grant === undefined) return 'Unauthenticated';
    if (this.#parts.limits.bindsGrants && !isGrantedTo(grant, message.socket.remoteAddress ?? ''))
      return 'AddressNotGranted';
    if (target === undefined) return 'HostMalformed';
    if (!isAllowed(grant.hosts, target)) return 'HostNotAllowed';
    if (!this.#isOpenPort(grant, target.port)) return 'PortNotAllowed';
    return this.#hasRoom(grant.subject) ? undefined : 'TooManyTunnels';
  }

  #isOpenPort(grant: EgressGrant, port: number): boolean {
    const { ports, agentPorts } = this.#parts.limits;
    return ports.includes(port) || (isOfAgent(grant) && agentPorts.includes(port));
  }

  async #tunnel(
    parts: Required<Request> & {
      readonly target: ConnectTarget;
      readonly grant: EgressGrant;
      readonly client: Socket;
      readonly head: Buffer;
    },
  ): Promise<void> {
    const { client, head, target, grant } = parts;
    const { clock, limits, metrics } = this.#parts;
    const upstream = await openUpstream(target, this.#parts, this.#cut.signal);
    if (upstream.type === 'Refused') return this.#refuse(client, parts, upstream.refusal);
    metrics.answered('Allowed');
    metrics.opened();
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    const bounds = { ...limits, tunnelMs: Math.min(limits.tunnelMs, leftMs(grant, clock.nowMs())) };
    const report = await joinSockets({
      client,
      upstream: upstream.socket,
      head,
      bounds,
      clock,
      signal: this.#cut.signal,
    });
    metrics.closed(report);
    this.#log(parts, { verdict: 'Allowed', address: upstream.address, ...report });
  }

  #refuseMethod(_: IncomingMessage, response: ServerResponse): void {
    const { socket } = response;
    if (socket !== null) this.#refuse(socket, this.#unread(), 'MethodNotAllowed');
  }

  #refuseFault({ code }: NodeJS.ErrnoException, socket: Socket): void {
    // A connection that broke is no request.
    if (code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else this.#refuse(socket, this.#unread(), code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'TooSlow' : 'Malformed');
  }

  #refuse(socket: Socket, request: Request, refusal: ProxyRefusal): void {
    if (socket.writable) socket.end(refusalText(refusal), () => socket.destroySoon());
    else socket.destroy();
    this.#parts.metrics.answered(refusal);
    this.#log(request, { verdict: refusal, endedBy: undefined, address: undefined, bytesIn: 0, bytesOut: 0 });
  }

  #log({ startMs, target, grant }: Request, end: Omit<ProxyLine, 'subject' | 'host' | 'port' | 'durationMs'>): void {
    const durationMs = Math.round(this.#parts.clock.monotonicMs() - startMs);
    this.#parts.log({
      subject: grant?.subject ?? '',
      host: target?.host ?? '',
      port: target?.port ?? 0,
      durationMs,
      ...end,
    });
  }

  #unread(): Request {
    return { startMs: this.#parts.clock.monotonicMs(), target: undefined, grant: undefined };
  }

  #hasRoom(subject: string): boolean {
    const { tunnels, tunnelsPerSubject } = this.#parts.limits;
    const all = [...this.#tunnels.values()].reduce((sum, count) => sum + count, 0);
    return all < tunnels && (this.#tunnels.get(subject) ?? 0) < tunnelsPerSubject;
  }

  #count(subject: string, by: 1 | -1): void {
    const count = (this.#tunnels.get(subject) ?? 0) + by;
    if (count === 0) this.#tunnels.delete(subject);
    else this.#tunnels.set(subject, count);
  }
}

/** A tunnel ends with its grant. */
function leftMs({ expiresAtSeconds }: EgressGrant, nowMs: number): number {
  return expiresAtSeconds === undefined ? Infinity : Math.max(0, expiresAtSeconds * SECOND_MS - nowMs);
}

/** A body, or two credentials: two readers could understand two different requests. */
function isAmbiguous({ headers, rawHeaders }: IncomingMessage): boolean {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const credentials = names.filter((name) => name === 'proxy-authorization');
  return (
    credentials.length > 1 || headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  );
}
