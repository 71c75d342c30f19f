/** Pages behind a company's proxy, with a real one on loopback: what it is asked for, and what it is never asked for. */
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { readProxies } from '@retainer/contract/std/proxies';
import { afterEach, describe, expect, it } from 'vitest';
import { makeCertificates } from '../../../test/support/certificates.ts';
import { startConnectProxy, type ConnectProxy, type ConnectProxyOptions } from '../../../test/support/connect-proxy.ts';
import {
  fetchPage,
  networkThrough,
  type FetchNetwork,
  type FetchSettings,
  type ResolvedAddress,
} from './fetch-page.ts';

const PUBLIC: ResolvedAddress = { address: '93.184.215.14', family: 4 };
const PUBLIC_6: ResolvedAddress = { address: '2606:2800:21f::1', family: 6 };

const ends: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function world(
  options: ConnectProxyOptions = {},
): Promise<{ proxy: ConnectProxy; requests: (string | undefined)[] }> {
  const requests: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.headers.host}${request.url}`);
    response.writeHead(200, { 'content-type': 'text/plain' }).end('the page');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const proxy = await startConnectProxy({ port: () => port, ...options });
  ends.push(
    () => proxy.close(),
    () => server.closeAllConnections(),
    () => void server.close(),
  );
  return { proxy, requests };
}

/** The machine's own resolver knows only these names. */
function networkOf(
  proxy: ConnectProxy,
  known: Readonly<Record<string, readonly ResolvedAddress[]>>,
  noProxy = '',
): FetchNetwork {
  return {
    ...networkThrough(readProxies({ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: noProxy })),
    resolve: (host) =>
      known[host] === undefined
        ? Promise.reject(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }))
        : Promise.resolve(known[host]),
  };
}

const get = (url: string, network: FetchNetwork, allowedDomains: FetchSettings['allowedDomains']) =>
  fetchPage(new URL(url), { allowedDomains, network, signal: new AbortController().signal });

describe('a page through a proxy', () => {
  it.each<readonly [string, readonly string[], Record<string, readonly ResolvedAddress[]>, string]>([
    [
      'a host that the Agent names, by its name',
      ['docs.example.org'],
      { 'docs.example.org': [PUBLIC] },
      'docs.example.org:80',
    ],
    ['one below a domain that it names', ['*.example.org'], { 'docs.example.org': [PUBLIC] }, 'docs.example.org:80'],
    ['a named host that only the proxy knows', ['docs.example.org'], {}, 'docs.example.org:80'],
    [
      'any other host, by the address that was checked',
      ['*'],
      { 'docs.example.org': [PUBLIC, PUBLIC_6] },
      '93.184.215.14:80',
    ],
    ['the same of version 6', ['*'], { 'docs.example.org': [PUBLIC_6] }, '[2606:2800:21f::1]:80'],
  ])('%s', async (_name, allowed, known, asked) => {
    const { proxy, requests } = await world();
    const fetched = await get('http://docs.example.org/a?b', networkOf(proxy, known), allowed);
    expect(fetched).toMatchObject({ ok: true, value: { kind: 'Page', text: 'the page' } });
    expect([proxy.asked, proxy.plain, requests]).toEqual([[asked], [], ['docs.example.org/a?b']]);
  });

  it.each<readonly [string, readonly string[], Record<string, readonly ResolvedAddress[]>, string]>([
    [
      'a named host with a private address',
      ['in.example.org'],
      { 'in.example.org': [{ address: '10.0.0.5', family: 4 }] },
      'refused (private)',
    ],
    [
      'one private address beside a public one',
      ['*'],
      { 'in.example.org': [PUBLIC, { address: '127.0.0.1', family: 4 }] },
      'refused (loopback)',
    ],
    [
      'the metadata of a cloud',
      ['*'],
      { 'in.example.org': [{ address: '169.254.169.254', family: 4 }] },
      'refused (link-local)',
    ],
    ['a host that only the proxy knows, and nobody names', ['*'], {}, 'allowedDomains'],
    ['a host that is not allowed', ['example.com'], { 'in.example.org': [PUBLIC] }, 'not among the hosts'],
  ])('%s is asked of no proxy', async (_name, allowed, known, words) => {
    const { proxy } = await world();
    const fetched = await get('http://in.example.org/', networkOf(proxy, known), allowed);
    expect(fetched).toMatchObject({ ok: false, error: expect.stringContaining(words) });
    expect(proxy.asked).toEqual([]);
  });

  it('is taken only with a certificate that is trusted for its host', async () => {
    const server = createTlsServer(
      makeCertificates().selfSigned,
      (_request, response) => void response.end('the page'),
    );
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    ends.push(() => void server.close());
    const { proxy } = await world({ port: () => (server.address() as AddressInfo).port });
    const fetched = get('https://localhost.example.org/', networkOf(proxy, {}), ['localhost.example.org']);
    await expect(fetched).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(proxy.asked).toEqual(['localhost.example.org:443']);
  });

  it('a refusal of the proxy is told, without its address', async () => {
    const { proxy } = await world({ status: 403 });
    const fetched = await get('http://docs.example.org/', networkOf(proxy, {}), ['docs.example.org']);
    expect(fetched).toEqual({ ok: false, error: 'docs.example.org is not reached: the proxy on the way answers 403.' });
  });

  it('NO_PROXY leaves it out, and the pinned address is taken', async () => {
    const { proxy } = await world();
    const network = networkOf(proxy, { 'docs.example.org': [PUBLIC] }, 'example.org');
    const dialled: string[] = [];
    const stop = new Error('dialled');
    const direct: FetchNetwork = {
      ...network,
      dial: (target) => {
        dialled.push(target.address);
        throw stop;
      },
    };
    await expect(get('http://docs.example.org/', direct, ['*'])).rejects.toBe(stop);
    expect([dialled, proxy.asked]).toEqual([[PUBLIC.address], []]);
  });
});
