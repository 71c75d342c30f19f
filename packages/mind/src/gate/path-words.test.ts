import { describe, expect } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { pathWords } from './path-words.ts';

describe('words of a script', () => {
  verifies('approvals:named-files', 'are few where its variables hold each other again and again', () => {
    const script = `A='${'$A'.repeat(15_000)}'; sh tools/deploy.sh`;
    const { words, isCut } = pathWords(script);
    expect(words).toContain('tools/deploy.sh');
    expect([isCut, words.length < 100]).toEqual([false, true]);
  });

  verifies('approvals:named-files', 'are too many where nobody could look all of them up', () => {
    const text = Array.from({ length: 120_000 }, (_, at) => at.toString(36)).join(' ');
    expect(pathWords(text).isCut).toBe(true);
  });
});
