import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { sha256Hex } from '@retainer/contract/std/hash';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import {
  fetchPage,
  MAX_BODY_BYTES,
  MAX_REDIRECTS,
  type FetchNetwork,
  type FetchOptions,
  type ResolvedAddress,
} from './fetch-page.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const PUBLIC: ResolvedAddress = { address: '93.184.215.14', family: 4 };

let server: Server;
let handler: Handler = (_request, response) => response.end();
const requests: {
  readonly host: string | undefined;
  readonly url: string | undefined;
  readonly headers: readonly string[];
}[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push({ host: request.headers.host, url: request.url, headers: Object.keys(request.headers) });
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

interface Trace {
  readonly resolved: string[];
  readonly dialled: string[];
}

/** Names lead to the given addresses; whatever was checked is then connected to the loopback server. */
function networkTo(addresses: Readonly<Record<string, readonly ResolvedAddress[]>>, trace: Trace): FetchNetwork {
  return {
    resolve: (host) => {
      trace.resolved.push(host);
      return Promise.resolve(addresses[host] ?? [PUBLIC]);
    },
    dial: (target, port) => {
      trace.dialled.push(`${target.address}:${port}`);
      return { address: '127.0.0.1', family: 4, port: (server.address() as AddressInfo).port };
    },
  };
}

async function get(
  url: string,
  serve: Handler,
  parts: Partial<FetchOptions> & { readonly addresses?: Record<string, readonly ResolvedAddress[]> } = {},
) {
  handler = serve;
  requests.length = 0;
  const trace: Trace = { resolved: [], dialled: [] };
  const { addresses, ...options } = parts;
  const result = await fetchPage(new URL(url), {
    allowedDomains: ['*'],
    network: networkTo(addresses ?? {}, trace),
    signal: new AbortController().signal,
    ...options,
  });
  return { result, ...trace };
}

const text =
  (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Handler =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', ...headers });
    response.end(body);
  };

const redirect =
  (location: string, status = 302): Handler =>
  (_request, response) => {
    response.writeHead(status, { location });
    response.end();
  };

describe('fetchPage', () => {
  it('gives the page, its type, and sends nothing about itself', async () => {
    const { result, dialled } = await get('http://site.example/a?b', text('grüße'));
    expect(result).toEqual({
      ok: true,
      value: { kind: 'Page', url: 'http://site.example/a?b', status: 200, mediaType: 'text/plain', text: 'grüße' },
    });
    expect(requests).toEqual([
      {
        host: 'site.example',
        url: '/a?b',
        headers: expect.not.arrayContaining(['cookie', 'referer', 'authorization']),
      },
    ]);
    expect(dialled).toEqual(['93.184.215.14:80']);
  });

  verifies('tools:fetch-checked-address', 'connects to nothing when any address of the name is refused', async () => {
    const bad = [
      '127.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
      '::1',
      '::ffff:10.0.0.1',
      '64:ff9b::a00:1',
      'fe80::1',
      '0.0.0.0',
    ];
    for (const address of bad) {
      const family = address.includes(':') ? 6 : 4;
      for (const addresses of [[{ address, family }], [PUBLIC, { address, family }]]) {
        const { result, dialled } = await get('http://rebind.example/', text('secret'), {
          addresses: { 'rebind.example': addresses },
        });
        expect(result).toMatchObject({ ok: false, error: expect.stringContaining('refused') });
        expect(dialled).toEqual([]);
      }
    }
    expect(requests).toEqual([]);
  });

  verifies(
    'tools:fetch-checked-address',
    'resolves once for each request, so a second answer cannot lead elsewhere',
    async () => {
      let answers = 0;
      const trace: Trace = { resolved: [], dialled: [] };
      const honest = networkTo({}, trace);
      const network: FetchNetwork = {
        ...honest,
        resolve: () => {
          answers += 1;
          return Promise.resolve(answers === 1 ? [PUBLIC] : [{ address: '127.0.0.1', family: 4 }]);
        },
      };
      const first = await get('http://rebind.example/', text('fine'), { network });
      expect(first.result.ok).toBe(true);
      expect(answers).toBe(1);
      answers = 0;
      const turned = await get('http://rebind.example/', redirect('/again'), { network });
      expect(turned.result).toMatchObject({ ok: false, error: expect.stringContaining('loopback') });
      expect(requests).toHaveLength(1);
    },
  );

  it('reaches only allowed hosts', async () => {
    const { result, resolved } = await get('http://other.example/', text('x'), { allowedDomains: ['site.example'] });
    expect(result).toMatchObject({
      ok: false,
      error: 'other.example is not among the hosts that may be fetched: site.example.',
    });
    expect(resolved).toEqual([]);
  });

  it('says so when a name has no address', async () => {
    const { result } = await get('http://none.example/', text('x'), { addresses: { 'none.example': [] } });
    expect(result).toMatchObject({ ok: false, error: 'none.example has no address.' });
  });
});

describe('redirects', () => {
  it('on the same host are followed, each checked anew', async () => {
    const serve: Handler = (request, response) =>
      request.url === '/end' ? text('there')(request, response) : redirect('/end')(request, response);
    const { result, resolved } = await get('http://site.example/start', serve);
    expect(result).toMatchObject({ ok: true, value: { url: 'http://site.example/end', text: 'there' } });
    expect(resolved).toEqual(['site.example', 'site.example']);
  });

  it('to another host are told and not followed', async () => {
    const { result } = await get('http://site.example/', redirect('https://other.example/x'));
    expect(result).toEqual({ ok: true, value: { kind: 'OtherHost', url: 'https://other.example/x' } });
    expect(requests).toHaveLength(1);
  });

  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    '//169.254.169.254/latest',
    'http://site.example:22/',
    'http://user@site.example/',
    'file:///etc/passwd',
    'http://2130706433/',
    'http://[::1]/',
    'http://[',
    'javascript:alert(1)',
  ])('to %s are refused', async (location) => {
    const { result } = await get('http://site.example/', redirect(location));
    expect(result.ok).toBe(false);
    expect(requests).toHaveLength(1);
  });

  verifies('tools:fetch-capped', 'end after five', async () => {
    const { result } = await get('http://site.example/', redirect('/again'));
    expect(result).toMatchObject({ ok: false, error: 'site.example redirects more than 5 times.' });
    expect(requests).toHaveLength(MAX_REDIRECTS + 1);
  });
});

describe('limits of the Agent', () => {
  it.each([
    [0, 1],
    [2, 3],
    [99, MAX_REDIRECTS + 1],
  ])('of %d redirects mean %d requests', async (redirectsMax, count) => {
    const { result } = await get('http://site.example/', redirect('/again'), { redirectsMax });
    expect(result).toMatchObject({ ok: false, error: `site.example redirects more than ${count - 1} times.` });
    expect(requests).toHaveLength(count);
  });

  /** A body that is too large as it comes ends its stream; the chokepoint makes the same answer of that. */
  const errorOf = (serve: Handler, bytesMax: number): Promise<string> =>
    get('http://site.example/', serve, { bytesMax }).then(
      ({ result }) => (result.ok ? 'none' : result.error),
      (thrown: Error) => thrown.message,
    );

  it('on bytes hold below the hard one, announced or not, and never above it', async () => {
    const chunked: Handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('a'.repeat(600));
      response.end('a'.repeat(600));
    };
    for (const serve of [
      text('a'.repeat(1200)),
      chunked,
      text(gzipSync('a'.repeat(1200)), { 'content-encoding': 'gzip' }),
    ]) {
      expect(await errorOf(serve, 1100)).toBe('site.example answers with more than 1100 bytes.');
      expect(await errorOf(serve, 1200)).toBe('none');
    }
    const big = text(Buffer.alloc(MAX_BODY_BYTES + 1, 'a'));
    expect(await errorOf(big, 2 * MAX_BODY_BYTES)).toBe(`site.example answers with more than ${MAX_BODY_BYTES} bytes.`);
  });

  it('on ports let the listed ones be reached, and no redirect lead to another', async () => {
    const ports = [80, 8080];
    const { dialled } = await get('http://site.example:8080/', text('there'), { ports });
    expect(dialled).toEqual(['93.184.215.14:8080']);
    expect((await get('http://site.example:8080/', redirect('http://site.example:22/'), { ports })).result.ok).toBe(
      false,
    );
  });
});

describe('bodies', () => {
  verifies('tools:fetch-capped', 'are cut off at their limits, announced or not, packed or not', async () => {
    const big = Buffer.alloc(MAX_BODY_BYTES + 1, 'a');
    const noise = Array.from({ length: 3000 }, (_, n) => sha256Hex(String(n))).join('\n');
    const endless: Handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const more = (): void => {
        while (response.writable && response.write(big.subarray(0, 1024 * 1024)));
      };
      response.on('drain', more);
      more();
    };
    const refused: readonly (readonly [string, Handler, string])[] = [
      ['announced', text(big, { 'content-length': String(big.length) }), 'more than'],
      ['endless', endless, 'more than'],
      [
        'gzip bomb',
        text(gzipSync(big.subarray(0, 5_000_000)), { 'content-encoding': 'gzip' }),
        'compressed more than 100 times',
      ],
      [
        'brotli bomb',
        text(brotliCompressSync(big.subarray(0, 5_000_000)), { 'content-encoding': 'br' }),
        'compressed more than 100 times',
      ],
      ['unknown packing', text('x', { 'content-encoding': 'zstd' }), 'unknown encoding'],
      ['twice packed', text(gzipSync(gzipSync('x')), { 'content-encoding': 'gzip, gzip' }), 'unknown encoding'],
      ['inherited name', text('x', { 'content-encoding': 'constructor' }), 'unknown encoding'],
      ['image', text('x', { 'content-type': 'image/svg+xml' }), 'only text'],
      ['no type', text('x', { 'content-type': '' }), 'only text'],
    ];
    for (const [name, serve, error] of refused) {
      const { result } = await get('http://site.example/', serve).catch((cause: Error) => ({
        result: { ok: false, error: cause.message },
      }));
      expect(result, name).toMatchObject({ ok: false, error: expect.stringContaining(error) });
    }
    const fine = await get('http://site.example/', text(gzipSync(noise), { 'content-encoding': 'gzip' }));
    expect(fine.result.ok && fine.result.value.kind === 'Page' && fine.result.value.text === noise).toBe(true);
  });

  it('are read in the character set that they name', async () => {
    const latin = text(Buffer.from([0xfc]), { 'content-type': 'text/plain; charset=iso-8859-1' });
    expect((await get('http://site.example/', latin)).result).toMatchObject({ value: { text: 'ü' } });
    const unknown = text('ü', { 'content-type': 'text/plain; charset=klingon' });
    expect((await get('http://site.example/', unknown)).result).toMatchObject({ value: { text: 'ü' } });
  });

  it('that never end are given up when the call is stopped', async () => {
    const stop = new AbortController();
    const hang: Handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('x');
      stop.abort(new Error('stopped'));
    };
    await expect(get('http://site.example/', hang, { signal: stop.signal })).rejects.toThrow();
  });

  it('that break off are an error, not a short page', async () => {
    const torn: Handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' });
      response.write('half', () => response.destroy());
    };
    await expect(get('http://site.example/', torn)).rejects.toThrow();
  });
});
