import { describe, expect, it } from 'vitest';
import { catalog } from '../../../test/support/cycles.ts';
import { fromOthers, ScoredCycle } from '../../../test/support/scored-cycle.ts';
import { verifies } from '../../../test/verifies.ts';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import type { CycleState } from '@retainer/mind/cycle/state';
import { HeldAnswers } from './held-answers.ts';

type Of<K extends CycleEvent['kind']> = Extract<CycleEvent, { kind: K }>;

const NOW_MS = 5;

function score(callId: string, subjectDigest: string, more: Partial<Of<'GateScoreRequested'>> = {}) {
  const request = { role: 'gate-scorer', tier: 'Fast', model: 'f', system: [], messages: [], tools: [] } as const;
  return {
    kind: 'GateScoreRequested',
    askId: `${callId}-score`,
    gate: 'Tool',
    callId,
    subjectDigest,
    tokens: 1,
    features: ['harm'],
    request: { ...request, system: [], messages: [], tools: [], maxOutputTokens: 9 },
    ...more,
  } satisfies Of<'GateScoreRequested'>;
}

const forecasts = (magnitude: number): Of<'GateScored'>['forecasts'] => {
  return { available: true, forecasts: [{ feature: 'harm', magnitude, rationale: 'So.' }] };
};

function scored(askId: string, magnitude: number, more: Partial<Of<'GateScored'>> = {}): Of<'GateScored'> {
  return { kind: 'GateScored', atMs: 1, askId, forecasts: forecasts(magnitude), latencyMs: 1, ...more };
}

const trusting = (): CycleState => new ScoredCycle().now;
const tainted = (): CycleState => new ScoredCycle(fromOthers).now;

function knowing(state: CycleState): HeldAnswers {
  const held = new HeldAnswers(catalog.known);
  held.take(score('a-t1', 'd1'), state, scored('a-t1-score', 3));
  return held;
}

describe('the answer about a text', () => {
  verifies('gate:answers-hold', 'serves the same text again, and costs nothing', () => {
    expect(knowing(trusting()).find(score('b-t4', 'd1'), trusting(), NOW_MS)).toEqual({
      kind: 'GateScored',
      atMs: NOW_MS,
      askId: 'b-t4-score',
      heldFrom: 'a-t1-score',
      forecasts: forecasts(3),
      usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
      costUsd: 0,
      latencyMs: 0,
    });
  });

  const asked = score('b-t4', 'd1');
  const others: readonly (readonly [string, Of<'GateScoreRequested'>, () => CycleState])[] = [
    ['another text', score('b-t4', 'd2'), trusting],
    ['other features', { ...asked, features: ['harm', 'waste'] }, trusting],
    ['another model', { ...asked, request: { ...asked.request, model: 'g' } }, trusting],
    ['another gate', { ...asked, gate: 'Output' }, trusting],
    ['another run', asked, () => ({ ...trusting(), spec: { ...trusting().spec, runId: 'other' } })],
    ['a question that is repeated', { ...asked, askId: 'b-t4-score-2' }, trusting],
  ];
  for (const [name, question, state] of others) {
    verifies('gate:answers-hold', `does not serve ${name}`, () => {
      expect(knowing(trusting()).find(question, state(), NOW_MS)).toBeUndefined();
    });
  }

  verifies('gate:answers-hold', 'of a cycle that read untrusted text serves only such a cycle', () => {
    const held = knowing(tainted());
    expect(held.find(asked, trusting(), NOW_MS)).toBeUndefined();
    expect(held.find(asked, tainted(), NOW_MS)).toMatchObject({ heldFrom: 'a-t1-score' });
    expect(knowing(trusting()).find(asked, tainted(), NOW_MS)).toMatchObject({ heldFrom: 'a-t1-score' });
  });

  verifies('gate:answers-hold', 'about several calls serves each of them, and several only together', () => {
    const held = new HeldAnswers(catalog.known);
    const both = score('a-t1', 'd1', { others: [{ callId: 'a-t2', subjectDigest: 'd2' }] });
    const answer = scored('a-t1-score', 0, { others: [{ callId: 'a-t2', forecasts: forecasts(4) }] });
    held.take(both, trusting(), answer);
    expect(held.find(score('b-t1', 'd2'), trusting(), NOW_MS)).toMatchObject({ forecasts: forecasts(4) });
    const swapped = score('b-t1', 'd2', { others: [{ callId: 'b-t2', subjectDigest: 'd1' }] });
    expect(held.find(swapped, trusting(), NOW_MS)).toMatchObject({
      forecasts: forecasts(4),
      others: [{ callId: 'b-t2', forecasts: forecasts(0) }],
    });
    const more = { ...swapped, others: [{ callId: 'b-t2', subjectDigest: 'd3' }] };
    expect(held.find(more, trusting(), NOW_MS)).toBeUndefined();
  });

  it('is not kept where it cannot be used', () => {
    const held = new HeldAnswers(catalog.known);
    const none = { available: false, reason: 'late' } as const;
    held.take(score('a-t1', 'd1'), trusting(), scored('a-t1-score', 0, { forecasts: none }));
    held.take(score('a-t2', 'd2', { features: ['harm', 'waste'] }), trusting(), scored('a-t2-score', 0));
    expect(held.find(score('b-t1', 'd1'), trusting(), NOW_MS)).toBeUndefined();
    expect(held.find(score('b-t2', 'd2', { features: ['harm', 'waste'] }), trusting(), NOW_MS)).toBeUndefined();
  });

  it('of probes holds where both were clear', () => {
    const probe = (askId: string): Of<'GateProbeRequested'> => {
      return {
        kind: 'GateProbeRequested',
        askId,
        gate: 'Input',
        subjectDigest: askId,
        tokens: 1,
        model: 'f',
        text: 'T',
      };
    };
    const told = (outcome: 'Clean' | 'Inconclusive'): Of<'GateProbed'> => {
      const clean = { outcome: 'Clean', tokenDigest: 't' } as const;
      return { kind: 'GateProbed', atMs: 1, askId: 'a', hijack: clean, leakage: { ...clean, outcome }, latencyMs: 1 };
    };
    const held = new HeldAnswers(catalog.known);
    held.take(probe('a'), tainted(), told('Inconclusive'));
    expect(held.find(probe('b'), tainted(), NOW_MS)).toBeUndefined();
    held.take(probe('a'), tainted(), told('Clean'));
    expect(held.find(probe('b'), tainted(), NOW_MS)).toMatchObject({ kind: 'GateProbed', heldFrom: 'a' });
  });
});
