/**
 * Decodes the body of an answer into the events of the Messages API, whatever the body calls itself: an event stream, with names of
 * events or without, or one JSON document. Pure but for its buffer.
 *
 * I1  Only the data decides. A name stands in where the data has no type.
 * I2  Line ends, a mark of byte order, and a missing last line are of no account.
 *
 * Source: HTML Living Standard 9.2.6 (interpreting an event stream). Differs: an event at the end of the body needs no blank line.
 */
import { parseJson } from '@retainer/contract/std/parse-json';

/** One decoded event of any shape, an error that the server states, or a piece that is no JSON. */
export type Decoded =
  | { readonly kind: 'Event'; readonly data: unknown }
  | { readonly kind: 'Error'; readonly body: object }
  | { readonly kind: 'Garbage' };

/** Feeds on the body's text in pieces of any size; `end` gives what is left. */
export class EventStream {
  /** Of the unfinished line, or of the document; joined once, because joining each piece copies all before it. */
  #pending: string[] = [];
  #isDocument: boolean | undefined;
  #endsWithReturn = false;
  #label = '';
  #data: string[] = [];

  push(piece: string): readonly Decoded[] {
    if (piece === '') return [];
    this.#isDocument ??= this.#guess(piece);
    const rest = this.#endsWithReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    this.#endsWithReturn = piece.endsWith('\r');
    const isWithinLine = !/[\r\n]/.test(rest);
    this.#pending.push(rest);
    if (this.#isDocument === true || isWithinLine) return [];
    const lines = this.#taken().split(/\r\n|\r|\n/);
    const unfinished = lines.pop() ?? '';
    if (unfinished !== '') this.#pending.push(unfinished);
    return lines.flatMap((line) => this.#line(line));
  }

  end(): readonly Decoded[] {
    const rest = this.#taken();
    if (this.#isDocument === true) return documentEvents(rest);
    // What the end of the body cut off is missing, not wrong.
    return [...this.#line(rest), ...this.#line('')].filter((it) => !isGarbage(it));
  }

  #taken(): string {
    const text = this.#pending.join('');
    this.#pending = [];
    return text;
  }

  /** No line of an event stream begins with a bracket. Undefined while there is white space only. */
  #guess(piece: string): boolean | undefined {
    const [first] = piece.trimStart();
    return first === undefined ? undefined : first === '{' || first === '[';
  }

  /** An empty line ends an event. */
  #line(line: string): readonly Decoded[] {
    if (line === '') return this.#event();
    const [, field, value = ''] = /^\uFEFF?([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
    if (field === 'event') this.#label = value;
    if (field === 'data') this.#data.push(value);
    return [];
  }

  #event(): readonly Decoded[] {
    const [label, data] = [this.#label, this.#data];
    this.#label = '';
    this.#data = [];
    const whole = decode(data.join('\n'), label);
    // Without blank lines between them, events look like one with many lines.
    return whole.some(isGarbage) && data.length > 1 ? data.flatMap((line) => decode(line, label)) : whole;
  }
}

const isGarbage = ({ kind }: Decoded): boolean => kind === 'Garbage';

/** How servers end a stream that know it from Chat Completions. */
const DONE = '[DONE]';

function decode(text: string, label: string): readonly Decoded[] {
  const data = text.trim();
  if (data === '' || data === DONE) return [];
  const value = parseJson(data);
  if (value === undefined) return label === 'ping' ? [] : [{ kind: 'Garbage' }];
  return [decoded(value, label)];
}

function decoded(value: unknown, label: string): Decoded {
  if (!isObject(value)) return { kind: 'Event', data: value };
  const type = typeof value['type'] === 'string' ? value['type'] : label;
  const isError = type === 'error' || ((type === '' || label === 'error') && isObject(value['error']));
  return isError ? { kind: 'Error', body: value } : { kind: 'Event', data: { ...value, type } };
}

/** One message, one error, or one event a line. */
function documentEvents(text: string): readonly Decoded[] {
  const value = parseJson(text.replace(/^\uFEFF/u, ''));
  if (value === undefined) {
    const lines = text.split(/\r\n|\r|\n/).flatMap((line) => decode(line.replace(/^\uFEFF/u, ''), ''));
    return lines.length > 1 ? lines : [{ kind: 'Garbage' }];
  }
  if (Array.isArray(value)) return value.map((it) => decoded(it, ''));
  const isMessage = isObject(value) && (Array.isArray(value['content']) || typeof value['content'] === 'string');
  return isMessage ? messageEvents(value) : [decoded(value, '')];
}

/** A whole message as the events that make it. */
function messageEvents(message: { readonly [member: string]: unknown }): readonly Decoded[] {
  const { content, stop_reason, usage } = message;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [{ type: 'text', text: content }];
  const events = [
    { type: 'message_start', message },
    ...blocks.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason }, usage },
    { type: 'message_stop' },
  ];
  return events.map((data) => ({ kind: 'Event', data }));
}

function isObject(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
