import { describe, expect, it } from 'vitest';
import { nearestWord } from './nearest-word.ts';

describe('nearestWord', () => {
  it.each([
    ['Anthropc', ['Anthropic', 'Scripted'], 'Anthropic'],
    ['scripted', ['Anthropic', 'Scripted'], 'Scripted'],
    ['intend', ['intent', 'context'], 'intent'],
    ['xyz', ['intent', 'context'], undefined],
    ['a', ['b'], 'b'],
    ['', ['abcd'], undefined],
    ['anything', [], undefined],
  ])('finds for %s among %j: %s', (word, candidates, found) => {
    expect(nearestWord(word, candidates)).toBe(found);
  });
});
