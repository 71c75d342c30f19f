/** What may change while a request waits for its connection, with real sockets. */
import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '@retainer/contract/std/system-clock';
import { HttpsClient } from './https-client.ts';
import type { TlsMaterial } from './connection.ts';

const configMaps = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', isNamespaced: true };
const object = { metadata: { namespace: 'one', name: 'a' } };
/** As many calls as the client makes at once. */
const CONNECTIONS_MAX = 32;
/** A handshake without a certificate. */
const ANONYMOUS = { ciphers: 'ADH-AES256-GCM-SHA384:@SECLEVEL=0', maxVersion: 'TLSv1.2' } as const;

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

interface Served {
  readonly client: HttpsClient;
  readonly server: Server;
  /** Bodies, in the order of their arrival. */
  readonly bodies: string[];
  /** Answers each request; until then they wait. */
  readonly answerAll: () => void;
}

async function serve(protocol: 'http' | 'https'): Promise<Served> {
  const bodies: string[] = [];
  let answerAll = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    answerAll = resolve;
  });
  const answer: RequestListener = (request, response) => {
    void request.toArray().then(async (chunks: Buffer[]) => {
      bodies.push(Buffer.concat(chunks).toString());
      await gate;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(object));
    });
  };
  const server =
    protocol === 'http' ? createPlainServer(answer) : createTlsServer({ ...ANONYMOUS, dhparam: 'auto' }, answer);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const tls = (protocol === 'http' ? {} : { ...ANONYMOUS, rejectUnauthorized: false }) as TlsMaterial;
  const connection = { server: url, namespace: 'default', credentials: async () => ({ headers: {}, tls }) };
  const client = new HttpsClient({ connection, clock: systemClock, userAgent: 'test/0' });
  ends.push(() => {
    client.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { client, server, bodies, answerAll };
}

/** It may leave when it is made, and no longer as soon as the returned function was called. */
function create(client: HttpsClient): { readonly created: Promise<unknown>; readonly forbid: () => void } {
  let isForbidden = false;
  const beforeSending = (): void => {
    if (isForbidden) throw new Error('too late');
  };
  const created = client.create(configMaps, object, { beforeSending });
  return { created, forbid: () => (isForbidden = true) };
}

describe('a request that may no longer leave', () => {
  it('is not sent once its credentials are there', async () => {
    const { client, bodies } = await serve('http');
    const { created, forbid } = create(client);
    forbid();
    await expect(created).rejects.toThrow('too late');
    expect(bodies).toEqual([]);
  });

  it('is not sent once there is a free connection, and the next one is', async () => {
    const { client, bodies, answerAll } = await serve('http');
    const before = Array.from({ length: CONNECTIONS_MAX }, () => create(client).created);
    await expect.poll(() => bodies.length).toBe(CONNECTIONS_MAX);
    const { created, forbid } = create(client);
    const next = create(client).created;
    forbid();
    answerAll();
    await expect(created).rejects.toThrow('too late');
    await Promise.all([...before, next]);
    expect(bodies).toHaveLength(CONNECTIONS_MAX + 1);
  });

  it('is not sent once the connection is made', async () => {
    const { client, bodies, answerAll } = await serve('http');
    answerAll();
    const { created, forbid } = create(client);
    // The socket is at the request by now, and not connected: that takes a turn of the event loop.
    await new Promise<void>((resolve) => process.nextTick(() => queueMicrotask(() => process.nextTick(resolve))));
    forbid();
    await expect(created).rejects.toThrow('too late');
    await create(client).created;
    expect(bodies).toHaveLength(1);
  });

  it('is not sent once the handshake is over', async () => {
    const { client, server, bodies, answerAll } = await serve('https');
    answerAll();
    const { created, forbid } = create(client);
    server.once('connection', forbid);
    await expect(created).rejects.toThrow('too late');
    await create(client).created;
    await create(client).created;
    expect(bodies).toHaveLength(2);
  });
});
