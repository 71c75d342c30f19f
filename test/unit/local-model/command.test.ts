/** The command `local-model`, whole but for the engine: the cache holds one that says what its prompt ends with. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startLocalModel } from '../../../bench/live/local.ts';
import { cacheDirectory, engineDirectory, weightsFile } from '../../local-model/cache.mjs';
import { WEIGHTS } from '../../local-model/weights.mjs';
import { repositoryRoot } from '../../support/repository-files.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());
const env = { ...process.env, XDG_CACHE_HOME: root.path };
const cache = cacheDirectory(env);

/** As much of node-llama-cpp as the engine asks for. A token is a character, and an answer is the seed and what was known before. */
const ENGINE = `
class Sequence {
  tokens = [];
  out = 0;
  get nextTokenIndex() { return this.tokens.length; }
  tokenMeter = { getState: () => this.out, diff: (before) => ({ usedOutputTokens: this.out - before }) };
  compareContextTokens(tokens) {
    const at = this.tokens.findIndex((token, index) => token !== tokens[index]);
    return { firstDifferentIndex: at === -1 ? this.tokens.length : at };
  }
  async adaptStateToTokens(tokens) { this.tokens = this.tokens.slice(0, this.compareContextTokens(tokens).firstDifferentIndex); }
  async evaluateWithoutGeneratingNewTokens(tokens) { this.tokens.push(...tokens); }
}
export class LlamaCompletion {
  constructor({ contextSequence }) { this.sequence = contextSequence; }
  async generateCompletionWithMeta(tokens, { seed, maxTokens, grammar }) {
    const left = tokens.length - this.sequence.nextTokenIndex;
    const said = grammar === undefined ? \`seed \${seed}, \${left} left\` : JSON.stringify({ reply: grammar });
    const response = said.slice(0, maxTokens);
    this.sequence.tokens.push(...tokens.slice(-left), ...response);
    this.sequence.out += response.length;
    return { response, metadata: { stopReason: response.length < said.length ? 'maxTokens' : 'eogToken' } };
  }
}
export const getLlama = async () => ({
  loadModel: async () => ({
    tokenize: (text, isControl) => Array.from(text, (it) => (isControl ? it.toUpperCase() : it)),
    createContext: async () => ({ getSequence: () => new Sequence(), dispose: async () => undefined }),
    dispose: async () => undefined,
  }),
  createGrammarForJsonSchema: async (schema) => Object.keys(schema).join(),
  dispose: async () => undefined,
});
`;

beforeAll(() => {
  const engine = join(engineDirectory(cache), 'node_modules', 'node-llama-cpp');
  mkdirSync(join(engine, 'dist'), { recursive: true });
  writeFileSync(join(engine, 'package.json'), '{"type": "module"}');
  writeFileSync(join(engine, 'dist', 'index.js'), ENGINE);
  for (const weights of Object.values(WEIGHTS).slice(0, 1)) writeFileSync(weightsFile(cache, weights), '');
});

interface Ended {
  readonly code: number;
  readonly said: string;
}

function localModel(...argv: readonly string[]): Promise<Ended> {
  const command = join(repositoryRoot, 'test/local-model/local-model');
  return new Promise((resolve) => {
    execFile(command, argv, { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), said: stdout + stderr }),
    );
  });
}

async function ask(url: string, more: object = {}): Promise<unknown> {
  const body = { model: 'any', max_tokens: 100, messages: [{ role: 'user', content: 'How many?' }], ...more };
  return (await fetch(`${url}/v1/messages`, { method: 'POST', body: JSON.stringify(body) })).json();
}

describe('a line that means nothing', () => {
  it.each([
    { argv: [], says: '"" is none of fetch, serve, status, stop, where' },
    { argv: ['play'], says: '"play" is none of fetch' },
    { argv: ['where', 'else'], says: '"where else" is none of' },
    { argv: ['where', '--size', '7b'], says: '--size 7b: it is one of 0.5b, 1.5b' },
    { argv: ['serve', '--port', '-1'], says: '--port' },
    { argv: ['serve', '--seed', '4294967296'], says: '--seed 4294967296: it is a whole number from 0 to 4294967295' },
    { argv: ['serve', '--tools', 'xml'], says: '--tools xml: it is one of grammar, native' },
    { argv: ['serve', '--record', '/no/such/folder'], says: '/no/such/folder' },
    { argv: ['serve', '--size', '1.5b'], says: 'qwen2.5-coder-1.5b is not here yet: local-model fetch --size 1.5b' },
  ])('ends with one line that says what is wrong: $argv', async ({ argv, says }) => {
    const { code, said } = await localModel(...argv);
    expect(code).toBe(1);
    expect(said).toMatch(/^local-model: .*\n$/);
    expect(said).toContain(says);
  });
});

describe('the command', () => {
  it('tells its commands, what is here, and where', async () => {
    const [weights] = Object.values(WEIGHTS);
    expect((await localModel('--help')).said).toMatch(/^usage: local-model COMMAND/);
    const { said } = await localModel('status');
    expect(said).toMatch(/^0\.5b {2}here, 0 MB .*Apache-2\.0/);
    expect(said).toMatch(/^1\.5b {2}not fetched/m);
    expect(said).toMatch(/^engine {2}here .*MIT.*\nno server runs\n$/m);
    expect((await localModel('where')).said).toBe(`${cache}\n`);
    expect((await localModel('where', '--size', '0.5b')).said).toBe(`${weights && weightsFile(cache, weights)}\n`);
    expect(await localModel('fetch')).toEqual({ code: 0, said: '' });
  });
});

describe('a live run of one’s own model', () => {
  it('has a server that answers, records, repeats itself by its seed, and ends with the run', async () => {
    const record = join(root.path, 'calls.jsonl');
    const local = await startLocalModel({ size: '0.5b', seed: 7, record, env });
    expect(local.model).toBe('qwen2.5-coder-0.5b');
    const first = await ask(local.baseURL);
    expect(first).toMatchObject({ content: [{ text: 'seed 8, 1 left' }], usage: { cache_read_input_tokens: 0 } });
    // The next turn goes on where the first ended.
    const messages = [
      { role: 'user', content: 'How many?' },
      { role: 'assistant', content: 'Two.' },
      { role: 'user', content: 'Sure?' },
    ];
    const second = (await ask(local.baseURL, { messages })) as { readonly usage: Record<string, number> };
    expect(second.usage['cache_read_input_tokens']).toBeGreaterThan(second.usage['input_tokens'] ?? Infinity);
    expect(await ask(local.baseURL, { tools: [{ name: 'a', input_schema: { type: 'object' } }] })).toMatchObject({
      content: [{ type: 'text', text: 'oneOf' }],
      stop_reason: 'end_turn',
    });
    expect(await ask(local.baseURL, { max_tokens: 4 })).toMatchObject({ stop_reason: 'max_tokens' });
    expect((await localModel('status')).said).toContain(`${local.model} at ${local.baseURL}, process `);
    await local.stop();
    await local.stop();
    expect((await localModel('status')).said).toContain('no server runs');
    const calls = readFileSync(record, 'utf8').trim().split('\n');
    expect(calls.map((line) => (JSON.parse(line) as { readonly seed: number }).seed)).toEqual([8, 9, 10, 11]);
    const again = await startLocalModel({ size: '0.5b', seed: 7, env });
    expect(await ask(again.baseURL)).toEqual(first);
    expect((await localModel('stop')).said).toBe(`${again.model} at ${again.baseURL} was told to end\n`);
    await again.stop();
  });

  it('has a server that ends when the program that started it is killed', async () => {
    const main = join(repositoryRoot, 'test/local-model/main.mjs');
    const starts = `require('node:child_process').fork(${JSON.stringify(main)}, ['serve'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })`;
    const parent = spawn(process.execPath, ['-e', starts], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(parent.stdout.setEncoding('utf8'), 'data')) as [string];
    const url = line.trim().replace(/^.* at /, '');
    expect((await fetch(url)).status).toBe(200);
    parent.kill('SIGKILL');
    await vi.waitFor(() => expect(fetch(url)).rejects.toThrow('fetch failed'), { timeout: 30_000 });
  });

  it('does not begin where the model cannot be had', async () => {
    const nowhere = { ...env, PATH: join(root.path, 'no-programs') };
    await expect(startLocalModel({ size: '1.5b', seed: 1, env: nowhere })).rejects.toThrow(
      'the local model of size 1.5b could not be fetched',
    );
  });
});
