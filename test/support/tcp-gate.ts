/** A way to a server on loopback that a test can cut, refuse, or leave open while nothing passes: a half-open connection. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface TcpGate {
  readonly port: number;
  /** Connections that were ever made through it. */
  readonly connections: () => number;
  /** Of all connections, from the server to its clients. */
  readonly bytesToClients: () => number;
  /** Nothing passes any more, in either direction, and nobody is told. New connections are made and hear nothing either. */
  freeze(): void;
  /** What waited passes, unless its connection was cut meanwhile. */
  thaw(): void;
  /** All connections end at once, as by a router that restarts; new ones are made. */
  cut(): void;
  /** New connections end at once, until `admit`. */
  refuse(): void;
  admit(): void;
  close(): Promise<void>;
}

/** @param target  the port of the server, asked for at each connection */
export async function startTcpGate(target: () => number): Promise<TcpGate> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let [isFrozen, isRefusing, connections, bytes] = [false, false, 0, 0];
  const server = createServer((client) => {
    client.on('error', () => undefined);
    if (isRefusing) {
      client.destroy();
      return;
    }
    connections += 1;
    const upstream = connect(target(), '127.0.0.1');
    const pair = [client, upstream] as const;
    pairs.add(pair);
    const end = (): void => {
      if (isFrozen) return;
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    upstream.on('error', end);
    for (const socket of pair) socket.on('close', end);
    upstream.on('data', (chunk: Buffer) => (bytes += chunk.length));
    client.pipe(upstream).pipe(client);
    if (isFrozen) for (const socket of pair) socket.pause();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    pairs.clear();
  };
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    bytesToClients: () => bytes,
    freeze: () => {
      isFrozen = true;
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    thaw: () => {
      isFrozen = false;
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
    cut,
    refuse: () => void (isRefusing = true),
    admit: () => void (isRefusing = false),
    close: () =>
      new Promise((resolve) => {
        cut();
        server.close(() => resolve());
      }),
  };
}
