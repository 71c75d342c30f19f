import { describe, expect, it } from 'vitest';
import type { Message, ModelRequest } from '@retainer/mind/request/model-request';
import { CACHE_MARKS_MAX, cacheMarks } from './cache-marks.ts';
import { PromptCache } from './prompt-cache.ts';

const CHARS_PER_TOKEN = 3.5;
const words = (tokens: number, letter: string): string => letter.repeat(tokens * CHARS_PER_TOKEN);

const user = (text: string): Message => ({ role: 'User', content: [{ type: 'Text', text }] });
const callOf = (id: string): Message => ({
  role: 'Assistant',
  content: [{ type: 'ToolUse', id, name: 'bash', input: {} }],
});
const resultsOf = (ids: readonly string[], text: string): Message => ({
  role: 'User',
  content: ids.map((toolUseId) => ({ type: 'ToolResult', toolUseId, text, isError: false })),
});

/** A conversation of so many turns of the user. */
const conversation = (turns: number): readonly Message[] => [
  user('Count.'),
  ...Array.from({ length: turns - 1 }, (_, at) => [callOf(`t${at}`), resultsOf([`t${at}`], '12')]).flat(),
];
const tool = { name: 'bash', description: 'Runs.', inputSchema: {} };
const cached = (count: number): ModelRequest['system'] =>
  Array.from({ length: count }, (_, at) => ({ text: `block ${at}`, cache: true }));

describe('the marks of a request', () => {
  it.each([
    { what: 'no tools, one turn', tools: [], system: cached(1), turns: 1, marks: [[], [0], []] },
    { what: 'no tools, continued', tools: [], system: cached(1), turns: 2, marks: [[], [0], [0, 2]] },
    { what: 'tools, one turn', tools: [tool], system: cached(1), turns: 1, marks: [[0], [0], [0]] },
    { what: 'tools, three turns', tools: [tool], system: cached(1), turns: 3, marks: [[0], [0], [2, 4]] },
    { what: 'more texts than marks', tools: [tool], system: cached(4), turns: 2, marks: [[], [2, 3], [0, 2]] },
    { what: 'nothing to keep', tools: [], system: [{ text: 'a', cache: false }], turns: 1, marks: [[], [], []] },
  ])('$what', ({ tools, system, turns, marks }) => {
    const found = cacheMarks({ tools, system, messages: conversation(turns) });
    expect([found.tools, found.system, found.messages]).toEqual(marks);
    expect(marks.flat().length).toBeLessThanOrEqual(CACHE_MARKS_MAX);
  });

  it('lets a conversation pay for each turn once, even after a turn of more blocks than are looked back', () => {
    const cache = new PromptCache();
    const many = Array.from({ length: 30 }, (_, at) => `t${at}`);
    const turns: readonly Message[] = [
      user(words(1000, 'a')),
      { role: 'Assistant', content: many.map((id) => ({ type: 'ToolUse', id, name: 'bash', input: {} })) },
      resultsOf(many, words(10, 'b')),
      callOf('x'),
      resultsOf(['x'], words(100, 'c')),
    ];
    const ask = (count: number): number => {
      const request = { role: 'executor', tier: 'Capable', model: 'm', tools: [tool], maxOutputTokens: 10 } as const;
      const system = [{ text: words(1000, 's'), cache: true }];
      const usage = cache.use({ ...request, system, messages: turns.slice(0, count) }, count);
      return usage.inputTokens + usage.cacheWriteTokens;
    };
    const [first, second, third] = [ask(1), ask(3), ask(5)];
    expect(first).toBeGreaterThan(2000);
    expect(second).toBeLessThan(400);
    expect(third).toBeLessThan(110);
  });
});
