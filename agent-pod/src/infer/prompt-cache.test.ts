import { describe, expect, it } from 'vitest';
import type { Message, ModelRequest } from '@retainer/mind/request/model-request';
import { CACHE_LIFE_MS, PromptCache } from './prompt-cache.ts';

/** Characters of a prompt of so many tokens, as they are estimated. */
const CHARS_PER_TOKEN = 3.5;
const words = (tokens: number, letter = 'x'): string => letter.repeat(tokens * CHARS_PER_TOKEN);

const said = (text: string): Message => ({ role: 'User', content: [{ type: 'Text', text }] });

function requestOf(parts: Partial<ModelRequest> = {}): ModelRequest {
  return {
    role: 'executor',
    tier: 'Capable',
    model: 'm',
    system: [{ text: words(2000), cache: true }],
    messages: [said(words(100))],
    tools: [],
    maxOutputTokens: 10,
    ...parts,
  };
}

const missed = { inputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 2000 };
const hit = { inputTokens: 100, cacheReadTokens: 2000, cacheWriteTokens: 0 };

describe('the counted cache', () => {
  it('writes the marked prefix once, and reads it afterwards', () => {
    const cache = new PromptCache();
    expect([1, 2, 3].map((atMs) => cache.use(requestOf(), atMs))).toEqual([missed, hit, hit]);
  });

  it.each<readonly [string, Partial<ModelRequest>]>([
    ['another model', { model: 'n' }],
    ['another text at the same place', { system: [{ text: words(2000, 'y'), cache: true }] }],
  ])('reads nothing for %s', (_what, other) => {
    const cache = new PromptCache();
    cache.use(requestOf(), 1);
    expect(cache.use(requestOf(other), 2)).toEqual(missed);
  });

  it('reads nothing for another tool before the same text', () => {
    const cache = new PromptCache();
    cache.use(requestOf(), 1);
    const tools = [{ name: 'look', description: 'Looks.', inputSchema: {} }];
    expect(cache.use(requestOf({ tools }), 2)).toMatchObject({ cacheReadTokens: 0 });
  });

  it('forgets a prefix five minutes after it was last used', () => {
    const cache = new PromptCache();
    const moments = [0, CACHE_LIFE_MS - 1, 2 * CACHE_LIFE_MS - 2, 3 * CACHE_LIFE_MS];
    const read = moments.map((atMs) => cache.use(requestOf(), atMs).cacheReadTokens);
    expect(read).toEqual([0, 2000, 2000, 0]);
  });

  it.each([
    ['m', 1023, 0],
    ['m', 1024, 1024],
    ['claude-sonnet-4-5', 1024, 1024],
    ['claude-haiku-4-5', 4095, 0],
    ['claude-haiku-4-5-20251001', 4096, 4096],
  ])('keeps nothing below the floor of the model: %s, %s tokens', (model, tokens, kept) => {
    const usage = new PromptCache().use(requestOf({ model, system: [{ text: words(tokens), cache: true }] }), 1);
    expect(usage.cacheWriteTokens).toBe(kept);
  });

  it('keeps nothing without a mark', () => {
    const cache = new PromptCache();
    const unmarked = requestOf({ system: [{ text: words(2000), cache: false }], messages: [] });
    expect([cache.use(unmarked, 1), cache.use(unmarked, 2)]).toMatchObject([
      { inputTokens: 2000, cacheReadTokens: 0 },
      { inputTokens: 2000, cacheReadTokens: 0 },
    ]);
  });
});
