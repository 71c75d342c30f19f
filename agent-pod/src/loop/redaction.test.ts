import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapTexts, type Json } from '@retainer/contract/std/canonical-json';
import { deepFreeze } from '@retainer/contract/std/frozen';
import { redactor } from '../infer/secrets.ts';
import { verifies } from '../../../test/verifies.ts';

const redact = redactor([{ name: 'KEY', value: 'hunter2hunter2' }]);

describe('redacting a value', () => {
  verifies('infer:redaction-keeps-json', 'any texts in, the same shape out, and twice is once', () => {
    const hostile = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'echo "password=hunter2hunter2"',
        '-----BEGIN RSA PRIVATE KEY-----',
        'export API_TOKEN=abcdefgh12',
        'http://127.0.0.1:8080',
        'me@x.txt',
        '\\"password\\": \\"abcdefgh1\\"',
      ),
    );
    const value = fc.array(fc.record({ text: hostile, files: fc.array(hostile), size: fc.nat() }));
    fc.assert(
      fc.property(value, (given) => {
        const once = mapTexts(given, redact) as typeof given;
        expect(once.map(({ files, size }) => [files.length, size])).toEqual(
          given.map(({ files, size }) => [files.length, size]),
        );
        expect(mapTexts(once, redact)).toEqual(once);
        expect(JSON.parse(JSON.stringify(once))).toEqual(once);
      }),
      { numRuns: 500 },
    );
  });

  it.each<readonly [string, Json, Json]>([
    ['a known value anywhere', { a: ['x hunter2hunter2 y'] }, { a: ['x [secret:KEY] y'] }],
    ['a field that is named as a secret', { password: 'correct horse' }, { password: '[secret:field]' }],
    [
      'nothing else',
      { path: 'data/a.csv', tokens: 12, sha256: 'ab'.repeat(32) },
      { path: 'data/a.csv', tokens: 12, sha256: 'ab'.repeat(32) },
    ],
  ])('takes out %s', (_, given, wanted) => {
    expect(mapTexts(given, redact)).toEqual(wanted);
  });

  it('gives the same answer when it skips what is frozen and clean', () => {
    const text = fc.constantFrom('plain text', 'x hunter2hunter2 y', 'correct horse');
    const leaf = fc.dictionary(fc.constantFrom('text', 'password', 'list'), fc.oneof(text, fc.array(text)));
    const value = fc.array(fc.tuple(leaf, fc.boolean()));
    fc.assert(
      fc.property(value, (given) => {
        const settled = new WeakSet<object>();
        const leaves: readonly Json[] = given.map(([it, isFrozen]) => (isFrozen ? deepFreeze(it) : it));
        for (const around of [leaves, { password: leaves }, leaves])
          expect(mapTexts(around, redact, undefined, settled)).toEqual(mapTexts(around, redact));
      }),
    );
  });

  it('looks again at what could have changed', () => {
    const settled = new WeakSet<object>();
    const value: { inner: { text: string } } = { inner: { text: 'plain text' } };
    mapTexts(Object.freeze(value), redact, undefined, settled);
    value.inner.text = 'x hunter2hunter2 y';
    expect(mapTexts(value, redact, undefined, settled)).toEqual({ inner: { text: 'x [secret:KEY] y' } });
  });
});
