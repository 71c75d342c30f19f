import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventStream, type Decoded } from './event-stream.ts';

/** @param pieceChars  of one piece of the body */
function decode(text: string, pieceChars = text.length): readonly Decoded[] {
  const events = new EventStream();
  const decoded: Decoded[] = [];
  for (let at = 0; at < text.length; at += pieceChars) decoded.push(...events.push(text.slice(at, at + pieceChars)));
  return [...decoded, ...events.end()];
}

const event = (data: unknown): Decoded => ({ kind: 'Event', data });
const garbage: Decoded = { kind: 'Garbage' };
const stop = event({ type: 'message_stop' });

describe('an event stream', () => {
  it.each<[string, string, readonly Decoded[]]>([
    ['with names', 'event: message_stop\ndata: {"type":"message_stop"}\n\n', [stop]],
    ['without names', 'data: {"type":"message_stop"}\n\n', [stop]],
    ['without spaces', 'data:{"type":"message_stop"}\n\n', [stop]],
    ['with a name instead of a type', 'event: message_stop\ndata: {}\n\n', [stop]],
    ['with another name', 'event: ping\ndata: {"type":"message_stop"}\n\n', [stop]],
    ['whose JSON takes many lines', 'data: {"type":\ndata: "message_stop"}\n\n', [stop]],
    ['without blank lines', 'data: {"type":"message_stop"}\ndata: {"type":"message_stop"}\n', [stop, stop]],
    ['that begins with blank lines', '\n\r\n \uFEFFdata: x\n\ndata: {"type":"message_stop"}', [stop]],
    [
      'with everything else of the format',
      ': a\nid: 1\nretry: 2\nevent\ndata\n\nwhat: x\ndata: {"type":"message_stop"}',
      [stop],
    ],
    ['with a ping that says nothing', 'event: ping\ndata: pong\n\ndata: [DONE]\n\n', []],
    ['with something that is no JSON', 'data: {half\n\ndata: {"type":"message_stop"}\n\n', [garbage, stop]],
    ['that is cut off', 'data: {"type":"message_stop"}\n\ndata: {"type":"mess', [stop]],
    ['that is a page', '<!doctype html>\n<p>data: log in</p>\n', []],
  ])('%s', (_name, text, expected) => {
    expect(decode(text)).toEqual(expected);
    expect(decode(text, 1)).toEqual(expected);
  });

  it.each([
    ['event: error\ndata: {"type":"error","error":{"type":"api_error"}}\n\n'],
    ['data: {"type":"error","error":{"type":"api_error"}}\n\n'],
    ['data: {"error":{"type":"api_error"}}\n\n'],
    ['event: error\ndata: {"error":{"type":"api_error"}}\n\n'],
    ['{"error":{"type":"api_error"}}'],
    ['{\n  "type": "error",\n  "error": {"type":"api_error"}\n}\n'],
  ])('%j states an error', (text) => {
    expect(decode(text)).toMatchObject([{ kind: 'Error', body: { error: { type: 'api_error' } } }]);
  });
});

describe('a document', () => {
  const message = { type: 'message', model: 'm', content: [{ type: 'text', text: 'a' }], stop_reason: null };
  const types = (decoded: readonly Decoded[]): readonly unknown[] =>
    decoded.map((it) => (it.kind === 'Event' ? (it.data as { readonly type?: unknown }).type : it.kind));
  const whole = ['message_start', 'content_block_start', 'content_block_stop', 'message_delta', 'message_stop'];

  it.each([
    ['of one message', JSON.stringify(message)],
    ['in many lines', `\uFEFF\n${JSON.stringify(message, undefined, 2)}\n`],
    ['whose content is a text', JSON.stringify({ ...message, content: 'a' })],
  ])('%s is the events that make it', (_name, text) => {
    expect(types(decode(text))).toEqual(whole);
    expect(types(decode(text, 1))).toEqual(whole);
  });

  it.each([
    ['of one event a line', '{"type":"ping"}\r\n{"type":"message_stop"}\n', ['ping', 'message_stop']],
    ['of a list of events', '[{"type":"ping"},{"type":"message_stop"}]', ['ping', 'message_stop']],
    ['that is cut off', '{"type":"message","content":[', ['Garbage']],
    ['of something else', '{"choices":[]}', ['']],
  ])('%s', (_name, text, expected) => {
    expect(types(decode(text))).toEqual(expected);
  });
});

it('decodes the same however a body falls into pieces, and never throws', () => {
  const line = fc.constantFrom('data: ', 'data: {"type":"a"}', 'event: b', '{', '[', '"', ':', '\uFEFF', ' ', 'x');
  const end = fc.constantFrom('\n', '\r', '\r\n', '\n\n', '');
  fc.assert(
    fc.property(fc.array(fc.tuple(line, end), { maxLength: 12 }), fc.integer({ min: 1, max: 9 }), (lines, chars) => {
      const text = lines.flat().join('');
      expect(decode(text, chars)).toEqual(decode(text));
    }),
    { numRuns: 500 },
  );
});
