import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { firstDifference } from './first-difference.ts';

describe('firstDifference', () => {
  it.each([
    { a: { x: 1, y: 2 }, b: { y: 2, x: 1 }, found: undefined },
    { a: { x: 1 }, b: { x: 1, y: undefined }, found: undefined },
    {
      a: { b: 1, a: [1, { c: 'x' }] },
      b: { b: 2, a: [1, { c: 'y' }] },
      found: { path: 'a[1].c', recorded: '"x"', decided: '"y"' },
    },
    { a: { a: [1] }, b: { a: [1, 2] }, found: { path: 'a[1]', recorded: 'nothing', decided: '2' } },
    { a: { a: 1 }, b: {}, found: { path: 'a', recorded: '1', decided: 'nothing' } },
    { a: 1, b: [1], found: { path: '', recorded: '1', decided: '[1]' } },
    { a: undefined, b: { k: 1 }, found: { path: '', recorded: 'nothing', decided: '{"k":1}' } },
  ])('finds $found between $a and $b', ({ a, b, found }) => {
    expect(firstDifference(a, b)).toEqual(found);
  });

  it('finds none exactly when the canonical JSON is the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(firstDifference(a, b) === undefined).toBe(canonicalJson(a) === canonicalJson(b));
        expect(firstDifference(a, structuredClone(a))).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });
});
