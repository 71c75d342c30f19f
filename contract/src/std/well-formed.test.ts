import { describe, expect, it } from 'vitest';
import { isBlank, wellFormed } from './well-formed.ts';

describe('wellFormed', () => {
  it.each([
    ['', ''],
    ['plain', 'plain'],
    ['\u{1F600}', '\u{1F600}'],
    ['a\uD83Db', 'a\uFFFDb'],
    ['\uDE00', '\uFFFD'],
    ['\uD83D\uD83D\uDE00\uDE00', '\uFFFD\u{1F600}\uFFFD'],
    ['\uDE00\uD83D', '\uFFFD\uFFFD'],
  ])('%j becomes %j', (text, expected) => {
    expect(wellFormed(text)).toBe(expected);
  });
});

describe('isBlank', () => {
  it.each(['', ' ', '\n\n', '\u00A0\u2003', '\uFEFF', '\u001C\u0085', '\u3000'])('%j is blank', (text) => {
    expect(isBlank(text)).toBe(true);
  });

  it.each(['a', ' . ', '\u200B', '\0'])('%j is not', (text) => {
    expect(isBlank(text)).toBe(false);
  });
});
