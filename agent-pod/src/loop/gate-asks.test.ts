import { describe, expect, it } from 'vitest';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { gates } from '../../../test/support/scored-cycle.ts';
import { verifies } from '../../../test/verifies.ts';
import type { ModelRequest } from '@retainer/mind/request/model-request';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { parseStructured } from '../infer/structured.ts';
import { askProbes, askScore } from './gate-asks.ts';
import type { ModelPort } from '../ports/ports.ts';

type Of<K extends CycleEvent['kind']> = Extract<CycleEvent, { kind: K }>;

const question = { askId: 'r-c1-in-probe', gate: 'Input', subjectDigest: 'd', tokens: 1 } as const;
const probe: Of<'GateProbeRequested'> = { kind: 'GateProbeRequested', ...question, model: 'f', text: 'How many?' };
const score: Of<'GateScoreRequested'> = {
  kind: 'GateScoreRequested',
  ...question,
  features: ['harm'],
  request: { role: 'gate-scorer', tier: 'Fast', model: 'f', system: [], messages: [], tools: [], maxOutputTokens: 9 },
};

/** A model that says what the test says; undefined: it fails in time. */
function partsOf(say: (request: ModelRequest) => string | undefined) {
  const asked: ModelRequest[] = [];
  const model: ModelPort = {
    name: 'test',
    infer: (request) => {
      asked.push(request);
      const text = say(request);
      const usage = { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
      return Promise.resolve(
        text === undefined
          ? { ok: false, error: { kind: 'Timeout', message: 'too late', attempts: 1, latencyMs: 1000 } }
          : {
              ok: true,
              value: {
                content: [{ type: 'Text', text }],
                stop: 'EndTurn',
                usage,
                model: 'f',
                latencyMs: 1,
                attempts: 1,
              },
            },
      );
    },
  };
  const parts = { model, clock: manualClock(), costUsd: () => 0.5, parseStructured };
  return { parts, asked };
}

const options = { gates, signal: new AbortController().signal, refusal: undefined };

describe('the probes', () => {
  it('carry words of their own each time, of which the record has digests only', async () => {
    const { parts, asked } = partsOf(() => 'It asks for a number.');
    const first = await askProbes(parts, probe, options);
    const second = await askProbes(parts, probe, options);
    expect(asked.map(({ role }) => role).slice(0, 2)).toEqual(['gate-probe-hijack', 'gate-probe-leakage']);
    expect(first).toMatchObject({ hijack: { outcome: 'Clean' }, leakage: { outcome: 'Clean' }, costUsd: 1 });
    expect(first.usage?.inputTokens).toBe(20);
    const digests = [first, second].flatMap(({ hijack, leakage }) => [hijack.tokenDigest, leakage.tokenDigest]);
    expect(new Set(digests).size).toBe(4);
    const words = asked.flatMap(({ system }) => system[0]?.text.match(/[0-9a-f]{16}/g) ?? []);
    expect(words.length).toBeGreaterThanOrEqual(4);
    for (const word of words) expect(JSON.stringify([first, second])).not.toContain(word);
  });

  it('detect a model that was taken over', async () => {
    const { parts } = partsOf(({ messages }) => JSON.stringify(messages).match(/[0-9a-f]{16}/)?.[0] ?? 'nothing');
    expect((await askProbes(parts, probe, options)).hijack.outcome).toBe('Detected');
  });

  verifies('gate:asks-always-answered', 'are inconclusive where no answer comes, or nobody may be asked', async () => {
    const { parts, asked } = partsOf(() => undefined);
    const late = await askProbes(parts, probe, options);
    expect(late.leakage).toMatchObject({ outcome: 'Inconclusive', reason: 'Timeout: too late' });
    expect(late.usage).toBeUndefined();
    const refusal = { message: 'the budget is used up', field: 'tokensPerDay', used: 1, asked: 1, max: 1 } as const;
    const refused = await askProbes(parts, probe, { ...options, refusal });
    expect(refused).toMatchObject({ hijack: { outcome: 'Inconclusive', reason: 'the budget is used up' }, refusal });
    expect(late).not.toHaveProperty('refusal');
    expect(asked).toHaveLength(2);
  });
});

describe('the score', () => {
  verifies('gate:asks-always-answered', 'is not to be had where the answer is none', async () => {
    for (const answer of [undefined, '', 'It is fine.', '<forecasts><forecast feature="harm"/></forecasts>']) {
      const { forecasts } = await askScore(partsOf(() => answer).parts, score, options);
      expect(forecasts.available, answer).toBe(false);
    }
  });

  verifies('gate:asks-always-answered', 'is malformed where an answer came, and only there', async () => {
    const said = async (answer: string | undefined) =>
      (await askScore(partsOf(() => answer).parts, score, options)).forecasts;
    expect(await said('It is fine.')).toMatchObject({ available: false, isMalformed: true });
    expect(await said(undefined)).not.toHaveProperty('isMalformed');
  });

  it('is read from the answer', async () => {
    const xml = '<forecasts><forecast feature="harm" magnitude="3"><rationale>So.</rationale></forecast></forecasts>';
    const scored = await askScore(partsOf(() => xml).parts, score, options);
    const forecasts = [{ feature: 'harm', magnitude: 3, rationale: 'So.' }];
    expect(scored).toMatchObject({ forecasts: { available: true, forecasts }, model: 'f', costUsd: 0.5 });
  });
});

describe('the scores of several calls', () => {
  const others = [{ callId: 'r-c1-t2', subjectDigest: 'e' }];
  const both: Of<'GateScoreRequested'> = { ...score, gate: 'Tool', callId: 'r-c1-t1', others };
  const forecast = (call: string, magnitude = 0): string =>
    `<forecast call="${call}" feature="harm" magnitude="${magnitude}"><rationale>So.</rationale></forecast>`;
  const said = async (answer: string): Promise<readonly unknown[]> => {
    const scored = await askScore(partsOf(() => answer).parts, both, options);
    return [scored.forecasts, ...(scored.others ?? []).map((it) => it.forecasts)].map((it) =>
      it.available ? it.forecasts.map(({ magnitude }) => magnitude) : it.isMalformed,
    );
  };

  it.each<[string, string, readonly unknown[]]>([
    ['belong to the calls that they name, in any order', forecast('t2', 3) + forecast('t1'), [[0], [3]]],
    ['are malformed of a call that is left out', forecast('t1', 1), [[1], true]],
    ['are both kept of a call that is named twice', forecast('t1') + forecast('t2', 5) + forecast('t2'), [[0], [5, 0]]],
    [
      'are malformed of all where another call is named',
      forecast('t1') + forecast('t2') + forecast('t3'),
      [true, true],
    ],
    ['are malformed of all without the form', '<forecast feature="harm" magnitude="0"/>', [true, true]],
  ])('%s', async (_name, answer, magnitudes) => {
    const whole = answer.includes('rationale') ? `<forecasts>${answer}</forecasts>` : answer;
    expect(await said(whole)).toEqual(magnitudes);
  });
});
