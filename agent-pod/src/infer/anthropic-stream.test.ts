import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerEvents, type Play, type PlayedBlock } from '../../../test/support/messages-server.ts';
import { emptyStream, finishStream, foldStreamEvent } from './anthropic-stream.ts';
import { ANSWER_CHARS_MAX, type AttemptAnswer, type AttemptFailure } from './model-attempt.ts';
import type { Result } from '@retainer/contract/std/result';

function fold(events: readonly unknown[]): Result<AttemptAnswer, AttemptFailure> {
  let state = emptyStream;
  for (const event of events) {
    const next = foldStreamEvent(state, event);
    if (!next.ok) return next;
    state = next.value;
  }
  return finishStream(state);
}

function answer(content: readonly PlayedBlock[], stopReason = 'end_turn'): readonly unknown[] {
  const play: Extract<Play, { kind: 'Answer' }> = { kind: 'Answer', content, stopReason };
  return answerEvents(play).map(([, data]) => data);
}

const text: PlayedBlock = { type: 'text', text: 'Hello, who is there?' };
const call: PlayedBlock = {
  type: 'tool_use',
  id: 'toolu_1',
  name: 'bash',
  input: { script: 'ls', deep: [1, { a: null }] },
};
const start = { type: 'message_start', message: { model: 'm', usage: { input_tokens: 1 } } };
const stop = { type: 'message_stop' };
const ended = { type: 'message_delta', delta: { stop_reason: 'end_turn' } };

describe('a whole stream', () => {
  it.each([
    ['end_turn', 'EndTurn'],
    ['stop_sequence', 'EndTurn'],
    ['max_tokens', 'MaxTokens'],
    ['model_context_window_exceeded', 'MaxTokens'],
    ['refusal', 'Refusal'],
  ])('that stops with %s is an answer that stops with %s', (reason, expected) => {
    expect(fold(answer([text], reason))).toMatchObject({ ok: true, value: { stop: expected } });
  });

  it.each(['pause_turn', 'something_new', 'stop', 'tool_calls', 'tool_use', '', null])(
    'that stops with %j is what it holds',
    (reason) => {
      expect(fold(answer([text], reason as string))).toMatchObject({ ok: true, value: { stop: 'EndTurn' } });
      expect(fold(answer([text, call], reason as string))).toMatchObject({ ok: true, value: { stop: 'ToolUse' } });
    },
  );

  it.each(['length', 'max_output_tokens', 'model_length'])('that stops with %s was cut off', (reason) => {
    expect(fold(answer([text], reason))).toMatchObject({ ok: true, value: { stop: 'MaxTokens' } });
  });

  it('keeps text and calls in their order', () => {
    expect(fold(answer([text, call], 'tool_use'))).toMatchObject({
      value: {
        content: [
          { type: 'Text', text: 'Hello, who is there?' },
          { type: 'ToolUse', id: '', name: 'bash', input: { script: 'ls', deep: [1, { a: null }] } },
        ],
        stop: 'ToolUse',
      },
    });
  });

  it('is an answer with calls whatever the server calls its end', () => {
    expect(fold(answer([call], 'end_turn'))).toMatchObject({ value: { stop: 'ToolUse' } });
  });

  it('may hold the whole input at the start of a block, and none at all', () => {
    const block = { type: 'tool_use', id: 'a', name: 'x', input: { b: 1 } };
    const events = [
      start,
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'c', name: 'y' } },
      { type: 'content_block_stop', index: 1 },
      ended,
      stop,
    ];
    expect(fold(events)).toMatchObject({ value: { content: [{ input: { b: 1 } }, { input: {} }] } });
  });

  it('keeps thoughts with their seal, and none without', () => {
    const block = (index: number, content: object, ...deltas: readonly object[]): readonly object[] => [
      { type: 'content_block_start', index, content_block: content },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ];
    const events = [
      start,
      ...block(
        0,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: 'h' },
        { type: 'thinking_delta', thinking: 'm' },
        { type: 'signature_delta', signature: 'seal' },
      ),
      ...block(1, { type: 'redacted_thinking', data: 'x' }),
      ...block(2, { type: 'thinking', thinking: 'unsealed', signature: '' }),
      ended,
      stop,
    ];
    expect(fold(events)).toMatchObject({
      value: {
        content: [
          { type: 'Thinking', text: 'hm', seal: 'seal' },
          { type: 'Thinking', text: '', seal: 'x', isRedacted: true },
        ],
      },
    });
  });

  it('passes over what is unknown', () => {
    const odd = { type: 'content_block_start', index: 0, content_block: { type: 'hologram', data: 1 } };
    expect(
      fold([start, { type: 'aurora', x: 1 }, odd, { type: 'content_block_stop', index: 0 }, ended, stop]),
    ).toMatchObject({
      ok: true,
      value: { content: [] },
    });
  });

  it('leaves out a call that the output limit cut off', () => {
    const cut = [
      start,
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'x', input: {} } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"scri' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' } },
      stop,
    ];
    expect(fold(cut)).toMatchObject({ ok: true, value: { content: [], stop: 'MaxTokens' } });
  });

  it('gives back any text and any input, however it is cut into pieces', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1 }),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (said, input) => {
          const json: unknown = JSON.parse(JSON.stringify(input));
          const blocks: PlayedBlock[] = [
            { type: 'text', text: said },
            { type: 'tool_use', id: 'i', name: 'n', input: json },
          ];
          const result = fold(answer(blocks, 'tool_use'));
          const use = result.ok ? result.value.content.at(-1) : undefined;
          expect(result).toMatchObject({ value: { content: [{ text: said }, { name: 'n' }] } });
          expect(JSON.stringify(use?.type === 'ToolUse' ? use.input : undefined)).toBe(JSON.stringify(json));
        },
      ),
      { numRuns: 40 },
    );
  });
});

const textStart = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
const toolStart = (id: string, input: unknown): unknown => ({
  type: 'content_block_start',
  index: 0,
  content_block: { type: 'tool_use', id, name: 'x', input },
});

const pieceOf = (index: number, said: string): unknown => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'text_delta', text: said },
});
const end = (index: number): unknown => ({ type: 'content_block_stop', index });

describe('labels and figures void nothing', () => {
  const said = (result: ReturnType<typeof fold>): unknown =>
    result.ok ? result.value.content.map((block) => (block.type === 'Text' ? block.text : block.type)) : result;

  it.each<[string, readonly unknown[], readonly string[]]>([
    ['no start of the message', [textStart, pieceOf(0, 'a'), end(0), ended, stop], ['a']],
    ['no name of the model', [{ type: 'message_start' }, textStart, pieceOf(0, 'a'), end(0), ended, stop], ['a']],
    ['two starts', [start, start, textStart, pieceOf(0, 'a'), end(0), ended, stop], ['a']],
    ['no stop after a stop reason', [start, textStart, pieceOf(0, 'a'), end(0), ended], ['a']],
    ['no stop reason before the stop', [start, textStart, pieceOf(0, 'a'), end(0), stop], ['a']],
    ['an index that begins late', [start, { ...textStart, index: 3 }, pieceOf(3, 'a'), end(3), ended, stop], ['a']],
    [
      'blocks that grow together',
      [start, textStart, { ...textStart, index: 1 }, pieceOf(1, 'b'), pieceOf(0, 'a'), end(1), end(0), ended, stop],
      ['a', 'b'],
    ],
    [
      'blocks that come in another order',
      [start, { ...textStart, index: 1 }, pieceOf(1, 'b'), end(1), textStart, pieceOf(0, 'a'), end(0), ended, stop],
      ['a', 'b'],
    ],
    [
      'one index for all',
      [start, textStart, pieceOf(0, 'a'), end(0), textStart, pieceOf(0, 'b'), end(0), ended, stop],
      ['a', 'b'],
    ],
    [
      'no index at all',
      [
        start,
        { ...textStart, index: undefined },
        { ...(pieceOf(0, 'a') as object), index: null },
        { type: 'content_block_stop' },
        ended,
        stop,
      ],
      ['a'],
    ],
    ['an end too many', [start, textStart, pieceOf(0, 'a'), end(0), end(0), end(7), ended, stop], ['a']],
    [
      'something after its end',
      [start, textStart, pieceOf(0, 'a'), end(0), ended, stop, start, textStart, ended],
      ['a'],
    ],
    [
      'a stop for calls without calls',
      [start, { type: 'message_delta', delta: { stop_reason: 'tool_use' } }, stop],
      [],
    ],
    ['nothing but its end', [ended, stop], []],
    ['calls without an id', [start, toolStart('', {}), end(0), ended, stop], ['ToolUse']],
  ])('%s', (_name, events, expected) => {
    expect(said(fold(events))).toEqual(expected);
  });

  it.each([
    ['"7"', '7', 7],
    ['7.5', 7.5, 7.5],
    ['-1', -1, -1],
    ['a text', 'many', -1],
    ['a list', [1], -1],
    ['null', null, 0],
    ['nothing', undefined, 0],
    ['too many', 9_007_199_254_740_991, 9_007_199_254_740_991],
  ])('a count of %s', (_name, count, expected) => {
    const counted = { ...ended, usage: { output_tokens: count } };
    expect(fold([start, counted, stop])).toMatchObject({ ok: true, value: { usage: { outputTokens: expected } } });
  });

  it('the count at the start is no count of the answer', () => {
    const begun = { type: 'message_start', message: { model: 'm', usage: { input_tokens: 3, output_tokens: 1 } } };
    expect(fold([begun, ended, stop])).toMatchObject({ value: { usage: { inputTokens: 3, outputTokens: 0 } } });
  });
});

describe('a call whose input is a text', () => {
  it.each([
    ['of an object', '{"a":1}', { a: 1 }],
    ['without anything', '', {}],
  ])('%s has that input', (_name, input, expected) => {
    const piece = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
    const delta = { type: 'content_block_delta', index: 0, delta: piece };
    const wanted = { ok: true, value: { content: [{ type: 'ToolUse', name: 'x', input: expected }] } };
    expect(fold([start, toolStart('a', input), end(0), ended, stop])).toMatchObject(wanted);
    expect(fold([start, toolStart('a', {}), delta, end(0), ended, stop])).toMatchObject(wanted);
  });
});

describe('a call that cannot be read', () => {
  it.each([
    ['a list', '[1]'],
    ['half an object', '{"a": 1'],
    ['two objects', '{}{}'],
    ['a text', '"ls"'],
    ['null', 'null'],
  ])('says so when its input is %s', (_name, json) => {
    const piece = { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: json } };
    const result = fold([start, toolStart('a', {}), piece, end(0), ended, stop]);
    expect(result).toMatchObject({
      ok: true,
      value: { content: [{ type: 'ToolUse', name: 'x', input: {}, fault: 'its arguments are no JSON object' }] },
    });
  });
});

describe('a stream that is none', () => {
  it.each<[string, readonly unknown[]]>([
    ['a null', [null]],
    ['a text', ['hello']],
    ['pieces before a start', [pieceOf(0, 'a')]],
    ['a start within it', [start, textStart, start]],
    ['a piece of a block that is not open', [start, pieceOf(0, 'a')]],
    ['a piece after the end of its block', [start, textStart, end(0), pieceOf(0, 'a')]],
    ['a piece that is none', [start, textStart, { type: 'content_block_delta', index: 0, delta: 'a' }]],
    ['a stop alone', [stop]],
    ['nothing', []],
  ])('%s is a malformed answer', (_name, events) => {
    expect(fold(events)).toMatchObject({ ok: false, error: { kind: 'MalformedAnswer' } });
  });

  it.each<[string, readonly unknown[]]>([
    ['a text', [start, textStart, pieceOf(0, 'half'), ended, stop]],
    ['a call', [start, toolStart('a', { path: 'x' }), ended, stop]],
    ['the first of two', [start, textStart, { ...textStart, index: 1 }, end(1), ended, stop]],
  ])('%s without its end is a broken stream', (_name, events) => {
    expect(fold(events)).toMatchObject({
      ok: false,
      error: { kind: 'Network', message: 'the stream ended before a block of the answer was complete' },
    });
  });

  it('a stream that ends early is a failure of the network until it is whole', () => {
    const events = answer([text, call], 'tool_use');
    // The last two are the stop reason and the stop.
    for (let count = 1; count < events.length - 1; count += 1)
      expect(fold(events.slice(0, count))).toMatchObject({ ok: false, error: { kind: 'Network' } });
    expect(fold(events).ok).toBe(true);
  });

  it('stops at the limit of its size', () => {
    const piece = {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'x'.repeat(1024 * 1024) },
    };
    const pieces = Array.from({ length: ANSWER_CHARS_MAX / (1024 * 1024) }, () => piece);
    expect(fold([start, textStart, ...pieces, end(0), ended, stop]).ok).toBe(true);
    expect(fold([start, textStart, ...pieces, { ...piece, delta: { type: 'text_delta', text: 'x' } }])).toMatchObject({
      ok: false,
      error: { kind: 'MalformedAnswer' },
    });
  });

  it('never throws, whatever comes', () => {
    const type = fc.constantFrom(
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
      'x',
    );
    const event = fc.oneof(
      fc.jsonValue(),
      fc.record(
        { type, index: fc.nat(2), delta: fc.jsonValue(), content_block: fc.jsonValue(), message: fc.jsonValue() },
        { requiredKeys: ['type'] },
      ),
    );
    fc.assert(fc.property(fc.array(event, { maxLength: 8 }), (events) => void fold([start, ...events])));
  });
});
