import { describe, expect, it } from 'vitest';
import { newestOf } from '@retainer/contract/api/known-models';
import type { Json } from '@retainer/contract/std/canonical-json';
import type { ContentBlock, ModelRequest } from '@retainer/mind/request/model-request';
import { failureKind } from './anthropic-failure.ts';
import { messagesRequest } from './anthropic-request.ts';
import { refusalOf, Seals } from '../../../test/support/strict-messages.ts';

const base: ModelRequest = {
  role: 'executor',
  tier: 'Fast',
  model: 'm',
  system: [],
  messages: [{ role: 'User', content: [{ type: 'Text', text: 'go' }] }],
  tools: [],
  maxOutputTokens: 10,
};

const KNOWN = newestOf('Haiku');

describe('messagesRequest', () => {
  it('sends neither an empty list of tools nor an empty system text', () => {
    const body = messagesRequest({ ...base, system: [{ text: '', cache: true }] });
    expect(Object.keys(body).toSorted()).toEqual(['max_tokens', 'messages', 'model', 'stream']);
  });

  it('sends a temperature where one is set', () => {
    expect(messagesRequest({ ...base, temperature: 0 })).toMatchObject({ temperature: 0 });
  });

  const schema = { type: 'object' };
  it.each<readonly [string, Partial<ModelRequest>, object]>([
    [
      'a schema of the output',
      { answerAs: { form: 'Schema', name: 'plan', schema } },
      { output_config: { format: { type: 'json_schema', schema } } },
    ],
    [
      'one forced call',
      { answerAs: { form: 'Tool', name: 'plan', schema } },
      {
        tool_choice: { type: 'tool', name: 'give_answer' },
        tools: [
          {
            name: 'give_answer',
            description: 'Takes your answer: plan.',
            input_schema: schema,
            cache_control: { type: 'ephemeral' },
          },
        ],
      },
    ],
    [
      'thinking with an effort, and no temperature',
      { temperature: 0.2, thinking: { mode: 'Adaptive', effort: 'low' } },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    ],
    [
      'thinking with a budget',
      { thinking: { mode: 'Budget', budgetTokens: 2048 } },
      { thinking: { type: 'enabled', budget_tokens: 2048 } },
    ],
    ['no thinking', { thinking: { mode: 'Disabled' } }, { thinking: { type: 'disabled' } }],
    ['thinking between calls alone', { thinking: { mode: 'BetweenTools' } }, { thinking: { type: 'between_tools' } }],
  ])('asks for %s', (_name, more, wanted) => {
    expect(messagesRequest({ ...base, ...more })).toEqual({ ...messagesRequest(base), ...wanted });
  });

  it('sends thoughts back as they came', () => {
    const content = [
      { type: 'Thinking', text: 'hm', seal: 's1' },
      { type: 'Thinking', text: '', seal: 'all', isRedacted: true },
      { type: 'Text', text: 'done' },
    ] as const;
    const { messages } = messagesRequest({ ...base, messages: [...base.messages, { role: 'Assistant', content }] });
    expect(messages[1]?.content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 's1' },
      { type: 'redacted_thinking', data: 'all' },
      { type: 'text', text: 'done' },
    ]);
  });

  it('marks the texts of the stable prefix that others share and no other', () => {
    const system = ['a', 'b', 'c'].map((text, index) => ({ text, cache: index < 2 }));
    const marks = messagesRequest({ ...base, system }).system?.map((block) => block.cache_control !== undefined);
    expect(marks).toEqual([true, true, false]);
  });

  it('puts what differs from cycle to cycle in front of the first message where nobody knows the model', () => {
    const system = [
      { text: 'you work', cache: true },
      { text: 'it is noon', cache: false, varies: true as const },
      { text: 'the form', cache: true },
    ];
    const told = messagesRequest({ ...base, system });
    expect(told.system?.map(({ text }) => text)).toEqual(['you work', 'the form']);
    expect(told.messages[0]?.content).toMatchObject([{ text: 'it is noon' }, { text: 'go' }]);
    expect(messagesRequest({ ...base, model: KNOWN, system }).system).toHaveLength(3);
  });

  it('holds a model to a call, and a plain server to nothing', () => {
    expect(messagesRequest({ ...base, callsTool: true }).tool_choice).toEqual({ type: 'any' });
    expect(messagesRequest({ ...base, callsTool: true, isPlain: true }).tool_choice).toBeUndefined();
    expect(messagesRequest({ ...base, model: KNOWN, callsTool: true }).tool_choice).toBeUndefined();
  });

  it('puts tool results first and leaves empty texts and turns out', () => {
    const { messages } = messagesRequest({
      ...base,
      messages: [
        ...base.messages,
        { role: 'Assistant', content: [{ type: 'ToolUse', id: 't1', name: 'bash', input: { a: 1 } }] },
        {
          role: 'User',
          content: [
            { type: 'Text', text: '[budget] two turns' },
            { type: 'ToolResult', toolUseId: 't1', text: 'no', isError: true },
          ],
        },
        { role: 'Assistant', content: [{ type: 'Text', text: '' }] },
        { role: 'User', content: [{ type: 'Text', text: '[guard] empty' }] },
      ],
    });
    const mark = { cache_control: { type: 'ephemeral' } };
    expect(messages.slice(1)).toEqual([
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'bash', input: { a: 1 } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: 'no', is_error: true },
          { type: 'text', text: '[budget] two turns', ...mark },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: '[guard] empty', ...mark }] },
    ]);
  });

  it('replaces half a character, and only that', () => {
    const text = `a\uD83D b \uDE00 \u{1F600}`;
    const { messages } = messagesRequest({ ...base, messages: [{ role: 'User', content: [{ type: 'Text', text }] }] });
    expect(messages[0]?.content).toEqual([{ type: 'text', text: 'a\uFFFD b \uFFFD \u{1F600}' }]);
  });
});

describe('failureKind', () => {
  it.each([
    [429, undefined, 'RateLimited'],
    [529, undefined, 'Overloaded'],
    [undefined, 'overloaded_error', 'Overloaded'],
    [500, 'overloaded_error', 'Overloaded'],
    [500, 'api_error', 'Network'],
    [502, undefined, 'Network'],
    [503, undefined, 'Network'],
    [undefined, undefined, 'Network'],
    [408, undefined, 'Timeout'],
    [504, 'timeout_error', 'Timeout'],
    [401, 'authentication_error', 'Authentication'],
    [403, 'permission_error', 'Authentication'],
    [402, 'billing_error', 'Authentication'],
    [400, 'invalid_request_error', 'InvalidRequest'],
    [404, 'not_found_error', 'InvalidRequest'],
    [413, 'request_too_large', 'InvalidRequest'],
    [418, 'teapot_error', 'InvalidRequest'],
  ])('status %s with type %s is %s', (status, type, kind) => {
    expect(failureKind(status, type)).toBe(kind);
  });
});

describe('a conversation of an older record', () => {
  const use = (id: string, input: Json): ContentBlock => ({ type: 'ToolUse', id, name: 'look', input });
  const result = (toolUseId: string, text: string): ContentBlock => ({
    type: 'ToolResult',
    toolUseId,
    text,
    isError: false,
  });
  const messages: ModelRequest['messages'] = [
    { role: 'User', content: [{ type: 'Text', text: 'go' }] },
    { role: 'Assistant', content: [{ type: 'Text', text: '\n\n' }, use('call_0', { a: '\uD800' }), use('call_0', {})] },
    { role: 'User', content: [result('call_0', 'first'), result('call_0', 'second')] },
    { role: 'Assistant', content: [use('', {}), { type: 'Thinking', text: '', seal: 's' }] },
    { role: 'User', content: [result('', 'third')] },
  ];

  it('is one that a server takes, each result beside its call', () => {
    const body = messagesRequest({ ...base, messages });
    expect(refusalOf(body, new Seals())).toBeUndefined();
    expect(body.messages[2]?.content).toMatchObject([
      { tool_use_id: 'call_1_1', content: 'first' },
      { tool_use_id: 'call_1_2', content: 'second' },
    ]);
  });

  it('is sent with its own ids where they are usable', () => {
    const own = [...messages.slice(0, 1), { role: 'Assistant', content: [use('toolu_1', {})] } as const];
    expect(messagesRequest({ ...base, messages: own }).messages[1]?.content).toMatchObject([{ id: 'toolu_1' }]);
  });
});
