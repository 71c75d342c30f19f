import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { redactor } from './secrets.ts';

const secret = 'p@ss/w+rd "quoted" ünï=9';
const redact = redactor([
  { name: 'MAIL_PASSWORD', value: `${secret}\n` },
  { name: 'SHORT', value: 'abc1234' },
]);
const shapesOnly = redactor([]);

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/** Built here so that no scanner takes this file for a leak. */
const letters = (count: number): string => 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7'.repeat(10).slice(0, count);

describe('known values', () => {
  it.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify({ a: secret }).slice(5, -1)],
    ['in a URL', encodeURIComponent(secret)],
    [
      'in a URL with small hexadecimal digits',
      encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase()),
    ],
    ['in a form', encodeURIComponent(secret).replaceAll('%20', '+')],
  ])('are taken out %s', (_name, text) => {
    expect(redact(`before ${text} after`)).toMatch(/^before "?\[secret:MAIL_PASSWORD\]"? after$/);
  });

  verifies('infer:secrets-redacted', 'are taken out of base64 at every offset', () => {
    for (const prefix of ['', 'u', 'us', 'user:', 'someone:']) {
      const encoded = base64(`${prefix}${secret}`);
      const clean = redact(`x ${encoded} y`);
      expect(clean).toContain('[secret:MAIL_PASSWORD]');
      const longest = Buffer.from(clean.replace('[secret:MAIL_PASSWORD]', ''), 'base64').toString('utf8');
      expect(longest).not.toContain('w+rd');
    }
  });

  it('below eight characters are left alone', () => {
    expect(redact('abc1234')).toBe('abc1234');
  });

  it('are found whatever stands around them, and never twice', () => {
    const value = fc
      .string({ minLength: 8, maxLength: 40, unit: 'binary-ascii' })
      .filter((text) => text.trim().length >= 8);
    fc.assert(
      fc.property(value, fc.string(), fc.string(), (text, before, after) => {
        const own = redactor([{ name: 'X', value: text }]);
        const clean = own(`${before} ${text.trim()} ${after}`);
        if (!'[secret:X]'.includes(text.trim())) expect(clean.split('[secret:X]').join('')).not.toContain(text.trim());
        expect(own(clean)).toBe(clean);
      }),
    );
  });

  it('longer ones go before those they contain', () => {
    const both = redactor([
      { name: 'INNER', value: 'secretvalue' },
      { name: 'OUTER', value: 'my-secretvalue-2' },
    ]);
    expect(both('my-secretvalue-2 secretvalue')).toBe('[secret:OUTER] [secret:INNER]');
  });
});

const pem = (kind: string, body: string): string => `-----BEGIN ${kind}-----\n${body}\n-----END ${kind}-----`;

describe('shapes', () => {
  it.each([
    ['a private key', `a ${pem('RSA PRIVATE KEY', letters(200))} b`, 'a [secret:private-key] b'],
    [
      'a private key in one line of JSON',
      `"${pem('PRIVATE KEY', letters(20)).replaceAll('\n', '\\n')}"`,
      '"[secret:private-key]"',
    ],
    [
      'a private key that was cut off',
      `a ${pem('EC PRIVATE KEY', letters(50)).slice(0, 60)}`,
      'a [secret:private-key]',
    ],
    ['a JWT', `t=eyJ${letters(20)}.eyJ${letters(30)}.${letters(40)};`, 't=[secret:jwt];'],
    ['an Anthropic key', `key sk-ant-api03-${letters(40)}.`, 'key [secret:api-key].'],
    ['a GitHub token', `ghp_${letters(36)}`, '[secret:api-key]'],
    ['an AWS key id', `id AKIA${'Q7'.repeat(8)} x`, 'id [secret:api-key] x'],
    ['a Slack token', `xoxb-${letters(30)}`, '[secret:api-key]'],
    ['a bearer token', `Authorization: Bearer ${letters(24)}`, 'Authorization: Bearer [secret:authorization]'],
    [
      'credentials in a URL',
      'postgres://app:hunter2hunter2@db:5432/x',
      'postgres://app:[secret:url-password]@db:5432/x',
    ],
    ['an assignment of the environment', 'export DB_PASSWORD=correcthorse', 'export DB_PASSWORD=[secret:assignment]'],
    ['a quoted assignment', "API_KEY='abcdefghij'", "API_KEY='[secret:assignment]'"],
    ['a field of JSON', '{"clientSecret": "abc def ghi", "n": 1}', '{"clientSecret": "[secret:field]", "n": 1}'],
    ['a line of YAML', 'password: correcthorse', 'password: [secret:assignment]'],
    ['a setting with digits', 'api_key: a1b2c3d4e5', 'api_key: [secret:assignment]'],
  ])('takes out %s', (_name, text, expected) => {
    expect(shapesOnly(text)).toBe(expected);
    expect(shapesOnly(expected)).toBe(expected);
  });

  verifies('infer:no-false-secrets', 'leaves what is no secret', () => {
    const innocent = [
      'a'.repeat(64),
      'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      'commit 8e99e5f0c1d2b3a495867768594a3b2c1d0e9f8a',
      '123e4567-e89b-12d3-a456-426614174000',
      'call_94bf5b05ac5c12e4db5e93e9',
      'toolu_01A09q90qw90lq917835lq9',
      'run-0198f3c2-m1 "digest":"9f86d081884c7d659a2feaa0c55ad015"',
      '{"inputTokens":512,"max_tokens":4096,"outputTokens":7}',
      'tokens=123456789012 tokenizer=wordpiece2',
      'PWD=/home/agent/workspace1 apiKeySecretRef: anthropic-key-1',
      'http://localhost:8080/path?x=a@b.example',
      'someone@example.org at 12:30:45, https://example.org/a:b@c',
      'const token = parser.next(); if (secret === undefined) return;',
      'the password: see below; token: false; secret=true',
      '2012-01-01,0.0,12.8,5.0,4.7,drizzle',
      'task-force-of-the-whole-department risk-assessment-of-everything',
      `data:image/png;base64,${letters(100)}`,
      'the bearer of this letter, a basic understanding',
    ];
    for (const text of innocent) expect(redact(text)).toBe(text);
  });

  it('changes nothing when it is applied again', () => {
    const piece = fc.constantFrom(
      'API_KEY=',
      'password: ',
      'Bearer ',
      '"token": "',
      '://a:',
      '@',
      '"',
      letters(24),
      '[secret:x]',
      '\n',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const once = shapesOnly(pieces.join(''));
        expect(shapesOnly(once)).toBe(once);
      }),
    );
  });

  it.each([
    ['starts of private keys', '-----BEGIN PRIVATE KEY-----'],
    ['starts of JWTs', 'eyJaaaaaaaa.'],
    ['letters', 'a'],
    ['names of secrets', 'api_key_'],
    ['colons', '://a:'],
    ['assignments', 'TOKEN='],
    ['quotes', '"token":"\\'],
    ['spaces', 'password:    '],
  ])('comes to an end on a megabyte of %s', (_name, piece) => {
    // A quadratic pattern would take a million times a million steps here, and the test would time out.
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
    expect(shapesOnly(`${text} DB_PASSWORD=correcthorse`)).not.toContain('correcthorse');
  });

  it('takes out shapes of the installation', () => {
    const own = redactor([], [{ name: 'badge', pattern: /\bBADGE-\d{6}\b/g }]);
    expect(own('BADGE-123456')).toBe('[secret:badge]');
  });
});
