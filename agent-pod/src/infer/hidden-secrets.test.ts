import { describe, expect, it } from 'vitest';
import { redactor } from './secrets.ts';

const SECRET = 'kz81mQ0vbT4w1Lx93hRd22aa';
const redact = redactor([{ name: 'KEY', value: SECRET }]);
const hex = Buffer.from(SECRET).toString('hex');

const forms: readonly (readonly [string, string])[] = [
  ['hexadecimal', hex],
  ['hexadecimal with spaces', hex.replaceAll(/(..)/g, '$1 ').trim()],
  ['reversed', Array.from(SECRET).toReversed().join('')],
  ['spaced', Array.from(SECRET).join(' ')],
  ['in pieces', SECRET.replaceAll(/(.{4})(?=.)/g, '$1-')],
  ['in other letters', SECRET.toUpperCase()],
  ['rot13', 'xm81zD0iog4j1Yk93uEq22nn'],
  ['base64 of more around it', Buffer.from(`a${SECRET}b`).toString('base64').slice(2, -3)],
  ['reversed base64', Array.from(Buffer.from(SECRET).toString('base64')).toReversed().join('')],
];

describe('the record', () => {
  for (const [name, form] of forms)
    it(`holds no secret in a form for which the gates look: ${name}`, () => {
      expect(redact(`before ${form} after`)).toBe('before [secret:KEY] after');
    });

  it('holds of base32 no more than a sign that two of its bits spell', () => {
    expect(redact('NN5DQMLNKEYHMYSUGR3TCTDYHEZWQUTEGIZGCYI')).toBe('[secret:KEY]I');
  });

  it('keeps what only resembles a part of a secret', () => {
    for (const text of ['kz81 mQ0v', 'the quick brown fox', hex.slice(0, 10)]) expect(redact(text)).toBe(text);
  });

  const keys = ['wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb7cDe0f'];
  for (const key of keys)
    it(`holds no secret key of AWS: ${key.slice(0, 4)}`, () => {
      for (const text of [
        key,
        `aws_secret_access_key = ${key}`,
        `AWS_SECRET_ACCESS_KEY=${key}`,
        `{"SecretAccessKey": "${key}"}`,
      ])
        expect(redact(text)).not.toContain(key);
    });

  it('keeps digests and paths of forty signs', () => {
    for (const text of ['da39a3ee5e6b4b0d3255bfef95601890afd80709', 'src/components/Button2/SomethingElse/Abc'])
      expect(redact(text)).toBe(text);
  });
});
