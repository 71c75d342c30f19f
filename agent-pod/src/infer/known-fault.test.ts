import { err, ok } from '@retainer/contract/std/result';
import type { ModelFailureKind, ModelRequest } from '@retainer/mind/request/model-request';
import { describe, expect, it } from 'vitest';
import { FAULT_KEPT_MS, keepingFaults } from './known-fault.ts';
import type { AttemptAnswer, ModelAttempter } from './model-attempt.ts';

const answer: AttemptAnswer = {
  content: [],
  stop: 'EndTurn',
  usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
  model: 'm',
};

function asked(kinds: readonly (ModelFailureKind | 'answers')[]) {
  let [nowMs, asks] = [0, 0];
  const adapter: ModelAttempter = {
    name: 'a',
    attempt: async () => {
      const kind = kinds[asks] ?? 'answers';
      asks += 1;
      return kind === 'answers' ? ok(answer) : err({ kind, message: `${kind} ${asks}` });
    },
  };
  const model = keepingFaults(adapter, { monotonicMs: () => nowMs });
  const request = { role: 'executor', tier: 'Fast', system: [], messages: [], tools: [], maxOutputTokens: 1 } as const;
  const context = { callId: 'c', attempt: 1, signal: new AbortController().signal, progress: () => undefined };
  return {
    ask: (name = 'one') => model.attempt({ ...request, model: name } satisfies ModelRequest, context),
    pass: (durationMs: number) => void (nowMs += durationMs),
    asks: () => asks,
  };
}

describe('a verdict that nothing but a setting changes', () => {
  it.each(['Misconfigured', 'Authentication'] as const)('%s is kept for a moment, for this model', async (kind) => {
    const { ask, pass, asks } = asked([kind]);
    const first = await ask();
    pass(FAULT_KEPT_MS - 1);
    expect(await ask()).toEqual(first);
    expect(asks()).toBe(1);
    expect(await ask('two')).toMatchObject({ ok: true });
    expect(await ask()).toMatchObject({ ok: true });
  });

  it('is asked for anew after that moment', async () => {
    const { ask, pass, asks } = asked(['Misconfigured']);
    await ask();
    pass(FAULT_KEPT_MS);
    expect(await ask()).toMatchObject({ ok: true });
    expect(asks()).toBe(2);
  });

  it.each([
    'Network',
    'Overloaded',
    'RateLimited',
    'Timeout',
    'InvalidRequest',
    'MalformedAnswer',
    'Cancelled',
  ] as const)('%s is none', async (kind) => {
    const { ask, asks } = asked([kind]);
    await ask();
    expect(await ask()).toMatchObject({ ok: true });
    expect(asks()).toBe(2);
  });
});
