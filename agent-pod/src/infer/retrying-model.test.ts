import { ok } from '@retainer/contract/std/result';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import type { ModelRequest } from '@retainer/mind/request/model-request';
import type { AttemptAnswer, AttemptContext, ModelAttempter } from './model-attempt.ts';
import { retryingModel, DEFAULT_SILENCE_MS } from './retrying-model.ts';

const request: ModelRequest = {
  role: 'r',
  tier: 'Fast',
  model: 'm',
  system: [],
  messages: [],
  tools: [],
  maxOutputTokens: 1,
};
const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
const answer: AttemptAnswer = { content: [], stop: 'EndTurn', usage, model: 'm' };
const signal = new AbortController().signal;

function adapterOf(attempt: (context: AttemptContext) => ReturnType<ModelAttempter['attempt']>): ModelAttempter {
  return { name: 'fake', attempt: (_request, context) => attempt(context) };
}

describe('retryingModel', () => {
  verifies('infer:stall-watchdog', 'ends in time even when the adapter ignores its signal', async () => {
    const clock = manualClock();
    const model = retryingModel(
      adapterOf(() => new Promise(() => undefined)),
      { clock, random: () => 0 },
    );
    const outcome = model.infer(request, { callId: 'c', signal, timeoutMs: 10_000 });
    clock.advance(10_000);
    expect(await outcome).toMatchObject({ ok: false, error: { kind: 'Timeout', attempts: 1, latencyMs: 10_000 } });
    expect(clock.sleeping()).toEqual([]);
  });

  it('lets an answer that keeps coming take longer than the stall limit', async () => {
    const clock = manualClock();
    let finish = (): void => undefined;
    let sign = (): void => undefined;
    const adapter = adapterOf(
      ({ progress }) =>
        new Promise((resolve) => {
          sign = progress;
          finish = () => resolve(ok(answer));
        }),
    );
    const outcome = retryingModel(adapter, { clock, random: () => 0 }).infer(request, {
      callId: 'c',
      signal,
      timeoutMs: 10 * DEFAULT_SILENCE_MS,
    });
    for (let round = 0; round < 4; round += 1) {
      clock.advance(DEFAULT_SILENCE_MS - 1);
      sign();
      clock.advance(1);
      await clock.untilSleeping(DEFAULT_SILENCE_MS - 1);
    }
    finish();
    expect(await outcome).toMatchObject({ ok: true, value: { attempts: 1, latencyMs: 4 * DEFAULT_SILENCE_MS } });
  });

  verifies('infer:stall-watchdog', 'tries again when an answer that has begun falls silent', async () => {
    const clock = manualClock();
    const model = retryingModel(
      adapterOf(({ attempt, progress }) => {
        progress();
        return attempt === 1 ? new Promise(() => undefined) : Promise.resolve(ok(answer));
      }),
      { clock, random: () => 0, silenceMs: 1000 },
    );
    const outcome = model.infer(request, { callId: 'c', signal, timeoutMs: 600_000 });
    await clock.untilSleeping(1000);
    clock.advance(1000);
    await clock.untilSleeping(500);
    clock.advance(500);
    expect(await outcome).toMatchObject({ ok: true, value: { attempts: 2, latencyMs: 1500 } });
  });

  it.each([
    { began: true, isFinal: true, message: 'the answer was not whole within the time limit' },
    { began: false, isFinal: undefined, message: 'no answer began within the time limit' },
  ])('tells an answer that takes all its time from none: began $began', async ({ began, isFinal, message }) => {
    const clock = manualClock();
    const adapter = adapterOf(({ progress }) => {
      if (began) progress();
      return new Promise(() => undefined);
    });
    const model = retryingModel(adapter, { clock, random: () => 0 });
    const outcome = model.infer(request, { callId: 'c', signal, timeoutMs: 10_000 });
    clock.advance(10_000);
    const result = await outcome;
    expect(result.ok ? undefined : [result.error.message, result.error.isFinal]).toEqual([message, isFinal]);
  });

  it('gives an answer the time in which the process stood', async () => {
    const clock = manualClock();
    let finish = (): void => undefined;
    const adapter = adapterOf(({ progress }) => {
      progress();
      return new Promise((resolve) => (finish = () => resolve(ok(answer))));
    });
    const model = retryingModel(adapter, { clock, random: () => 0, silenceMs: 1000 });
    const outcome = model.infer(request, { callId: 'c', signal, timeoutMs: 60_000 });
    await clock.untilSleeping(1000);
    clock.advance(3_600_000);
    // It watches on from the moment in which it woke.
    await clock.untilSleeping(1000);
    finish();
    expect(await outcome).toMatchObject({ ok: true, value: { attempts: 1 } });
  });

  it('waits for no retry that could not end in time', async () => {
    const clock = manualClock();
    const adapter = adapterOf(async () => ({
      ok: false,
      error: { kind: 'RateLimited', message: 'busy', retryAfterMs: 10_000 },
    }));
    const model = retryingModel(adapter, { clock, random: () => 0 });
    const result = await model.infer(request, { callId: 'c', signal, timeoutMs: 10_000 });
    expect(result).toMatchObject({ ok: false, error: { kind: 'RateLimited', attempts: 1, latencyMs: 0 } });
  });

  it('tells the adapter the attempt and aborts its signal when the attempt has ended', async () => {
    const clock = manualClock();
    const contexts: AttemptContext[] = [];
    const adapter = adapterOf(async (context) => {
      contexts.push(context);
      return contexts.length === 1 ? { ok: false, error: { kind: 'Network', message: 'cut' } } : ok(answer);
    });
    const outcome = retryingModel(adapter, { clock, random: () => 0 }).infer(request, {
      callId: 'c',
      signal,
      timeoutMs: 10_000,
    });
    await clock.untilSleeping(500);
    clock.advance(500);
    await outcome;
    expect(contexts.map(({ attempt, callId }) => [attempt, callId])).toEqual([
      [1, 'c'],
      [2, 'c'],
    ]);
    expect(contexts.every((context) => context.signal.aborted)).toBe(true);
  });

  it('tries no more often than it was told', async () => {
    const adapter = adapterOf(async () => ({ ok: false, error: { kind: 'Network', message: 'cut' } }));
    const model = retryingModel(adapter, { clock: manualClock(), random: () => 0, maxRetries: 0 });
    const result = await model.infer(request, { callId: 'c', signal, timeoutMs: 10_000 });
    expect(result).toMatchObject({ ok: false, error: { kind: 'Network', attempts: 1 } });
  });

  it('passes a bug of the adapter through', async () => {
    const model = retryingModel(
      adapterOf(() => Promise.reject(new Error('bug'))),
      { clock: manualClock(), random: () => 0 },
    );
    await expect(model.infer(request, { callId: 'c', signal, timeoutMs: 10 })).rejects.toThrow('bug');
  });

  it('takes no notice of a bug that shows after the end', async () => {
    const clock = manualClock();
    const adapter = adapterOf(
      (context) =>
        new Promise((_resolve, reject) => context.signal.addEventListener('abort', () => reject(new Error('late')))),
    );
    const outcome = retryingModel(adapter, { clock, random: () => 0 }).infer(request, {
      callId: 'c',
      signal,
      timeoutMs: 10,
    });
    clock.advance(10);
    expect(await outcome).toMatchObject({ ok: false, error: { kind: 'Timeout' } });
  });
});
