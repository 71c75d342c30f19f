/**
 * Connections through a proxy, by CONNECT: what goes through is encrypted by its ends, or is plain by their own choice.
 *
 * I1  A tunnel opens or fails within {@link TUNNEL_TIMEOUT_MS}.
 * I2  The request of an `https:` address reaches the proxy only encrypted; its headers never go to the proxy.
 *
 * Source: RFC 9110 section 9.3.6.
 */
import type { ClientRequestArgs, IncomingMessage } from 'node:http';
import https, { type RequestOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type { Duplex } from 'node:stream';
import { http } from '@retainer/contract/std/node-http';
import { proxyText, type Proxy } from '@retainer/contract/std/proxies';

/** A proxy connects to its target before it answers; a system gives up on a silent target after two minutes at most. */
const TUNNEL_TIMEOUT_MS = 30_000;

/** The proxy was asked, and opened no tunnel; or it could not be asked. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly proxy: Proxy;
  /** What the proxy answered; undefined if no answer came. */
  readonly status: number | undefined;
  /** Of the connection to the proxy: `ECONNREFUSED` … */
  readonly code: string | undefined;

  constructor(proxy: Proxy, why: { readonly status?: number; readonly code?: string }) {
    const what = why.status === undefined ? `cannot be used (${why.code ?? 'no answer'})` : `answers ${why.status}`;
    super(`the proxy ${proxyText(proxy)} (${proxy.variable}) ${what}`);
    this.proxy = proxy;
    this.status = why.status;
    this.code = why.code;
  }
}

/** @throws ProxyError */
export function openTunnel(proxy: Proxy, host: string, port: number, signal?: AbortSignal): Promise<Socket> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const timeout = AbortSignal.timeout(TUNNEL_TIMEOUT_MS);
  const options: ClientRequestArgs = {
    method: 'CONNECT',
    host: proxy.host,
    port: proxy.port,
    path: authority,
    headers: { host: authority, ...authorizationOf(proxy) },
    agent: false,
    signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
  };
  return new Promise((resolve, reject) => {
    const request = proxy.protocol === 'https:' ? https.request(options) : http.request(options);
    request.once('connect', (response: IncomingMessage, socket: Duplex, head: Buffer) => {
      const { statusCode: status = 0 } = response;
      if (status >= 200 && status < 300) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket as Socket);
      }
      socket.destroy();
      reject(new ProxyError(proxy, { status }));
    });
    // The answer to CONNECT has no body, and comes as an event of its own.
    request.once('response', (response: IncomingMessage) => {
      response.destroy();
      reject(new ProxyError(proxy, { status: response.statusCode ?? 0 }));
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      reject(new ProxyError(proxy, { code: timeout.aborted ? 'ETIMEDOUT' : (error.code ?? error.name) }));
    });
    request.end();
  });
}

function authorizationOf({ credentials }: Proxy): Readonly<Record<string, string>> {
  if (credentials === undefined) return {};
  const text = Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64');
  return { 'proxy-authorization': `Basic ${text}` };
}

type Opened = (error: Error | null, socket: Duplex) => void;

/** For `https:` addresses. */
export class ProxyAgent extends https.Agent {
  readonly #proxy: Proxy;

  constructor(proxy: Proxy, options: https.AgentOptions = {}) {
    super(options);
    this.#proxy = proxy;
  }

  /** Node's agent calls it, and takes the socket later. */
  override createConnection(options: RequestOptions, done: Opened = () => undefined): undefined {
    void this.#connect(options, done);
  }

  async #connect(options: RequestOptions, done: Opened): Promise<void> {
    try {
      const socket = await openTunnel(this.#proxy, options.host ?? '', Number(options.port));
      done(null, secured(socket, options as ConnectionOptions));
    } catch (error) {
      // Node looks at the error first, and then at nothing else.
      done(error as Error, undefined as never);
    }
  }
}

/** TLS with the target, over a tunnel to it. */
export function secured(socket: Socket, { servername, ...options }: ConnectionOptions): Socket {
  const { host = '' } = options;
  const name = servername ?? (isIP(host) === 0 ? host : '');
  return connectTls({ ...options, socket, servername: name });
}
