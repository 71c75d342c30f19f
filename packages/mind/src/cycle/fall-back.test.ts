import { describe, expect, it } from 'vitest';
import { CycleUnderTest } from '../../../../test/support/cycles.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { ModelFailureKind, ModelRequest } from '../request/model-request.ts';
import { askedInstead, questionRequest } from './question-request.ts';

const ask = { answers: 'Xml', thinking: { mode: 'Adaptive', effort: 'low' } } as const;
const fallback = { tier: 'Fast', model: 'small', ask: { answers: 'Xml' } } as const;

function requests(cycle: CycleUnderTest): readonly ModelRequest[] {
  return cycle.events.flatMap((event) => (event.kind === 'ModelRequested' ? [event.request as ModelRequest] : []));
}

function fail(cycle: CycleUnderTest, kind: ModelFailureKind): void {
  const failure = { kind, message: 'no', attempts: 1, latencyMs: 1 };
  cycle.when({ kind: 'ModelFailed', atMs: 1_000_001, callId: cycle.now.pendingModelCall ?? '', failure });
}

describe('a cycle whose model is out of reach', () => {
  verifies('models:fall-back', 'goes on with the other model to its end, without the thoughts of the first', () => {
    const cycle = new CycleUnderTest({ ask, temperature: 0.2, fallback });
    cycle.answer({ thought: 'sealed for the first', calls: [['look', 1]] });
    cycle.finish('r-c1-t1');
    fail(cycle, 'Timeout');
    const second = requests(cycle).at(-1);
    expect(second).toMatchObject({ tier: 'Fast', model: 'small' });
    expect(second).not.toHaveProperty('temperature');
    expect(JSON.stringify(second)).not.toContain('sealed for the first');
    expect(cycle.events).toContainEqual({ kind: 'ModelFellBack', from: 'm', to: 'small', why: 'Timeout' });
    cycle.answer({ calls: [['look', 2]] });
    cycle.finish('r-c1-t2');
    expect(requests(cycle).at(-1)?.model).toBe('small');
    fail(cycle, 'Overloaded');
    expect(cycle.now.ended).toMatchObject({ outcome: 'Failed' });
  });

  it.each<readonly [ModelFailureKind, boolean]>([
    ['Overloaded', true],
    ['Network', true],
    ['Timeout', true],
    ['RateLimited', false],
    ['Authentication', false],
    ['MalformedAnswer', false],
    ['Cancelled', false],
  ])('asks the other one after %s: %s', (kind, isAsked) => {
    const cycle = new CycleUnderTest({ fallback });
    fail(cycle, kind);
    expect(requests(cycle).map(({ model }) => model)).toEqual(isAsked ? ['m', 'small'] : ['m']);
  });

  it('ends where there is no other', () => {
    const cycle = new CycleUnderTest();
    fail(cycle, 'Overloaded');
    expect(cycle.now.ended).toMatchObject({ outcome: 'Failed' });
  });
});

describe('a question of the runtime', () => {
  const asked = { system: [], messages: [], maxOutputTokens: 100 };
  const request = questionRequest('gate-scorer', { tier: 'Capable', model: 'm', temperature: 0, ask }, asked);

  verifies('roles:asked-as-taken', 'has room for the thoughts of a model that always thinks', () => {
    expect(request).toMatchObject({ thinking: ask.thinking, maxOutputTokens: 100 + 2048 });
  });

  it('is asked once more in plain words where the server refuses it, or of the other model', () => {
    const plain = askedInstead(request, 'InvalidRequest', undefined);
    expect(plain).toMatchObject({ isPlain: true });
    expect(plain).not.toHaveProperty('thinking');
    expect(plain).not.toHaveProperty('temperature');
    expect(plain === undefined ? plain : askedInstead(plain, 'InvalidRequest', fallback)).toBeUndefined();
    const other = askedInstead(request, 'Overloaded', fallback);
    expect(other).toMatchObject({ model: 'small', maxOutputTokens: 100 });
    expect(other === undefined ? other : askedInstead(other, 'Overloaded', fallback)).toBeUndefined();
    expect(askedInstead(request, 'RateLimited', fallback)).toBeUndefined();
  });
});
