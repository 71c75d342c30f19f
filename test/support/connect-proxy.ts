/** A forward proxy on loopback that knows CONNECT only, and keeps what it saw. */
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export interface ConnectProxy {
  readonly url: string;
  readonly port: number;
  /** Targets of CONNECT, `host:port`. */
  readonly asked: readonly string[];
  /** `Proxy-Authorization` of each. */
  readonly authorizations: readonly (string | undefined)[];
  /** Requests other than CONNECT, such as a plain GET of a whole address. */
  readonly plain: readonly string[];
  /** All bytes that clients sent, as latin1: what a listener at the proxy can read. */
  readonly heard: () => string;
  close(): Promise<void>;
}

export interface ConnectProxyOptions {
  /** Answered instead of a tunnel. */
  readonly status?: number;
  /** Where a name leads to; by default to loopback, whatever the name. */
  readonly port?: (target: string) => number;
}

export async function startConnectProxy({ status, port }: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const asked: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const plain: string[] = [];
  const heard: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    plain.push(`${request.method} ${request.url}`);
    response.writeHead(405).end();
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    const target = request.url ?? '';
    asked.push(target);
    authorizations.push(request.headers['proxy-authorization']);
    heard.push(Buffer.from(request.rawHeaders.join('\n')));
    if (status !== undefined) {
      client.end(`HTTP/1.1 ${status} No\r\nproxy-authenticate: Basic\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const upstream = connect(port?.(target) ?? Number(target.replace(/^.*:/, '')), '127.0.0.1');
    sockets.add(upstream);
    upstream.on('error', () => client.destroy());
    upstream.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.on('data', (chunk: Buffer) => heard.push(chunk));
      client.pipe(upstream).pipe(client);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    port: own,
    asked,
    authorizations,
    plain,
    heard: () => Buffer.concat(heard).toString('latin1'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
