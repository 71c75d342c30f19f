import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sha256Hex as nodeHash } from './sha256-node.ts';
import { sha256Hex as portableHash } from './sha256-portable.ts';

it('is the same text in Node and in a browser', () => {
  expect(portableHash('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  const data = fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 300 }));
  fc.assert(fc.property(data, (it) => portableHash(it) === nodeHash(it)));
});
