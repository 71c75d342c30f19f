import { expect, test } from 'vitest';
import { forgetOldest } from './forget-oldest.ts';

test('the key that came first leaves a map that is too large', () => {
  const map = new Map([
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ]);
  map.set('a', 4);
  expect(forgetOldest(map, 3)).toBe(false);
  expect(forgetOldest(map, 2)).toBe(true);
  expect([...map.keys()]).toEqual(['b', 'c']);
});

test('one member leaves a set at a time, the oldest', () => {
  const set = new Set(['a', 'b', 'c']);
  set.delete('a');
  set.add('a');
  expect(forgetOldest(set, 1)).toBe(true);
  expect([...set]).toEqual(['c', 'a']);
  expect(forgetOldest(new Set(), 0)).toBe(false);
});
