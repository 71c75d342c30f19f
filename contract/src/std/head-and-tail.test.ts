import { describe, expect, it } from 'vitest';
import { headAndTail } from './head-and-tail.ts';

describe('headAndTail', () => {
  it('leaves a text within the limit as it is', () => {
    expect(headAndTail('x'.repeat(30), 30, () => 'cut')).toBe('x'.repeat(30));
  });

  it('gives a third to the head and two thirds to the tail, and counts what is between', () => {
    expect(headAndTail(`${'h'.repeat(20)}${'t'.repeat(40)}`, 30, (n) => `${n} out`)).toBe(
      `${'h'.repeat(10)}\n30 out\n${'t'.repeat(20)}`,
    );
  });

  it('says how much is left out', () => {
    expect(headAndTail('abcdefgh', 3)).toBe('a\n[… 5 characters left out …]\ngh');
  });

  it('cuts no character in two, wherever the cut falls', () => {
    for (const prefix of ['', 'a']) {
      for (let limit = 30; limit < 40; limit += 1) {
        const shown = headAndTail(prefix + '🙂'.repeat(100), limit, () => 'cut');
        expect(shown, `${prefix} ${limit}`).toBe(new TextDecoder().decode(new TextEncoder().encode(shown)));
      }
    }
  });
});
