import { ok } from '@retainer/contract/std/result';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import type { ModelAnswer, ModelRequest } from '@retainer/mind/request/model-request';
import { openModel, type ModelSettings } from './open-model.ts';
import { replayModel, requestDigest, type Divergence } from '../../../test/support/replay-model.ts';

const surroundings = { clock: manualClock(), random: () => 0 };

describe('openModel', () => {
  it.each<[string, ModelSettings, RegExp]>([
    ['an empty key', { provider: 'Anthropic', apiKey: ' ' }, /API key of the Anthropic model is empty/],
    [
      'a base URL that is none',
      { provider: 'Anthropic', apiKey: 'k', baseURL: 'localhost:1' },
      /http or https.*localhost:1/,
    ],
    [
      'a script with an error',
      { provider: 'Scripted', scriptText: 'version: 1\nrules: []', scriptName: 'my.yaml' },
      /^my\.yaml: line 2, rules: /,
    ],
  ])('refuses %s', async (_name, settings, message) => {
    const model = await openModel(settings, surroundings);
    expect(model.ok ? '' : model.error.join('\n')).toMatch(message);
  });

  it('names the model that it opened', async () => {
    const scripted = await openModel(
      { provider: 'Scripted', scriptText: 'version: 1\nrules: [{name: a, answer: {}}]', scriptName: 's' },
      surroundings,
    );
    expect(scripted.ok && scripted.value.name).toBe('scripted');
    const anthropic = await openModel({ provider: 'Anthropic', apiKey: 'key' }, surroundings);
    expect(anthropic.ok && anthropic.value.name).toBe('anthropic');
  });
});

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
const answer: ModelAnswer = { content: [], stop: 'EndTurn', usage, model: 'm', latencyMs: 5, attempts: 2 };

describe('the opened model', () => {
  it('tries again as often as its settings say', async () => {
    const scriptText = 'version: 1\nrules: [{name: a, fault: {kind: Fail, failure: Network}}]';
    const model = await openModel({ provider: 'Scripted', scriptText, scriptName: 's', maxRetries: 0 }, surroundings);
    const options = { callId: 'c', signal: new AbortController().signal, timeoutMs: 60_000 };
    expect(model.ok && (await model.value.infer(request, options))).toMatchObject({ error: { attempts: 1 } });
  });
});

describe('replayModel', () => {
  verifies(
    'infer:replay-divergence',
    'names a request that is not the recorded one, and gives it no answer',
    async () => {
      const divergences: Divergence[] = [];
      const recorded = { outcome: ok(answer), requestDigest: requestDigest(request) };
      const model = replayModel(
        () => recorded,
        (divergence) => divergences.push(divergence),
      );
      const options = { callId: 'c7', signal: new AbortController().signal, timeoutMs: 1 };
      expect(await model.infer(request, options)).toEqual(ok(answer));
      expect(divergences).toEqual([]);
      const other = { ...request, maxOutputTokens: 2 };
      expect(await model.infer(other, options)).toMatchObject({ ok: false, error: { kind: 'InvalidRequest' } });
      expect(divergences).toEqual([
        { callId: 'c7', recordedDigest: requestDigest(request), askedDigest: requestDigest(other) },
      ]);
    },
  );

  it('gives the same digest to the same request in another order of members', () => {
    expect(requestDigest(Object.fromEntries(Object.entries(request).toReversed()) as unknown as ModelRequest)).toBe(
      requestDigest(request),
    );
  });
});
