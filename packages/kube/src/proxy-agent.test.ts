import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { parseProxy, type Proxy } from '@retainer/contract/std/proxies';
import { afterEach, describe, expect, it } from 'vitest';
import { makeCertificates } from '../../../test/support/certificates.ts';
import { openTunnel } from './proxy-agent.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function proxyAt(url: string): Proxy {
  const proxy = parseProxy({ variable: 'HTTPS_PROXY', value: url });
  if (!proxy.ok) throw new Error(proxy.error);
  return proxy.value;
}

/** Answers CONNECT with these bytes, and everything after it with the same. */
async function answering(bytes: string): Promise<{ readonly proxy: Proxy; readonly heard: string[] }> {
  const heard: string[] = [];
  const port = await listening(
    createServer((socket) => {
      socket.once('data', (head) => {
        heard.push(head.toString());
        socket.write(bytes);
        socket.on('data', (chunk) => socket.write(chunk));
      });
    }),
  );
  return { proxy: proxyAt(`http://127.0.0.1:${port}`), heard };
}

const OPEN = 'HTTP/1.1 200 Connection established\r\n\r\n';

describe('a tunnel', () => {
  it.each([
    ['host.example', 'host.example:443'],
    ['2606:2800:21f::1', '[2606:2800:21f::1]:443'],
  ])('is asked for %s by its authority', async (host, authority) => {
    const { proxy, heard } = await answering(OPEN);
    const socket = await openTunnel(proxy, host, 443);
    ends.push(() => socket.destroy());
    expect(heard[0]).toMatch(new RegExp(`^CONNECT ${authority.replace(/[[\]]/g, '\\$&')} HTTP/1.1\r\n`));
    expect(heard[0]?.toLowerCase()).toContain(`host: ${authority}\r\n`);
  });

  it('loses nothing that comes with the answer of the proxy', async () => {
    const { proxy } = await answering(`${OPEN}first words`);
    const socket = await openTunnel(proxy, 'host.example', 443);
    ends.push(() => socket.destroy());
    const [words] = (await once(socket, 'data')) as [Buffer];
    expect(words.toString()).toBe('first words');
  });

  it('stays open when its signal ends after it opened', async () => {
    const { proxy } = await answering(OPEN);
    const stop = new AbortController();
    const socket = await openTunnel(proxy, 'host.example', 443, stop.signal);
    ends.push(() => socket.destroy());
    stop.abort();
    socket.write('still there');
    const [words] = (await once(socket, 'data')) as [Buffer];
    expect(words.toString()).toBe('still there');
  });

  it('is given up when its signal ends before the proxy answers', async () => {
    const stop = new AbortController();
    const port = await listening(createServer(() => stop.abort()));
    const opening = openTunnel(proxyAt(`http://127.0.0.1:${port}`), 'host.example', 443, stop.signal);
    await expect(opening).rejects.toMatchObject({ name: 'ProxyError', code: 'ABORT_ERR' });
  });

  it.each<readonly [string, string, object]>([
    ['a refusal', 'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n', { status: 403 }],
    ['a refusal with a page', 'HTTP/1.1 503 No\r\ncontent-length: 6\r\n\r\n<html>', { status: 503 }],
    ['a redirect to log in', 'HTTP/1.1 302 Found\r\nlocation: http://login/\r\n\r\n', { status: 302 }],
    ['something else than HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', { code: 'HPE_INVALID_CONSTANT' }],
  ])('fails for %s', async (_name, bytes, what) => {
    const { proxy } = await answering(bytes);
    await expect(openTunnel(proxy, 'host.example', 443)).rejects.toMatchObject({ name: 'ProxyError', ...what });
  });

  it('to a proxy over TLS needs a certificate that is trusted', async () => {
    const port = await listening(createTlsServer(makeCertificates().selfSigned));
    const opening = openTunnel(proxyAt(`https://ada:hunter2@localhost:${port}`), 'host.example', 443);
    await expect(opening).rejects.toMatchObject({ name: 'ProxyError', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    await expect(opening).rejects.toThrow(/^(?!.*hunter2)the proxy https:\/\/localhost/);
  });
});
