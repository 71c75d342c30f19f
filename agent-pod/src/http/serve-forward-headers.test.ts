import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  answerHeaders,
  requestHeaders,
  upgradedHeaders,
  upgradeRequestHeaders,
  type ServedAddress,
} from './serve-forward-headers.ts';

const address: ServedAddress = { prefix: '/serve/a1/web', host: 'ada:8080', port: 3000 };
const location = (given: string): unknown => answerHeaders({ location: given }, address)['location'];

describe('headers of served code', () => {
  it('are the named ones and no others, in both directions', () => {
    const name = fc.oneof(
      fc.constantFrom(
        'cookie',
        'authorization',
        'set-cookie',
        'accept',
        'content-type',
        'etag',
        'link',
        'upgrade',
        'host',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.dictionary(name, fc.oneof(fc.string(), fc.array(fc.string()))), (headers) => {
        const all = [requestHeaders, upgradeRequestHeaders, upgradedHeaders].map((pass) => pass(headers));
        const names = [...all, answerHeaders(headers, address)].flatMap((passed) => Object.keys(passed));
        for (const one of names) expect(one).not.toMatch(/cookie|auth|^host$|^link$|^origin|forwarded|^access-control/);
      }),
    );
  });

  it.each([
    ['/login', '/serve/a1/web/login'],
    ['/a?b=c#d', '/serve/a1/web/a?b=c#d'],
    ['http://127.0.0.1:3000/x', '/serve/a1/web/x'],
    ['next?a=b', 'next?a=b'],
    ['../up', '../up'],
    ['/..//elsewhere.example/', '/serve/a1/web//elsewhere.example/'],
    ['//elsewhere.example/', undefined],
    ['/\\elsewhere.example/', undefined],
    ['\\\\elsewhere.example/', undefined],
    ['https://elsewhere.example/', undefined],
    ['http://127.0.0.1:3001/', undefined],
    ['javascript:alert(1)', undefined],
    ['\t//elsewhere.example/', undefined],
    ['http://[', undefined],
  ])('lead from %s to %s', (given, expected) => {
    expect(location(given)).toBe(expected);
  });

  it('lead nowhere but below the address, whatever is given', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.webPath()), (given) => {
        const to = location(given);
        if (typeof to === 'string') expect(new URL(to, 'http://ada/serve/a1/web/').origin).toBe('http://ada');
      }),
    );
  });

  it.each([undefined, 'a b', "ada; script-src 'unsafe-inline' *", 'ada/', 'a,b', '[::1'])(
    'let a page reach nothing where the host is %s',
    (host) => {
      const policy = answerHeaders({}, { ...address, host })['content-security-policy'];
      expect(policy).toBe(
        "sandbox allow-scripts allow-forms; default-src 'none'; connect-src 'none'; form-action 'none'; " +
          "base-uri 'none'; frame-ancestors 'none'",
      );
    },
  );

  it('let a page reach its own addresses only', () => {
    const policy = answerHeaders({ 'content-security-policy': 'default-src *' }, address)['content-security-policy'];
    expect(policy).toContain(
      'connect-src ada:8080/serve/a1/web/ ws://ada:8080/serve/a1/web/ wss://ada:8080/serve/a1/web/; form-action',
    );
  });
});
