import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { addressFault, isAllowedHost, isTextType, parseFetchUrl, parseRedirect } from './fetch-guard.ts';

const HOSTILE_URLS = [
  // Other schemes
  'file:///etc/passwd',
  'ftp://example.org/',
  'gopher://example.org/',
  'data:text/html,hi',
  'javascript:alert(1)',
  'ws://example.org/',
  'blob:https://example.org/x',
  '//example.org/',
  'example.org',
  'http:example.org',
  'http:/example.org',
  'http:///example.org',
  'https://',
  '',
  // Credentials, and hosts that only look like the first part
  'http://user@example.org/',
  'http://user:pass@example.org/',
  'http://example.org@127.0.0.1/',
  'http://example.org:80@127.0.0.1/',
  'http://:@example.org/',
  'http://example.org%40127.0.0.1/',
  // Ports
  'http://example.org:22/',
  'http://example.org:8080/',
  'http://example.org:65536/',
  'http://example.org:-1/',
  'http://example.org:0/',
  'http://example.org:6443/',
  // Numbers in every spelling
  'http://127.0.0.1/',
  'http://127.1/',
  'http://127.0.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://00000177.0.0.1/',
  'http://127.0.0.1./',
  'http://0/',
  'http://0.0.0.0/',
  'http://10.0.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://0xa9fea9fe/',
  'http://2852039166/',
  'http://8.8.8.8/',
  'http://134744072/',
  'http://256.256.256.256/',
  'http://1.2.3.4.5/',
  'http://example.1/',
  'http://example.0x1/',
  'http://[::1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[fe80::1%25eth0]/',
  'http://[2001:4860:4860::8888]/',
  'http://[::1',
  // Encodings and look-alikes
  'http://%31%32%37.0.0.1/',
  'http://%6c%6f%63%61%6c%68%6f%73%74/',
  'http://loc%61lhost/',
  'http://ex%61mple.org/',
  'https://example.org/a\\b',
  'http://\uff11\uff12\uff17.0.0.1/',
  'http://\u2460\u2461\u2466.0.0.1/',
  'http://\uff4cocalhost/',
  'http://example\u3002org/',
  'http://ex\u00admaple.org/',
  'http://b\u00fccher.example/',
  'http://example.org\u200b/',
  // White space, control characters, backslashes
  ' http://example.org/',
  'http://example.org/ x',
  'http://exa\tmple.org/',
  'http://example.org/\n',
  'http://example.org\r\nHost: internal/',
  'http://example.org/\0',
  'http://example.org\\@127.0.0.1/',
  'http:\\\\example.org\\',
  'http://127.0.0.1\\.example.org/',
  // Names of this machine and its network
  'http://localhost/',
  'http://LOCALHOST/',
  'http://localhost./',
  'http://foo.localhost/',
  'http://printer.local/',
  'http://metadata.google.internal/',
  'http://metadata/',
  'http://kubernetes.default.svc/',
  'http://kubernetes.default.svc.cluster.local/',
  'http://router.lan/',
  'http://nas.home.arpa/',
  'http://1.0.0.127.in-addr.arpa/',
  'http://wiki.corp/',
  'http://hidden.onion/',
  // Malformed hosts
  'http://example.org./',
  'http://.example.org/',
  'http://example..org/',
  'http://-example.org/',
  'http://example-.org/',
  'http://exa_mple.org/',
  'http://exa*mple.org/',
  'http://*.example.org/',
  `http://${'a'.repeat(64)}.org/`,
  `http://${'a.'.repeat(130)}org/`,
  `http://example.org/${'a'.repeat(2048)}`,
];

describe('ports', () => {
  it.each([
    ['https://example.org/', [443], true],
    ['https://example.org/', [80, 8443], false],
    ['http://example.org/', [80], true],
    ['http://example.org/', [443], false],
    ['https://example.org:8443/', [443, 8443], true],
    ['https://example.org:8443/', [443], false],
    ['https://example.org:08443/', [443, 8443], false],
    ['https://example.org:443/', [443], true],
    ['http://example.org:443/', [443], true],
    ['http://127.0.0.1:8443/', [8443], false],
    ['http://example.org:/', [80], true],
  ])('of %s with %j allowed: %s', (url, ports, isAllowed) => {
    expect(parseFetchUrl(url, ports).ok).toBe(isAllowed);
    expect(parseRedirect(new URL('http://site.example/'), url, ports).ok).toBe(isAllowed);
  });
});

describe('parseFetchUrl', () => {
  verifies('tools:fetch-hostile-urls', 'refuses every hostile spelling with a reason', () => {
    expect(HOSTILE_URLS.length).toBeGreaterThanOrEqual(80);
    for (const url of HOSTILE_URLS)
      expect(parseFetchUrl(url), JSON.stringify(url)).toMatchObject({ ok: false, error: expect.any(String) });
  });

  it.each([
    ['http://example.org', 'http://example.org/'],
    ['https://example.org:443/a?b=c#d', 'https://example.org/a?b=c'],
    ['http://example.org:80/', 'http://example.org/'],
    ['http://example.org:443/', 'http://example.org:443/'],
    ['HTTPS://WWW.Example.ORG/Path', 'https://www.example.org/Path'],
    ['https://xn--bcher-kva.example/', 'https://xn--bcher-kva.example/'],
    ['https://example.org/a%20b/../c', 'https://example.org/c'],
    ['https://3com.example/', 'https://3com.example/'],
    ['https://example.org/@user', 'https://example.org/@user'],
  ])('takes %s', (text, href) => {
    const url = parseFetchUrl(text);
    expect(url.ok && url.value.href).toBe(href);
  });

  it('is total, and takes its own result for the same address', () => {
    const piece = fc.constantFrom(
      'http://',
      'https://',
      '@',
      ':',
      '/',
      '\\',
      '.',
      '127.0.0.1',
      'example.org',
      '[::1]',
      '%',
      '#',
      '?',
      '80',
      'localhost',
      '\u3002',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 6 }), (pieces) => {
        const url = parseFetchUrl(pieces.join(''));
        if (!url.ok) return;
        expect(parseFetchUrl(url.value.href)).toEqual(url);
        expect(url.value.username + url.value.password).toBe('');
        expect(url.value.hostname).not.toMatch(/^[\d.]+$/);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('parseRedirect', () => {
  it.each([
    ['https://a.example/x/y', '../z', 'https://a.example/z'],
    ['https://a.example/x', '//b.example/', 'https://b.example/'],
    ['http://a.example/x', 'https://a.example/', 'https://a.example/'],
    ['https://a.example/x', 'http://a.example/', undefined],
    ['https://a.example/x', '//127.0.0.1/', undefined],
    ['https://a.example/x', 'file:///etc/passwd', undefined],
    ['https://a.example/x', 'http://[', undefined],
  ])('from %s to %s: %s', (from, location, expected) => {
    const next = parseRedirect(new URL(from), location);
    expect(next.ok ? next.value.href : undefined).toBe(expected);
  });
});

describe('addressFault', () => {
  it.each([
    ...[
      '0.0.0.0',
      '0.1.2.3',
      '10.0.0.0',
      '10.255.255.255',
      '100.64.0.1',
      '100.127.255.255',
      '127.0.0.1',
      '127.255.255.254',
    ],
    ...[
      '169.254.0.1',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
      '192.0.0.1',
      '192.0.2.1',
      '192.88.99.1',
      '192.168.0.1',
    ],
    ...[
      '198.18.0.1',
      '198.19.255.255',
      '198.51.100.1',
      '203.0.113.1',
      '224.0.0.1',
      '239.255.255.255',
      '240.0.0.1',
      '255.255.255.255',
    ],
    ...[
      '::',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '::ffff:7f00:1',
      '::127.0.0.1',
      '::8.8.8.8',
      '64:ff9b::8.8.8.8',
      '64:ff9b:1::1',
    ],
    ...[
      '100::1',
      '2001::1',
      '2001:0:4136:e378:8000:63bf:3fff:fdd2',
      '2001:2::1',
      '2001:10::1',
      '2001:20::1',
      '2001:db8::1',
      '2002:7f00:1::',
    ],
    ...['3fff::1', '5f00::1', 'fc00::1', 'fd12:3456::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '4000::1'],
    ...['', 'localhost', '127.1', '0x7f.0.0.1', '1.2.3', '::g', '2001:4860:4860::8888%eth0'],
  ])('refuses %s', (address) => {
    expect(addressFault(address)).toEqual(expect.any(String));
  });

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:4860:4860::8888',
    '2606:4700:4700::1111',
    '2a00:1450::1',
    '3ffe::1',
  ])('lets %s through', (address) => {
    expect(addressFault(address)).toBeUndefined();
  });
});

describe('isAllowedHost', () => {
  it.each([
    [[], 'example.org', false],
    [['*'], 'example.org', true],
    [['example.org'], 'example.org', true],
    [['example.org'], 'www.example.org', false],
    [['*.example.org'], 'www.example.org', true],
    [['*.example.org'], 'example.org', false],
    [['*.example.org'], 'badexample.org', false],
    [['example.org'], 'example.org.evil.example', false],
  ])('%j and %s: %s', (domains, host, expected) => {
    expect(isAllowedHost(domains, host)).toBe(expected);
  });
});

describe('isTextType', () => {
  it.each([
    'text/html; charset=utf-8',
    'TEXT/Plain',
    'application/json',
    'application/ld+json',
    'application/xhtml+xml',
    'application/atom+xml;x=y',
  ])('takes %s', (type) => {
    expect(isTextType(type)).toBe(true);
  });

  it.each([
    '',
    'image/png',
    'image/svg+xml',
    'application/octet-stream',
    'application/pdf',
    'application/javascript',
    'multipart/mixed',
    'x-text/html',
  ])('refuses %s', (type) => {
    expect(isTextType(type)).toBe(false);
  });
});
