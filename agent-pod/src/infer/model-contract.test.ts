/** What every model must do, run against all of them, and then what only one of them does. */
import { noProxies } from '@retainer/contract/std/proxies';
import { ok, type Result } from '@retainer/contract/std/result';
import { afterEach, describe, expect, it } from 'vitest';
import { manualClock, type ManualClock } from '../../../test/support/manual-clock.ts';
import { startMessagesServer, type MessagesServer, type Play } from '../../../test/support/messages-server.ts';
import { verifies } from '../../../test/verifies.ts';
import type { ModelAnswer, ModelFailure, ModelFailureKind, ModelRequest } from '@retainer/mind/request/model-request';
import type { ModelPort } from '../ports/ports.ts';
import { anthropicModel } from './anthropic-model.ts';
import { openModel, type ModelSettings } from './open-model.ts';
import { replayModel } from '../../../test/support/replay-model.ts';
import { DEFAULT_SILENCE_MS } from './retrying-model.ts';

const TIME_OUT_MS = 300_000;
const API_KEY = 'sk-ant-test-0123456789abcdef';

const request: ModelRequest = {
  role: 'executor',
  tier: 'Fast',
  model: 'claude-test',
  system: [
    { text: 'You are careful.', cache: true },
    { text: '', cache: true },
    { text: 'Today is Monday.', cache: false },
  ],
  messages: [{ role: 'User', content: [{ type: 'Text', text: 'How warm was it?' }] }],
  tools: [
    { name: 'run_code', description: 'Runs code.', inputSchema: { type: 'object' } },
    { name: 'read_file', description: 'Reads a file.', inputSchema: { type: 'object' } },
  ],
  maxOutputTokens: 1000,
};

/** What a model is made to meet, in one word; each harness knows how to bring it about. */
type Situation = 'Answers' | 'CallsTool' | 'IsCutOff' | 'Refuses' | 'Stalls' | 'AnswersNothing' | ModelFailureKind;

interface Stage {
  readonly model: ModelPort;
  readonly clock: ManualClock;
  readonly server?: MessagesServer;
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function open(settings: ModelSettings, clock: ManualClock): Promise<ModelPort> {
  const model = await openModel(settings, { clock, random: () => 0 });
  if (!model.ok) throw new Error(model.error.join('\n'));
  return model.value;
}

async function anthropicStage(plays: readonly Play[], path = ''): Promise<Stage & { readonly server: MessagesServer }> {
  const server = await startMessagesServer(plays);
  closing.push(() => server.close());
  const clock = manualClock();
  const settings = { provider: 'Anthropic', apiKey: API_KEY, baseURL: `${server.url}${path}` } as const;
  return { model: await open(settings, clock), clock, server };
}

async function scriptedStage(rule: string): Promise<Stage> {
  const clock = manualClock();
  const scriptText = `version: 1\nrules:\n  - {name: only, ${rule}}\n`;
  return { model: await open({ provider: 'Scripted', scriptText, scriptName: 'script.yaml' }, clock), clock };
}

function error(status: number, type: string): Play {
  return { kind: 'Status', status, body: { type: 'error', error: { type, message: `said ${type}` } } };
}

const text = { type: 'text', text: 'It was 21.4 degrees.' } as const;
const call = {
  type: 'tool_use',
  id: 'toolu_1',
  name: 'run_code',
  input: { language: 'javascript', script: 'x' },
} as const;
const usage = {
  input_tokens: 20,
  output_tokens: 9,
  cache_read_input_tokens: 5,
  cache_creation_input_tokens: 2,
} as const;

const played: Readonly<Record<Exclude<Situation, 'Cancelled'>, Play>> = {
  Answers: { kind: 'Answer', content: [text], stopReason: 'end_turn', usage },
  CallsTool: { kind: 'Answer', content: [text, call], stopReason: 'tool_use', usage },
  IsCutOff: { kind: 'Answer', content: [text], stopReason: 'max_tokens', usage },
  Refuses: { kind: 'Answer', content: [text], stopReason: 'refusal', usage },
  AnswersNothing: { kind: 'Answer', content: [], stopReason: 'end_turn', usage },
  Stalls: { kind: 'Stall' },
  RateLimited: error(429, 'rate_limit_error'),
  Overloaded: error(529, 'overloaded_error'),
  Network: error(500, 'api_error'),
  Timeout: error(408, 'timeout_error'),
  Authentication: error(401, 'authentication_error'),
  InvalidRequest: error(400, 'invalid_request_error'),
  MalformedAnswer: { kind: 'Body', text: 'event: message_start\ndata: {nonsense\n\n' },
  Misconfigured: { kind: 'Status', status: 404, body: '<html>Not found</html>' },
};

const ruleOf: Readonly<Record<string, string>> = {
  Answers: 'answer: {text: "It was 21.4 degrees."}',
  CallsTool:
    'answer: {text: "It was 21.4 degrees.", calls: [{tool: run_code, input: {language: javascript, script: x}}]}',
  IsCutOff: 'answer: {text: "It was 21.4 degrees.", stop: MaxTokens}',
  Refuses: 'answer: {text: "It was 21.4 degrees.", stop: Refusal}',
  AnswersNothing: 'fault: {kind: Empty}',
  Stalls: 'fault: {kind: Stall}',
};

const answer: ModelAnswer = {
  content: [{ type: 'Text', text: text.text }],
  stop: 'EndTurn',
  usage: { inputTokens: 20, outputTokens: 9, cacheReadTokens: 5, cacheWriteTokens: 2 },
  model: 'claude-test-1',
  latencyMs: 1200,
  attempts: 1,
};

function recordOf(situation: Situation): Result<ModelAnswer, ModelFailure> {
  switch (situation) {
    case 'Answers':
      return ok(answer);
    case 'CallsTool': {
      const { id, name, input } = call;
      return ok({ ...answer, stop: 'ToolUse', content: [...answer.content, { type: 'ToolUse', id, name, input }] });
    }
    case 'IsCutOff':
      return ok({ ...answer, stop: 'MaxTokens' });
    case 'Refuses':
      return ok({ ...answer, stop: 'Refusal' });
    case 'AnswersNothing':
      return ok({ ...answer, content: [] });
    case 'Stalls':
      return { ok: false, error: { kind: 'Timeout', message: 'stalled', attempts: 4, latencyMs: 300_000 } };
    default:
      return { ok: false, error: { kind: situation, message: 'recorded', attempts: 2, latencyMs: 900 } };
  }
}

const harnesses: readonly { readonly name: string; readonly stage: (situation: Situation) => Promise<Stage> }[] = [
  {
    name: 'anthropic',
    stage: (situation) => {
      const play = situation === 'Cancelled' ? played.Stalls : played[situation];
      return anthropicStage([play, play, play, play, play]);
    },
  },
  {
    name: 'scripted',
    stage: (situation) => scriptedStage(ruleOf[situation] ?? `fault: {kind: Fail, failure: ${situation}}`),
  },
  {
    name: 'replay',
    stage: async (situation) => ({
      model: replayModel(() => ({ outcome: recordOf(situation) })),
      clock: manualClock(),
    }),
  },
];

interface Asked {
  readonly outcome: Promise<Result<ModelAnswer, ModelFailure>>;
  readonly cancel: () => void;
}

function ask(model: ModelPort, timeoutMs = TIME_OUT_MS): Asked {
  const controller = new AbortController();
  const outcome = model.infer(request, { callId: 'run-1/call-1', signal: controller.signal, timeoutMs });
  return { outcome, cancel: () => controller.abort(new Error('cancelled by the test')) };
}

/** The outcome, with the clock moved on to the next sleeper whenever nothing else goes on. */
async function untilDone<T>({ outcome, clock }: { outcome: Promise<T>; clock: ManualClock }): Promise<T> {
  let isDone = false;
  const mark = (): void => {
    isDone = true;
  };
  outcome.then(mark, mark);
  const deadlineMs = clock.monotonicMs() + TIME_OUT_MS;
  while (!isDone && clock.monotonicMs() <= deadlineMs) {
    await new Promise((resolve) => setImmediate(resolve));
    const backoffMs = clock.sleeping().find((durationMs) => durationMs < DEFAULT_SILENCE_MS);
    if (backoffMs !== undefined) clock.advance(backoffMs);
  }
  return outcome;
}

describe.each(harnesses)('the model contract: $name', ({ name, stage }) => {
  it('says which model answers', async () => {
    expect((await stage('Answers')).model.name).toBe(name);
  });

  it('answers with text, usage, attempts and the model that really answered', async () => {
    const { model } = await stage('Answers');
    const result = await ask(model).outcome;
    expect(result).toMatchObject({
      ok: true,
      value: { content: [{ type: 'Text', text: text.text }], stop: 'EndTurn', attempts: 1 },
    });
    if (!result.ok) return;
    expect(result.value.usage.inputTokens).toBeGreaterThan(0);
    expect(result.value.usage.outputTokens).toBeGreaterThan(0);
    expect(result.value.model).not.toBe(request.model);
    expect(result.value.latencyMs).toBeGreaterThanOrEqual(0);
  });

  it('calls tools with an id and a whole input', async () => {
    const { model } = await stage('CallsTool');
    const result = await ask(model).outcome;
    expect(result).toMatchObject({ ok: true, value: { stop: 'ToolUse' } });
    const use = result.ok ? result.value.content.at(-1) : undefined;
    expect(use).toMatchObject({ type: 'ToolUse', name: 'run_code', input: call.input });
    expect(use?.type === 'ToolUse' ? use.id : '').toMatch(/^[A-Za-z0-9_-]{5,64}$/);
  });

  it.each([
    ['IsCutOff', 'MaxTokens'],
    ['Refuses', 'Refusal'],
  ] as const)('passes on the stop of a model that %s', async (situation, stop) => {
    const { model } = await stage(situation);
    expect(await ask(model).outcome).toMatchObject({ ok: true, value: { stop } });
  });

  it('passes on an answer without content', async () => {
    const { model } = await stage('AnswersNothing');
    expect(await ask(model).outcome).toMatchObject({ ok: true, value: { content: [], stop: 'EndTurn' } });
  });

  it.each<ModelFailureKind>([
    'RateLimited',
    'Overloaded',
    'Network',
    'Timeout',
    'Authentication',
    'InvalidRequest',
    'MalformedAnswer',
    'Misconfigured',
  ])('fails with %s, a message and the number of attempts', async (kind) => {
    const { model, clock } = await stage(kind);
    const result = await untilDone({ outcome: ask(model).outcome, clock });
    expect(result).toMatchObject({ ok: false, error: { kind } });
    if (result.ok) return;
    expect(result.error.message).not.toBe('');
    expect(result.error.attempts).toBeGreaterThan(0);
  });

  it('asks nobody when it is cancelled before it begins', async () => {
    const { model, server } = await stage('Answers');
    const signal = AbortSignal.abort();
    const result = await model.infer(request, { callId: 'c', signal, timeoutMs: TIME_OUT_MS });
    expect(result).toMatchObject({ ok: false, error: { kind: 'Cancelled', attempts: 0 } });
    expect(server?.received ?? []).toHaveLength(0);
  });

  it('ends at its time limit when nothing more comes', async () => {
    const { model, clock, server } = await stage('Stalls');
    const { outcome } = ask(model, 30_000);
    await server?.stalled;
    clock.advance(30_000);
    expect(await outcome).toMatchObject({ ok: false, error: { kind: 'Timeout' } });
  });
});

describe.each(harnesses.filter(({ name }) => name !== 'replay'))('a model that stalls: $name', ({ stage }) => {
  verifies('infer:cancel-at-once', 'ends at once, without any time passing, when it is cancelled', async () => {
    const { model, clock, server } = await stage('Stalls');
    const { outcome, cancel } = ask(model);
    await server?.stalled;
    cancel();
    expect(await outcome).toMatchObject({ ok: false, error: { kind: 'Cancelled', attempts: 1, latencyMs: 0 } });
    expect(clock.sleeping()).toEqual([]);
    await server?.deserted;
  });

  verifies('infer:stall-watchdog', 'has all of its time to begin its answer, and no more', async () => {
    const { model, clock } = await stage('Stalls');
    const { outcome } = ask(model, 2 * DEFAULT_SILENCE_MS);
    for (const _ of [1, 2]) {
      await clock.untilSleeping(DEFAULT_SILENCE_MS);
      clock.advance(DEFAULT_SILENCE_MS);
    }
    const result = await outcome;
    expect(result).toMatchObject({
      ok: false,
      error: { kind: 'Timeout', attempts: 1, latencyMs: 2 * DEFAULT_SILENCE_MS },
    });
  });

  it('is cancelled while it waits for the next try', async () => {
    const { model, clock } = await stage('Overloaded');
    const { outcome, cancel } = ask(model);
    await clock.untilSleeping(2000);
    cancel();
    expect(await outcome).toMatchObject({ ok: false, error: { kind: 'Cancelled', attempts: 1 } });
  });
});

describe('the anthropic model', () => {
  it('sends the request in the words of the API and caches the stable prefix and the last turn', async () => {
    const { model, server } = await anthropicStage([played.Answers]);
    await ask(model).outcome;
    const [received] = server.received;
    expect(received?.path).toBe('/v1/messages');
    expect(received?.headers.authorization).toBe(`Bearer ${API_KEY}`);
    expect(received?.body).toEqual({
      model: 'claude-test',
      max_tokens: 1000,
      stream: true,
      system: [
        { type: 'text', text: 'You are careful.', cache_control: { type: 'ephemeral' } },
        { type: 'text', text: 'Today is Monday.' },
      ],
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'How warm was it?', cache_control: { type: 'ephemeral' } }],
        },
      ],
      tools: [
        { name: 'run_code', description: 'Runs code.', input_schema: { type: 'object' } },
        {
          name: 'read_file',
          description: 'Reads a file.',
          input_schema: { type: 'object' },
          cache_control: { type: 'ephemeral' },
        },
      ],
    });
  });

  it('reads usage with both cache counts', async () => {
    const { model } = await anthropicStage([played.Answers]);
    expect(await ask(model).outcome).toMatchObject({
      value: { usage: { inputTokens: 20, outputTokens: 9, cacheReadTokens: 5, cacheWriteTokens: 2 } },
    });
  });

  it('works below a path of the base URL', async () => {
    const { model, server } = await anthropicStage([played.Answers], '/proxy');
    expect(await ask(model).outcome).toMatchObject({ ok: true });
    expect(server.received[0]?.path).toBe('/proxy/v1/messages');
  });

  it('drops thinking blocks', async () => {
    const thinking = { type: 'thinking', thinking: 'Let me see.' } as const;
    const { model } = await anthropicStage([{ kind: 'Answer', content: [thinking, text], stopReason: 'end_turn' }]);
    expect(await ask(model).outcome).toMatchObject({ value: { content: [{ type: 'Text', text: text.text }] } });
  });

  verifies('infer:retry-policy', 'waits as Retry-After says and then answers', async () => {
    const limited = { ...error(429, 'rate_limit_error'), headers: { 'retry-after': '17' } } as Play;
    const { model, clock } = await anthropicStage([limited, played.Answers]);
    const { outcome } = ask(model);
    await clock.untilSleeping(17_000);
    clock.advance(17_000);
    expect(await outcome).toMatchObject({ ok: true, value: { attempts: 2, latencyMs: 17_000 } });
  });

  it.each([
    ['500', error(500, 'api_error'), 500],
    ['529', error(529, 'overloaded_error'), 2000],
    ['a page of a proxy with status 502', { kind: 'Status', status: 502, body: '<html>Bad gateway</html>' }, 500],
    [
      'an error within the stream',
      { kind: 'Events', events: [['error', { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }]] },
      2000,
    ],
    ['a broken connection', { kind: 'Disconnect' }, 500],
    [
      'a stream that ends too early',
      { kind: 'Events', events: [['message_start', { type: 'message_start', message: { model: 'm' } }]] },
      500,
    ],
    ['garbage in the stream', played.MalformedAnswer, 500],
    ['an empty answer', { kind: 'Body', text: '' }, 500],
  ] as const)('tries again after %s', async (_name, play, delayMs) => {
    const { model, clock } = await anthropicStage([play, played.Answers]);
    const { outcome } = ask(model);
    await clock.untilSleeping(delayMs);
    clock.advance(delayMs);
    expect(await outcome).toMatchObject({ ok: true, value: { attempts: 2 } });
  });

  it('counts a ping as a sign of life', async () => {
    const { server } = await anthropicStage([played.Stalls]);
    const names = { address: 'a', key: 'k', authorities: 'c' };
    const adapter = anthropicModel({ apiKey: API_KEY, baseURL: server.url, names, proxies: noProxies, nowMs: () => 0 });
    const controller = new AbortController();
    let signs = 0;
    // The head of the answer is four frames, so the signs beyond those are pings.
    const enough = new Promise<void>((resolve) => {
      const progress = (): void => {
        signs += 1;
        if (signs > 10) resolve();
        else server.ping();
      };
      void adapter.attempt(request, { callId: 'c', attempt: 1, signal: controller.signal, progress });
    });
    await enough;
    controller.abort();
    await server.deserted;
    expect(signs).toBeGreaterThan(10);
  });

  verifies('infer:bounded-answer', 'drops an answer that never ends before it is decoded', async () => {
    const huge = { kind: 'Huge', bytes: 64 * 1024 * 1024 } as const;
    const { model, clock, server } = await anthropicStage([huge, huge]);
    const result = await untilDone({ outcome: ask(model).outcome, clock });
    expect(result).toMatchObject({ ok: false, error: { kind: 'MalformedAnswer', attempts: 2 } });
    await server.deserted;
  });

  it('fails with Network when nobody listens', async () => {
    const { model, clock, server } = await anthropicStage([]);
    await server.close();
    const result = await untilDone({ outcome: ask(model).outcome, clock });
    expect(result).toMatchObject({ ok: false, error: { kind: 'Network', attempts: 4 } });
    expect(result.ok ? '' : result.error.message).toContain('ECONNREFUSED');
  });

  verifies('infer:no-secret-in-failure', 'keeps the key out of the message of a failure', async () => {
    const body = { type: 'error', error: { type: 'authentication_error', message: `bad key ${API_KEY}` } };
    const { model } = await anthropicStage([{ kind: 'Status', status: 401, body }]);
    const result = await ask(model).outcome;
    expect(JSON.stringify(result)).not.toContain(API_KEY);
    expect(result).toMatchObject({ ok: false, error: { message: expect.stringContaining('[secret:apiKey]') } });
  });
});

describe('the scripted model', () => {
  it('recovers when a fault is spent', async () => {
    const clock = manualClock();
    const scriptText = [
      'version: 1',
      'rules:',
      '  - {name: down, fault: {kind: Fail, failure: Overloaded, retryAfterMs: 3000, times: 2}}',
      '  - {name: up, answer: {text: back}}',
    ].join('\n');
    const model = await open({ provider: 'Scripted', scriptText, scriptName: 'script.yaml' }, clock);
    const { outcome } = ask(model);
    for (const waitMs of [3000, 3000]) {
      await clock.untilSleeping(waitMs);
      clock.advance(waitMs);
    }
    expect(await outcome).toMatchObject({ ok: true, value: { attempts: 3, latencyMs: 6000 } });
  });

  it('gives the same answer to the same call, and other ids to another', async () => {
    const first = await scriptedStage(ruleOf['CallsTool'] ?? '');
    const second = await scriptedStage(ruleOf['CallsTool'] ?? '');
    expect(await ask(first.model).outcome).toEqual(await ask(second.model).outcome);
    const signal = new AbortController().signal;
    const other = await first.model.infer(request, { callId: 'run-1/call-2', signal, timeoutMs: 1000 });
    expect(other).not.toEqual(await ask(first.model).outcome);
  });
});

describe('the replay model', () => {
  it('answers as recorded, effort included', async () => {
    const model = replayModel((callId) => (callId === 'run-1/call-1' ? { outcome: ok(answer) } : undefined));
    expect(await ask(model).outcome).toEqual(ok(answer));
  });

  it('fails for a call that the record does not hold', async () => {
    const result = await ask(replayModel(() => undefined)).outcome;
    expect(result).toMatchObject({
      ok: false,
      error: { kind: 'InvalidRequest', message: expect.stringContaining('run-1/call-1') },
    });
  });
});
