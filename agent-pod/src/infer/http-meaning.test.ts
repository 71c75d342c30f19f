import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readProxies } from '@retainer/contract/std/proxies';
import { afterEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { verifies } from '../../../test/verifies.ts';
import { HttpMeaning, QUESTION_WAIT_MS, type HttpMeaningOptions } from './http-meaning.ts';
import { VectorCache } from './vector-cache.ts';

const MODEL = 'embed-1';
const KEY = 'k-secret-123456';

interface Asked {
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly model: string;
  readonly input: readonly string[];
}

type Answer = (response: ServerResponse, asked: Asked) => void;

/** Each text points where its first letter says. */
const directions: Answer = (response, { input }) => {
  const data = input.map((text, index) => ({ index, embedding: text.startsWith('a') ? [2, 0] : [0, 3] }));
  response.end(JSON.stringify({ data }));
};

class EmbeddingServer {
  readonly asked: Asked[] = [];
  answer: Answer = directions;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<EmbeddingServer> {
    const server = createServer();
    const own = new EmbeddingServer(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void own.#take(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return own;
  }

  get baseURL(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1/`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { model, input } = JSON.parse(body) as Pick<Asked, 'model' | 'input'>;
    const asked = { url: request.url, authorization: request.headers.authorization, model, input };
    this.asked.push(asked);
    this.answer(response, asked);
  }
}

const root = temporaryDirectory();
const servers: EmbeddingServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function meaning(path: string, options: Partial<HttpMeaningOptions> = {}) {
  const server = await EmbeddingServer.open();
  servers.push(server);
  const clock = manualClock();
  const cache = await VectorCache.open(join(root.path, path), MODEL);
  const notices: string[] = [];
  const onNotice = (notice: string): void => void notices.push(notice);
  const parts = { baseURL: server.baseURL, model: MODEL, apiKey: KEY, cache, clock, onNotice, ...options };
  return { server, clock, cache, notices, port: new HttpMeaning(parts) };
}

const rounded = (vector: Float32Array | undefined): readonly number[] | undefined =>
  vector === undefined ? undefined : Array.from(vector, (value) => Math.round(value * 100) / 100);

describe('vectors from a server', () => {
  verifies('recall:http', 'are asked for once, with model and key, and have the length 1', async () => {
    const { server, cache, port } = await meaning('one.jsonl');
    expect(port.vectorOf('apple')).toBeUndefined();
    expect(await port.prepare(['apple', 'berry'])).toBeUndefined();
    expect([rounded(port.vectorOf('apple')), rounded(port.vectorOf('berry'))]).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(await port.prepare(['apple'])).toBeUndefined();
    expect(server.asked).toEqual([
      { url: '/v1/embeddings', authorization: `Bearer ${KEY}`, model: MODEL, input: ['apple', 'berry'] },
    ]);
    await cache.written();
    const again = await meaning('one.jsonl');
    expect(rounded(again.port.vectorOf('berry'))).toEqual([0, 1]);
    const other = await VectorCache.open(join(root.path, 'one.jsonl'), 'embed-2');
    expect(other.get('berry')).toBeUndefined();
  });

  verifies('recall:http', 'that are late are not waited for, and are there for the next question', async () => {
    const { server, clock, port } = await meaning('late.jsonl');
    const held: (() => void)[] = [];
    server.answer = (response, asked) => void held.push(() => directions(response, asked));
    const question = port.prepare(['apple']);
    clock.advance(QUESTION_WAIT_MS);
    expect(await question).toBe('Late');
    expect(port.vectorOf('apple')).toBeUndefined();
    expect(await port.prepare(['apple'])).toBe('Late');
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve));
    held[0]?.();
    while (port.vectorOf('apple') === undefined) await new Promise((resolve) => setImmediate(resolve));
    expect(await port.prepare(['apple'])).toBeUndefined();
    expect(server.asked).toHaveLength(1);
  });

  for (const [what, answer] of [
    ['refuses', (response) => void response.writeHead(401).end(KEY)],
    ['answers something else', (response) => void response.end('{"data": "none"}')],
    ['hangs up', (response) => void response.destroy()],
  ] satisfies readonly (readonly [string, Answer])[])
    verifies('recall:http', `are away where the server ${what}, said once and without the key`, async () => {
      const { server, notices, port } = await meaning(`away-${what}.jsonl`);
      server.answer = answer;
      expect(await port.prepare(['apple'])).toBe('Away');
      expect(await port.prepare(['berry'])).toBe('Away');
      expect(notices).toHaveLength(1);
      expect(notices[0]).not.toContain(KEY);
      server.answer = directions;
      expect(await port.prepare(['apple'])).toBeUndefined();
    });

  it('are asked of the named server only: no redirect takes texts or key elsewhere', async () => {
    const other = await EmbeddingServer.open();
    servers.push(other);
    const { server, notices, port } = await meaning('moved.jsonl');
    server.answer = (response) => void response.writeHead(307, { location: `${other.baseURL}embeddings` }).end();
    expect(await port.prepare(['apple'])).toBe('Away');
    expect([server.asked.length, other.asked]).toEqual([1, []]);
    expect(notices[0]).toContain('it answers 307');
  });

  it('are not asked for in clear text through a proxy', async () => {
    const proxies = readProxies({ HTTP_PROXY: 'http://127.0.0.1:9' });
    const { notices, port } = await meaning('plain.jsonl', { baseURL: 'http://vectors.example', proxies });
    expect(await port.prepare(['apple'])).toBe('Away');
    expect(notices[0]).toContain('clear text');
    expect(notices[0]).not.toContain(KEY);
  });

  verifies(
    'recall:http',
    'of what is remembered come batch by batch, and go on once the server answers again',
    async () => {
      const { server, port } = await meaning('many.jsonl');
      server.answer = (response) => void response.writeHead(503).end();
      const known: string[] = [];
      const texts = Array.from({ length: 100 }, (_, n) => `a${n}`);
      port.learn(texts, (text) => void known.push(text));
      while (server.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
      server.answer = directions;
      while ((await port.prepare(['question'])) !== undefined) await new Promise((resolve) => setImmediate(resolve));
      while (known.length < texts.length) await new Promise((resolve) => setImmediate(resolve));
      expect(known).toEqual(texts);
      expect(rounded(port.vectorOf('a99'))).toEqual([1, 0]);
    },
  );

  verifies('recall:http', 'in a damaged file are left out, and made again', async () => {
    const path = join(root.path, 'damaged.jsonl');
    const first = await meaning('damaged.jsonl');
    await first.port.prepare(['apple']);
    await first.cache.written();
    await writeFile(path, `${await readFile(path, 'utf8')}["torn`);
    const torn = await VectorCache.open(path, MODEL);
    expect([torn.has('apple'), torn.has('berry')]).toEqual([true, false]);
    await writeFile(path, 'no vectors at all');
    const { port, cache } = await meaning('damaged.jsonl');
    expect(cache.has('apple')).toBe(false);
    await port.prepare(['apple']);
    await cache.written();
    expect((await VectorCache.open(path, MODEL)).has('apple')).toBe(true);
  });
});
