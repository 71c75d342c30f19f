import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readProxies } from '@retainer/contract/std/proxies';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { makeCertificates } from '../../../test/support/certificates.ts';
import { startConnectProxy, type ConnectProxy } from '../../../test/support/connect-proxy.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { verifies } from '../../../test/verifies.ts';
import { connectInCluster, connect, type ConnectionChoice } from './connect.ts';
import { HttpsClient } from './https-client.ts';
import { systemClock } from '@retainer/contract/std/system-clock';

const { path: directory, remove } = temporaryDirectory();
afterAll(remove);

async function file(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text);
  return path;
}

const printed = JSON.stringify({
  apiVersion: 'client.authentication.k8s.io/v1',
  kind: 'ExecCredential',
  status: { token: 'printed', expirationTimestamp: '2100-01-01T00:00:00Z' },
});
const users = {
  token: { token: 'written' },
  password: { username: 'me', password: 'secret' },
  program: {
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-p', JSON.stringify(printed)],
      interactiveMode: 'Never',
    },
  },
  certificate: {
    'client-certificate-data': Buffer.from('certificate').toString('base64'),
    'client-key-data': Buffer.from('key').toString('base64'),
  },
};

/** JSON is YAML. */
const kubeconfig = (server: string, cluster: object = {}): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'token',
    clusters: [{ name: 'here', cluster: { server, 'insecure-skip-tls-verify': true, ...cluster } }],
    users: Object.entries(users).map(([name, user]) => ({ name, user })),
    contexts: Object.keys(users).map((name) => ({
      name,
      context: { cluster: 'here', user: name, namespace: 'mine' },
    })),
  });

describe('in a pod', () => {
  verifies('kube:lets-itself-in', 'reads token and authority anew for every request', async () => {
    await file('namespace', 'mine\n');
    await file('token', 'first\n');
    await file('ca.crt', 'authority');
    const connection = await connectInCluster({ host: 'fd00::1', port: '443' }, directory);
    expect([connection.server.href, connection.namespace]).toEqual(['https://[fd00::1]/', 'mine']);
    expect(await connection.credentials()).toEqual({
      headers: { authorization: 'Bearer first' },
      tls: { ca: 'authority' },
    });
    await file('token', 'second');
    expect((await connection.credentials()).headers).toEqual({ authorization: 'Bearer second' });
  });
});

describe('by kubeconfig', () => {
  verifies('kube:lets-itself-in', 'sends what each kind of user has', async () => {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(200, { 'content-type': 'text/plain' }).end(request.url);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/below`;
    const path = await file('kubeconfig', kubeconfig(url));
    for (const contextName of [undefined, 'password', 'program']) {
      const connection = await connect({ kubeconfig: { paths: [path], contextName } });
      const client = new HttpsClient({ connection, clock: systemClock, userAgent: 'test/0' });
      expect(await client.raw('GET', '/readyz')).toBe('/below/readyz');
      expect(connection.namespace).toBe('mine');
      client.close();
    }
    server.close();
    expect(seen).toEqual(['Bearer written', `Basic ${Buffer.from('me:secret').toString('base64')}`, 'Bearer printed']);
    const connection = await connect({ kubeconfig: { paths: [path], contextName: 'certificate' } });
    expect((await connection.credentials()).tls).toMatchObject({
      cert: Buffer.from('certificate'),
      key: Buffer.from('key'),
      rejectUnauthorized: false,
    });
  });

  verifies('kube:lets-itself-in', 'takes of several files what the first of them says', async () => {
    const one = await file('one', kubeconfig('https://one.example'));
    const two = await file('two', kubeconfig('https://two.example').replaceAll('here', 'there'));
    const without = JSON.parse(kubeconfig('https://three.example').replaceAll('here', 'elsewhere')) as object;
    const three = await file('three', JSON.stringify({ ...without, 'current-context': undefined }));
    const serverOf = async (paths: readonly string[]): Promise<string> =>
      (await connect({ kubeconfig: { paths } })).server.host;
    expect(await serverOf([one, two])).toBe('one.example');
    expect(await serverOf([two, one])).toBe('two.example');
    expect(await serverOf([three, one])).toBe('three.example');
  });

  verifies('kube:lets-itself-in', 'says what is wrong with a file', async () => {
    const paths = [await file('proxied', kubeconfig('https://10.0.0.1', { 'proxy-url': 'socks5://me:secret@x:1' }))];
    await expect(connect({ kubeconfig: { paths } })).rejects.toThrow(
      /^proxy-url: .*socks5:\/\/ is not supported(?!.*secret)/,
    );
    await expect(connect({ kubeconfig: { paths, contextName: 'other' } })).rejects.toThrow('no context "other"');
    await expect(connect({ kubeconfig: { paths: [join(directory, 'none')] } })).rejects.toThrow('ENOENT');
    await expect(connect({ kubeconfig: { paths: [] } })).rejects.toThrow('no kubeconfig is given');
  });
});

describe('a cluster behind a proxy', () => {
  const certificates = makeCertificates();
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  async function served(): Promise<{ proxy: ConnectProxy; seen: (string | undefined)[] }> {
    const seen: (string | undefined)[] = [];
    const server = createTlsServer(certificates.otherHost, (request, response) => {
      seen.push(request.headers.authorization);
      response.end('ok');
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const proxy = await startConnectProxy({ port: () => port });
    closing.push(
      () => proxy.close(),
      () => server.closeAllConnections(),
      () => server.close(),
    );
    return { proxy, seen };
  }

  const ca = {
    'insecure-skip-tls-verify': false,
    'certificate-authority-data': Buffer.from(certificates.ca).toString('base64'),
  };

  async function readyz(choice: ConnectionChoice): Promise<unknown> {
    const connection = await connect(choice);
    const client = new HttpsClient({ connection, clock: systemClock, userAgent: 'test/0' });
    closing.push(() => client.close());
    return [await client.raw('GET', '/readyz'), await client.raw('GET', '/readyz')];
  }

  it.each(['the environment', 'proxy-url'])(
    'is reached through the one of %s, and the token only by the server',
    async (of) => {
      const { proxy, seen } = await served();
      const proxyUrl = proxy.url.replace('//', '//ada:p%40ss@');
      const more = of === 'proxy-url' ? { ...ca, 'proxy-url': proxyUrl } : ca;
      const proxies = readProxies({ HTTPS_PROXY: of === 'proxy-url' ? 'http://127.0.0.1:1' : proxyUrl });
      const paths = [await file('behind', kubeconfig('https://other.example:6443', more))];
      expect(await readyz({ kubeconfig: { paths, proxies } })).toEqual(['ok', 'ok']);
      // One tunnel serves several calls.
      expect(proxy.asked).toEqual(['other.example:6443']);
      expect(proxy.authorizations).toEqual([`Basic ${Buffer.from('ada:p@ss').toString('base64')}`]);
      expect(seen).toEqual(['Bearer written', 'Bearer written']);
      expect(proxy.heard()).not.toContain('written');
    },
  );

  it('is reached directly where NO_PROXY names it, and on this machine', async () => {
    for (const [server, NO_PROXY] of [
      ['https://other.example', '.example'],
      ['https://127.0.0.1:6443', ''],
    ] as const) {
      const paths = [await file('direct', kubeconfig(server))];
      const proxies = readProxies({ HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY });
      expect(await connect({ kubeconfig: { paths, proxies } })).not.toHaveProperty('proxy');
    }
  });

  it('says that the proxy refused, without its password', async () => {
    const proxy = await startConnectProxy({ status: 407 });
    closing.push(() => proxy.close());
    const paths = [await file('refused', kubeconfig('https://other.example'))];
    const proxies = readProxies({ https_proxy: proxy.url.replace('//', '//ada:hunter2@') });
    const asked = readyz({ kubeconfig: { paths, proxies } });
    await expect(asked).rejects.toThrow(`the proxy ${proxy.url}`);
    await expect(asked).rejects.toThrow(/answers 407(?!.*hunter2)/);
  });

  it('takes no plain address: credentials would pass the proxy in clear text', async () => {
    const paths = [await file('plain', kubeconfig('http://other.example'))];
    const proxies = readProxies({ HTTP_PROXY: 'http://127.0.0.1:1' });
    await expect(connect({ kubeconfig: { paths, proxies } })).rejects.toThrow('NO_PROXY');
  });
});
