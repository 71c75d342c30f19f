/**
 * A server on loopback that speaks the Messages API with streaming, and fails in every way it can fail. It refuses what the API
 * refuses (`strict-messages.ts`), and then its closing fails, so that no test passes by.
 *
 * Each request plays the next of the given plays, and one request too many is answered with status 418; or it plays what a
 * function says of it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseJson } from '@retainer/contract/std/parse-json';
import { refusalOf, Seals } from './strict-messages.ts';

export type PlayedBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature?: string };

export type Play =
  /** A whole answer, each text and input in small pieces. */
  | {
      readonly kind: 'Answer';
      readonly content: readonly PlayedBlock[];
      readonly stopReason: string;
      readonly usage?: Readonly<Record<string, number>>;
    }
  /** An error before any stream; `body` is JSON or a page. */
  | {
      readonly kind: 'Status';
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Exactly these events, then the end of the body. */
  | { readonly kind: 'Events'; readonly events: readonly (readonly [event: string, data: unknown])[] }
  /** Exactly this body with status 200. */
  | {
      readonly kind: 'Body';
      readonly text: string;
      readonly contentType?: string;
      /** Bytes of one piece of it; absent: all at once. */
      readonly pieceBytes?: number;
      /** How it ends: as it should, with a broken connection, or never. */
      readonly end?: 'Broken' | 'Never';
    }
  /** Half an answer, then a broken connection. */
  | { readonly kind: 'Disconnect' }
  /** The start of an answer, then silence. */
  | { readonly kind: 'Stall' }
  /** One event that has no end, this many bytes. */
  | { readonly kind: 'Huge'; readonly bytes: number };

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
}

export interface MessagesServer {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
  /** Why requests were refused as the API would. */
  readonly refusals: readonly string[];
  /** Resolves when a `Stall` has begun. */
  readonly stalled: Promise<void>;
  /** Resolves when the client has gone away in the middle of an answer. */
  readonly deserted: Promise<void>;
  ping(): void;
  /** Fails if a request was refused that no test wanted refused. */
  close(): Promise<void>;
}

/** What a perceiver answers that takes every Task for one step. */
export const oneStep: readonly PlayedBlock[] = [
  {
    type: 'text',
    text: '<perception><task slug="work" shape="SingleStep"><intent>Do what the message says.</intent></task></perception>',
  },
];

/** Whether a request is the perceiver's: its duties show what it answers in. */
export function asksPerceiver(body: object): boolean {
  return JSON.stringify('system' in body ? body.system : '').includes('<perception>');
}

/** Whether a request is the Archivist's, which comes after the end of a run. */
export function asksArchivist(body: object): boolean {
  return JSON.stringify('system' in body ? body.system : '').includes('A piece of work of an agent is over.');
}

/** Whether a request is the Dreamer's, which comes between runs. */
export function asksDreamer(body: object): boolean {
  return JSON.stringify('system' in body ? body.system : '').includes('An agent looks back at its own work.');
}

/** What a scorer that finds nothing answers; undefined where the request is none of a scorer. */
export function nothingFound(body: object): Extract<Play, { kind: 'Answer' }>['content'] | undefined {
  const system = 'system' in body ? (body.system as readonly { readonly text: string }[]) : [];
  const text = system.map((block) => block.text).join('\n');
  if (!text.includes('<forecasts>')) return undefined;
  const features = [...text.matchAll(/^- (?<feature>[a-z][a-z0-9_]*): /gmu)].map(({ groups }) => groups?.['feature']);
  const rows = features.map(
    (name) => `<forecast feature="${name}" magnitude="0"><rationale>Nothing is found.</rationale></forecast>`,
  );
  return [{ type: 'text', text: `<forecasts>${rows.join('')}</forecasts>` }];
}

const MODEL = 'claude-test-1';

/** @param mayRefuse  the test is about a request that the API refuses */
export async function startMessagesServer(
  plays: readonly Play[] | ((request: ReceivedRequest) => Play),
  { mayRefuse = false }: { readonly mayRefuse?: boolean } = {},
): Promise<MessagesServer> {
  const received: ReceivedRequest[] = [];
  const refusals: string[] = [];
  const seals = new Seals();
  const open = new Set<ServerResponse>();
  let onStalled = (): void => undefined;
  let onDeserted = (): void => undefined;
  const stalled = new Promise<void>((resolve) => (onStalled = resolve));
  const deserted = new Promise<void>((resolve) => (onDeserted = resolve));
  const server = createServer((request, response) => {
    open.add(response);
    response.on('close', () => {
      open.delete(response);
      if (!response.writableFinished) onDeserted();
    });
    void readBody(request).then((text) => {
      const asked = { path: request.url ?? '', headers: request.headers, body: JSON.parse(text) };
      received.push(asked);
      const refusal = refusalOf(asked.body, seals);
      if (refusal !== undefined) refusals.push(refusal);
      const play = typeof plays === 'function' ? plays(asked) : plays[received.length - 1];
      const played = refusal === undefined ? (play ?? noMore) : refused(refusal);
      seals.giveAll(sentBy(played));
      perform(played, response, onStalled);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    refusals,
    stalled,
    deserted,
    ping: () => open.forEach((response) => sendEvent(response, 'ping', { type: 'ping' })),
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      if (refusals.length > 0 && !mayRefuse) throw new Error(`refused as the API would: ${refusals.join('; ')}`);
    },
  };
}

const noMore: Play = { kind: 'Status', status: 418, body: 'no more plays' };

/** As the API refuses a request. */
export function refused(message: string): Extract<Play, { kind: 'Status' }> {
  return { kind: 'Status', status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } };
}

/** The events that a client can read in a play, whatever form it has. */
function sentBy(play: Play): readonly unknown[] {
  if (play.kind === 'Answer') return answerEvents(play).map(([, data]) => data);
  if (play.kind === 'Events') return play.events.map(([, data]) => data);
  if (play.kind !== 'Body') return [];
  const text = play.text.replace(/^\uFEFF/u, '');
  const lines = text.split(/\r\n|\r|\n/).map((line) => parseJson(line.replace(/^data: ?/, '')));
  return [parseJson(text), ...lines].filter((it) => it !== undefined);
}

function perform(play: Play, response: ServerResponse, onStalled: () => void): void {
  switch (play.kind) {
    case 'Answer':
      return sendEvents(response, answerEvents(play));
    case 'Events':
      return sendEvents(response, play.events);
    case 'Status': {
      const isText = typeof play.body === 'string';
      const contentType = isText ? 'text/html' : 'application/json';
      response.writeHead(play.status, { 'content-type': contentType, ...play.headers });
      response.end(isText ? play.body : JSON.stringify(play.body));
      return;
    }
    case 'Body':
      return sendBody(play, response);
    case 'Disconnect':
      beginAnswer(response, () => response.destroy());
      return;
    case 'Stall':
      beginAnswer(response, onStalled);
      return;
    case 'Huge':
      return sendHuge(response, play.bytes);
  }
}

function sendBody(
  { text, contentType = 'text/event-stream', pieceBytes, end }: Extract<Play, { kind: 'Body' }>,
  response: ServerResponse,
): void {
  response.writeHead(200, { 'content-type': contentType });
  const bytes = Buffer.from(text);
  const size = Math.max(pieceBytes ?? bytes.length, 1);
  for (let at = 0; at < bytes.length; at += size) response.write(bytes.subarray(at, at + size));
  if (end === undefined) response.end();
  // After what was written has left.
  else if (end === 'Broken') response.write('', () => response.destroy());
}

export function answerEvents({
  content,
  stopReason,
  usage,
}: Extract<Play, { kind: 'Answer' }>): readonly (readonly [string, unknown])[] {
  const { output_tokens: outputTokens = 7, ...inputUsage } = usage ?? { input_tokens: 11 };
  return [
    ['message_start', startOf({ ...inputUsage, output_tokens: 1 })],
    ['ping', { type: 'ping' }],
    ...content.flatMap(blockEvents),
    [
      'message_delta',
      {
        type: 'message_delta',
        delta: { stop_reason: stopReason, stop_sequence: null },
        usage: { output_tokens: outputTokens },
      },
    ],
    ['message_stop', { type: 'message_stop' }],
  ];
}

function startOf(usage: Readonly<Record<string, number>>): unknown {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: MODEL, content: [], usage };
  return { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } };
}

function blockEvents(block: PlayedBlock, index: number): readonly (readonly [string, unknown])[] {
  return [
    ['content_block_start', { type: 'content_block_start', index, content_block: emptied(block) }],
    ...deltasOf(block).map((delta) => ['content_block_delta', { type: 'content_block_delta', index, delta }] as const),
    ['content_block_stop', { type: 'content_block_stop', index }],
  ];
}

function emptied(block: PlayedBlock): unknown {
  if (block.type === 'text') return { type: 'text', text: '' };
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return { ...block, input: {} };
}

function deltasOf(block: PlayedBlock): readonly unknown[] {
  if (block.type === 'text') return pieces(block.text).map((text) => ({ type: 'text_delta', text }));
  if (block.type === 'thinking')
    return [
      ...pieces(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
      ...(block.signature === undefined ? [] : [{ type: 'signature_delta', signature: block.signature }]),
    ];
  return pieces(JSON.stringify(block.input)).map((json) => ({ type: 'input_json_delta', partial_json: json }));
}

function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,7}/g) ?? [];
}

function beginAnswer(response: ServerResponse, then: () => void): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  sendEvent(response, 'message_start', startOf({ input_tokens: 3, output_tokens: 1 }));
  const block = { type: 'text', text: '' };
  const start = { type: 'content_block_start', index: 0, content_block: block };
  const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'half' } };
  sendEvent(response, 'content_block_start', start);
  response.write(frame('content_block_delta', delta), then);
}

function sendEvents(response: ServerResponse, events: readonly (readonly [string, unknown])[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [event, data] of events) sendEvent(response, event, data);
  response.end();
}

function sendEvent(response: ServerResponse, event: string, data: unknown): void {
  response.write(frame(event, data));
}

function frame(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

function sendHuge(response: ServerResponse, bytes: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = Buffer.alloc(64 * 1024, 'x');
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  response.write('event: message_start\ndata: ');
  more();
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
