import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { covers } from './covers.ts';

const cases: readonly (readonly [name: string, live: unknown, desired: unknown, isCovered: boolean])[] = [
  ['equal values', 1, 1, true],
  ['another value', 1, 2, false],
  ['a default of the server', { a: 1, added: true }, { a: 1 }, true],
  ['a missing field', {}, { a: 1 }, false],
  ['a field that is not asked for', { a: 1 }, { a: undefined }, true],
  ['defaults inside the items of a list', [{ name: 'a', protocol: 'TCP' }], [{ name: 'a' }], true],
  ['an item too many', [{ name: 'a' }, { name: 'b' }], [{ name: 'a' }], false],
  ['an item too few', [], [{ name: 'a' }], false],
  ['another order', ['b', 'a'], ['a', 'b'], false],
  ['an empty list that is not stored', undefined, [], true],
  ['an empty object that is not stored', undefined, {}, true],
  ['false where it is not stored', { containers: [] }, { hostNetwork: false, containers: [] }, true],
  ['false where true is stored', { hostPID: true }, { hostPID: false }, false],
  ['false where nothing may mean true', {}, { automountServiceAccountToken: false }, false],
  ['a list in place of an object', [], {}, false],
  ['null in place of an object', null, {}, false],
];

describe('covers', () => {
  it.each(cases)('judges %s', (_, live, desired, isCovered) => {
    expect(covers(live, desired)).toBe(isCovered);
  });

  it('is true of any value and itself', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => covers(value, value)));
  });

  it('stays true whatever a server adds to an object', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(fc.property(object, object, (desired, added) => covers({ ...added, ...desired }, desired)));
  });
});
