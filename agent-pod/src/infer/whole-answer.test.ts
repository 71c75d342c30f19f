import { canonicalJson, type Json } from '@retainer/contract/std/canonical-json';
import { parseJson } from '@retainer/contract/std/parse-json';
import { describe, expect, it } from 'vitest';
import type { ContentBlock, ModelRequest, StopReason } from '@retainer/mind/request/model-request';
import type { AttemptAnswer } from './model-attempt.ts';
import { wholeAnswer } from './whole-answer.ts';

const request: ModelRequest = {
  role: 'executor',
  tier: 'Fast',
  model: 'asked-model',
  system: [],
  messages: [{ role: 'User', content: [{ type: 'Text', text: 'go' }] }],
  tools: [],
  maxOutputTokens: 100,
};
const usage = { inputTokens: 9, outputTokens: 4, cacheReadTokens: 0, cacheWriteTokens: 0 };
const said: ContentBlock = { type: 'Text', text: 'done' };

function whole(content: readonly ContentBlock[], more: Partial<AttemptAnswer> = {}, callId = 'c-m1'): AttemptAnswer {
  return wholeAnswer({ content, stop: 'EndTurn', usage, model: 'm', ...more }, request, callId);
}

function use(input: Json, name = 'look', id = 'call_0'): ContentBlock {
  return { type: 'ToolUse', id, name, input };
}

function nested(depth: number): Json {
  let value: Json = 1;
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}

describe('a whole answer', () => {
  it('stays as it is, but for the ids of its calls', () => {
    const content = [{ type: 'Thinking', text: 'hm', seal: 's' } as const, said, use({ a: [1, 'b', null] })];
    const { mended, ...answer } = whole(content);
    expect(mended).toBeUndefined();
    expect(answer).toEqual({
      content: [...content.slice(0, 2), { ...content[2], id: expect.stringMatching(/^call_[0-9a-f]{24}$/) }],
      stop: 'ToolUse',
      usage,
      model: 'm',
    });
  });

  it('has one id for each call of a conversation, the same after a restart', () => {
    const calls = ['', 'call_0', 'call_0', 'a b', '\uD800'].map((id) => use({}, 'look', id));
    const idsOf = (callId: string): readonly unknown[] =>
      whole(calls, {}, callId).content.map((block) => (block.type === 'ToolUse' ? block.id : ''));
    const ids = [...idsOf('c-m1'), ...idsOf('c-m2')];
    expect(new Set(ids).size).toBe(10);
    expect(ids).toEqual([...idsOf('c-m1'), ...idsOf('c-m2')]);
  });
});

describe('content', () => {
  it.each<[string, ContentBlock[], ContentBlock[], string[]]>([
    ['no text', [{ type: 'Text', text: '' }], [], []],
    ['a blank text', [{ type: 'Text', text: '\n\n' }, said], [said], ['a blank text was left out']],
    [
      'half a character',
      [{ type: 'Text', text: 'a\uD800' }],
      [{ type: 'Text', text: 'a\uFFFD' }],
      ['broken characters of a text became U+FFFD'],
    ],
    [
      'a broken seal',
      [{ type: 'Thinking', text: '', seal: 's\uD800' }, said],
      [said],
      ['thoughts with broken characters were left out'],
    ],
    [
      'a broken thought',
      [{ type: 'Thinking', text: '\uDC00', seal: 's' }, said],
      [said],
      ['thoughts with broken characters were left out'],
    ],
    [
      'thoughts at the end',
      [said, { type: 'Thinking', text: 'a', seal: 's' }],
      [said],
      ['thoughts after the last word were left out'],
    ],
    [
      'thoughts alone',
      [{ type: 'Thinking', text: 'a', seal: 's' }],
      [],
      ['thoughts after the last word were left out'],
    ],
    [
      'a result',
      [{ type: 'ToolResult', toolUseId: 'a', text: '', isError: false }, said],
      [said],
      ['a result that no model may give was left out'],
    ],
  ])('with %s is mended and told', (_name, content, expected, mended) => {
    const answer = whole(content);
    expect(answer.content).toEqual(expected);
    expect(answer.mended ?? []).toEqual(mended);
  });
});

describe('arguments', () => {
  it.each<[string, string, string]>([
    ['half a character', '{"a":["\\ud800"]}', '{"a":["\uFFFD"]}'],
    ['half a character in a name', '{"\\udc00":1}', '{"\uFFFD":1}'],
    ['a zero with a sign', '{"a":-0}', '{"a":0}'],
    ['a member that is named like the prototype', '{"__proto__":{"b":"\\ud800"}}', '{"__proto__":{"b":"\uFFFD"}}'],
    ['a member twice', '{"a":1,"a":2}', '{"a":2}'],
    ['fractions', '{"a":0.1,"b":1e-7}', '{"a":0.1,"b":1e-7}'],
    ['the largest whole number that is exact', '{"a":9007199254740991}', '{"a":9007199254740991}'],
  ])('with %s run, and all readers read the same', (_name, json, expected) => {
    const [call] = whole([use(parseJson(json) as Json)]).content;
    const input = call?.type === 'ToolUse' ? call.input : null;
    expect(call).not.toHaveProperty('fault');
    expect(canonicalJson(input)).toBe(expected);
    expect(canonicalJson(JSON.parse(JSON.stringify(input)))).toBe(expected);
    expect(Object.is((input as { readonly a?: unknown }).a, -0)).toBe(false);
  });

  it.each<[string, Json, string]>([
    ['a number beyond all', { a: [Infinity] }, 'a number in it is too large to be kept exactly: send it as a text'],
    ['a whole number that was rounded', { a: 2 ** 53 }, 'a whole number in it is too large'],
    ['too many levels', nested(65), 'it is nested deeper than 64 levels'],
    ['more levels than a stack has', nested(200_000), 'it is nested deeper than 64 levels'],
    ['too many values', { a: Array.from({ length: 10_000 }, () => 0) }, 'it holds more than 10000 values'],
    ['too long texts', { a: 'x'.repeat(1024 * 1024), b: 'x' }, 'it is longer than 1048576 characters'],
    ['two members that become one', { '\uD800': 1, '\uD801': 2 }, 'two of its members have the same name'],
  ])('with %s are dropped, and the call says why', (_name, input, why) => {
    const answer = whole([use(input)]);
    expect(answer).toMatchObject({
      content: [{ name: 'look', input: {}, fault: expect.stringContaining(why) }],
      stop: 'ToolUse',
      mended: ['a call that cannot be taken as it was sent was not run, and its arguments were dropped'],
    });
  });

  it.each([64, 10])('of %s levels are fine', (depth) => {
    expect(whole([use(nested(depth))]).content[0]).not.toHaveProperty('fault');
  });
});

describe('the name of a call', () => {
  it.each([
    ['', 'unnamed'],
    ['read file', 'read_file'],
    ['functions.look', 'functions_look'],
    ['l\uD800k', 'l_k'],
    ['\u{1F600}', '_'],
    ['x'.repeat(129), 'x'.repeat(128)],
  ])('%j becomes %j, and its call does not run', (name, expected) => {
    expect(whole([use({ a: 1 }, name)]).content).toMatchObject([
      { name: expected, input: {}, fault: expect.stringMatching(/^(it names no tool|the name of its tool has)/) },
    ]);
  });
});

describe('the stop reason', () => {
  it.each<[StopReason, ContentBlock[], StopReason]>([
    ['EndTurn', [use({})], 'ToolUse'],
    ['ToolUse', [said], 'EndTurn'],
    ['ToolUse', [], 'EndTurn'],
    ['MaxTokens', [use({})], 'MaxTokens'],
    ['Refusal', [said], 'Refusal'],
  ])('%s of %j is %s', (stop, content, expected) => {
    expect(whole(content, { stop }).stop).toBe(expected);
  });

  it('Refusal leaves no call', () => {
    expect(whole([said, use({})], { stop: 'Refusal' })).toMatchObject({ content: [said], stop: 'Refusal' });
  });
});

describe('figures', () => {
  const few = { ...usage, outputTokens: 2 };
  it.each<[string, Partial<typeof usage>, typeof usage]>([
    ['fractions', { outputTokens: 3.5 }, usage],
    ['no output', { outputTokens: 0 }, few],
    ['less than none', { outputTokens: -1 }, few],
    ['more than was allowed', { outputTokens: 101 }, few],
    ['no number', { outputTokens: Number.NaN }, few],
    ['Infinity', { outputTokens: Infinity }, few],
    ['no input', { inputTokens: 0 }, { ...usage, inputTokens: 1 }],
    ['more input than there are bytes', { inputTokens: 9_007_199_254_740_991 }, { ...usage, inputTokens: 1 }],
    ['a negative cache', { cacheReadTokens: -3 }, { ...usage, inputTokens: 1 }],
    ['a cache that is too large', { cacheWriteTokens: 1e9 }, { ...usage, inputTokens: 1 }],
  ])('with %s are replaced by what can be', (_name, figures, expected) => {
    const answer = whole([said], { usage: { ...usage, ...figures } });
    expect(answer.usage).toEqual(expected);
    expect(answer.mended ?? []).toHaveLength(expected === usage ? 0 : 1);
  });

  it.each(['', ' ', '\uD800', 'x'.repeat(201)])('the model %j is the one that was asked', (model) => {
    expect(whole([said], { model })).toMatchObject({ model: 'asked-model', mended: [expect.any(String)] });
  });
});
