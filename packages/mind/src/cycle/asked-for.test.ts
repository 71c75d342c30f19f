import { describe, expect, it } from 'vitest';
import { CycleUnderTest } from '../../../../test/support/cycles.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { ModelRequest } from '../request/model-request.ts';
import type { CycleSpec } from './event.ts';

const asking = { role: 'Planner', tools: [], structured: 'Plan' } as const satisfies Partial<CycleSpec>;
const ask = { answers: 'Schema', thinking: { mode: 'Adaptive', effort: 'low' } } as const;

function requests(cycle: CycleUnderTest): readonly ModelRequest[] {
  return cycle.events.flatMap((event) => (event.kind === 'ModelRequested' ? [event.request as ModelRequest] : []));
}

function fail(cycle: CycleUnderTest, kind: 'InvalidRequest' | 'Overloaded'): void {
  const failure = { kind, message: 'no', attempts: 1, latencyMs: 1 };
  cycle.when({ kind: 'ModelFailed', atMs: 1_000_001, callId: cycle.now.pendingModelCall ?? '', failure });
}

function ended(cycle: CycleUnderTest): unknown {
  return cycle.events.find(({ kind }) => kind === 'CycleEnded');
}

describe('what a request asks for', () => {
  it('is a schema with the form as text, and room for thoughts', () => {
    const [request] = requests(new CycleUnderTest({ ...asking, ask }));
    expect(request).toMatchObject({
      answerAs: { form: 'Schema', name: 'plan', schema: { required: ['criteria', 'subtasks'] } },
      thinking: ask.thinking,
      maxOutputTokens: 500 + 2048,
    });
    expect(request?.system.at(-1)?.text).toMatch(/^Answer with one JSON object of this form and nothing else:\n\n\{/);
  });

  it('is XML and nothing else for a model that takes no more', () => {
    const [request] = requests(new CycleUnderTest({ ...asking, ask: { answers: 'Xml' } }));
    expect(request).not.toHaveProperty('answerAs');
    expect(request).not.toHaveProperty('thinking');
    expect(request?.system.at(-1)?.text).toMatch(/^Answer with XML of this form and nothing else:[^]*&lt; for <\.$/);
  });

  it('is what it was in records that do not say it', () => {
    expect(requests(new CycleUnderTest(asking))[0]?.system).toHaveLength(1);
  });

  verifies(
    'cycle:plain-after-refusal',
    'is plain text and XML once the server refused it, and that is told once',
    () => {
      const cycle = new CycleUnderTest({ ...asking, ask });
      fail(cycle, 'InvalidRequest');
      const plain = requests(cycle)[1];
      expect(plain).not.toHaveProperty('answerAs');
      expect(plain).not.toHaveProperty('thinking');
      expect(plain?.system.at(-1)?.text).toContain('<plan>');
      expect(plain?.messages).toHaveLength(1);
      for (let malformed = 0; malformed < 3; malformed += 1)
        cycle.answer({ text: 'I am done.', structured: { ok: false, faults: 'no XML' } });
      expect(requests(cycle)).toHaveLength(4);
      expect(ended(cycle)).toMatchObject({ outcome: 'Failed', reason: 'Malformed' });
    },
  );

  it('does not change where the server was busy, or refused plain text', () => {
    for (const [kind, given] of [['Overloaded', { ...asking, ask }] as const, ['InvalidRequest', asking] as const]) {
      const cycle = new CycleUnderTest(given);
      fail(cycle, kind);
      expect(requests(cycle)).toHaveLength(1);
      expect(ended(cycle)).toMatchObject({ outcome: 'Failed' });
    }
  });
});

describe('thoughts', () => {
  const thinking = { answers: 'Xml', thinking: { mode: 'Budget', budgetTokens: 2000 } } as const;
  const thoughts = ({ messages }: ModelRequest): number =>
    messages.flatMap(({ content }) => content).filter(({ type }) => type === 'Thinking').length;

  verifies(
    'cycle:thoughts-are-nobodys-words',
    'go back with the results of calls, and are no part of the reply',
    () => {
      const limits = { ...new CycleUnderTest().now.spec.limits, outputTokens: 2000 };
      const cycle = new CycleUnderTest({ ask: thinking, limits });
      cycle.answer({ thought: 'FORBIDDEN thought', calls: [['look', 1]] });
      cycle.finish('r-c1-t1');
      expect(requests(cycle).map(thoughts)).toEqual([0, 1]);
      expect(requests(cycle)[1]?.thinking).toEqual(thinking.thinking);
      cycle.answer({ thought: 'FORBIDDEN again', text: 'It is done.' });
      expect(ended(cycle)).toMatchObject({ outcome: 'Replied', text: 'It is done.' });
    },
  );

  it('stay away once a turn was dropped, and so does a budget of thinking', () => {
    const limits = { ...new CycleUnderTest().now.spec.limits, contextTokens: 60, tokens: 100_000 };
    const cycle = new CycleUnderTest({ ask: thinking, limits: { ...limits, outputTokens: 2000 } });
    for (const at of [1, 2, 3]) {
      cycle.answer({ thought: 'so', calls: [['look', at]] });
      cycle.finish(`r-c1-t${at}`, 'x'.repeat(120));
    }
    const last = requests(cycle).at(-1);
    expect(last === undefined ? -1 : thoughts(last)).toBe(0);
    expect(last).not.toHaveProperty('thinking');
  });

  it('are not asked for where the answer would have no room', () => {
    const [request] = requests(
      new CycleUnderTest({ ask: thinking, limits: { ...new CycleUnderTest().now.spec.limits, tokens: 2000 } }),
    );
    expect(request).not.toHaveProperty('thinking');
    expect(request?.maxOutputTokens).toBe(500);
  });
});
