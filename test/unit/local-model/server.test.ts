/** The server of the local model, over an engine that says what a test tells it to; Retainer's own client asks it. */
import { afterEach, describe, expect, it } from 'vitest';
import { openModel } from '@retainer/agent-pod/infer/open-model';
import type { ModelRequest } from '@retainer/mind/request/model-request';
import type { Engine, Generated, Generation } from '../../local-model/engine.mjs';
import { startServer } from '../../local-model/server.mjs';
import { manualClock } from '../../support/manual-clock.ts';

const CONTEXT_TOKENS = 1000;

interface Asked extends Generation {
  readonly prompt: string;
}
type Says = (asked: Asked) => Promise<Partial<Generated>>;

/** A token is a character. */
function engineThat(says: Says, asked: Asked[]): Engine {
  return {
    contextTokens: CONTEXT_TOKENS,
    tokenize: (pieces) => Array.from(pieces.map(({ text }) => text).join(''), (it) => it.codePointAt(0) ?? 0),
    generate: async (tokens, generation) => {
      const call = { ...generation, prompt: String.fromCodePoint(...tokens) };
      asked.push(call);
      return { text: 'Two.', ending: 'end', cachedTokens: 7, outputTokens: 2, ...(await says(call)) };
    },
    close: async () => undefined,
  };
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

const nothingSpecial: Says = async () => ({});

async function serving(says: Says = nothingSpecial) {
  const asked: Asked[] = [];
  const recorded: Record<string, unknown>[] = [];
  const server = await startServer({
    ...{ engine: engineThat(says, asked), model: 'qwen', dialect: 'grammar', seed: 41, answerTokensMax: 500, port: 0 },
    record: (call: object) => void recorded.push({ ...call }),
  });
  closing.push(server.close);
  return { ...server, asked, recorded };
}

const body = (more: object = {}): string =>
  JSON.stringify({ model: 'any', max_tokens: 100, messages: [{ role: 'user', content: 'How many?' }], ...more });

async function post(url: string, text: string, signal?: AbortSignal) {
  const response = await fetch(`${url}/v1/messages`, { method: 'POST', body: text, ...(signal ? { signal } : {}) });
  return { status: response.status, said: await response.json() };
}

const request: ModelRequest = {
  ...{ role: 'executor', tier: 'Fast', model: 'qwen', maxOutputTokens: 100, temperature: 0.5 },
  system: [{ text: 'You are careful.', cache: true }],
  messages: [{ role: 'User', content: [{ type: 'Text', text: 'How many?' }] }],
  tools: [{ name: 'bash', description: 'Runs a script.', inputSchema: { type: 'object' } }],
};

describe('the server of a local model', () => {
  it("answers Retainer's client with a text and with a call", async () => {
    const texts = ['{"reply": "Two."}', '{"tool": "bash", "input": {}}'];
    const server = await serving(async () => ({ text: texts.shift() ?? '' }));
    const model = await openModel(
      { provider: 'Anthropic', apiKey: 'none', baseURL: server.url },
      { clock: manualClock(), random: () => 0 },
    );
    if (!model.ok) throw new Error(model.error.join());
    const options = { callId: 'call-1', timeoutMs: 60_000, signal: new AbortController().signal };
    const [reply, call] = [await model.value.infer(request, options), await model.value.infer(request, options)];
    expect(reply).toMatchObject({
      value: {
        content: [{ type: 'Text', text: 'Two.' }],
        stop: 'EndTurn',
        usage: { cacheReadTokens: 7, outputTokens: 2 },
      },
    });
    expect(call).toMatchObject({ value: { content: [{ type: 'ToolUse', name: 'bash' }], stop: 'ToolUse' } });
    expect(server.asked[0]?.prompt).toContain('You are careful.');
    expect(server.asked.map(({ temperature, maxTokens }) => [temperature, maxTokens])).toEqual([
      [0.5, 100],
      [0.5, 100],
    ]);
  });

  it('draws for each call from its seed and the number of the call', async () => {
    const { url, asked } = await serving();
    await post(url, body());
    await post(url, body());
    expect(asked.map(({ seed }) => seed)).toEqual([42, 43]);
  });

  it('takes the least of what is asked, of its own limit and of the room that the prompt leaves', async () => {
    const { url, asked } = await serving();
    await post(url, body({ max_tokens: 9000 }));
    await post(url, body({ max_tokens: 9000, system: 'x'.repeat(800) }));
    expect(asked[0]?.maxTokens).toBe(500);
    expect(asked[1]?.maxTokens).toBe(CONTEXT_TOKENS - (asked[1]?.prompt ?? '').length);
  });

  it('tells that a limit ended the answer', async () => {
    const { url } = await serving(async () => ({ ending: 'limit' }));
    expect((await post(url, body())).said).toMatchObject({ stop_reason: 'max_tokens' });
  });

  it.each([
    { name: 'a body that is none', text: 'x', status: 400, type: 'invalid_request_error', says: /JSON object/ },
    {
      name: 'a field that is wrong',
      text: body({ max_tokens: -1 }),
      status: 400,
      type: 'invalid_request_error',
      says: /^max_tokens/,
    },
    {
      ...{ name: 'a prompt that is too long', text: body({ system: 'x'.repeat(CONTEXT_TOKENS) }), status: 400 },
      ...{ type: 'invalid_request_error', says: /^prompt is too long: \d+ tokens > 936 maximum$/ },
    },
  ])('refuses $name, and asks no model', async ({ text, status, type, says }) => {
    const { url, asked } = await serving();
    const answer = await post(url, text);
    expect(answer).toMatchObject({ status, said: { error: { type, message: expect.stringMatching(says) } } });
    expect(asked).toEqual([]);
  });

  it('has no other address, and says who it is', async () => {
    const { url } = await serving();
    const other = await fetch(`${url}/v1/complete`, { method: 'POST', body: '{}' });
    expect([other.status, await other.json()]).toMatchObject([404, { error: { type: 'not_found_error' } }]);
    expect(await (await fetch(url)).json()).toEqual({ model: 'qwen', pid: process.pid, calls: 0 });
  });

  it('answers one after the other, in the order in which they came', async () => {
    let busy = 0;
    const most: number[] = [];
    const { url, asked } = await serving(async () => {
      busy += 1;
      most.push(busy);
      await new Promise((resolve) => setImmediate(resolve));
      busy -= 1;
      return {};
    });
    await Promise.all(['a', 'b', 'c'].map((system) => post(url, body({ system }))));
    expect(most).toEqual([1, 1, 1]);
    expect(asked).toHaveLength(3);
  });

  it('works no longer for whoever went away, and goes on with the next', async () => {
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const { url, recorded, asked } = await serving(async ({ signal, prompt }) => {
      if (!prompt.includes('slowly')) return {};
      begin();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    });
    const gone = new AbortController();
    const first = post(url, body({ system: 'slowly' }), gone.signal);
    await begun;
    const second = post(url, body());
    gone.abort();
    await expect(first).rejects.toThrow();
    expect((await second).said).toMatchObject({ content: [{ text: 'Two.' }] });
    expect(recorded).toMatchObject([
      { call: 1, fault: 'the client went away' },
      { call: 2, stopReason: 'end_turn' },
    ]);
    expect(asked).toHaveLength(2);
  });

  it('tells a fault of its engine, whole and within a stream, and goes on', async () => {
    const faults = ['no such grammar', 'no such grammar'];
    const { url } = await serving(async () => {
      const fault = faults.pop();
      if (fault !== undefined) throw new Error(fault);
      return {};
    });
    expect(await post(url, body())).toMatchObject({ status: 500, said: { error: { type: 'api_error' } } });
    const streamed = await fetch(`${url}/v1/messages`, { method: 'POST', body: body({ stream: true }) });
    expect(await streamed.text()).toMatch(/^event: error\ndata: .*no such grammar/);
    expect(await post(url, body())).toMatchObject({ status: 200 });
  });

  it('records the whole request, the answer as it was written and as it was sent, its tokens and its time', async () => {
    const { url, recorded } = await serving();
    await post(url, body({ temperature: 0.3 }));
    expect(recorded).toEqual([
      {
        ...{ at: expect.any(String), call: 1, seed: 42, waitedMs: expect.any(Number), ms: expect.any(Number) },
        request: JSON.parse(body({ temperature: 0.3 })),
        ...{ text: 'Two.', blocks: [{ type: 'text', text: 'Two.' }], stopReason: 'end_turn' },
        ...{ inputTokens: expect.any(Number), cachedTokens: 7, outputTokens: 2 },
      },
    ]);
  });
});
