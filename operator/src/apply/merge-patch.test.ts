import { describe, expect, it } from 'vitest';
import { mergePatch } from './merge-patch.ts';

describe('a merge patch', () => {
  it.each([
    ['nothing', { a: 1, b: [1] }, { a: 1, b: [1] }, {}],
    ['a member that only one has', { a: 1, b: 2 }, { a: 1 }, { b: null }],
    ['a member that is missing', {}, { a: { b: [] } }, { a: { b: [] } }],
    ['a member of a member', { a: { b: 1, c: 2 } }, { a: { b: 1 } }, { a: { c: null } }],
    ['a list, whole', { a: [{ b: 1, c: 2 }] }, { a: [{ b: 1 }] }, { a: [{ b: 1 }] }],
    ['an object that is to be empty', { a: { b: { c: 'd' } } }, { a: {} }, { a: { b: null } }],
  ])('holds %s', (_, from, to, patch) => {
    expect(mergePatch(from, to)).toStrictEqual(patch);
  });
});
