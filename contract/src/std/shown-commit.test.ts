import { describe, expect, it } from 'vitest';
import { shownCommit } from './shown-commit.ts';

describe('shownCommit', () => {
  it.each([
    ['77aa01c2d4e5f60718293a4b5c6d7e8f90123456', '77aa01c2d4e5'],
    ['123456789012345a678901234567890123456789', '123456789012345a'],
    ['1234567890123456789012345678901234567890', '1234567890123456789012345678901234567890'],
    [`${'9'.repeat(50)}a`, '9'.repeat(40)],
  ])('never shows digits alone where the id has a letter: %s', (commit, shown) => {
    expect(shownCommit(commit)).toBe(shown);
  });
});
