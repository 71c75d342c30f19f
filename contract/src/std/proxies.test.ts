/** Which proxy leads where, as other programs read the same variables. */
import { describe, expect, it } from 'vitest';
import { parseProxy, proxyOf, proxySecrets, proxyUrlOf, readProxies } from './proxies.ts';

const P = 'http://proxy.example.net:3128';

describe('an address is reached', () => {
  it.each<readonly [string, Record<string, string>, boolean]>([
    ['https://api.example.com', { HTTPS_PROXY: P }, true],
    ['https://api.example.com', { https_proxy: P }, true],
    ['https://api.example.com', { https_proxy: '', HTTPS_PROXY: P }, true],
    ['https://api.example.com', { HTTP_PROXY: P }, false],
    ['http://api.example.com', { HTTP_PROXY: P }, true],
    ['http://api.example.com', { HTTPS_PROXY: P }, false],
    ['https://api.example.com', { HTTPS_PROXY: ' ' }, false],
    ['https://localhost:8443', { HTTPS_PROXY: P }, false],
    ['https://a.localhost', { HTTPS_PROXY: P }, false],
    ['http://127.0.0.1:8080', { HTTP_PROXY: P }, false],
    ['http://127.9.9.9', { HTTP_PROXY: P }, false],
    ['https://[::1]:1', { HTTPS_PROXY: P }, false],
    ['https://127.evil.com', { HTTPS_PROXY: P }, true],
    ['https://api.example.com', { HTTPS_PROXY: P, NO_PROXY: '*' }, false],
    ['https://api.example.com', { HTTPS_PROXY: P, NO_PROXY: 'a.b, example.com' }, false],
    ['https://api.example.com', { HTTPS_PROXY: P, no_proxy: '.example.com' }, false],
    ['https://api.example.com', { HTTPS_PROXY: P, no_proxy: '*.EXAMPLE.com' }, false],
    ['https://example.com', { HTTPS_PROXY: P, no_proxy: '.example.com' }, false],
    ['https://notexample.com', { HTTPS_PROXY: P, no_proxy: 'example.com' }, true],
    ['https://api.example.com:8443', { HTTPS_PROXY: P, no_proxy: 'example.com:443' }, true],
    ['https://api.example.com', { HTTPS_PROXY: P, no_proxy: 'example.com:443' }, false],
    ['https://api.example.com.', { HTTPS_PROXY: P, no_proxy: 'example.com' }, false],
    ['https://10.1.2.3', { HTTPS_PROXY: P, NO_PROXY: '10.0.0.0/8' }, false],
    ['https://11.1.2.3', { HTTPS_PROXY: P, NO_PROXY: '10.0.0.0/8' }, true],
    ['https://10.1.2.3', { HTTPS_PROXY: P, NO_PROXY: '10.1.2.3' }, false],
    ['https://[fd00::1]', { HTTPS_PROXY: P, NO_PROXY: 'fd00::/8' }, false],
    ['https://[fd00::1]', { HTTPS_PROXY: P, NO_PROXY: 'fd00:0:0::1' }, false],
    ['https://[fd00::1]:9', { HTTPS_PROXY: P, NO_PROXY: '[fd00::1]:8' }, true],
    ['https://[fd00::1]:8', { HTTPS_PROXY: P, NO_PROXY: '[fd00::1]:8' }, false],
    ['https://10.96.0.1', { HTTPS_PROXY: P, KUBERNETES_SERVICE_HOST: '10.96.0.1' }, false],
    ['https://[fd00::1]', { HTTPS_PROXY: P, KUBERNETES_SERVICE_HOST: 'fd00::1' }, false],
    ['http://llm.models.svc:8000', { HTTP_PROXY: P, KUBERNETES_SERVICE_HOST: '10.96.0.1' }, false],
    ['http://llm.models.svc.cluster.local', { HTTP_PROXY: P, KUBERNETES_SERVICE_HOST: '10.96.0.1' }, false],
    ['http://llm.models.svc', { HTTP_PROXY: P }, true],
    ['https://api.example.com', { HTTPS_PROXY: P, NO_PROXY: ',, 10.0.0.0/x, /, :, 1.2.3.4/99' }, true],
  ])('%s with %o: by proxy %s', (url, environment, byProxy) => {
    const proxy = proxyOf(readProxies(environment), new URL(url));
    expect(proxy).toMatchObject({ ok: true, value: byProxy ? { host: 'proxy.example.net', port: 3128 } : undefined });
  });
});

describe('the address of a proxy', () => {
  it.each<readonly [string, object]>([
    ['proxy:3128', { protocol: 'http:', host: 'proxy', port: 3128 }],
    ['http://proxy', { protocol: 'http:', host: 'proxy', port: 80 }],
    ['https://proxy', { protocol: 'https:', host: 'proxy', port: 443 }],
    ['http://[::1]:3128', { host: '::1', port: 3128 }],
    ['http://ada:p%40ss@proxy:1', { credentials: { user: 'ada', password: 'p@ss' } }],
    ['ada:secret@proxy:1', { host: 'proxy', credentials: { user: 'ada', password: 'secret' } }],
  ])('%s', (value, expected) => {
    expect(parseProxy({ variable: 'HTTPS_PROXY', value })).toMatchObject({ ok: true, value: expected });
  });

  it.each([
    'socks5://ada:secret@proxy:1080',
    'http://ada:secret@',
    'http://ada:%zz-secret@proxy',
    'http://ada:secret@proxy:x',
  ])('a fault of %s names the variable and no password', (value) => {
    const proxy = parseProxy({ variable: 'https_proxy', value });
    expect(proxy).toMatchObject({ ok: false, error: expect.stringMatching(/^https_proxy/) });
    expect(JSON.stringify(proxy)).not.toContain('secret');
  });

  it.each(['http://ada:p%40%25%3Ass@proxy:1/', 'https://[::1]:3128/', 'http://ada@proxy:1/'])(
    'is spelled again as %s',
    (value) => {
      const proxy = parseProxy({ variable: 'HTTPS_PROXY', value });
      expect(proxy.ok ? proxyUrlOf(proxy.value) : proxy.error).toBe(value);
    },
  );

  it('gives its password to those who keep secrets out of records', () => {
    const settings = readProxies({ HTTPS_PROXY: 'http://ada:p%40ss@proxy:1', HTTP_PROXY: P });
    expect(proxySecrets(settings)).toEqual([{ name: 'HTTPS_PROXY', value: 'p@ss' }]);
  });
});
