import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '@retainer/contract/wire/record';
import type { Json } from '@retainer/contract/std/canonical-json';
import { renderSpending } from './render-spending.ts';
import { callReader, spendingOf, type Spending } from './spending.ts';

const used = (inputTokens: number, cacheReadTokens = 0): Json => ({
  inputTokens,
  outputTokens: 10,
  cacheReadTokens,
  cacheWriteTokens: 0,
});

function recordOf(kind: string, payload: Json, cycleId = 'c1'): JournalRecord {
  const place = { version: 1, seq: 0, order: 0, epoch: 1, timeMs: 0, prev: '', hash: '' };
  return { store: 'cycle', kind, principal: 'agent', payload, cycleId, runId: 'r', ...place };
}

const started = (cycleId: string, spec: Json): JournalRecord => recordOf('CycleStarted', { spec }, cycleId);
const answered = (usage: Json, costUsd?: number): JournalRecord =>
  recordOf('ModelAnswered', { answer: { usage }, ...(costUsd === undefined ? {} : { costUsd }) });

function spendingIn(records: readonly JournalRecord[]): Spending {
  const costOf = ({ outputTokens }: { readonly outputTokens: number }, model: string): number | undefined =>
    model === 'dear' ? outputTokens : model === 'cheap' ? outputTokens / 10 : undefined;
  return spendingOf(records.flatMap(callReader()), { models: ['dear', 'cheap', 'unpriced'], costOf });
}

const begun = started('c1', { cycleId: 'c1', role: 'Executor', worker: 'Coder' });

describe('what calls took', () => {
  it('is told by role and purpose, and adds up', () => {
    const { total, byRole, byPurpose } = spendingIn([
      begun,
      answered(used(100, 300), 0.5),
      recordOf('GateScored', { usage: used(20), costUsd: 0.25 }),
      recordOf('GateProbed', { usage: used(30), costUsd: 0.25 }),
      recordOf('TextRead', { usage: used(50), costUsd: 1 }),
      { ...recordOf('ArchiveAnswered', { usage: used(0), costUsd: 2 }), store: 'archive' },
      { ...recordOf('ArchiveAnswered', { refusal: {} }), store: 'archive' },
      { ...recordOf('DreamAnswered', { usage: used(0), costUsd: 1 }), store: 'dream' },
      { ...recordOf('PassEnded', {}), store: 'dream' },
    ]);
    expect(total).toMatchObject({ calls: 7, costUsd: 5, isCostComplete: true, cachedShare: 0.6 });
    expect(total.usage).toMatchObject({ inputTokens: 200, cacheReadTokens: 300, outputTokens: 60 });
    expect(byRole.map(({ role, calls }) => [role, calls])).toEqual([
      ['coder', 1],
      ['scorer', 1],
      ['canary', 2],
      ['reader', 1],
      ['archivist', 1],
      ['dreamer', 1],
    ]);
    expect(byPurpose.map(({ purpose }) => purpose)).toEqual(['Work', 'Gates', 'Probes', 'Reader', 'Memory']);
  });

  it('names other models with a price, cheapest first', () => {
    expect(spendingIn([begun, answered(used(1)), answered(used(1))]).otherModels).toEqual([
      { model: 'cheap', costUsd: 2 },
      { model: 'dear', costUsd: 20 },
    ]);
  });

  it('names no other model where there is none', () => {
    const calls = [begun, answered(used(1))].flatMap(callReader());
    expect(spendingOf(calls, { models: ['dear'], costOf: () => 1 }).otherModels).toEqual([]);
  });

  it('says that a price is unknown, and counts no call without an answer', () => {
    const spending = spendingIn([
      begun,
      answered(used(1), 0.5),
      answered(used(1)),
      recordOf('GateScored', { refusal: {} }),
    ]);
    expect(spending.total).toMatchObject({ calls: 2, costUsd: 0.5, isCostComplete: false });
    expect(
      renderSpending(spending)
        .map(({ text }) => text)
        .join('\n'),
    ).toContain('at least $0.5000');
    expect(renderSpending(spendingIn([begun]))).toEqual([{ tone: 'Plain', text: 'no model answered' }]);
  });
});
