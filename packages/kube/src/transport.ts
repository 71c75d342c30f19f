/**
 * Requests over HTTP 1.1 with connections kept open. Owns the sockets; knows nothing of the content of requests.
 *
 * Calls, watches and calls about Leases have separate agents. Any number of watches leaves connections for the calls, and
 * under any load a leader renews its Lease without waiting in a queue.
 */
import type { Agent as HttpAgent, AgentOptions, IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { http } from '@retainer/contract/std/node-http';
import type { Connection } from './connection.ts';
import { unlessAborted } from './deadline.ts';
import { ProxyAgent } from './proxy-agent.ts';

/** Concurrent calls; more wait for a connection within their own deadline. An API server gladly gives one client this many. */
const CONNECTIONS_MAX = 32;
/** A renewal, and one of a new epoch beside it. */
const LEASE_CONNECTIONS_MAX = 2;
const LEASE_PATH = '/apis/coordination.k8s.io/';
/** An API server closes a connection that is idle for 90 s. The client closes first, so that no request meets the closing. */
const IDLE_MS = 60_000;
/** After this much silence the kernel probes the peer, and gives up 10 s later. */
const KEEP_ALIVE_PROBE_MS = 15_000;

export interface HttpRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Has a connection of its own, which lives as long as the answer. */
  readonly isLong: boolean;
  /** See `ChangeOptions`. */
  readonly beforeSending?: (() => void) | undefined;
}

export class Transport {
  readonly #connection: Connection;
  readonly #calls: HttpAgent;
  readonly #watches: HttpAgent;
  readonly #leases: HttpAgent;

  constructor(connection: Connection) {
    const agentOf = agentMaker(connection);
    this.#connection = connection;
    const kept = {
      keepAlive: true,
      keepAliveMsecs: KEEP_ALIVE_PROBE_MS,
      timeout: IDLE_MS,
      scheduling: 'lifo',
    } as const;
    this.#calls = agentOf({ ...kept, maxSockets: CONNECTIONS_MAX });
    this.#leases = agentOf({ ...kept, maxSockets: LEASE_CONNECTIONS_MAX });
    this.#watches = agentOf({ keepAlive: false });
  }

  /** Resolves with the answer once its head has arrived. Rejects as the connection does, or with an `AbortError`. */
  async open(request: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const { server } = this.#connection;
    const { headers, tls } = await unlessAborted(this.#connection.credentials(), signal);
    return new Promise((resolve, reject) => {
      const send = server.protocol === 'https:' ? https.request : http.request;
      const outgoing = send({
        ...tls,
        agent: this.#agentOf(request),
        host: server.hostname.replace(/^\[|\]$/g, ''),
        port: server.port === '' ? undefined : server.port,
        method: request.method,
        path: `${server.pathname.replace(/\/$/, '')}${request.path}`,
        headers: { ...headers, ...request.headers },
        signal,
      });
      outgoing.once('response', resolve);
      outgoing.on('error', reject);
      outgoing.once('socket', (socket) => {
        socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
        // A socket takes a request before it is connected, and sends it whenever it is.
        onceConnected(socket, () => {
          try {
            request.beforeSending?.();
            outgoing.end(request.body);
          } catch (error) {
            outgoing.destroy(error as Error);
          }
        });
      });
    });
  }

  #agentOf({ isLong, path }: HttpRequest): HttpAgent {
    if (isLong) return this.#watches;
    return path.startsWith(LEASE_PATH) ? this.#leases : this.#calls;
  }

  /** Ends every connection. */
  close(): void {
    this.#calls.destroy();
    this.#watches.destroy();
    this.#leases.destroy();
  }
}

function agentMaker({ server, proxy }: Connection): (options: AgentOptions) => HttpAgent {
  if (server.protocol !== 'https:') return (options) => new http.Agent(options);
  return (options) => (proxy === undefined ? new https.Agent(options) : new ProxyAgent(proxy, options));
}

function onceConnected(socket: Socket, send: () => void): void {
  const isSecure = socket instanceof TLSSocket;
  // Until the handshake is over, Node gives no protocol, not even the word that there is none.
  const isConnected = isSecure ? socket.alpnProtocol !== null : !socket.connecting;
  if (isConnected) send();
  else socket.once(isSecure ? 'secureConnect' : 'connect', send);
}
