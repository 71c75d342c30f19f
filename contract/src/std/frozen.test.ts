import { expect, test } from 'vitest';
import { deepFreeze, isDeepFrozen } from './frozen.ts';

test('freezes every depth', () => {
  const value = deepFreeze({ list: [{ text: 'a' }], none: null });
  expect(isDeepFrozen(value)).toBe(true);
  expect(Object.isFrozen(value.list[0])).toBe(true);
});

test.each([
  ['an open object', {}],
  ['an open object in a frozen one', Object.freeze({ inner: {} })],
  ['an open object in a frozen list', Object.freeze([{}])],
  ['a getter', Object.freeze(Object.defineProperty({}, 'text', { get: () => 'a', enumerable: true }))],
])('%s is not frozen', (_name, value) => {
  expect(isDeepFrozen(value)).toBe(false);
});
