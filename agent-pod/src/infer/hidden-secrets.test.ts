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
  ['its letters alone', 'kzmQvbTwLxhRdaa'],
  ['its letters alone, apart', 'kz mQ, v bTwLx hR d aa'],
  ['its letters alone, rot13', 'xmzDioGjYkuEqnn'],
  ['its letters alone, reversed', 'aadRhxLwTbvQmzk'],
  ['its letters alone, in base64', Buffer.from('kzmQvbTwLxhRdaa').toString('base64')],
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

  it('holds no digits alone of a secret that has many', () => {
    const key = '4f81a90c7712de35b06f48d93e5a27c1';
    const digits = key.replaceAll(/[^0-9]/g, '');
    const withKey = redactor([{ name: 'KEY', value: key }]);
    expect(withKey(`The figures are ${digits}.`)).toBe('The figures are [secret:KEY].');
    expect(withKey(digits.slice(0, 11))).toBe(digits.slice(0, 11));
  });

  const short: readonly (readonly [string, string])[] = [
    ['rot13', 'dJ3eg1L9'],
    ['reversed', '9Y1tr3Wq'],
    ['base64', Buffer.from('qW3rt1Y9').toString('base64')],
  ];
  it.for(short)('holds no short secret in %s', ([, form]) => {
    expect(redactor([{ name: 'PIN', value: 'qW3rt1Y9' }])(`It is ${form} now`)).not.toContain(form);
  });

  const harmless: readonly (readonly [string, string])[] = [
    ['production-database-2024', 'The production database was moved.'],
    ['backup-20260312T120000Z', 'Done on 2026-03-12 12:00:00, and the backup is whole.'],
    ['pass2024', 'The ski pass 2024 is valid.'],
    // Of these, letters of another alphabet are most.
    ['пароль-year2024', 'It was in the year 2024.'],
    ['пароль12abc', 'See page 12 abc.'],
    ['report-2024-of-03-the-1-pump', 'The report of the pumping station.'],
    ['release-1.14.2-rc.3', 'Release 1 of 14, and 2 RC 3.'],
  ];
  it.for(harmless)('keeps words and dates that a secret of words holds, too: %s', ([value, text]) => {
    expect(redactor([{ name: 'KEY', value }])(text)).toBe(text);
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
