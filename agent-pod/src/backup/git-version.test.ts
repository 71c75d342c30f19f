import { describe, expect, it } from 'vitest';
import { isRecent } from './git-version.ts';

describe('a git', () => {
  it.each([
    ['git version 2.39.5', true],
    ['git version 2.39.5 (Apple Git-154)', true],
    ['git version 2.49.0.windows.1', true],
    ['git version 3.0.0', true],
    ['git version 2.38.9', false],
    ['git version 1.99.1', false],
    ['svn, version 1.14', false],
  ])('that says %s is recent: %s', (told, isOne) => {
    expect(isRecent(told)).toBe(isOne);
  });
});
