/**
 * Answers as real and compatible servers of the Messages API send them: what they say, and how roughly. The labels around an answer
 * and the figures beside it may be wrong in any way while the answer is whole.
 */
import type { Play } from './messages-server.ts';

type Body = Extract<Play, { kind: 'Body' }>;

export type SaidBlock =
  | { readonly type: 'text'; readonly text: string }
  /** The arguments as JSON text, valid or not. */
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly json: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string };

/** How an answer is sent; absent: as the API does. */
export interface Wire {
  /** One JSON document instead of a stream. */
  readonly isDocument?: boolean;
  readonly lineEnd?: '\n' | '\r\n' | '\r';
  readonly startsWithMark?: boolean;
  readonly labels?: 'None' | 'Wrong';
  /** What the last line ends with. */
  readonly lastLine?: 'Blank' | 'Ended' | 'Open';
  readonly contentType?: string;
  readonly pieceBytes?: number;
  readonly end?: Body['end'];
  readonly indexes?: 'Gaps' | 'Texts' | 'Zero' | 'None';
  /** All blocks begin, then grow, then end. */
  readonly isInterleaved?: boolean;
  readonly stopReason?: unknown;
  readonly model?: unknown;
  readonly usage?: unknown;
  readonly startUsage?: unknown;
  /** Types of events that do not come. */
  readonly without?: readonly string[];
  /** Events after the last. */
  readonly after?: readonly string[];
  /** Lines before each event. */
  readonly between?: string;
  /** Characters of one delta. */
  readonly deltaChars?: number;
}

interface Event {
  readonly type: string;
  readonly [member: string]: unknown;
}

const USAGE = { output_tokens: 9 };
const START_USAGE = { input_tokens: 30, output_tokens: 1 };

export function roughly(blocks: readonly SaidBlock[], wire: Wire = {}): Body {
  const { contentType, pieceBytes, end } = wire;
  return {
    kind: 'Body',
    text: `${wire.startsWithMark === true ? '\uFEFF' : ''}${wire.isDocument === true ? document(blocks, wire) : stream(blocks, wire)}`,
    ...(contentType === undefined ? {} : { contentType }),
    ...(pieceBytes === undefined ? {} : { pieceBytes }),
    ...(end === undefined ? {} : { end }),
  };
}

function startOf(wire: Wire): object {
  const model = 'model' in wire ? wire.model : 'm';
  const usage = 'startUsage' in wire ? wire.startUsage : START_USAGE;
  return { id: 'msg_1', type: 'message', role: 'assistant', model, usage };
}

function stopOf(wire: Wire, blocks: readonly SaidBlock[]): unknown {
  if ('stopReason' in wire) return wire.stopReason;
  return blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
}

function document(blocks: readonly SaidBlock[], wire: Wire): string {
  const content = blocks.map((block) =>
    block.type === 'tool_use'
      ? `{"type":"tool_use","id":${JSON.stringify(block.id)},"name":${JSON.stringify(block.name)},"input":${block.json}}`
      : JSON.stringify(block),
  );
  const counted = 'usage' in wire ? wire.usage : USAGE;
  const usage = { input_tokens: 30, ...(typeof counted === 'object' ? counted : {}) };
  const head = JSON.stringify({ ...startOf(wire), stop_reason: stopOf(wire, blocks), usage }).slice(0, -1);
  return `${head},"content":[${content.join(',')}]}`;
}

function stream(blocks: readonly SaidBlock[], wire: Wire): string {
  const { lineEnd = '\n', lastLine = 'Blank', without = [], after = [], between = '' } = wire;
  const events = eventsOf(blocks, wire).filter(({ type }) => !without.includes(type));
  const frames = events.map((event) => `${between}${labelOf(event, wire)}data: ${JSON.stringify(event)}\n\n`);
  const text = [...frames, ...after].join('');
  const ending = { Blank: 0, Ended: 1, Open: 2 }[lastLine];
  return text.slice(0, text.length - ending).replaceAll('\n', lineEnd);
}

function labelOf({ type }: Event, { labels }: Wire): string {
  if (labels === 'None') return '';
  return `event: ${labels === 'Wrong' ? 'message' : type}\n`;
}

function eventsOf(blocks: readonly SaidBlock[], wire: Wire): readonly Event[] {
  const parts = blocks.map((block, at) => partsOf(block, indexOf(at, wire), wire));
  const mid =
    wire.isInterleaved === true
      ? [...parts.map(([first]) => first), ...parts.flatMap((it) => it.slice(1, -1)), ...parts.map((it) => it.at(-1))]
      : parts.flat();
  return [
    { type: 'message_start', message: startOf(wire) },
    ...mid.filter((it) => it !== undefined),
    {
      type: 'message_delta',
      delta: { stop_reason: stopOf(wire, blocks) },
      usage: 'usage' in wire ? wire.usage : USAGE,
    },
    { type: 'message_stop' },
  ];
}

function indexOf(at: number, { indexes }: Wire): unknown {
  switch (indexes) {
    case 'Gaps':
      return 2 * at + 3;
    case 'Texts':
      return String(at);
    case 'Zero':
      return 0;
    case 'None':
      return null;
    default:
      return at;
  }
}

function partsOf(block: SaidBlock, index: unknown, { deltaChars = 5 }: Wire): readonly Event[] {
  const start = (content: object): Event => ({ type: 'content_block_start', index, content_block: content });
  const delta = (it: object): Event => ({ type: 'content_block_delta', index, delta: it });
  const stop = { type: 'content_block_stop', index };
  // By code units, so that a character may fall apart between two deltas.
  const cut = (text: string): readonly string[] =>
    Array.from({ length: Math.ceil(text.length / deltaChars) }, (_, at) =>
      text.slice(at * deltaChars, (at + 1) * deltaChars),
    );
  switch (block.type) {
    case 'text':
      return [
        start({ type: 'text', text: '' }),
        ...cut(block.text).map((text) => delta({ type: 'text_delta', text })),
        stop,
      ];
    case 'thinking':
      return [
        start({ type: 'thinking', thinking: '', signature: '' }),
        ...cut(block.thinking).map((thinking) => delta({ type: 'thinking_delta', thinking })),
        delta({ type: 'signature_delta', signature: block.signature }),
        stop,
      ];
    case 'tool_use':
      return [
        start({ type: 'tool_use', id: block.id, name: block.name, input: {} }),
        ...cut(block.json).map((json) => delta({ type: 'input_json_delta', partial_json: json })),
        stop,
      ];
  }
}
